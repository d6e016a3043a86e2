"""Chat Completions as a provider, by OpenAI's SDK: for the many servers that speak it, too.

{"provider": "openai-chat", "model": "local", "settings": {"base_url": "http://127.0.0.1:8080/v1"}}
"""

from dataclasses import replace
from functools import partial
from typing import Any

from openai import AsyncOpenAI

from providers.openai_responses import connect_openai, name_schema
from providers.provider import (
    Failure,
    Session,
    SessionFailure,
    SessionRequest,
    SessionResult,
)
from providers.sdk import (
    REFUSAL,
    ModelApi,
    conclude,
    list_texts,
    read_extra_body,
    read_text,
    split_tokens,
)
from providers.setup import Setup
from providers.wire import format_line

SETTINGS = frozenset({"base_url", "api_key_env", "max_tokens_field", "extra_body"})
MAX_TOKENS_FIELDS = ("max_completion_tokens", "max_tokens")
"""The first is today's; servers that are older know the second alone."""
TOKENS = (
    "prompt_tokens",
    "prompt_tokens_details.cached_tokens",
    "prompt_tokens_details.cache_write_tokens",
    "completion_tokens",
)
FINISHED = frozenset({"stop", "tool_calls", "function_call"})
CAUSES = {"length": "truncated", "content_filter": "content_filtered"}
"""Finish reasons of what is no whole answer, and their causes."""


def compose_completion(
    request: SessionRequest, *, max_tokens_field: str, extra: dict[str, Any] | None
) -> dict[str, Any]:
    """Return the arguments of the SDK's ``chat.completions.create``."""
    *files, prompt = list_texts(request)
    content = [{"type": "text", "text": text} for text in (*files, prompt)]
    messages: list[dict[str, Any]] = [{"role": "user", "content": content if files else prompt}]
    if request.system is not None:
        messages.insert(0, {"role": "system", "content": request.system})
    asked: dict[str, Any] = {"model": request.model, "messages": messages}
    if request.effort is not None:
        asked["reasoning_effort"] = request.effort
    if request.limits.output_tokens_max is not None:
        asked[max_tokens_field] = request.limits.output_tokens_max
    if request.schema is not None:
        schema = name_schema(request.schema)
        asked["response_format"] = {"type": "json_schema", "json_schema": schema}
    return asked if extra is None else asked | {"extra_body": extra}


def make_openai_chat(setup: Setup) -> ModelApi[AsyncOpenAI]:
    """Return the provider that a configuration describes.

    Raises:
        FaultyInput: a setting is not as above, or the key is not set.
    """
    setup.check_settings(SETTINGS)
    setup.refuse_tools("openai-chat")
    field = setup.read_text("max_tokens_field", MAX_TOKENS_FIELDS[0])
    if field not in MAX_TOKENS_FIELDS:
        known = " and ".join(MAX_TOKENS_FIELDS)
        raise setup.fault(
            "settings.max_tokens_field", f"{field!a:.80} is unknown; there are {known}"
        )
    return ModelApi(
        connection=connect_openai(setup),
        find=lambda client: client.chat.completions.with_raw_response.create,
        compose=partial(compose_completion, max_tokens_field=field, extra=read_extra_body(setup)),
        count=partial(split_tokens, names=TOKENS),
        read=read_completion,
    )


def read_completion(session: Session, document: dict[str, Any]) -> SessionResult | SessionFailure:
    """Return what a completion states: an answer where it finished by itself."""
    choice = document["choices"][0]
    message, reason = choice["message"], choice["finish_reason"]
    answer, refusal = message.get("content") or "", message.get(REFUSAL) or ""
    if not isinstance(answer, str) or not isinstance(refusal, str):
        raise TypeError("the content is no text")
    told = replace(
        session,
        stop_reason=REFUSAL if refusal and not answer else read_text(reason),
    )
    failure = None
    if reason not in FINISHED:
        cause = CAUSES.get(reason, "unknown_stop_reason")
        failure = Failure(cause, format_line(f"finish reason {reason}"))
    return conclude(told, answer or refusal, failure)
