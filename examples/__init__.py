"""Suites that run as they are."""
