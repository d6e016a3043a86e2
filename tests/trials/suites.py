"""A sound suite of two case folders and one of two records, for tests to spoil."""

import json
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

AMOUNT = {
    "check_name": "total",
    "grader": "amount",
    "fact_name": "total",
    "pattern": "TOTAL (.*)",
    "minimum_pass_rate": 0.80,
    "description": "States the total.",
}
SHAPE = {
    "check_name": "shape",
    "grader": "json_schema",
    "schema_file": "grading/schema.json",
    "minimum_pass_rate": "0.5",
    "critical": True,
    "description": "Is an object.",
}
SUITE = {
    "suite_name": "expenses",
    "description": "Sums.",
    "variants": [{"variant_name": "plain", "prompt_file": "prompts/plain.md"}],
    "cases": "cases",
    "repetitions": 2,
    "checks": [AMOUNT, SHAPE],
}
FILES: dict[str, str | bytes] = {
    "prompts/plain.md": "Answer.\n{{question}}\n",
    "grading/schema.json": '{"type": "object", "maximum": 0.1}',
    "cases/june/case.json": '{"question": "June?", "category": "sums", "critical": true}',
    "cases/june/expected_facts.json": '{"total": ["12.50", "13"]}',
    "cases/june/key.md": "For people: 12.50 or 13.\n",
    "cases/june/inputs/log.txt": "1.00 coffee\n",
    "cases/june/inputs/notes/b.bin": b"\x00\xff",
    "cases/july/case.json": '{"question": "July?", "facts": {"total": [1.10, 2]}}',
}
RECORDS = [
    {"id": "a", "question": "One?", "must_include": ["one"]},
    {"id": "b", "question": "Two?"},
]


@dataclass(kw_only=True)
class Draft:
    """A suite still to be written: the suite file's object, and the other files."""

    suite: dict[str, Any] = field(default_factory=lambda: deepcopy(SUITE))
    files: dict[str, str | bytes] = field(default_factory=lambda: dict(FILES))

    def check(self, index: int, **fields: Any) -> None:
        """Set fields of a check."""
        self.suite["checks"][index].update(fields)

    def variant(self, **fields: Any) -> None:
        """Set fields of the first variant."""
        self.suite["variants"][0].update(fields)

    def records(self, *lines: str) -> None:
        """Take the cases from these lines of ``cases.jsonl``."""
        self.suite["cases"] = "cases.jsonl"
        self.files["cases.jsonl"] = "".join(f"{line}\n" for line in lines)

    def write(self, folder: Path) -> Path:
        """Write it all and return ``folder``."""
        files = {"eval_suite.json": json.dumps(self.suite)} | self.files
        for path, content in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())
        return folder


def record(**fields: Any) -> str:
    """Return a record's line."""
    return json.dumps({"id": "a", "question": "One?"} | fields)
