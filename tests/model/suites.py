"""Copies of the suite in ``suite/``, with a server's address in their configurations."""

import json
import shutil
from collections.abc import Collection
from pathlib import Path
from typing import Any

SUITE = Path(__file__).parent / "suite"
MODEL = "local-gguf"
OUTPUT_TOKENS_MAX = 48
TOO_LONG = 40_000
"""Digits of the one question that exceeds the context; a digit is a token."""
PATHS = {"openai-chat": "/v1", "openai": "/v1", "anthropic": "", "claude-code": "", "codex": "/v1"}
"""Where each provider finds its API at the server."""


def write_suite(
    folder: Path,
    server: str,
    *,
    provider: str,
    graders: str,
    cases: Collection[str] = (),
    **fields: Any,
) -> Path:
    """Write the suite and its configuration ``m`` to ``folder``.

    Args:
        folder: is made.
        server: its address.
        provider: who is under test.
        graders: the provider that graders ask.
        cases: the ids of those that are kept; all by default.
        **fields: of the configuration under test, such as ``settings``.
    """
    shutil.copytree(SUITE, folder)
    file = folder / "cases.jsonl"
    records = [json.loads(line) for line in file.read_text().splitlines()]
    kept = [_lengthen(record) for record in records if not cases or record["id"] in cases]
    file.write_text("".join(json.dumps(record) + "\n" for record in kept))
    (folder / "configurations").mkdir()
    _write_configuration(folder / "configurations" / "m.json", server, provider, fields)
    for role in ("extractor", "judge"):
        _write_configuration(folder / "grading" / f"{role}.json", server, graders, {})
    return folder


def _lengthen(record: dict[str, Any]) -> dict[str, Any]:
    """Return the case as it is asked: nobody wants to read the long one in a file."""
    if record["id"] != "too-long":
        return record
    return record | {"question": record["question"].replace("1111", "1" * TOO_LONG, 1)}


def _write_configuration(file: Path, server: str, provider: str, fields: dict[str, Any]) -> None:
    configuration = {
        "provider": provider,
        "model": MODEL,
        "limits": {"output_tokens_max": OUTPUT_TOKENS_MAX, "deadline_s": 120},
        **fields,
        "settings": {"base_url": server + PATHS[provider], **fields.get("settings", {})},
    }
    file.write_text(json.dumps(configuration))
