r"""Answers from a file, by case, variant and repetition; the network is never asked.

The file is JSON lines: ``case`` and ``answer``, and optionally ``variant`` (any, if absent),
``repetition`` (1) and ``metadata``, an object that nobody reads. The line itself is the response
that is kept.

    {"case": "gsm8k-0001", "answer": "9 eggs\nA: 18"}
"""

import json
import posixpath
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ledger.artifact import JSON
from ledger.canonical import INTEGER_MAX, JsonObject
from ledger.errors import FaultyInput
from providers.provider import SessionFailure, SessionRequest, SessionResult

FAULTS_MAX = 20
"""Faulty lines that are told one by one."""

Place = tuple[str, str | None, int]
"""Case, variant (``None``: any) and repetition."""


class _Line(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    case: str
    answer: str
    variant: str | None = None
    repetition: Annotated[int, Field(ge=1, le=INTEGER_MAX)] = 1
    metadata: dict[str, Any] = {}


class Recorded:
    """Recorded answers (``providers.Provider``)."""

    def __init__(self, data: bytes, spans: Mapping[Place, tuple[int, int]]) -> None:
        """Take the file and where each answer's line begins and ends in it."""
        self._data = data
        self._spans = spans

    async def respond(self, request: SessionRequest) -> SessionResult | SessionFailure:
        """Return the recorded answer, or that there is none."""
        place = (request.case, request.variant, request.repetition)
        span = self._spans.get(place) or self._spans.get((place[0], None, place[2]))
        if span is None:
            return SessionFailure(
                cause="no_answer",
                detail=f"no recorded answer for case {request.case}, variant {request.variant}, "
                f"repetition {request.repetition}",
            )
        line = self._data[span[0] : span[1]]
        return SessionResult(answer=json.loads(line)["answer"], response=line, media=JSON)


def make_recorded(settings: JsonObject, files: Mapping[str, bytes]) -> Recorded:
    """Return the provider for the file that ``settings`` names.

    Args:
        settings: ``answers_file``, a path.
        files: path to bytes.

    Raises:
        FaultyInput: a line that is not as above, or two for one trial; each with its number.
    """
    name = posixpath.normpath(str(settings["answers_file"]))
    data = files[name]
    spans: dict[Place, tuple[int, int]] = {}
    lines: dict[Place, int] = {}
    faults: list[str] = []
    start = 0
    for number, raw in enumerate(data.split(b"\n"), start=1):
        stop = start + len(raw)
        if raw.strip():
            try:
                line = _parse(raw)
            except ValueError as error:
                faults.append(f"{name} line {number}: {error}")
            else:
                place = (line.case, line.variant, line.repetition)
                if place in spans:
                    faults.append(
                        f"{name} line {number}: a second answer for case {_show(line.case)}, "
                        f"repetition {line.repetition}; the first is in line {lines[place]}"
                    )
                spans.setdefault(place, (start, stop))
                lines.setdefault(place, number)
        start = stop + 1
    if len(faults) > FAULTS_MAX:
        faults[FAULTS_MAX:] = [f"{name}: and {len(faults) - FAULTS_MAX:,} more faulty lines"]
    if faults:
        raise FaultyInput(faults)
    return Recorded(data, spans)


def _parse(raw: bytes) -> _Line:
    """Return the line, or raise ``ValueError`` with what is wrong with it."""
    try:
        document = json.loads(raw.decode(), object_pairs_hook=_refuse_duplicates)
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at character {error.colno}") from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    try:
        if not isinstance(document, dict):
            raise ValueError("not a JSON object")  # noqa: TRY004 - one kind of fault
        for key in document.keys() - _Line.model_fields.keys():
            known = ", ".join(_Line.model_fields)
            raise ValueError(f"unknown field {_show(key)}; there are {known}")
        # An answer may hold what pydantic takes for no text: a lone surrogate.
        answer = document.get("answer")
        is_text = isinstance(answer, str)
        line = _Line.model_validate({**document, "answer": ""} if is_text else document)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{field}: {first['msg']}") from error
    return line


def _show(text: str) -> str:
    """Return ``text`` as a line of a terminal can carry it."""
    return text[:80] if text.isprintable() else f"{text!r:.80}"


def _refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} stands twice")
    return dict(pairs)
