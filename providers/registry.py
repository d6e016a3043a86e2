"""The providers by name, written out; each is loaded when it is first asked for.

A stranger's provider comes in through the entry-point group ``verdict_ledger.providers``, read here
alone, and only for a name that the table lacks.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points

from ledger.errors import FaultyInput
from providers.provider import Provider
from providers.setup import Setup

ENTRY_POINTS = "verdict_ledger.providers"

Factory = Callable[[Setup], Provider]
"""From a configuration and this process's secrets; raises ``FaultyInput``."""

PROVIDERS: dict[str, str] = {
    "anthropic": "providers.anthropic_messages:make_anthropic",
    "claude-code": "providers.claude_code:make_claude_code",
    "codex": "providers.codex:make_codex",
    "command": "providers.command:make_command",
    "http": "providers.http:make_http",
    "openai": "providers.openai_responses:make_openai",
    "openai-chat": "providers.openai_chat:make_openai_chat",
    "recorded": "providers.recorded:make_recorded",
}


def find_provider(name: str) -> Factory:
    """Return what makes the provider that a configuration calls ``name``.

    Raises:
        FaultyInput: there is none.
    """
    if name in PROVIDERS:
        module, _, attribute = PROVIDERS[name].partition(":")
        factory: Factory = getattr(import_module(module), attribute)
        return factory
    offers = tuple(entry_points(group=ENTRY_POINTS, name=name))
    if len(offers) != 1:
        known = ", ".join(PROVIDERS)
        raise FaultyInput([f"provider: {name!r:.80} is unknown; there are {known}"])
    loaded: Factory = offers[0].load()
    return loaded
