"""Locks by name in a ledger folder; the kernel takes a lock away when its holder dies."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ledger.errors import Busy


@contextmanager
def hold_lock(folder: Path, name: str, *, is_patient: bool = True) -> Iterator[None]:
    """Hold the lock ``name`` of the ledger in ``folder`` while the block runs.

    Raises:
        Busy: somebody else holds it, and ``is_patient`` is false.
    """
    place = folder / "locks"
    place.mkdir(exist_ok=True)
    descriptor = os.open(place / name, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if is_patient else fcntl.LOCK_NB))
        except BlockingIOError as error:
            raise Busy(f"{name}: another process is at it; wait for it or end it") from error
        yield
    finally:
        os.close(descriptor)
