"""Providers: a request in, a result with its raw bytes out."""

from providers.provider import Provider, SessionFailure, SessionRequest, SessionResult
from providers.registry import find_provider

__all__ = ["Provider", "SessionFailure", "SessionRequest", "SessionResult", "find_provider"]
