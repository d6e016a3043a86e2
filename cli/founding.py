"""Making a ledger, and upgrading an old one: the only commands that need the schema's history."""

from pathlib import Path

from cli import setting
from migrations import upgrade


def init_ledger(folder: Path, origin: str | None = None) -> str:
    """Make an empty ledger in ``folder`` and return its vkey, as ``setting.make_ledger``."""
    return setting.make_ledger(folder, origin, upgrade)


def upgrade_ledger(folder: Path) -> bool:
    """Bring the schema in ``folder`` up to this program's; return whether it was older."""
    return setting.upgrade_ledger(folder, upgrade)
