"""Write the scripted sessions and replies, the same bytes each time.

python -m examples.expense_analysis.script
"""

import argparse
from pathlib import Path

from examples.expense_analysis.script.judgments import AnswerKey
from examples.expense_analysis.script.replies import ROLES, format_replies
from examples.expense_analysis.script.sessions import CASE, format_sessions, write_sessions
from examples.expense_analysis.script.spending import read_entries
from examples.expense_analysis.script.styles import STYLES
from trials.suite import load_suite

EXAMPLE = Path(__file__).parents[1]
SUITES = {AnswerKey.FIRST: "eval_suite.first_key.json", AnswerKey.REVISED: "eval_suite.json"}
REPLIES = "grading/replies/{role}.jsonl"


def write_files() -> dict[str, str]:
    """Return the text of every file by its path from the example's folder."""
    entries = read_entries(EXAMPLE / "cases" / CASE / "reference_ledger.json")
    sessions = write_sessions(entries)
    suites = {key: load_suite(EXAMPLE / name) for key, name in SUITES.items()}
    replies = format_replies(sessions, suites, entries)
    return {
        f"sessions/{configuration}.jsonl": format_sessions(sessions, configuration)
        for configuration in STYLES
    } | {REPLIES.format(role=role): text for role, text in replies.items()}


def _touch_replies() -> None:
    """Make the files of replies if they are missing: a suite that names them needs them to load."""
    for role in ROLES:
        path = EXAMPLE / REPLIES.format(role=role)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def main() -> None:
    """Write the files into the example, or into another folder."""
    parser = argparse.ArgumentParser(description="Write the scripted sessions and replies.")
    parser.add_argument("--into", type=Path, default=EXAMPLE, help="the folder to write to")
    chosen = parser.parse_args()
    _touch_replies()
    files = write_files()
    for path, text in files.items():
        target = chosen.into / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")
    print(f"{len(files)} files written to {chosen.into}")


if __name__ == "__main__":
    main()
