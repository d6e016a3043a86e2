"""Providers in this process that do what a script says, for tests of the engine."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from providers import SessionFailure, SessionRequest, SessionResult, Tokens

TOKENS = Tokens(input=100, output=10)


def answer(text="total\nTOTAL 1", **fields):
    """Return a result with some bytes."""
    return SessionResult(answer=text, response=text.encode(), media="text/plain", **fields)


def fail(cause="overloaded", **fields):
    """Return a transient failure that asks to wait for no time."""
    plain = SessionFailure(cause=cause, detail="Come back.", is_transient=True, retry_after_s=0.0)
    return replace(plain, **fields)


class Scripted:
    """Returns the results of its script, one for each call of a place; then an answer.

    Attributes:
        seen: the requests, in the order in which they came.
    """

    def __init__(self, *script, bound: Tokens | None = None, delay_s: float = 0.0):
        self.script: Sequence[SessionResult | SessionFailure | BaseException] = script
        self.seen: list[SessionRequest] = []
        self.calls: Counter[object] = Counter()
        self.closed = 0
        self.most = 0
        self._flying = 0
        self._bound = bound
        self._delay_s = delay_s

    def bound_tokens(self, request):
        """Return the bound that it was made with."""
        return self._bound

    async def respond(self, request):
        """Return what the script says for this call of the place."""
        self.seen.append(request)
        self._flying += 1
        self.most = max(self.most, self._flying)
        await asyncio.sleep(self._delay_s)
        self._flying -= 1
        call = self.calls[request.place]
        self.calls[request.place] += 1
        result = self.script[call] if call < len(self.script) else answer(tokens=TOKENS)
        if isinstance(result, BaseException):
            raise result
        return result

    async def close(self):
        """Count that it was closed."""
        self.closed += 1
