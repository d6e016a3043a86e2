"""Bounds: how many tokens one call can take at most, known before it is made."""

from typing import Protocol, runtime_checkable

from providers.provider import SessionRequest, Tokens

FRAME_TOKENS = 1_000
"""What a chat template, names of roles and of files may add to the texts; far more than they do."""
FILE_TOKENS = 50
"""The same for each file."""


@runtime_checkable
class Bounded(Protocol):
    """A provider whose calls have a bound; it makes one call for one request."""

    def bound_tokens(self, request: SessionRequest) -> Tokens | None:
        """Return what ``request`` can take at most, all of it new input; ``None``: no bound."""
        ...


def bound_call(request: SessionRequest, output_tokens_max: int | None) -> Tokens | None:
    """Return the bound of a call that sends all texts of ``request`` once.

    A token spells at least one byte, so there are never more tokens than bytes.
    """
    if output_tokens_max is None:
        return None
    texts = (request.prompt, request.system or "", request.schema or "")
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    size += sum(FILE_TOKENS + len(file.path.encode()) + len(file.data) for file in request.inputs)
    return Tokens(input=size + FRAME_TOKENS, output=output_tokens_max)
