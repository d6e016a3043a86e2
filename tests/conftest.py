"""What holds for every test: no network but loopback, an empty home, no setting of the user's."""

import ipaddress
import os
import socket
from collections.abc import Iterator

import pytest
from hypothesis import settings

# How long an example takes is the machine's affair; a busy one must not fail a property.
settings.register_profile("house", deadline=None)
settings.load_profile("house")


class NetworkRefused(BaseException):
    """A test reached for the network. Not an ``Exception``, so that no retry swallows it."""


@pytest.fixture(autouse=True, scope="session")
def _apart_from_the_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Refuse every address but loopback, and set a home that holds nothing.

    One fixture a session: what it forbids is forbidden for each test alike, and hypothesis
    refuses fixtures that would be set up once for many examples.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex", "sendto"):
            patch.setattr(socket.socket, name, _guard(getattr(socket.socket, name)))
        patch.setattr(socket, "getaddrinfo", _guard_lookup(socket.getaddrinfo))
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        for name in [name for name in os.environ if _is_ours(name)]:
            patch.delenv(name)
        yield


def _is_ours(name: str) -> bool:
    return name.startswith(("VERDICT_", "XDG_")) or name.endswith("_API_KEY")


def _guard(method):
    def guarded(self, *args):
        address = args[-1]
        if self.family in (socket.AF_INET, socket.AF_INET6):
            _refuse_unless_loopback(address[0])
        return method(self, *args)

    return guarded


def _guard_lookup(lookup):
    def guarded(host, *args, **kwargs):
        _refuse_unless_loopback(host)
        return lookup(host, *args, **kwargs)

    return guarded


def _refuse_unless_loopback(host: str | bytes | None) -> None:
    text = host.decode() if isinstance(host, bytes) else host
    if text is None or text == "localhost":
        return
    try:
        is_loopback = ipaddress.ip_address(text).is_loopback
    except ValueError:
        is_loopback = False
    if not is_loopback:
        raise NetworkRefused(f"a test reached for {text}: tests have no network but loopback")
