"""What a provider is made of: a configuration's own words, and the secrets of this process.

class Mine:
async def respond(self, request): ...

def make_mine(setup: Setup) -> Mine:
setup.check_settings({"base_url"})
return Mine(setup.read_text("base_url", "http://127.0.0.1:8000"), setup.limits)
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from ledger.canonical import JsonObject
from ledger.errors import FaultyInput
from ledger.tools import ToolKind
from providers.provider import UNLIMITED, Limits
from providers.vault import Vault


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """A configuration as its provider sees it.

    Attributes:
        name: of the configuration, for messages.
        settings: the provider's own, within canonical JSON: a fraction is its text.
        files: the files that the settings name: path to bytes.
        vault: the environment, and what of it is secret.
    """

    name: str
    model: str
    effort: str | None = None
    tools: tuple[ToolKind, ...] = ()
    limits: Limits = UNLIMITED
    settings: JsonObject = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    vault: Vault = field(default_factory=Vault)

    def fault(self, field_name: str, what: str) -> FaultyInput:
        """Return the error that says ``what`` is wrong with a field of the configuration."""
        return FaultyInput([f"{self.name}: {field_name}: {what}"])

    def check_settings(self, known: Collection[str]) -> None:
        """Refuse settings that the provider does not have.

        Raises:
            FaultyInput: there is one.
        """
        odd = sorted(self.settings.keys() - set(known))
        if odd:
            raise self.fault(
                f"settings.{odd[0]}", f"unknown setting; there are {', '.join(sorted(known))}"
            )

    def refuse_tools(self, provider: str) -> None:
        """Refuse tools, where a provider gives its sessions none.

        Raises:
            FaultyInput: the configuration lists some.
        """
        if self.tools:
            raise self.fault("tools", f"the provider {provider!r} has none; leave the field out")

    def read_text(self, name: str, default: str | None = None) -> str:
        """Return the setting ``name``, a text that is not empty.

        Raises:
            FaultyInput: it is something else, or missing with no ``default``.
        """
        value = self.settings.get(name, default)
        if not isinstance(value, str) or not value:
            raise self.fault(f"settings.{name}", "is not a text; write one in quotes")
        return value

    def read_texts(self, name: str) -> tuple[str, ...]:
        """Return the setting ``name``, a list of texts; none where it is missing.

        Raises:
            FaultyInput: it is something else, or one of them holds a credential.
        """
        value = self.settings.get(name, [])
        if not isinstance(value, list):
            raise self.fault(f"settings.{name}", "is not a list; write the texts in [ and ]")
        for index, item in enumerate(value):
            where = f"settings.{name}.{index}"
            if not isinstance(item, str) or "\0" in item:
                raise self.fault(where, "is not a text; write one in quotes")
            if self.vault.scrub_text(item) != item:
                raise self.fault(
                    where,
                    "holds a credential, which would be recorded; name a variable of the "
                    "environment that holds it instead",
                )
        return tuple(str(item) for item in value)

    def read_flag(self, name: str, *, default: bool) -> bool:
        """Return the setting ``name``, true or false.

        Raises:
            FaultyInput: it is something else.
        """
        value = self.settings.get(name, default)
        if not isinstance(value, bool):
            raise self.fault(f"settings.{name}", "is neither true nor false")
        return value

    def read_url(self, name: str, default: str | None = None, *, has_query: bool = False) -> str:
        """Return the setting ``name``, an http or https URL that holds no credential.

        Args:
            name: of the setting.
            default: where it is missing.
            has_query: whether a query may stand in it; below a base URL there is no place for one.

        Raises:
            FaultyInput: it is something else. The message does not repeat it.
        """
        value = self.read_text(name, default)
        scheme, _, rest = value.partition("://")
        if scheme not in {"http", "https"} or not rest:
            raise self.fault(f"settings.{name}", "is not an http:// or https:// address")
        if "@" in rest.split("/")[0] or self.vault.scrub_text(value) != value:
            raise self.fault(
                f"settings.{name}",
                "holds a credential, which would be recorded; name a variable of the environment "
                "that holds it instead",
            )
        if not has_query and ("?" in rest or "#" in rest):
            raise self.fault(f"settings.{name}", "has a query; write the address without one")
        return value.rstrip("/")
