"""The session that is being written: what its answer, its calls and its replies are made from."""

from dataclasses import dataclass
from decimal import Decimal

from examples.expense_analysis.script.dice import Dice
from examples.expense_analysis.script.scenarios import DELTA, Place, Scenario
from examples.expense_analysis.script.spending import UNCATEGORIZED, Spending
from examples.expense_analysis.script.styles import Style, format_percent


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session; ``spending`` has its mistakes in it."""

    place: Place
    scenario: Scenario
    style: Style
    spending: Spending
    dice: Dice

    @property
    def drops_delta(self) -> bool:
        """Whether it takes one of the two Delta charges for a repetition."""
        return DELTA in self.scenario.treatment.left_out

    @property
    def merges_transport(self) -> bool:
        """Whether it has one row for Travel and Transport."""
        return "Transport" not in self.spending.list_categories()

    def has_policy(self, policy: str) -> bool:
        """Return whether it chose ``policy``."""
        return policy in self.scenario.treatment.policies

    def moved(self, merchant: str) -> str | None:
        """Return where it put ``merchant`` against the reference."""
        return self.scenario.treatment.moved.get(merchant)

    def name(self, category: str) -> str:
        """Return what it calls ``category``."""
        if category == "Travel" and self.merges_transport:
            return "Travel & Transport"
        return self.style.name(category, self.place.variant)

    def say(self, category: str, period: str) -> str:
        """Return a total as a sentence has it."""
        return self.style.amount(self.spending.total(category, period))

    def say_change(self, category: str, before: str, after: str) -> str:
        """Return by how much a total changed, without a sign."""
        return self.style.amount(self.spending.change(category, before, after))

    def say_percent(self, category: str, before: str, after: str) -> str:
        """Return by how much a total changed, in per cent and without a sign."""
        change = self.spending.change(category, before, after)
        return format_percent(change, self.spending.total(category, before))

    def choose(self, name: str, *options: str) -> str:
        """Return one of ``options``; ``name`` says what is chosen."""
        return self.dice.choose(name, options)

    def heading(self, number: int, title: str) -> list[str]:
        """Return the heading of a part; a line that is only bold needs an empty one below it."""
        heading = self.style.heading.format(number=number, title=title)
        return [heading] if heading.startswith("#") else [heading, ""]

    def bullets(self, texts: list[str]) -> list[str]:
        """Return ``texts`` as a list."""
        return [f"{self.style.bullet} {text}" for text in texts]

    def sum_uncategorized(self) -> Decimal:
        """Return what the entries of unknown purpose come to."""
        return self.spending.total(UNCATEGORIZED)
