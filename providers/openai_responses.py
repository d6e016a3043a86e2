"""OpenAI's Responses API as a provider, by the official SDK: one call for one request.

``extra_body`` is merged into the request as the settings have it: a fraction is a text there
(``Setup.settings``), and is sent as one.

{"provider": "openai", "model": "gpt-6.2-sol", "effort": "medium"}
"""

import json
from dataclasses import replace
from functools import partial
from typing import Any

import httpx2
from openai import AsyncOpenAI

from providers.provider import (
    Failure,
    Session,
    SessionFailure,
    SessionRequest,
    SessionResult,
)
from providers.sdk import (
    REFUSAL,
    Connection,
    ModelApi,
    conclude,
    list_texts,
    read_extra_body,
    read_key,
    read_text,
    split_tokens,
)
from providers.setup import Setup
from providers.wire import format_line

BASE_URL = "https://api.openai.com/v1"
API_KEY = "OPENAI_API_KEY"
SETTINGS = frozenset({"base_url", "api_key_env", "verbosity", "extra_body"})
SCHEMA_NAME = "answer"
TOKENS = (
    "input_tokens",
    "input_tokens_details.cached_tokens",
    "input_tokens_details.cache_write_tokens",
    "output_tokens",
)
CAUSES = {"rate_limit_exceeded": "rate_limited", "server_error": "server_error"}
"""Error codes of a failed response that may be asked again, and their causes."""
INCOMPLETE = {"max_output_tokens": "truncated", "content_filter": "content_filtered"}


def compose_response(
    request: SessionRequest, *, verbosity: str | None, extra: dict[str, Any] | None
) -> dict[str, Any]:
    """Return the arguments of the SDK's ``responses.create``."""
    *files, prompt = list_texts(request)
    content = [{"type": "input_text", "text": text} for text in (*files, prompt)]
    asked: dict[str, Any] = {
        "model": request.model,
        "input": [{"role": "user", "content": content}] if files else prompt,
        "store": False,
    }
    if request.system is not None:
        asked["instructions"] = request.system
    if request.effort is not None:
        asked["reasoning"] = {"effort": request.effort}
    if request.limits.output_tokens_max is not None:
        asked["max_output_tokens"] = request.limits.output_tokens_max
    text: dict[str, Any] = {"verbosity": verbosity} if verbosity is not None else {}
    if request.schema is not None:
        text["format"] = {"type": "json_schema"} | name_schema(request.schema)
    if text:
        asked["text"] = text
    return asked if extra is None else asked | {"extra_body": extra}


def make_openai(setup: Setup) -> ModelApi[AsyncOpenAI]:
    """Return the provider that a configuration describes.

    Raises:
        FaultyInput: a setting is not as above, or the key is not set.
    """
    setup.check_settings(SETTINGS)
    setup.refuse_tools("openai")
    has_verbosity = "verbosity" in setup.settings
    return ModelApi(
        connection=connect_openai(setup),
        find=lambda client: client.responses.with_raw_response.create,
        compose=partial(
            compose_response,
            verbosity=setup.read_text("verbosity") if has_verbosity else None,
            extra=read_extra_body(setup),
        ),
        count=partial(split_tokens, names=TOKENS),
        read=read_response,
    )


def name_schema(schema: str) -> dict[str, Any]:
    """Return a JSON schema as both APIs take one that is to be kept strictly."""
    return {"name": SCHEMA_NAME, "schema": json.loads(schema), "strict": True}


def connect_openai(setup: Setup) -> Connection[AsyncOpenAI]:
    """Return the connection to ``base_url``, for this API and for Chat Completions.

    Raises:
        FaultyInput: the URL is none, or the key is not set.
    """
    base_url = setup.read_url("base_url", BASE_URL)
    key = read_key(setup, API_KEY, base_url)

    def make(http: httpx2.AsyncClient) -> AsyncOpenAI:
        client = AsyncOpenAI(api_key=key, base_url=base_url, http_client=http, max_retries=0)
        client.organization = client.project = None
        client._custom_headers = {}  # noqa: SLF001 - else OPENAI_CUSTOM_HEADERS would be heard
        return client

    return Connection(make, setup.limits)


def read_response(session: Session, document: dict[str, Any]) -> SessionResult | SessionFailure:
    """Return what a response states: an answer where its status is ``completed``."""
    parts = [
        part
        for item in document.get("output") or ()
        if item.get("type") == "message"
        for part in item["content"]
    ]
    answer = "".join(part["text"] for part in parts if part["type"] == "output_text")
    refusal = "".join(part[REFUSAL] for part in parts if part["type"] == REFUSAL)
    status = document["status"]
    told = replace(
        session,
        stop_reason=REFUSAL if refusal and not answer else read_text(status),
    )
    return conclude(told, answer or refusal, _find_failure(status, document))


def _find_failure(status: object, document: dict[str, Any]) -> Failure | None:
    """Return why a response is no answer; ``None`` where it states that it is one."""
    if status == "completed":
        return None
    if status == "incomplete":
        reason = str((document.get("incomplete_details") or {}).get("reason"))
        cause = INCOMPLETE.get(reason, "unfinished")
        return Failure(cause, format_line(f"status incomplete: {reason}"))
    error = document.get("error") or {}
    code, message = str(error.get("code")), error.get("message")
    cause = CAUSES.get(code, "provider_error")
    detail = format_line(f"status {status}: {code}: {message}")
    return Failure(cause, detail, is_transient=cause != "provider_error")
