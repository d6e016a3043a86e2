"""Templates: the body of a request from a JSON value with placeholders in its texts.

1. a text that is one placeholder alone takes the value: ``null`` for a system text that is missing,
   a list of objects for ``{{inputs}}``;
2. within a longer text the value is inserted as text, once: what it holds is never read again;
3. there are ``{{prompt}}``, ``{{system}}``, ``{{model}}``, ``{{effort}}``,
   ``{{output_tokens_max}}``; ``{{inputs}}``, alone only, the files as ``path`` and ``text``, or
   ``base64`` where a file is not UTF-8; ``{{file:PATH}}``, the text of one file; and
   ``{{number:0.2}}``, alone only: a configuration keeps a number with a fraction as its text.

    >>> fill({"q": "{{prompt}}", "more": ["say: {{prompt}}", 1]}, {"prompt": "{{model}}"})
    {'q': '{{model}}', 'more': ['say: {{model}}', 1]}
"""

import base64
import hashlib
import json
import mimetypes
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ledger.canonical import JsonValue
from providers.provider import InputFile, SessionRequest

NAMES = ("prompt", "system", "model", "effort", "output_tokens_max", "inputs")
ALONE = ("inputs", "number")
"""Placeholders that stand for no text."""
PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")
# Not the tables of this machine: the same files are the same bytes everywhere.
_MEDIA = mimetypes.MimeTypes()

Sendable: TypeAlias = str | int | float | bool | list["Sendable"] | dict[str, "Sendable"] | None
"""What a body is made of, and what a placeholder stands for."""


class Unsendable(Exception):
    """The files of a request cannot go where its template wants them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A body with placeholders.

    Attributes:
        names: of the placeholders in it.
        is_multipart: whether the files are sent as files, beside the body.
    """

    root: JsonValue
    names: frozenset[str]
    is_multipart: bool

    @property
    def takes_files(self) -> bool:
        """Whether the files of a request have a place."""
        is_named = any(name.startswith("file:") for name in self.names)
        return self.is_multipart or is_named or "inputs" in self.names

    def format(self, request: SessionRequest) -> tuple[bytes, str]:
        """Return the body for ``request`` and its media type.

        Raises:
            Unsendable: a file that it wants is missing or no text, or files have no place in it.
        """
        if request.inputs and not self.takes_files:
            raise Unsendable(
                "settings.body has no place for the input files; write {{inputs}} or "
                "{{file:PATH}} there, or set multipart"
            )
        values = {name: _find_value(name, request) for name in self.names}
        body = _dump(fill(self.root, values))
        if self.is_multipart:
            return format_multipart(body, request.inputs)
        return body, "application/json"


def parse_template(root: JsonValue, *, is_multipart: bool) -> Template:
    """Return the template that ``root`` is.

    Raises:
        ValueError: it has a placeholder that there is not, or one where it cannot stand.
    """
    names = set()
    for text, is_key in _list_texts(root):
        for name in PLACEHOLDER.findall(text):
            is_alone = text == "{{" + name + "}}" and not is_key
            _check_name(name, is_alone=is_alone, is_key=is_key)
            names.add(name)
        if "{{" in PLACEHOLDER.sub("", text):
            raise ValueError(f"{text!a:.80} has a '{{{{' that no '}}}}' closes")
    return Template(root=root, names=frozenset(names), is_multipart=is_multipart)


def fill(root: JsonValue, values: Mapping[str, Sendable]) -> Sendable:
    """Return ``root`` with a value in the place of each placeholder."""
    if isinstance(root, str):
        if "{{" not in root:
            return root
        alone = PLACEHOLDER.fullmatch(root)
        if alone:
            return values[alone[1]]
        return PLACEHOLDER.sub(lambda found: _insert(values[found[1]]), root)
    if isinstance(root, dict):
        return {key: fill(item, values) for key, item in root.items()}
    if isinstance(root, list):
        return [fill(item, values) for item in root]
    return root


def fill_numbers(root: Any) -> Any:
    """Return ``root`` with a number in the place of each text ``{{number:0.2}}``."""
    if isinstance(root, str):
        alone = PLACEHOLDER.fullmatch(root)
        kind, _, rest = alone[1].partition(":") if alone else ("", "", "")
        return float(rest) if kind == "number" and _NUMBER.fullmatch(rest) else root
    if isinstance(root, dict):
        return {key: fill_numbers(item) for key, item in root.items()}
    if isinstance(root, list):
        return [fill_numbers(item) for item in root]
    return root


def format_multipart(body: bytes, files: Sequence[InputFile]) -> tuple[bytes, str]:
    """Return body and media type of a form: field ``request``, and a field ``files`` for each file.

    The boundary is made of the content: the same request is the same bytes, and no content holds
    the boundary that is made of it.
    """
    blocks = [_format_field('name="request"', "application/json", body)]
    for file in files:
        name = file.path.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        media = _MEDIA.guess_type(file.path)[0] or "application/octet-stream"
        blocks.append(_format_field(f'name="files"; filename="{name}"', media, file.data))
    digest = hashlib.sha256()
    for block in blocks:
        digest.update(b"%d:%b" % (len(block), block))
    boundary = f"verdict-{digest.hexdigest()[:40]}"
    line = f"--{boundary}\r\n".encode()
    data = b"".join(line + block for block in blocks) + f"--{boundary}--\r\n".encode()
    return data, f"multipart/form-data; boundary={boundary}"


def list_names(text: str) -> list[str]:
    """Return the names of the placeholders in ``text``, in order."""
    return PLACEHOLDER.findall(text)


def replace_names(text: str, replace: Callable[[str], str]) -> str:
    """Return ``text`` with what ``replace`` says in the place of each placeholder."""
    return PLACEHOLDER.sub(lambda found: replace(found[1]), text)


def _check_name(name: str, *, is_alone: bool, is_key: bool) -> None:
    kind, _, rest = name.partition(":")
    is_known = name in NAMES or (kind == "file" and rest)
    if kind == "number" and not _NUMBER.fullmatch(rest):
        raise ValueError(f"'{{{{{name:.80}}}}}' is no number; write one such as {{{{number:0.2}}}}")
    if not is_known and kind != "number":
        known = ", ".join(f"{{{{{each}}}}}" for each in (*NAMES, "file:PATH", "number:0.2"))
        raise ValueError(f"'{{{{{name:.80}}}}}' is an unknown placeholder; there are {known}")
    if is_key:
        raise ValueError(f"'{{{{{name:.80}}}}}' stands in a key; placeholders stand in values")
    if kind in ALONE and not is_alone:
        raise ValueError(f"'{{{{{name:.80}}}}}' is no text; let it stand in a text alone")


def _list_texts(root: JsonValue) -> Iterator[tuple[str, bool]]:
    """Yield each text of ``root``, and whether it is a key."""
    if isinstance(root, str):
        yield root, False
    elif isinstance(root, dict):
        for key, item in root.items():
            yield key, True
            yield from _list_texts(item)
    elif isinstance(root, list):
        for item in root:
            yield from _list_texts(item)


def _find_value(name: str, request: SessionRequest) -> Sendable:
    if name == "prompt":
        return request.prompt
    if name == "system":
        return request.system
    if name == "model":
        return request.model
    if name == "effort":
        return request.effort
    if name == "output_tokens_max":
        return request.limits.output_tokens_max
    if name == "inputs":
        return [_describe_file(file) for file in request.inputs]
    kind, _, rest = name.partition(":")
    return float(rest) if kind == "number" else _read_file(rest, request.inputs)


def _describe_file(file: InputFile) -> Sendable:
    try:
        return {"path": file.path, "text": file.data.decode()}
    except UnicodeDecodeError:
        return {"path": file.path, "base64": base64.b64encode(file.data).decode()}


def _read_file(path: str, files: Sequence[InputFile]) -> str:
    for file in files:
        if file.path == path:
            try:
                return file.data.decode()
            except UnicodeDecodeError as error:
                raise Unsendable(f"the input file {path!a:.200} is not UTF-8 text") from error
    raise Unsendable(f"there is no input file {path!a:.200}, which settings.body wants")


def _insert(value: Sendable) -> str:
    return "" if value is None else str(value)


def _dump(value: Sendable) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # A lone surrogate, which JSON can escape and UTF-8 cannot hold.
        return json.dumps(value).encode()


def _format_field(disposition: str, media: str, data: bytes) -> bytes:
    head = f"Content-Disposition: form-data; {disposition}\r\nContent-Type: {media}\r\n\r\n"
    return head.encode() + data + b"\r\n"
