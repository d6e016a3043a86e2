"""Which run and which grading are the newest."""

from ledger.digest import Digest
from ledger.projections import INVENTORY, SCORECARD, Inventory, Keeper


def find_run(keeper: Keeper) -> Inventory | None:
    """Return the newest run."""
    return max(keeper.scan(INVENTORY), key=lambda inventory: inventory.position, default=None)


def find_grading(
    keeper: Keeper, run: Digest | None = None, as_of: int | None = None
) -> Digest | None:
    """Return the newest grading, of ``run`` if one is named, that had begun at ``as_of``."""
    wanted = (
        card
        for card in keeper.scan(SCORECARD)
        if (run is None or card.run == run) and (as_of is None or card.position < as_of)
    )
    newest = max(wanted, key=lambda card: card.position, default=None)
    return newest.grading if newest else None
