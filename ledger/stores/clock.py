"""The clock of the machine."""

from datetime import UTC, datetime


class SystemClock:
    """The time of the machine (``ledger.ports.Clock``)."""

    def now(self) -> datetime:
        """Return the time, aware, in UTC."""
        return datetime.now(UTC)
