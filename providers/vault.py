"""The vault: which values are secret, and how they are taken out of what is about to be recorded.

Secret is what an adapter reads as a credential, every value of the environment whose name says so
(``..._KEY``, ``..._TOKEN``), and the password of a URL among its values. What comes from a provider
goes through ``scrub`` before it is recorded: a key that an error message repeats, or that a session
printed, is replaced by its name. Its spellings in Base64, in a URL and in JSON are, too.

    >>> vault = Vault({"API_KEY": "correct horse"})
    >>> vault.scrub(b"401: key 'correct horse' is unknown")
    b"401: key '[secret API_KEY]' is unknown"
"""

import base64
import json
import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote, quote_plus, unquote, urlsplit

from ledger.errors import FaultyInput

CHARACTERS_MIN = 8
"""A shorter value is no secret that could be told apart from ordinary text."""

_NAMES = re.compile(
    r"(^|_)(API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|COOKIE|PAT)(_|$)"
    r"|(^|_)PASS$|_PWD$|(^|_)DSN$",
    re.IGNORECASE,
)

_URL_SAFE = bytes.maketrans(b"+/", b"-_")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_UNFIT = re.compile(r"[^a-z0-9_.-]")


class Vault:
    """The secrets of one process."""

    def __init__(
        self, environment: Mapping[str, str] | None = None, *, is_dry: bool = False
    ) -> None:
        """Take the secrets of ``environment``, none by default.

        Args:
            environment: of the process.
            is_dry: nothing will be asked: a credential that is missing is no fault.
        """
        self._is_dry = is_dry
        self._environment = dict(environment or {})
        self._names: dict[bytes, str] = {}
        self._pattern: re.Pattern[bytes] | None = None
        for name, value in self._environment.items():
            if _NAMES.search(name):
                self.add(name, value)
            elif "://" in value:
                self.add(name, _read_password(value))

    def read(self, name: str, what: str) -> str:
        """Return the secret value of the environment's ``name``.

        Args:
            name: of the variable.
            what: which field or provider needs it, for the message.

        Raises:
            FaultyInput: it is not set, or empty, or no name of a variable.
        """
        if not _VARIABLE.fullmatch(name):
            # Not repeated: where a key itself was written, a log would have it.
            raise FaultyInput([f"{what}: is not the name of a variable of the environment"])
        value = self._environment.get(name, "")
        if not value and not self._is_dry:
            raise FaultyInput([f"{what}: the environment has no {name}; set it"])
        self.add(name, value)
        return value

    def find(self, name: str) -> str | None:
        """Return the value of the environment's ``name`` as a secret, or ``None``."""
        value = self._environment.get(name)
        if value:
            self.add(name, value)
        return value or None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is secret."""
        return not self._names

    @property
    def environment(self) -> Mapping[str, str]:
        """The whole environment; what of it a session gets is its provider's allow list."""
        return self._environment

    def add(self, name: str, value: str) -> None:
        """Keep ``value`` out of the record, under ``name``; a very short one is left."""
        if len(value) < CHARACTERS_MIN:
            return
        for spelling in _spell(value):
            self._names.setdefault(spelling, name)
        self._pattern = None

    def scrub(self, data: bytes) -> bytes:
        """Return ``data`` with the name of each secret in its place."""
        return self._compile().sub(self._replace, data) if self._names else data

    def find_names(self, data: bytes) -> list[str]:
        """Return the names of the secrets that stand in ``data``, sorted."""
        found = self._compile().findall(data) if self._names else []
        return sorted({self._names[spelling] for spelling in found})

    def _compile(self) -> re.Pattern[bytes]:
        if self._pattern is None:
            # The longest first: one secret may begin with another.
            longest = sorted(self._names, key=len, reverse=True)
            self._pattern = re.compile(b"|".join(map(re.escape, longest)))
        return self._pattern

    def scrub_text(self, text: str) -> str:
        """Return ``text`` with the name of each secret in its place."""
        data = text.encode("utf-8", "surrogatepass")
        clean = self.scrub(data)
        return text if clean == data else clean.decode("utf-8", "surrogatepass")

    def _replace(self, match: re.Match[bytes]) -> bytes:
        return f"[secret {self._names[match[0]]}]".encode()


def _spell(value: str) -> Iterator[bytes]:
    """Yield the spellings in which ``value`` may come back."""
    data = value.encode("utf-8", "surrogatepass")
    yield data
    yield quote(value, safe="", errors="replace").encode()
    yield quote_plus(value, errors="replace").encode()
    yield json.dumps(value)[1:-1].encode()
    # As part of the name of a part (``Part.name``).
    yield _UNFIT.sub("-", value.lower()).encode()
    yield value.replace("/", "\\/").encode("utf-8", "surrogatepass")
    yield data.strip()
    for core in (_encode_core(data, skipped) for skipped in range(3)):
        if len(core) >= CHARACTERS_MIN:
            yield core
            yield core.translate(_URL_SAFE)


def _encode_core(data: bytes, skipped: int) -> bytes:
    """Return what of ``data`` in Base64 is the same whatever stands before and behind it.

    Args:
        data: the secret.
        skipped: bytes before it, modulo 3.
    """
    encoded = base64.b64encode(bytes(skipped) + data).rstrip(b"=")
    start = -(-skipped * 8 // 6)
    # Without padding the last digit has bits of what comes next.
    return encoded[start:] if (skipped + len(data)) % 3 == 0 else encoded[start:-1]


def _read_password(url: str) -> str:
    try:
        return unquote(urlsplit(url).password or "")
    except ValueError:
        return ""
