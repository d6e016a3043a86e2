"""The suite: the examination as data, loaded from a folder into one frozen value.

    suite = load_suite(Path("examples/gsm8k"))
    address = compute_digest(format_manifest(suite))

A suite that cannot be used is refused as a whole, with every fault in one ``FaultyInput``.
"""

from trials.suite.configuration import load_configuration
from trials.suite.keys import format_key, parse_key
from trials.suite.load import load_suite
from trials.suite.manifest import format_configuration, format_manifest, suite_artifacts
from trials.suite.model import (
    Case,
    Check,
    Configuration,
    Price,
    Suite,
    SuiteFile,
    Variant,
    compose_prompt,
)

__all__ = [
    "Case",
    "Check",
    "Configuration",
    "Price",
    "Suite",
    "SuiteFile",
    "Variant",
    "compose_prompt",
    "format_configuration",
    "format_key",
    "format_manifest",
    "load_configuration",
    "load_suite",
    "parse_key",
    "suite_artifacts",
]
