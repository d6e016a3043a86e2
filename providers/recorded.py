r"""Answers from files: those of trials by their place, those of graders' models by their request.

The network is never asked. The setting ``answers_file`` names a file of JSON lines; the line itself
is the response that is kept.

1. The answer of a trial has ``case``, and optionally ``variant`` (any, if absent) and
   ``repetition`` (1).
2. The answer to a grader's question has ``request``, the address of the question's bytes
   (``GraderRequest.address``), and optionally ``attempt`` (1): it answers this very question and
   no other.
3. Both have ``answer``, and optionally what the session told: ``resolved_model``, ``request_id``,
   ``stop_reason``, ``usage`` (an object of counts), ``tool_calls`` (a list of ``kind``, ``name``,
   ``input`` and ``outcome``, see ``ledger/tools.py``; an empty list says that no tool was called,
   no list that nobody knows), ``duration_us`` (how long it took, microseconds), and ``metadata``,
   an object that nobody reads.
4. A whole session that Claude Code or Codex recorded answers one trial. The setting
   ``transcripts`` lists them: ``case``, optionally ``variant`` and ``repetition``, the ``file``,
   and its ``format`` (``claude-stream``, ``claude-session`` or ``codex-exec``). The file is the
   response that is kept. One that holds no answer is a failed trial.

    {"case": "gsm8k-0001", "answer": "9 eggs\nA: 18"}
    {"request": "blake3:1f3c…", "answer": "{\"passed\": true, …}", "usage": {"output_tokens": 41}}
"""

import json
import posixpath
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError

from ledger.artifact import JSON, JSONL
from ledger.canonical import INTEGER_MAX
from ledger.digest import parse_digest
from ledger.errors import FaultyInput, MalformedDigest
from ledger.tools import ToolCall, ToolKind, ToolOutcome
from providers.provider import (
    GraderPlace,
    Session,
    SessionFailure,
    SessionRequest,
    SessionResult,
    Tokens,
    TrialPlace,
)
from providers.setup import Setup
from providers.transcripts import FORMATS, conclude, read_transcript

FAULTS_MAX = 20
"""Faulty lines that are told one by one."""

Number = Annotated[int, Field(ge=1, le=INTEGER_MAX)]
Count = Annotated[int, Field(ge=0, le=INTEGER_MAX)]
Place = tuple[str, str | None, int]
"""Case, variant (``None``: any) and repetition; or request, ``None`` and attempt."""


def _read_word(words: type[ToolKind] | type[ToolOutcome]) -> PlainValidator:
    def read(value: object) -> ToolKind | ToolOutcome:
        if not isinstance(value, str) or value not in set(words):
            raise ValueError(f"there are {', '.join(words)}")
        return words(value)

    return PlainValidator(read)


class _Entry(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class _Call(_Entry):
    kind: Annotated[ToolKind, _read_word(ToolKind)]
    name: str
    input: str
    outcome: Annotated[ToolOutcome, _read_word(ToolOutcome)]


class _Session(_Entry):
    answer: str
    resolved_model: str | None = None
    request_id: str | None = None
    stop_reason: str | None = None
    usage: dict[str, Count] = {}
    tool_calls: list[_Call] | None = None
    duration_us: Count | None = None
    metadata: dict[str, Any] = {}


class _TrialLine(_Session):
    case: str
    variant: str | None = None
    repetition: Number = 1

    def place(self) -> Place:
        return self.case, self.variant, self.repetition

    def describe(self) -> str:
        return f"case {_show(self.case)}, repetition {self.repetition}"


class _GraderLine(_Session):
    request: str
    attempt: Number = 1

    def place(self) -> Place:
        return parse_digest(self.request), None, self.attempt

    def describe(self) -> str:
        return f"request {_show(self.request)}, attempt {self.attempt}"


class _TranscriptEntry(_Entry):
    case: str
    variant: str | None = None
    repetition: Number = 1
    file: str
    format: str

    def place(self) -> Place:
        return self.case, self.variant, self.repetition

    def describe(self) -> str:
        return f"case {_show(self.case)}, repetition {self.repetition}"


class Recorded:
    """Recorded answers (``providers.Provider``)."""

    def __init__(
        self,
        data: bytes,
        spans: Mapping[Place, tuple[int, int]],
        transcripts: Mapping[Place, tuple[str, bytes]],
    ) -> None:
        """Take the file, where each answer's line begins and ends in it, and the transcripts.

        Args:
            data: the file of answers.
            spans: by place.
            transcripts: format and bytes, by place; there is none that has a span.
        """
        self._data = data
        self._spans = spans
        self._transcripts = transcripts

    async def respond(self, request: SessionRequest) -> SessionResult | SessionFailure:
        """Return the recorded answer, or that there is none."""
        place = self._find(request.place)
        if place is not None and place in self._transcripts:
            return _read_session(*self._transcripts[place])
        span = None if place is None else self._spans[place]
        if span is None:
            detail = f"no recorded answer for {_describe(request.place)}"
            return SessionFailure(cause="no_answer", detail=detail)
        raw = self._data[span[0] : span[1]]
        line, answer = _read_line(raw)
        calls = line.tool_calls
        return SessionResult(
            answer=answer,
            response=raw,
            media=JSON,
            resolved_model=line.resolved_model,
            request_id=line.request_id,
            stop_reason=line.stop_reason,
            usage=tuple(line.usage.items()),
            tool_calls=None if calls is None else tuple(ToolCall(**dict(call)) for call in calls),
            stated_us=line.duration_us,
        )

    def bound_tokens(self, request: SessionRequest) -> Tokens:
        """Return none: what is on file is not paid for again."""
        return Tokens()

    def _find(self, place: TrialPlace | GraderPlace) -> Place | None:
        """Return the recorded place that answers ``place``: its own, or that of any variant."""
        if isinstance(place, GraderPlace):
            places: list[Place] = [(place.request, None, place.attempt)]
        else:
            any_variant = (place.case, None, place.repetition)
            places = [(place.case, place.variant, place.repetition), any_variant]
        known = (item for item in places if item in self._spans or item in self._transcripts)
        return next(known, None)


def make_recorded(setup: Setup) -> Recorded:
    """Return the provider for the files that ``answers_file`` and ``transcripts`` name.

    Raises:
        FaultyInput: neither is there; a line or an entry that is not as above, or two for one
            place; each with its number.
    """
    setup.check_settings({"answers_file", "transcripts"})
    data, spans = b"", dict[Place, tuple[int, int]]()
    if "answers_file" in setup.settings or "transcripts" not in setup.settings:
        name = posixpath.normpath(setup.read_text("answers_file"))
        data = setup.files[name]
        spans = _read_answers(name, data)
    return Recorded(data, spans, _read_transcripts(setup, spans))


def _read_answers(name: str, data: bytes) -> dict[Place, tuple[int, int]]:
    spans: dict[Place, tuple[int, int]] = {}
    lines: dict[Place, int] = {}
    faults: list[str] = []
    start = 0
    for number, raw in enumerate(data.split(b"\n"), start=1):
        stop = start + len(raw)
        if raw.strip():
            try:
                line, _ = _read_line(raw)
                place = line.place()
            except (MalformedDigest, ValueError) as error:
                faults.append(f"{name} line {number}: {error}")
            else:
                if place in spans:
                    faults.append(
                        f"{name} line {number}: a second answer for {line.describe()}; the first "
                        f"is in line {lines[place]}"
                    )
                spans.setdefault(place, (start, stop))
                lines.setdefault(place, number)
        start = stop + 1
    if len(faults) > FAULTS_MAX:
        faults[FAULTS_MAX:] = [f"{name}: and {len(faults) - FAULTS_MAX:,} more faulty lines"]
    if faults:
        raise FaultyInput(faults)
    return spans


def _read_transcripts(
    setup: Setup, answered: Mapping[Place, tuple[int, int]]
) -> dict[Place, tuple[str, bytes]]:
    """Return format and bytes of each transcript; none is for a place that is ``answered``."""
    listed = setup.settings.get("transcripts", [])
    if not isinstance(listed, list):
        raise setup.fault("settings.transcripts", "is not a list; write the transcripts in [ and ]")
    found: dict[Place, tuple[str, bytes]] = {}
    for index, item in enumerate(listed):
        where = f"settings.transcripts.{index}"
        try:
            entry = _TranscriptEntry.model_validate(item)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join([where, *map(str, first["loc"])])
            raise setup.fault(field, first["msg"]) from error
        if entry.format not in FORMATS:
            known = ", ".join(FORMATS)
            raise setup.fault(f"{where}.format", f"{_show(entry.format)} is none of {known}")
        if entry.place() in found or entry.place() in answered:
            raise setup.fault(where, f"a second answer for {entry.describe()}; leave one out")
        found[entry.place()] = (entry.format, setup.files[posixpath.normpath(entry.file)])
    return found


def _read_session(name: str, data: bytes) -> SessionResult | SessionFailure:
    """Return what a transcript in the format ``name`` says; history is not asked for again."""
    result = conclude(Session(response=data, media=JSONL), read_transcript(name, data))
    if isinstance(result, SessionFailure):
        return replace(result, is_transient=False, stops_run=False)
    return result


def _describe(place: TrialPlace | GraderPlace) -> str:
    if isinstance(place, GraderPlace):
        return f"request {place.request}, attempt {place.attempt}"
    return f"case {place.case}, variant {place.variant}, repetition {place.repetition}"


def _read_line(raw: bytes) -> tuple[_TrialLine | _GraderLine, str]:
    """Return the line and its answer, or raise ``ValueError`` with what is wrong with it.

    The answer comes apart from the line: it may hold a lone surrogate, which pydantic takes for no
    text.
    """
    document = _parse(raw)
    shape = _GraderLine if "request" in document else _TrialLine
    for key in document.keys() - shape.model_fields.keys():
        known = ", ".join(_order_fields(shape))
        raise ValueError(f"unknown field {_show(key)}; there are {known}")
    answer = document.get("answer")
    if isinstance(answer, str):
        document["answer"] = ""
    try:
        line = shape.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{field}: {first['msg'].removeprefix('Value error, ')}") from error
    return line, str(answer)


def _order_fields(shape: type[_Session]) -> list[str]:
    """Return the fields of a line, what says its place first."""
    own = [field for field in shape.model_fields if field not in _Session.model_fields]
    return own + list(_Session.model_fields)


def _parse(raw: bytes) -> dict[str, Any]:
    try:
        document = json.loads(raw.decode(), object_pairs_hook=_refuse_duplicates)
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at character {error.colno}") from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(document, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004 - one kind of fault
    return document


def _show(text: str) -> str:
    """Return ``text`` as a line of a terminal can carry it."""
    return text[:80] if text.isprintable() else f"{text!r:.80}"


def _refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} stands twice")
    return dict(pairs)
