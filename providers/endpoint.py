"""An endpoint: where an application is asked and how its responses are read, out of settings.

What the adapter ``http`` needs, checked before anything is sent:

1. no credential stands in what is recorded: neither in a URL nor in a header's literal value;
2. a further URL has its host in the settings, so that no response chooses who is asked;
3. what a configuration asks for and the body has no place for is refused.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal
from urllib.parse import quote

import httpx2
from jsonpointer import JsonPointer
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from ledger.canonical import JsonValue
from providers.pointers import find_value, parse_pointer, spell_value
from providers.setup import Setup
from providers.template import Template, list_names, parse_template, replace_names

EVERY_S = "0.5"
EVERY_S_MAX = 3_600
PORT_MAX = 65_535
VALUE_LENGTH_MAX = 1_000
"""Characters of a response's value that may go into a URL."""
STATED = ("usage", "resolved_model", "request_id", "stop_reason")
"""Settings that point to what the application states of a call."""

_OWN_HEADERS = frozenset(
    {"accept-encoding", "connection", "content-length", "host", "te", "transfer-encoding"}
)
"""What the client sets itself: another value would be another request than the one on record."""
_SECRET = re.compile(
    r"authorization|cookie|api[-_]?key|token(?!s)|secret|passw|credential|signature"
    r"|^(x-)?auth([-_]|$)|^(key|sig)$",
    re.IGNORECASE,
)
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECONDS = re.compile(r"[0-9]{1,6}(\.[0-9]{1,6})?")

PartName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_.-]{1,90}$")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Until:
    """What a further request is made again for.

    Attributes:
        equals: the value that is waited for; ``has_value`` says whether there is one. Without it
            anything but null will do.
    """

    pointer: JsonPointer
    equals: JsonValue
    has_value: bool
    every_s: float

    def is_met(self, document: JsonValue) -> bool:
        """Return whether ``document`` has what is waited for."""
        try:
            found = find_value(document, self.pointer)
        except ValueError:
            return False
        if not self.has_value:
            return found is not None
        # In Python true equals 1; in JSON it does not.
        return found == self.equals and isinstance(found, bool) == isinstance(self.equals, bool)


@dataclass(frozen=True, slots=True, kw_only=True)
class Further:
    """A request that is made after the first; ``url`` may hold pointers into its response."""

    name: str
    url: str
    method: str
    headers: Mapping[str, str] = field(repr=False)
    pointer: JsonPointer | None
    until: Until | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where an application is asked, and how.

    Attributes:
        answer: leads to the answer in the response; ``None``: all of it is the answer, a text.
        stated: name of a field of ``Session`` to where the response has it.
    """

    url: httpx2.URL
    method: str
    headers: Mapping[str, str] = field(repr=False)
    body: Template
    answer: JsonPointer | None
    stated: Mapping[str, JsonPointer]
    further: tuple[Further, ...]


class _Entry(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class _Further(_Entry):
    name: PartName
    url: str
    method: Literal["GET", "POST"] = "GET"
    headers: dict[str, str] | None = None
    pointer: str | None = None
    until: str | None = None
    equals: Any = None
    every_s: str | int = EVERY_S


class _Settings(_Entry):
    url: str
    method: Literal["POST", "PUT", "PATCH"] = "POST"
    body: Any
    multipart: bool = False
    headers: dict[str, str] = {}
    answer: str | None = None
    answer_is: Literal["json", "text"] = "json"
    further: list[_Further] = []
    usage: str | None = None
    resolved_model: str | None = None
    request_id: str | None = None
    stop_reason: str | None = None


def read_endpoint(setup: Setup) -> Endpoint:
    """Return the endpoint that the settings describe.

    Raises:
        FaultyInput: a setting is not as above, or a variable that a header names is not set.
    """
    setup.check_settings(_Settings.model_fields)
    try:
        entry = _Settings.model_validate(setup.settings)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(["settings", *map(str, first["loc"])])
        raise setup.fault(where, first["msg"]) from error
    url = _read_url(setup, "url", entry.url)
    if "{{" in entry.url:
        raise setup.fault("settings.url", "has a placeholder; only the URLs of further have any")
    headers = _read_headers(setup, "headers", entry.headers)
    endpoint = Endpoint(
        url=url,
        method=entry.method,
        headers=headers,
        body=_read_body(setup, entry),
        answer=_read_answer(setup, entry),
        stated=_read_stated(setup, entry),
        further=tuple(
            _read_further(setup, f"further.{index}", item, url, headers)
            for index, item in enumerate(entry.further)
        ),
    )
    _check_parts(setup, endpoint)
    return endpoint


def fill_url(url: str, document: JsonValue) -> str:
    """Return ``url`` with values of ``document`` in it, each percent-encoded.

    Raises:
        ValueError: a pointer leads nowhere, or to what cannot be a piece of a URL.
    """

    def find(name: str) -> str:
        value = find_value(document, parse_pointer(name))
        if value is None or isinstance(value, dict | list):
            raise ValueError(f"{name!a:.200} leads to no text or number")
        piece = spell_value(value)
        # '.' and '..' would lead to another place of the server.
        if piece in {"", ".", ".."} or len(piece) > VALUE_LENGTH_MAX:
            raise ValueError(f"what {name!a:.200} leads to cannot stand in a URL")
        try:
            return quote(piece, safe="")
        except UnicodeEncodeError as error:
            raise ValueError(f"what {name!a:.200} leads to is no Unicode") from error

    return replace_names(url, find)


def _read_url(setup: Setup, name: str, text: str) -> httpx2.URL:
    """Return the address ``text``; placeholders may stand in its path and query."""
    # Not what read_url returns: to many a server a final slash is another resource.
    replace(setup, settings={name: text}).read_url(name, has_query=True)
    where = f"settings.{name}"
    authority = re.split(r"[/?#]", text.partition("://")[2], maxsplit=1)[0]
    if "{{" in authority:
        raise setup.fault(where, "a response cannot say which host is asked; write the host out")
    plain = replace_names(text, lambda _: "x")
    try:
        url = httpx2.URL(plain)
    except httpx2.InvalidURL as error:
        raise setup.fault(where, f"is no address: {error}") from error
    is_sound = url.host and (url.port or 0) <= PORT_MAX and plain.isprintable()
    if not is_sound or " " in plain or "{{" in plain:
        raise setup.fault(where, "is no address; write one such as http://127.0.0.1:8000/answers")
    for key, value in url.params.multi_items():
        if value and _SECRET.search(key):
            what = f"the parameter {key!a:.80} would be recorded; send a credential in a header"
            raise setup.fault(where, what)
    return url


def _read_headers(setup: Setup, name: str, texts: Mapping[str, str]) -> dict[str, str]:
    """Return the headers, lower case, with the variables that they name."""
    headers: dict[str, str] = {}
    for key, text in texts.items():
        where = f"settings.{name}.{key}"
        if not _HEADER_NAME.fullmatch(key):
            raise setup.fault(f"settings.{name}", f"{key!a:.80} is no name of a header")
        if key.lower() in headers or key.lower() in _OWN_HEADERS:
            raise setup.fault(where, "is set already; leave it out")
        has_variable = _VARIABLE.search(text) is not None
        if setup.vault.scrub_text(text) != text or (_SECRET.search(key) and not has_variable):
            what = "holds a credential, which would be recorded; name a variable, such as ${TOKEN}"
            raise setup.fault(where, what)
        value = _VARIABLE.sub(
            lambda found: setup.vault.read(found[1], f"{setup.name}: {where}"),  # noqa: B023
            text,
        )
        if "${" in _VARIABLE.sub("", text):
            raise setup.fault(where, "has a '${' that names no variable; write ${NAME}")
        if not value.isascii() or not value.isprintable():
            raise setup.fault(where, "has characters that no header can carry")
        headers[key.lower()] = value.strip()
    return headers


def _read_body(setup: Setup, entry: _Settings) -> Template:
    try:
        template = parse_template(entry.body, is_multipart=entry.multipart)
    except ValueError as error:
        raise setup.fault("settings.body", str(error)) from error
    if "prompt" not in template.names and not template.takes_files:
        raise setup.fault("settings.body", "has no {{prompt}}; say where the prompt goes")
    if setup.effort is not None and "effort" not in template.names:
        raise setup.fault("effort", "settings.body has no {{effort}}; write it there or leave this")
    is_limited = setup.limits.output_tokens_max is not None
    if is_limited and "output_tokens_max" not in template.names:
        what = "settings.body has no {{output_tokens_max}}; write it there or leave this out"
        raise setup.fault("limits.output_tokens_max", what)
    if entry.multipart and "content-type" in {key.lower() for key in entry.headers}:
        raise setup.fault("settings.headers", "content-type is the form's own; leave it out")
    return template


def _read_answer(setup: Setup, entry: _Settings) -> JsonPointer | None:
    if entry.answer_is == "text":
        if entry.answer is not None:
            raise setup.fault("settings.answer", "answer_is says text; leave one of them out")
        return None
    if entry.answer is None:
        what = "is missing; write a JSON pointer such as '/answer', or '' for the whole document"
        raise setup.fault("settings.answer", what)
    return _read_pointer(setup, "answer", entry.answer)


def _read_stated(setup: Setup, entry: _Settings) -> dict[str, JsonPointer]:
    stated: dict[str, JsonPointer] = {}
    for name in STATED:
        text: str | None = getattr(entry, name)
        if text is not None:
            stated[name] = _read_pointer(setup, name, text)
    if stated and entry.answer_is == "text":
        what = "points into JSON, and answer_is says text; leave one of them out"
        raise setup.fault(f"settings.{next(iter(stated))}", what)
    return stated


def _read_pointer(setup: Setup, name: str, text: str) -> JsonPointer:
    try:
        return parse_pointer(text)
    except ValueError as error:
        raise setup.fault(f"settings.{name}", str(error)) from error


def _read_further(
    setup: Setup, name: str, entry: _Further, first: httpx2.URL, headers: Mapping[str, str]
) -> Further:
    url = _read_url(setup, f"{name}.url", entry.url)
    for pointer in list_names(entry.url):
        _read_pointer(setup, f"{name}.url", pointer)
    if entry.headers is not None:
        headers = _read_headers(setup, f"{name}.headers", entry.headers)
    elif _list_origin(url) != _list_origin(first):
        headers = {}
    return Further(
        name=entry.name,
        url=entry.url,
        method=entry.method,
        headers=headers,
        pointer=None
        if entry.pointer is None
        else _read_pointer(setup, f"{name}.pointer", entry.pointer),
        until=_read_until(setup, name, entry),
    )


def _list_origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _read_until(setup: Setup, name: str, entry: _Further) -> Until | None:
    has_value = "equals" in entry.model_fields_set
    if entry.until is None:
        odd = "equals" if has_value else "every_s"
        if odd in entry.model_fields_set:
            raise setup.fault(f"settings.{name}.{odd}", "goes with until; write it, too")
        return None
    if entry.method != "GET":
        raise setup.fault(f"settings.{name}.method", "what is sent until something comes is a GET")
    text = str(entry.every_s)
    if not _SECONDS.fullmatch(text) or not 0 < float(text) <= EVERY_S_MAX:
        what = f"{text!a:.40} is not above 0 and at most {EVERY_S_MAX}; write seconds such as 0.5"
        raise setup.fault(f"settings.{name}.every_s", what)
    pointer = _read_pointer(setup, f"{name}.until", entry.until)
    return Until(pointer=pointer, equals=entry.equals, has_value=has_value, every_s=float(text))


def _check_parts(setup: Setup, endpoint: Endpoint) -> None:
    """Refuse two parts of one name, and values out of a response that is a text."""
    taken = {"answer"}
    for index, further in enumerate(endpoint.further):
        where = f"settings.further.{index}"
        if endpoint.answer is None and list_names(further.url):
            what = "takes a value out of JSON, and answer_is says text; leave one of them out"
            raise setup.fault(f"{where}.url", what)
        names = {further.name} if further.pointer is None else set(list_part_names(further.name))
        if names & taken:
            what = f"{further.name!r} is the name of another part; choose a new one"
            raise setup.fault(f"{where}.name", what)
        taken |= names


def list_part_names(name: str) -> tuple[str, str]:
    """Return the names of the value that a pointer leads to, and of the response that it is in."""
    return name, f"{name}.response"
