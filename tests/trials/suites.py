"""A sound suite of two case folders and one of two records, for tests to spoil."""

import json
from collections.abc import Callable
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
REFERENCE: dict[str, Any] = {
    "totals": [{"fact_name": "total", "category": "Food", "period": "2026-06"}],
    "entries": [
        {
            "line": 3,
            "text": "6/2 coffee 12.50 again",
            "amount": "12.50",
            "period": "2026-06",
            "category": "Food",
            "duplicate_of": 1,
        },
        {
            "line": 1,
            "text": "6/2 coffee 12.50",
            "amount": "12.50",
            "period": "2026-06",
            "category": "Food",
            "merchant": "Bean",
        },
        {
            "line": 2,
            "text": "6/2 tip .5",
            "amount": 0.50,
            "period": "2026-06",
            "category": "Other",
            "alternatives": [{"policy": "Tip in Food", "category": "Food"}],
        },
    ],
}
"""Adds up to the facts of ``june``: 12.50, or 13 with the tip in Food."""
JUDGE = {"provider": "recorded", "model": "m-1", "settings": {"answers_file": "replies.jsonl"}}
JUDGED = {
    "check_name": "kind",
    "grader": "one_word",
    "minimum_pass_rate": 0.5,
    "description": "Is kind.",
}
"""A check of the judge of ``judges``, whose place in the table of graders a test has to make."""
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

    def reference(self, edit: Callable[[dict[str, Any]], object] = lambda _: None) -> None:
        """Give ``june`` the reference, edited."""
        document = deepcopy(REFERENCE)
        edit(document)
        self.files["cases/june/reference_ledger.json"] = json.dumps(document)

    def judged(self, **fields: Any) -> None:
        """Add a check that asks a judge, and the judge's configuration with ``fields``."""
        self.suite["checks"].append(JUDGED)
        self.suite["grader_configurations"] = {"judge": "grading/judge.json"}
        self.files["grading/judge.json"] = json.dumps(JUDGE | fields)
        self.files["grading/replies.jsonl"] = ""

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
