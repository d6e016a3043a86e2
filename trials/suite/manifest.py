"""The suite's manifest: what it says and rests on, as canonical bytes whose address is the suite's.

The manifest names every file by address, so any change of any file is another suite; it holds no
answer, no question and no path of the machine, so where the folder lies changes nothing. The bytes
of a configuration, of a trial or of a grader, are made by the same rules.
"""

import hashlib
import posixpath
from collections.abc import Iterator
from decimal import Decimal

from ledger.canonical import JsonObject, JsonValue, format_canonical
from ledger.digest import compute_digest
from trials.suite.keys import format_key
from trials.suite.model import Case, Check, Configuration, Price, Suite, SuiteFile, Variant

TEXT = "text/plain; charset=utf-8"
JSON = "application/json"
# By a table of ours: the one of the standard library asks the machine's own files.
MEDIA_TYPES = {
    ".csv": "text/csv; charset=utf-8",
    ".json": JSON,
    ".jsonl": "application/jsonl",
    ".md": "text/markdown; charset=utf-8",
    ".txt": TEXT,
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}


def format_manifest(suite: Suite) -> bytes:
    """Return the canonical bytes of the resolved suite (docs/format.md, "Suites")."""
    return format_canonical(
        {
            "cases": [_format_case(case) for case in suite.cases],
            "checks": [_format_check(check) for check in suite.checks],
            "description": suite.description,
            "files": format_files(suite.files),
            "gated_variant": suite.gated_variant,
            "graders": [
                [role, compute_digest(format_configuration(configuration))]
                for role, configuration in suite.graders
            ],
            "name": suite.name,
            "prices": [_format_price(price) for price in suite.prices],
            "refuse_other_models": suite.refuses_other_models,
            "repetitions": suite.repetitions,
            "v": 1,
            "variants": [_format_variant(variant) for variant in suite.variants],
        }
    )


def format_configuration(configuration: Configuration) -> bytes:
    """Return the canonical bytes of ``configuration``; their address is the configuration's.

    Every file is in them by address, so other answers are another configuration.
    """
    return format_canonical(
        {
            "description": configuration.description,
            "effort": configuration.effort,
            "files": format_files(configuration.files),
            "limits": _format_limits(configuration),
            "model": configuration.model,
            "name": configuration.name,
            "provider": configuration.provider,
            "recorded_from": configuration.recorded_from,
            "resolved_models": list(configuration.resolved_models),
            "settings": configuration.settings,
            "tools": [tool.value for tool in configuration.tools],
            "v": 1,
        }
    )


def suite_artifacts(suite: Suite) -> Iterator[tuple[bytes, str]]:
    """Yield all bytes that the manifest names, each once, with their media type."""
    seen = set()
    for data, media_type in _named_bytes(suite):
        address = compute_digest(data)
        if address not in seen:
            seen.add(address)
            yield data, media_type


def format_files(files: tuple[SuiteFile, ...]) -> JsonValue:
    """Return path, address, size and SHA-256 of each file, in the order given."""
    return [
        [
            file.path,
            compute_digest(file.data),
            len(file.data),
            hashlib.sha256(file.data).hexdigest(),
        ]
        for file in files
    ]


def name_media_type(path: str) -> str:
    """Return the media type that a file's name says; unknown ones are plain bytes."""
    return MEDIA_TYPES.get(posixpath.splitext(path)[1].lower(), "application/octet-stream")


def format_decimal(number: Decimal) -> str:
    """Return the shortest decimal of ``number``: ``0.50`` and ``0.5`` are one, one price."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _named_bytes(suite: Suite) -> Iterator[tuple[bytes, str]]:
    for file in suite.files:
        yield file.data, name_media_type(file.path)
    for variant in suite.variants:
        yield variant.prompt.encode(), TEXT
        if variant.system is not None:
            yield variant.system.encode(), TEXT
    for _, configuration in suite.graders:
        yield format_configuration(configuration), JSON
        for file in configuration.files:
            yield file.data, name_media_type(file.path)
    for case in suite.cases:
        if case.question is not None:
            yield case.question.encode(), TEXT
        if case.key is not None:
            yield format_key(case.key), JSON
        for name, data in case.inputs:
            yield data, name_media_type(name)


def _format_variant(variant: Variant) -> JsonObject:
    return {
        "description": variant.description,
        "name": variant.name,
        "prompt": compute_digest(variant.prompt.encode()),
        "system": None if variant.system is None else compute_digest(variant.system.encode()),
    }


def _format_price(price: Price) -> JsonObject:
    return {
        "cache_read": format_decimal(price.cache_read),
        "cache_write": format_decimal(price.cache_write),
        "input": format_decimal(price.input),
        "model": price.model,
        "output": format_decimal(price.output),
        "provider": price.provider,
    }


def _format_limits(configuration: Configuration) -> JsonObject:
    limits = configuration.limits
    cost = limits.cost_usd_max
    return {
        "attempts_max": configuration.attempts_max,
        "cost_usd_max": None if cost is None else format_decimal(cost),
        # A float's own text is the shortest that reads back as the same float.
        "deadline_s": format_decimal(Decimal(str(limits.deadline_s))),
        "output_tokens_max": limits.output_tokens_max,
        "requests_per_minute": configuration.requests_per_minute,
    }


def _format_check(check: Check) -> JsonObject:
    return {
        "critical": check.critical,
        "description": check.description,
        "evidence": check.evidence,
        "fields": check.grader_fields,
        "files": [list(item) for item in check.files],
        "grader": check.grader.name,
        "minimum_pass_rate": format_decimal(check.minimum_pass_rate),
        "name": check.name,
    }


def _format_case(case: Case) -> JsonObject:
    return {
        "category": case.category,
        "critical": case.critical,
        "id": case.id,
        "inputs": [[name, compute_digest(data)] for name, data in case.inputs],
        "key": None if case.key is None else compute_digest(format_key(case.key)),
        "question": None if case.question is None else compute_digest(case.question.encode()),
    }
