"""Measurements; run as ``python -m bench`` (docs/benchmarks.md)."""
