r"""Any program as a provider: the request on its standard input, the answer on its standard output.

1. it runs in a workspace of its own (``isolation``) that holds the inputs, with the variables that
   ``environment`` names and no others of the user's;
2. it reads one JSON object: ``prompt``, ``system``, ``model``, ``effort``, ``tools``, ``schema``
   (as text), ``inputs`` (``path``, ``address``, ``size``) and ``limits`` (``deadline_s``,
   ``output_tokens_max``). Which trial it is for is not told;
3. exit code 0 says that it answered. With ``output`` ``"text"`` the answer is all that it wrote,
   without one line feed at the end; bytes that are not UTF-8 become lone surrogates (PEP 383);
4. with ``"json"`` it wrote one object: ``answer``, and what else it knows of ``usage`` (counts),
   ``tokens`` (``input``, ``cache_read``, ``cache_write``, ``output``), ``cost_usd`` (a text),
   ``resolved_model``, ``request_id``, ``stop_reason``, ``tool_calls`` (``ledger/tools.py``), and
   ``metadata``, which nobody reads;
5. exit code 75 (``EX_TEMPFAIL``) says that the same request may be sent again; every other says
   that it may not. Its last line on standard error is the reason;
6. a program that is named by a path is found from the folder that ``verdict`` is called in. So is
   each further argument that begins with ``./`` or ``../`` and names something there.

    provider: command
    settings:
      argv: [python3, ./tools/answer.py]
      environment: [MY_API_KEY]
      output: json
      collect: ["*.csv"]
"""

import asyncio
import json
import os
import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

from ledger.artifact import JSON, TEXT
from ledger.canonical import INTEGER_MAX
from ledger.digest import Digest
from ledger.tools import ToolCall, ToolKind, ToolOutcome
from providers.isolation import open_workspace, run_process
from providers.programs import (
    describe_ending,
    find_failure,
    find_program,
    look_after,
    name_files,
)
from providers.provider import (
    Failure,
    Session,
    SessionFailure,
    SessionRequest,
    SessionResult,
    Tokens,
    answer_session,
    fail_session,
)
from providers.setup import Setup

OUTPUTS = ("text", "json")
KNOWN = frozenset({"argv", "environment", "output", "collect"})

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Count = Annotated[int, Field(ge=0, le=INTEGER_MAX)]
Word = Annotated[str, StringConstraints(max_length=200)]
Amount = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,12}(\.[0-9]{1,12})?$")]


class _Entry(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


def _flatten(value: object) -> object:
    """Return an object of objects as one, with dots in the names; anything else as it is."""
    if not isinstance(value, dict):
        return value
    flat: dict[object, object] = {}
    for name, item in value.items():
        inner = _flatten(item)
        if isinstance(inner, dict):
            flat |= {f"{name}.{below}": count for below, count in inner.items()}
        else:
            flat[name] = inner
    return flat


Usage = Annotated[dict[Word, Count], Field(max_length=100), BeforeValidator(_flatten)]


class _Call(_Entry):
    kind: Annotated[ToolKind, Field(strict=False)]
    name: str
    input: str
    outcome: Annotated[ToolOutcome, Field(strict=False)]


class _Tokens(_Entry):
    input: Count = 0
    cache_read: Count = 0
    cache_write: Count = 0
    output: Count = 0


class _Reply(_Entry):
    """What a program writes with ``output`` ``"json"``, without its answer."""

    usage: Usage = {}
    tokens: _Tokens | None = None
    cost_usd: Amount | None = None
    resolved_model: Word | None = None
    request_id: Word | None = None
    stop_reason: Word | None = None
    tool_calls: list[_Call] | None = None
    metadata: dict[str, Any] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A program (``providers.Provider``).

    Attributes:
        argv: what is run, the program by its absolute path.
        files: path and address of what of it is a file, as it was when the run began.
        allowed: variables that it gets beside those of every session.
        is_json: whether it writes an object, and not the answer alone.
        patterns: files that are kept as parts, where it leaves some.
    """

    setup: Setup
    argv: tuple[str, ...]
    files: tuple[tuple[str, Digest], ...]
    allowed: tuple[str, ...]
    is_json: bool
    patterns: tuple[str, ...]

    async def respond(self, request: SessionRequest) -> SessionResult | SessionFailure:
        """Run the program once, and return what came of it."""
        sent = format_request(request)
        with open_workspace(request.inputs) as workspace:
            environment = workspace.environment(self.setup.vault, self.allowed, {})
            ending = await run_process(
                self.argv,
                workspace=workspace,
                environment=environment,
                stdin=sent,
                deadline_s=request.limits.deadline_s,
            )
            parts, notes = await asyncio.to_thread(look_after, workspace, self.patterns)
        session = Session(
            sent=sent,
            response=ending.stdout or None,
            media=JSON if self.is_json else TEXT,
            parts=(*describe_ending(ending, self.argv, environment, files=self.files), *parts),
            notes=ending.notes + notes,
        )
        failure = find_failure(ending, request.limits.deadline_s)
        return fail_session(session, failure) if failure else self._read(session)

    def _read(self, session: Session) -> SessionResult | SessionFailure:
        """Return the answer that the whole output of a program is, or holds."""
        output = session.response or b""
        if not self.is_json:
            text = output.decode("utf-8", "surrogateescape")
            return _answer(session, text.removesuffix("\n"), _Reply())
        try:
            answer, reply = parse_reply(output)
        except ValueError as error:
            return fail_session(session, Failure("malformed_response", f"standard output: {error}"))
        return _answer(session, answer, reply)


def make_command(setup: Setup) -> Command:
    """Return the provider that runs what ``settings.argv`` says.

    Raises:
        FaultyInput: a setting is not as above, the program is not found, or a variable is not set.
    """
    setup.check_settings(KNOWN)
    argv = setup.read_texts("argv")
    if not argv:
        raise setup.fault("settings.argv", "is missing; list the program and its arguments")
    output = setup.read_text("output", "text")
    if output not in OUTPUTS:
        raise setup.fault("settings.output", f"{output!r:.80} is unknown; there are text, json")
    found = (find_program(setup, "settings.argv.0", argv[0]), *map(_find_argument, argv[1:]))
    return Command(
        setup=setup,
        argv=found,
        files=name_files(found),
        allowed=_read_variables(setup),
        is_json=output == "json",
        patterns=setup.read_texts("collect"),
    )


def format_request(request: SessionRequest) -> bytes:
    """Return what the program reads: ASCII, so that a lone surrogate stays what it is."""
    limits = request.limits
    document = {
        "prompt": request.prompt,
        "system": request.system,
        "model": request.model,
        "effort": request.effort,
        "tools": [str(tool) for tool in request.tools],
        "schema": request.schema,
        "inputs": [
            {"path": item.path, "address": item.address, "size": len(item.data)}
            for item in request.inputs
        ],
        "limits": {
            "deadline_s": limits.deadline_s,
            "output_tokens_max": limits.output_tokens_max,
        },
    }
    return json.dumps(document).encode()


def parse_reply(data: bytes) -> tuple[str, _Reply]:
    """Return the answer that a program's object states, and the rest of it.

    The answer comes apart: it may hold a lone surrogate, which pydantic takes for no text.

    Raises:
        ValueError: it is something else; the message says what, on one line.
    """
    try:
        document: Any = json.loads(data.decode())
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at character {error.pos}") from error
    except (RecursionError, ValueError) as error:
        # ValueError: a number of more digits than Python reads (sys.set_int_max_str_digits).
        raise ValueError(
            "not JSON that can be read: nested too deeply, or a huge number"
        ) from error
    answer = document.pop("answer", None) if isinstance(document, dict) else None
    if not isinstance(answer, str):
        raise ValueError('not one JSON object with the text "answer"')  # noqa: TRY004 - one fault
    try:
        return answer, _Reply.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{ascii(where)[1:-1]:.80}: {first['msg']:.200}") from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _answer(session: Session, answer: str, reply: _Reply) -> SessionResult | SessionFailure:
    """Return ``session`` with what its program told of it."""
    tokens, calls, cost = reply.tokens, reply.tool_calls, reply.cost_usd
    told = replace(
        session,
        usage=tuple(reply.usage.items()),
        tokens=None if tokens is None else Tokens(**tokens.model_dump()),
        stated_cost_usd=None if cost is None else Decimal(cost),
        resolved_model=reply.resolved_model,
        request_id=reply.request_id,
        stop_reason=reply.stop_reason,
        tool_calls=None if calls is None else tuple(ToolCall(**dict(call)) for call in calls),
    )
    return answer_session(told, answer)


def _read_variables(setup: Setup) -> tuple[str, ...]:
    names = setup.read_texts("environment")
    for index, name in enumerate(names):
        field = f"settings.environment.{index}"
        if not _VARIABLE.fullmatch(name):
            raise setup.fault(field, "is no name of a variable; its value does not belong here")
        if name not in setup.vault.environment:
            setup.vault.read(name, f"{setup.name}: {field}")
    return names


def _find_argument(argument: str) -> str:
    if argument.startswith(("./", "../")) and os.path.lexists(argument):
        return os.path.abspath(argument)  # noqa: PTH100
    return argument
