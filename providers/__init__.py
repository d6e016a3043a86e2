"""Providers: a request in, a result with its raw bytes out."""

from providers.bounds import FRAME_TOKENS, Bounded
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
from providers.scrub import scrub_session
from providers.setup import Setup
from providers.vault import Vault

__all__ = [
    "FRAME_TOKENS",
    "UNLIMITED",
    "Bounded",
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
    "scrub_session",
]
