"""Scrubbing: what came of a call, with every secret taken out before it is recorded."""

from dataclasses import fields, replace
from typing import Any, TypeVar

from ledger.tools import ToolCall
from providers.provider import Part, Session
from providers.vault import Vault

AnySession = TypeVar("AnySession", bound=Session)

_BRACKETS = str.maketrans({"[": "", "]": "", " ": "-"})

NOTE = "a secret stood in what came, and was taken out before it was recorded"


def scrub_session(session: AnySession, vault: Vault) -> AnySession:
    """Return ``session`` without the secrets of ``vault``; a note says so where there were any."""
    if vault.is_empty:
        return session
    changes: dict[str, Any] = {}
    for field in fields(session):
        value = getattr(session, field.name)
        clean = _scrub(value, vault)
        if clean is not value:
            changes[field.name] = clean
    if not changes:
        return session
    notes = changes.pop("notes", session.notes)
    return replace(session, notes=(*notes, NOTE), **changes)


def _scrub(value: Any, vault: Vault) -> Any:
    """Return ``value`` itself where no secret is in it."""
    if isinstance(value, bytes):
        clean = vault.scrub(value)
        return value if clean == value else clean
    if isinstance(value, str):
        return vault.scrub_text(value)
    if isinstance(value, ToolCall):
        name, given = vault.scrub_text(value.name), vault.scrub_text(value.input)
        is_clean = (name, given) == (value.name, value.input)
        return value if is_clean else replace(value, name=name, input=given)
    if isinstance(value, Part):
        data, name = _scrub(value.data, vault), vault.scrub_text(value.name)
        # In brackets and capitals a name of a part would not be one any more.
        name = name.translate(_BRACKETS).lower()
        part = Part(name, data, vault.scrub_text(value.media))
        return value if part == value else part
    if type(value) is tuple:
        items = tuple(_scrub(item, vault) for item in value)
        is_clean = all(new is old for new, old in zip(items, value, strict=True))
        return value if is_clean else items
    return value
