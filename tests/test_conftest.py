"""The fences of ``conftest.py`` hold."""

import socket
from pathlib import Path

import pytest

# RFC 5737: an address that belongs to nobody.
NOWHERE = ("192.0.2.1", 80)


def test_a_connection_to_another_machine_is_refused():
    with socket.socket() as client, pytest.raises(BaseException, match="no network but loopback"):
        client.connect(NOWHERE)


def test_the_name_of_another_machine_is_not_looked_up():
    with pytest.raises(BaseException, match="no network but loopback"):
        socket.create_connection(("example.org", 80))


def test_loopback_is_open():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()


def test_the_home_folder_is_empty():
    assert list(Path.home().iterdir()) == []
