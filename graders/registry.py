"""The graders by the name that a check gives, written out; the one table of this family.

A stranger's grader comes in through the entry-point group ``verdict_ledger.graders``, whose entries
name a ``Member`` each. The group is read here, and only for a name that the table lacks: nobody
replaces a grader of ours.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

from graders import (
    amount,
    code,
    diagnosis,
    explanation,
    extraction,
    fact_value,
    facts,
    fence,
    fields,
    grader,
    json_schema,
    judge,
    mistakes,
    numerals,
    phrases,
    quotation,
    reference,
    reply,
    schemas,
    strict_json,
    tool_use,
)
from graders.grader import Grader
from ledger import outcomes, tools
from ledger.canonical import JsonObject, JsonValue, format_canonical
from ledger.digest import Digest, compute_digest
from ledger.errors import FaultyInput

ENTRY_POINTS = "verdict_ledger.graders"


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One grader of the family.

    Attributes:
        factory: takes the fields that a check sets for its grader; raises ``FaultyInput`` with one
            line for each fault, "field: what is wrong".
        modules: those whose source decides: the grader's own and what it uses of ``graders``.
        is_extracting: whether its fields take ``extraction_instructions`` (text) and
            ``extraction_schema`` (object), what the suite's ``fact_extraction`` names, for a check
            without a ``pattern``.
    """

    factory: Callable[[Mapping[str, object]], Grader]
    modules: tuple[ModuleType, ...]
    is_extracting: bool = False


_COMMON = (grader, outcomes, tools, reference, code, extraction, fields, quotation)
_FACTS = (facts, fence, reply, schemas, strict_json)
_DIAGNOSIS = (diagnosis, explanation, mistakes, numerals)

GRADERS: dict[str, Member] = {
    "amount": Member(
        factory=amount.make_amount,
        modules=(amount, *_DIAGNOSIS, *_FACTS, *_COMMON),
        is_extracting=True,
    ),
    "fact_value": Member(
        factory=fact_value.make_fact_value,
        modules=(fact_value, *_FACTS, *_COMMON),
        is_extracting=True,
    ),
    "json_schema": Member(
        factory=json_schema.make_json_schema, modules=(json_schema, schemas, strict_json, *_COMMON)
    ),
    "judge": Member(
        factory=judge.make_judge,
        modules=(judge, *_DIAGNOSIS, fence, reply, strict_json, *_COMMON),
    ),
    "phrases": Member(factory=phrases.make_phrases, modules=(phrases, *_COMMON)),
    "tool_use": Member(factory=tool_use.make_tool_use, modules=(tool_use, *_COMMON)),
}


def find_member(name: str) -> Member:
    """Return the member that a check calls ``name``.

    Raises:
        FaultyInput: there is none, or a package offers something else under the name, or two do.
    """
    if name in GRADERS:
        return GRADERS[name]
    offers = tuple(entry_points(group=ENTRY_POINTS, name=name))
    if not offers:
        known = ", ".join(GRADERS)
        raise FaultyInput([f"grader: {name!r:.80} is unknown; there are {known}"])
    if len(offers) > 1:
        raise FaultyInput([f"grader: {name!r:.80} is offered by {len(offers)} installed packages"])
    member = offers[0].load()
    if not isinstance(member, Member):
        raise FaultyInput([f"grader: {offers[0].value} is not a graders.Member"])
    return member


def identify_grader(grader: Grader) -> JsonObject:
    """Return what ``grader`` is: ``name``, ``version``, ``configuration`` and ``code``.

    ``code`` is the address of the canonical list of the member's modules, each with the address of
    its source file, so a changed line anywhere in them is another grader.
    """
    return {
        "code": _hash_code(find_member(grader.name).modules),
        "configuration": grader.configuration(),
        "name": grader.name,
        "version": grader.version,
    }


@cache
def _hash_code(modules: tuple[ModuleType, ...]) -> Digest:
    listing: list[JsonValue] = [
        [module.__name__, compute_digest(Path(str(module.__file__)).read_bytes())]
        for module in sorted(modules, key=lambda module: module.__name__)
    ]
    return compute_digest(format_canonical(listing))
