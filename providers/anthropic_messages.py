"""Anthropic's Messages API as a provider, by the official SDK: one call for one request.

{"provider": "anthropic", "model": "claude-sonnet-5-5", "effort": "medium"}
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import httpx2
from anthropic import AsyncAnthropic

from providers.provider import (
    Failure,
    Session,
    SessionFailure,
    SessionRequest,
    SessionResult,
    Tokens,
)
from providers.sdk import (
    REFUSAL,
    Connection,
    ModelApi,
    conclude,
    list_texts,
    read_extra_body,
    read_key,
    read_object,
    read_text,
)
from providers.setup import Setup
from providers.wire import format_line

BASE_URL = "https://api.anthropic.com"
API_KEY = "ANTHROPIC_API_KEY"
SETTINGS = frozenset({"base_url", "api_key_env", "thinking", "extra_body"})
OUTPUT_TOKENS_MAX = 8_192
"""The API wants a bound; this one where a configuration states none."""
FINISHED = frozenset({"end_turn", "stop_sequence", REFUSAL})
CAUSES = {
    "max_tokens": "truncated",
    "model_context_window_exceeded": "truncated",
    "pause_turn": "unfinished",
    "tool_use": "unfinished",
}
"""Stop reasons of what is no whole answer, and their causes."""


def compose_message(
    request: SessionRequest, *, thinking: dict[str, Any] | None, extra: dict[str, Any] | None
) -> dict[str, Any]:
    """Return the arguments of the SDK's ``messages.create``."""
    *files, prompt = list_texts(request)
    content = [{"type": "text", "text": text} for text in (*files, prompt)]
    asked: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.limits.output_tokens_max or OUTPUT_TOKENS_MAX,
        "messages": [{"role": "user", "content": content if files else prompt}],
    }
    if request.system is not None:
        asked["system"] = request.system
    output: dict[str, Any] = {} if request.effort is None else {"effort": request.effort}
    if request.schema is not None:
        output["format"] = {"type": "json_schema", "schema": json.loads(request.schema)}
    if output:
        asked["output_config"] = output
    if thinking is not None:
        asked["thinking"] = thinking
    return asked if extra is None else asked | {"extra_body": extra}


def make_anthropic(setup: Setup) -> ModelApi[AsyncAnthropic]:
    """Return the provider that a configuration describes.

    Raises:
        FaultyInput: a setting is not as above, or the key is not set.
    """
    setup.check_settings(SETTINGS)
    setup.refuse_tools("anthropic")
    base_url = setup.read_url("base_url", BASE_URL)
    key = read_key(setup, API_KEY, base_url)

    def make(http: httpx2.AsyncClient) -> AsyncAnthropic:
        client = AsyncAnthropic(
            api_key=key,
            base_url=base_url,
            http_client=http,
            max_retries=0,
            # Also says that a long answer need not be streamed.
            timeout=setup.limits.deadline_s + 5,
            open_telemetry=False,
        )
        client._custom_headers = {}  # noqa: SLF001 - else ANTHROPIC_CUSTOM_HEADERS would be heard
        return client

    return ModelApi(
        connection=Connection(make, setup.limits),
        find=lambda client: client.messages.with_raw_response.create,
        compose=partial(
            compose_message,
            thinking=read_object(setup, "thinking"),
            extra=read_extra_body(setup),
        ),
        count=count_tokens,
        read=read_message,
        output_tokens_max=OUTPUT_TOKENS_MAX,
    )


def read_message(session: Session, document: dict[str, Any]) -> SessionResult | SessionFailure:
    """Return what a message states: an answer where its turn ended by itself."""
    if document.get("type") == "error":
        raise ValueError("an error with a status of success")
    texts = [block["text"] for block in document["content"] if block["type"] == "text"]
    reason = document["stop_reason"]
    told = replace(
        session,
        stop_reason=read_text(reason),
    )
    failure = None
    if reason not in FINISHED:
        cause = CAUSES.get(reason, "unknown_stop_reason")
        failure = Failure(cause, format_line(f"stop reason {reason}"))
    return conclude(told, "".join(texts), failure)


def count_tokens(usage: Mapping[str, int]) -> Tokens | None:
    """Return the tokens of a usage; here the count of input is without the cached ones."""
    if "input_tokens" not in usage or "output_tokens" not in usage:
        return None
    return Tokens(
        usage["input_tokens"],
        usage.get("cache_read_input_tokens", 0),
        usage.get("cache_creation_input_tokens", 0),
        usage["output_tokens"],
    )
