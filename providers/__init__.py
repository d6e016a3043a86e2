"""Providers: a request in, a result with its raw bytes out."""

from providers.provider import (
    UNLIMITED,
    Closing,
    GraderPlace,
    InputFile,
    Limits,
    Part,
    Provider,
    Session,
    SessionFailure,
    SessionRequest,
    SessionResult,
    Tokens,
    TrialPlace,
)
from providers.registry import find_provider
from providers.setup import Setup
from providers.vault import Vault

__all__ = [
    "UNLIMITED",
    "Closing",
    "GraderPlace",
    "InputFile",
    "Limits",
    "Part",
    "Provider",
    "Session",
    "SessionFailure",
    "SessionRequest",
    "SessionResult",
    "Setup",
    "Tokens",
    "TrialPlace",
    "Vault",
    "find_provider",
]
