"""Locks by name in a ledger folder; the kernel takes a lock away when its holder dies."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ledger.errors import Busy, StoreUnavailable


@contextmanager
def hold_lock(
    folder: Path, name: str, *, is_patient: bool = True, is_shared: bool = False
) -> Iterator[None]:
    """Hold the lock ``name`` of the ledger in ``folder`` while the block runs.

    Any number of holders may share it; one that does not share it is alone.

    Raises:
        Busy: somebody else holds it, and ``is_patient`` is false.
    """
    place = folder / "locks"
    try:
        place.mkdir(exist_ok=True)
        descriptor = os.open(place / name, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise StoreUnavailable(f"{place / name}: {error.strerror}: cannot be locked") from error
    try:
        mode = fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX
        try:
            fcntl.flock(descriptor, mode if is_patient else mode | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Busy(f"{name}: another process is at it; wait for it or end it") from error
        yield
    finally:
        os.close(descriptor)
