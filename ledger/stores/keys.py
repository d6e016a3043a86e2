"""The signing key in a file, and beside it the last signed note: memory outside the database.

A database can be put back from an old copy; what was signed cannot be unsigned. The note of the
last signature is therefore kept here, written and synced before it is handed out.
"""

import os
import secrets
from contextlib import AbstractContextManager
from pathlib import Path

from cryptography.exceptions import InternalError, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from ledger.checkpoint import Checkpoint, Verifier, sign_checkpoint, verifier_of
from ledger.errors import Damage, StoreUnavailable
from ledger.stores.locks import hold_lock

KEY_NAME = "signing.key"
LAST_NAME = "last-signed"


class FileSigner:
    """The key of a ledger folder (``ledger.ports.Signer``)."""

    def __init__(self, folder: Path, origin: str) -> None:
        """Read the key of the log ``origin`` from ``folder``.

        Raises:
            Damage: there is no key, or the file does not hold one.
        """
        self._folder = folder
        path = folder / KEY_NAME
        try:
            key = load_pem_private_key(path.read_bytes(), password=None)
        except (OSError, TypeError, ValueError, UnsupportedAlgorithm, InternalError) as error:
            raise Damage(f"{path}: no readable signing key: restore it from its copy") from error
        if not isinstance(key, Ed25519PrivateKey):
            raise Damage(f"{path}: not an Ed25519 key")
        self._key = key
        self._origin = origin

    @property
    def verifier(self) -> Verifier:
        """The public half of the key."""
        return verifier_of(self._origin, self._key)

    def hold(self) -> AbstractContextManager[None]:
        """Keep other processes from signing."""
        return hold_lock(self._folder, "signing")

    def last_signed(self) -> str | None:
        """Return the last note; bytes that are no text come back as they can be shown."""
        return read_last_signed(self._folder)

    def sign(self, checkpoint: Checkpoint) -> str:
        """Sign, remember durably, return the note."""
        note = sign_checkpoint(checkpoint, self._key)
        path = self._folder / LAST_NAME
        try:
            _replace_synced(path, note.encode())
        except OSError as error:
            raise StoreUnavailable(
                f"{path}: {error.strerror}: nothing was signed; make room and sign again"
            ) from error
        return note


def read_last_signed(folder: Path) -> str | None:
    """Return the note that was signed last in ``folder``, ``None`` if there is none."""
    try:
        return (folder / LAST_NAME).read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        return None


def make_key(folder: Path) -> Ed25519PrivateKey:
    """Return a new key, written to ``folder`` for its owner's eyes alone; never over an old one."""
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    descriptor = os.open(folder / KEY_NAME, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(pem)
        file.flush()
        os.fsync(file.fileno())
    return key


def _replace_synced(path: Path, data: bytes) -> None:
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    with temporary.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
