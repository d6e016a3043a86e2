"""Custody: what became of the bytes."""

from dataclasses import dataclass
from typing import ClassVar

from ledger.artifact import ArtifactRef


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactRedacted:
    """The bytes of an artifact were deleted; every event that names it stands.

    Attributes:
        artifact: whose bytes are gone.
        reason: why, in words; the envelope says by whom and when.
        authority: on what ground, for example a ticket or a law; may be empty.
    """

    KIND: ClassVar[str] = "artifact.redacted"
    V: ClassVar[int] = 1

    artifact: ArtifactRef
    reason: str
    authority: str
