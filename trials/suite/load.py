"""From a folder to a ``Suite``: everything is read and checked, and every fault is said at once.

1. The suite file: strict JSON or YAML (``documents``), then its fields (``schema``). Only where it
   is no sound document at all does the search end there.
2. What it names: prompts, cases, keys, the files of checks, the configurations of graders, each
   through ``folder``.
3. What only shows with all of it together: names that stand twice, placeholders, and a prompt,
   rubric, schema or key among the inputs of a case, where every trial would read it.

Nothing is written. A suite with a fault is not loaded in part.
"""

import os
import re
from pathlib import Path

from ledger.errors import FaultyInput
from trials.suite.cases import PlacedCase, load_cases
from trials.suite.checks import load_checks
from trials.suite.configuration import load_graders
from trials.suite.contents import (
    ENDINGS,
    check_names,
    list_items,
    list_names,
    read_document,
    read_prose,
)
from trials.suite.documents import join_path, show_value
from trials.suite.faults import Faults, format_fault, suggest_name
from trials.suite.folder import Folder
from trials.suite.model import PLACEHOLDER, Price, Suite, SuiteFile, Variant
from trials.suite.revision import check_cases, load_revision
from trials.suite.schema import PriceEntry, SuiteEntry, VariantEntry, check_entry

EMPTY = len("{}")
"""Bytes of a file that says nothing: a copy of it is nobody's secret."""
SUITE_FILES = ("eval_suite.json", "eval_suite.yaml", "eval_suite.yml")

_PLACEHOLDERS = re.compile(r"\{\{\s*[^\W\d][\w.-]*\s*\}\}")


def load_suite(path: Path) -> Suite:
    """Return the suite at ``path``.

    Args:
        path: a folder with exactly one of ``SUITE_FILES``, or a suite file itself, whatever its
            name before ``.json``, ``.yaml`` or ``.yml``.

    Raises:
        FaultyInput: one line for every fault, "file: field: what is wrong; what to do".
    """
    root, name = _locate(path)
    folder = Folder(root)
    file = folder.read_named(name, name)
    document = read_document(file)
    faults = Faults()
    entry = faults.attempt(check_entry, SuiteEntry, document, f"{name}: ")
    cases = _load_cases(folder, document, name, faults)
    variants = _load_variants(folder, document, name, faults)
    checks = load_checks(folder, document, name, faults)
    graders = load_graders(folder, document, name, faults)
    gated = _choose_gated(document, name, faults)
    _check_prices(document, name, faults)
    _check_placeholders(variants, cases, faults)
    _check_inputs(folder, faults)
    faults.settle()
    if entry is None or gated is None:  # Then a fault was noted, and settle has raised.
        raise AssertionError(name)
    return Suite(
        name=entry.suite_name,
        description=entry.description or "",
        variants=tuple(variant for _, variant in variants),
        gated_variant=gated,
        cases=tuple(placed.case for placed in cases),
        checks=checks,
        repetitions=entry.repetitions,
        graders=graders,
        files=tuple(
            SuiteFile(path=found.path, data=found.data) for _, found in sorted(folder.found.items())
        ),
        prices=tuple(map(_make_price, entry.prices)),
        refuses_other_models=entry.refuse_other_models,
    )


def _locate(path: Path) -> tuple[Path, str]:
    """Return the suite's folder and the name of its file."""
    if not path.is_dir():
        if not path.name.endswith(ENDINGS):
            raise FaultyInput([f"{path}: is neither a folder nor a .json, .yaml or .yml file"])
        return path.parent, path.name
    names = [name for name in SUITE_FILES if os.path.lexists(path / name)]
    if not names:
        raise FaultyInput([f"{path}: holds no suite; add {' or '.join(SUITE_FILES)}"])
    if len(names) > 1:
        raise FaultyInput([f"{path}: holds {' and '.join(names)}; keep one of them"])
    return path, names[0]


def _load_cases(
    folder: Folder, document: dict[str, object], name: str, faults: Faults
) -> list[PlacedCase]:
    revision = load_revision(folder, document, name, faults)
    path = document.get("cases")
    if not isinstance(path, str):
        return []
    before = len(faults.lines)
    cases = load_cases(folder, path, revision, f"{name}: cases", faults)
    if len(faults.lines) == before:  # Otherwise a case that is at fault may be the one.
        known = {placed.case.id for placed in cases}
        check_cases(revision, known, name, faults)
    return cases


def _load_variants(
    folder: Folder, document: dict[str, object], name: str, faults: Faults
) -> list[tuple[str, Variant]]:
    """Return the path of each sound variant's prompt, and the variant."""
    variants = []
    check_names(document, "variants", "variant_name", name, faults)
    for index, item in list_items(document, "variants"):
        entry = Faults().attempt(check_entry, VariantEntry, item, "")
        if entry is None:  # Its faults are among those of the whole document.
            continue
        place = f"{name}: {join_path('variants', index)}"
        file = faults.attempt(folder.read_named, entry.prompt_file, f"{place}.prompt_file")
        prompt = None if file is None else faults.attempt(read_prose, file)
        system = None
        if entry.system_file is not None:
            origin = f"{place}.system_file"
            system = faults.attempt(_read_system, folder, entry.system_file, origin)
        if file is not None and prompt is not None:
            variant = Variant(
                name=entry.variant_name,
                prompt=prompt,
                description=entry.description or "",
                system=system,
            )
            variants.append((file.path, variant))
    return variants


def _read_system(folder: Folder, path: str, origin: str) -> str:
    """Return a variant's system text, in which nothing is replaced."""
    file = folder.read_named(path, origin)
    text = read_prose(file)
    found = sorted({match[0] for match in _PLACEHOLDERS.finditer(text)})
    if found:
        shown = ", ".join(f"{one[:60]!r}" for one in found)
        what = f"nothing is replaced in a system text, and it has {shown}; write it in the prompt"
        raise FaultyInput([format_fault(file.path, "", what)])
    return text


def _choose_gated(document: dict[str, object], name: str, faults: Faults) -> str | None:
    names = [found for _, found in list_names(document, "variants", "variant_name")]
    gated = document.get("gated_variant")
    if gated is None:
        if len(names) == 1:
            return names[0]
        if names:
            faults.add(
                f"{name}: ",
                "gated_variant",
                f"is missing where there are several variants; name one of {', '.join(names)}",
            )
    elif isinstance(gated, str) and gated in names:
        return gated
    elif isinstance(gated, str):
        faults.add(
            f"{name}: ",
            "gated_variant",
            f"{show_value(gated)} is no variant; {suggest_name(gated, names)}",
        )
    return None


def _check_prices(document: dict[str, object], name: str, faults: Faults) -> None:
    """Note each model whose price stands twice."""
    seen: dict[tuple[object, object], int] = {}
    for index, item in list_items(document, "prices"):
        entry = Faults().attempt(check_entry, PriceEntry, item, "")
        if entry is None:  # Its faults are among those of the whole document.
            continue
        first = seen.setdefault((entry.provider, entry.model), index)
        if first != index:
            model = f"{show_value(entry.model)} of {entry.provider}"
            what = f"{model} also stands in {join_path('prices', first)}; a model has one price"
            faults.add(f"{name}: {join_path('prices', index)}.", "model", what)


def _make_price(entry: PriceEntry) -> Price:
    """Return what a row of the table says; cached input costs what input does by default."""
    read, write = entry.cache_read_usd_per_million, entry.cache_write_usd_per_million
    return Price(
        provider=entry.provider,
        model=entry.model,
        input=entry.input_usd_per_million,
        output=entry.output_usd_per_million,
        cache_read=entry.input_usd_per_million if read is None else read,
        cache_write=entry.input_usd_per_million if write is None else write,
    )


def _check_placeholders(
    variants: list[tuple[str, Variant]], cases: list[PlacedCase], faults: Faults
) -> None:
    """Note where prompt and question do not meet; one line for a prompt, not one for each case."""
    asking = [placed for placed in cases if placed.case.question is not None]
    silent = [placed for placed in cases if placed.case.question is None]
    for path, variant in variants:
        others = {found[0] for found in _PLACEHOLDERS.finditer(variant.prompt)} - {PLACEHOLDER}
        for other in sorted(others):
            faults.add(
                path,
                "",
                f"{other[:60]!r} is an unknown placeholder; only {PLACEHOLDER} is replaced",
            )
        has_placeholder = PLACEHOLDER in variant.prompt
        if asking and not has_placeholder:
            faults.add(
                path,
                "",
                f"has no {PLACEHOLDER}, but {_count(asking)} asks a question; say where it goes",
            )
        if silent and has_placeholder:
            faults.add(
                path, "", f"has a {PLACEHOLDER}, but {_count(silent)} asks no question; add one"
            )


def _count(cases: list[PlacedCase]) -> str:
    more = f" (and {len(cases) - 1} more)" if len(cases) > 1 else ""
    return f"case {cases[0].case.id!r}{more}"


def _check_inputs(folder: Folder, faults: Faults) -> None:
    """Note every file that the suite needs and a trial would read, be it under another name.

    A copy is the same to whoever reads it; a blank file, or one that holds next to nothing, says
    nothing.
    """
    by_identity = {folder.found[path].identity: path for path in folder.given}
    by_data = {folder.found[path].data: path for path in folder.given}
    for path, origin in folder.named.items():
        given = by_identity.get(folder.found[path].identity)
        if given is None and len(folder.found[path].data.strip()) > EMPTY:
            given = by_data.get(folder.found[path].data)
        if given is not None:
            how = "lies among" if given == path else f"is the same as {given}, one of"
            what = f"{path} {how} the inputs of case {folder.given[given]!r}, where every trial "
            faults.add(origin, "", f"{what}would read it; move it out")
