"""The error tree: what went wrong, where, and what to do about it.

``LedgerError`` is the root of everything that this program raises on purpose; the command line
prints its text on one line and leaves with ``exit_code``, never with a traceback. A class exists
only where a caller acts differently on it. Low-level exceptions are translated once, at the edge
where they happen, with ``raise … from``.
"""


class LedgerError(Exception):
    """Anything this program raises on purpose."""

    exit_code = 2
    """What the command line leaves with: 2 the call or its input was refused, 3 incomplete."""


class MalformedDigest(LedgerError):
    """A text that should be an address has another form."""


class NotCanonical(LedgerError):
    """A value or a sequence of bytes that the canonical form does not admit."""


class MalformedEvent(LedgerError):
    """Canonical bytes that are not an event of the kind and version that they name."""


class UnknownKind(MalformedEvent):
    """An event of a kind or version that this program does not know: it is carried, not read."""


class UnknownAddress(LedgerError):
    """No event and no artifact of this ledger has the address, or a batch names missing bytes."""


class AmbiguousAddress(LedgerError):
    """A shortened address that more than one thing of this ledger begins with."""


class RedactedArtifact(LedgerError):
    """The bytes are gone on purpose: an ``artifact.redacted`` event says by whom and why."""


class Damage(LedgerError):
    """Stored bytes are not what they were: evidence is damaged; never retry."""


class Rollback(LedgerError):
    """The database is older than what was signed: a copy was put back. The rest may be sound."""


class InvalidProof(LedgerError):
    """A proof or a signature does not hold."""


class NoLedger(LedgerError):
    """There is no ledger where one was looked for, or there is one where none may be."""


class OldSchema(LedgerError):
    """The database was made by another version of this program and has to be upgraded first."""


class StoreUnavailable(LedgerError):
    """The store did not take the write (full disk, I/O error, lock): nothing of it is recorded.

    The same events may be appended again: an event that did get in keeps its one position.
    """

    exit_code = 3


class Busy(LedgerError):
    """Somebody else is doing the same work at this moment; the same call may be made later."""

    exit_code = 3


class RunIncomplete(LedgerError):
    """Planned work is missing; what is recorded stands and the run can be resumed."""

    exit_code = 3


class FaultyInput(LedgerError):
    """A suite, configuration or answers file that cannot be used; every fault is listed.

    Attributes:
        faults: one line each, "file: field: what is wrong and what to do", never empty.
    """

    def __init__(self, faults: list[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = tuple(faults)
