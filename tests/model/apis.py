"""What the bytes of each API mean, read apart from the program's own reading of them."""

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """Where to find what in requests and responses.

    Attributes:
        messages: keys of the request that hold texts.
        stop: path of the reason to stop in a response; ``None``: this server states none.
        answer: path of the answer's text.
        counts: paths of the tokens read, of those of them from the cache, and of those written.
        includes_cache: whether the tokens read include those from the cache.
        schema: path of a schema in a request.
    """

    messages: tuple[str, ...]
    stop: tuple[str | int, ...] | None
    answer: tuple[str | int, ...]
    counts: tuple[str, str, str]
    includes_cache: bool
    schema: tuple[str, ...]


APIS = {
    "openai-chat": Api(
        messages=("messages",),
        stop=("choices", 0, "finish_reason"),
        answer=("choices", 0, "message", "content"),
        counts=("prompt_tokens", "prompt_tokens_details.cached_tokens", "completion_tokens"),
        includes_cache=True,
        schema=("response_format", "json_schema", "schema"),
    ),
    "openai": Api(
        messages=("instructions", "input"),
        stop=None,
        answer=("output", 0, "content", 0, "text"),
        counts=("input_tokens", "input_tokens_details.cached_tokens", "output_tokens"),
        includes_cache=True,
        schema=("text", "format", "schema"),
    ),
    "anthropic": Api(
        messages=("system", "messages"),
        stop=("stop_reason",),
        answer=("content", 0, "text"),
        counts=("input_tokens", "cache_read_input_tokens", "output_tokens"),
        includes_cache=False,
        schema=("output_config", "format", "schema"),
    ),
}


def follow(document: Any, path: tuple[str | int, ...]) -> Any:
    """Return what stands in ``document`` at ``path``."""
    for step in path:
        document = document[step]
    return document


def list_texts(value: Any) -> list[str]:
    """Return every text in ``value``."""
    if isinstance(value, dict | list):
        items = value.values() if isinstance(value, dict) else value
        return [text for item in items for text in list_texts(item)]
    return [value] if isinstance(value, str) else []


def is_json(data: bytes) -> bool:
    """Return whether ``data`` is one JSON document."""
    try:
        json.loads(data)
    except ValueError:
        return False
    return True
