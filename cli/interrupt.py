"""Ctrl-C: the first finishes what is in flight, the second stops at once; both can be resumed."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import click

from trials.stop import INTERRUPTED, Stop


@contextmanager
def catch_interrupts(stop: Stop) -> Iterator[None]:
    """Let an interrupt ask ``stop``, and a further one raise ``KeyboardInterrupt``.

    Outside the main thread, which alone hears of signals, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    is_asked = False

    def handle(_number: int, _frame: FrameType | None) -> None:
        nonlocal is_asked
        if is_asked:
            if stop.abort is None:
                raise KeyboardInterrupt
            # Raised in the middle of a task's step it would be printed, or lost in a finalizer.
            stop.abort()
            return
        is_asked = True
        stop.request(INTERRUPTED, "stopped from the keyboard")
        click.echo("\nfinishing what is in flight; once more stops at once", err=True)

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
