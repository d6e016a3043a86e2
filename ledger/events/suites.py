"""Suites: the examination as data."""

from dataclasses import dataclass
from typing import ClassVar

from ledger.artifact import ArtifactRef


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRegistered:
    """A suite in the form in which it is used; its identity is the address of the manifest.

    Attributes:
        suite_name: as its author named it.
        manifest: canonical JSON of the resolved suite; any change of any file is another address.
        artifacts: a listing of all bytes that the manifest names.
    """

    KIND: ClassVar[str] = "suite.registered"
    V: ClassVar[int] = 1

    suite_name: str
    manifest: ArtifactRef
    artifacts: ArtifactRef
