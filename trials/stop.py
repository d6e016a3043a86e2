"""Stopping: asked once, heard everywhere; what is in flight is finished first.

A run stops at an interrupt, at its budget, or where no further call can succeed. Whoever waits (for
a retry, for a rate) hears of it at once; a call that is under way is not cut off. Everything that
has no outcome then stays open, and the run can be resumed.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

STEP_S = 0.1
"""How long a waiting task may take to hear of it: a signal cannot wake an event loop by itself."""
INTERRUPTED = "interrupted"
BUDGET = "budget"


class Stopped(Exception):
    """Work was asked to stop. It never leaves ``trials``."""


@dataclass(slots=True)
class Stop:
    """Whether to stop, and why; the first reason stays."""

    cause: str | None = None
    detail: str = ""
    abort: Callable[[], object] | None = None
    """Ends at once what is under way; ``None`` where nothing is."""

    def request(self, cause: str, detail: str) -> None:
        """Ask everybody to stop."""
        if self.cause is None:
            self.cause, self.detail = cause, detail

    def check(self) -> None:
        """Raise ``Stopped`` where that was asked."""
        if self.cause is not None:
            raise Stopped

    async def pause(self, seconds: float) -> None:
        """Wait, unless or until that was asked; then raise ``Stopped``."""
        self.check()
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while (left := end - loop.time()) > 0:
            await asyncio.sleep(min(left, STEP_S))
            self.check()
