"""Providers: a request in, a result with its raw bytes out."""

from providers.provider import (
    GraderPlace,
    Provider,
    SessionFailure,
    SessionRequest,
    SessionResult,
    TrialPlace,
)
from providers.registry import find_provider

__all__ = [
    "GraderPlace",
    "Provider",
    "SessionFailure",
    "SessionRequest",
    "SessionResult",
    "TrialPlace",
    "find_provider",
]
