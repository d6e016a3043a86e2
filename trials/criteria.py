"""Criteria: what verdicts are decided by, as canonical bytes; and graders made of them again.

The criteria of a grading name, for each check, its grader's identity and fields, and for each case
its key by address. A replay reads nothing else of the suite, so it needs no suite folder.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from graders import Grader, Key, identify_grader
from ledger.artifact import JSON, ArtifactRef
from ledger.canonical import JsonObject, JsonValue, format_canonical, parse_canonical
from ledger.digest import Digest, compute_digest
from ledger.errors import Damage
from ledger.log import Ledger
from trials.suite import (
    Check,
    Configuration,
    Suite,
    SuiteFile,
    format_configuration,
    format_key,
    format_manifest,
    parse_key,
)
from trials.suite.checks import rebuild_grader
from trials.suite.manifest import format_decimal, name_media_type


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCheck:
    """A check as a grading's criteria state it.

    Attributes:
        evidence: ``answer``, or the name of the part of a session that the grader looks at.
        identity: of the grader that decided: name, version, configuration, code.
        files: grader's field to path and address of the file whose content it takes.
    """

    name: str
    description: str
    minimum_pass_rate: str
    critical: bool
    evidence: str
    fields: JsonObject
    files: Mapping[str, tuple[str, Digest]]
    identity: JsonObject


class RecordedGrader(NamedTuple):
    """What answered the questions of a role: a configuration by address, and its names."""

    role: str
    configuration: Digest
    provider: str
    model: str
    effort: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """What the verdicts of a grading and its gate are decided by.

    Attributes:
        keys: ``None`` for a case without.
        refuses_other_models: whether the gate fails where another model answered.
    """

    suite_name: str
    gated_variant: str
    graders: tuple[RecordedGrader, ...]
    checks: tuple[RecordedCheck, ...]
    keys: Mapping[str, Digest | None]
    critical_cases: frozenset[str]
    refuses_other_models: bool


def format_criteria(suite: Suite) -> bytes:
    """Return the canonical bytes of the criteria that ``suite`` states (docs/format.md)."""
    return format_canonical(
        {
            "cases": [[case.id, case.critical, _address_key(case.key)] for case in suite.cases],
            "checks": [_format_check(check, suite) for check in suite.checks],
            "gated_variant": suite.gated_variant,
            "graders": [_format_grader(*item) for item in suite.graders],
            "manifest": compute_digest(format_manifest(suite)),
            "refuse_other_models": suite.refuses_other_models,
            "suite_name": suite.name,
            "v": 1,
        }
    )


def parse_criteria(data: bytes) -> Criteria:
    """Return the criteria whose bytes are ``data``; the inverse of ``format_criteria``.

    Raises:
        Damage: ``data`` states no criteria.
    """
    document: Any = parse_canonical(data)
    try:
        return Criteria(
            suite_name=document["suite_name"],
            gated_variant=document["gated_variant"],
            graders=tuple(RecordedGrader(*item) for item in document["graders"]),
            checks=tuple(_parse_check(check) for check in document["checks"]),
            keys={case: address for case, _, address in document["cases"]},
            critical_cases=frozenset(case for case, critical, _ in document["cases"] if critical),
            refuses_other_models=document["refuse_other_models"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise Damage(f"not the criteria of a grading: {error}") from error


def put_criteria(ledger: Ledger, suite: Suite) -> tuple[ArtifactRef, ArtifactRef]:
    """Return the criteria of ``suite``, and a listing of the bytes that they name."""
    named = [ledger.put(format_key(case.key), media=JSON) for case in suite.cases if case.key]
    files = {file.path: file for file in suite.files}
    for check in suite.checks:
        named += [
            ledger.put(files[path].data, media=name_media_type(path)) for _, path in check.files
        ]
    for _, configuration in suite.graders:
        named.append(ledger.put(format_configuration(configuration), media=JSON))
        named += [
            ledger.put(file.data, media=name_media_type(file.path)) for file in configuration.files
        ]
    return ledger.put(format_criteria(suite), media=JSON), ledger.put_listing(named)


def make_grader(ledger: Ledger, check: RecordedCheck) -> Grader:
    """Return the grader of a recorded check, from recorded bytes alone.

    Raises:
        FaultyInput: this program has no such grader, or its fields have changed.
    """
    files = {
        field: SuiteFile(path=path, data=ledger.get(address))
        for field, (path, address) in check.files.items()
    }
    return rebuild_grader(str(check.identity["name"]), check.fields, files)


def read_key(ledger: Ledger, criteria: Criteria, case: str) -> Key | None:
    """Return the key of ``case`` from recorded bytes, ``None`` where the criteria have none."""
    address = criteria.keys.get(case)
    return None if address is None else parse_key(ledger.get(address))


def _address_key(key: Key | None) -> Digest | None:
    return None if key is None else compute_digest(format_key(key))


def _format_grader(role: str, configuration: Configuration) -> JsonValue:
    address = compute_digest(format_configuration(configuration))
    return [role, address, configuration.provider, configuration.model, configuration.effort]


def _format_check(check: Check, suite: Suite) -> JsonValue:
    files = {file.path: file for file in suite.files}
    return {
        "check_name": check.name,
        "critical": check.critical,
        "description": check.description,
        "evidence": check.evidence,
        "fields": check.grader_fields,
        "files": [[field, path, compute_digest(files[path].data)] for field, path in check.files],
        "grader": identify_grader(check.grader),
        "minimum_pass_rate": format_decimal(check.minimum_pass_rate),
    }


def _parse_check(check: Any) -> RecordedCheck:
    return RecordedCheck(
        name=check["check_name"],
        description=check["description"],
        minimum_pass_rate=check["minimum_pass_rate"],
        critical=check["critical"],
        evidence=check["evidence"],
        fields=check["fields"],
        files={field: (path, address) for field, path, address in check["files"]},
        identity=check["grader"],
    )
