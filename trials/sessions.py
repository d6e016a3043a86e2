"""Sessions on record: what came of a call as the fields that events share, its bytes put first."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ledger.artifact import JSON, ArtifactRef
from ledger.log import Ledger
from ledger.tools import format_tool_calls
from providers import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """What is recorded of a call, however it ended; the fields are those of ``trial.completed``."""

    sent: ArtifactRef | None
    response: ArtifactRef | None
    parts: tuple[tuple[str, ArtifactRef], ...]
    resolved_model: str | None
    request_id: str | None
    stop_reason: str | None
    usage: tuple[tuple[str, int], ...]
    tokens: tuple[tuple[str, int], ...]
    cost_usd: str | None
    stated_cost_usd: str | None
    tool_calls: ArtifactRef | None
    stated_us: int | None
    notes: tuple[str, ...]

    def pick(self, *names: str) -> dict[str, Any]:
        """Return the named fields, for an event that has them."""
        return {name: getattr(self, name) for name in names}


PAID = ("sent", "response", "usage", "tokens", "cost_usd", "stated_cost_usd")
"""Fields that every event of a call has."""
IDENTIFIED = ("resolved_model", "request_id", "stop_reason")
"""Fields that say who answered."""
WHOLE = (*PAID, *IDENTIFIED, "parts", "tool_calls", "stated_us", "notes")
"""Fields of a trial's outcome."""


def put_session(ledger: Ledger, session: Session, cost: Decimal | None) -> Recording:
    """Return ``session`` as it is recorded.

    Args:
        ledger: its bytes are put there.
        session: what came of a call.
        cost: what its tokens cost by the suite's table of prices, US dollars; ``None``: unknown.
    """
    calls, tokens = session.tool_calls, session.tokens
    stated = session.stated_cost_usd
    return Recording(
        sent=_put(ledger, session.sent, session.sent_media),
        response=_put(ledger, session.response, session.media),
        parts=tuple((part.name, ledger.put(part.data, media=part.media)) for part in session.parts),
        resolved_model=session.resolved_model,
        request_id=session.request_id,
        stop_reason=session.stop_reason,
        usage=session.usage,
        tokens=() if tokens is None else tuple(tokens._asdict().items()),
        cost_usd=None if cost is None else f"{cost:f}",
        stated_cost_usd=None if stated is None else f"{stated:f}",
        tool_calls=None if calls is None else ledger.put(format_tool_calls(calls), media=JSON),
        stated_us=session.stated_us,
        notes=session.notes,
    )


def _put(ledger: Ledger, data: bytes | None, media: str) -> ArtifactRef | None:
    return None if data is None else ledger.put(data, media=media)
