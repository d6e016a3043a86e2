r"""Derive this example from the published file, the same bytes each time.

    python examples/gsm8k/prepare.py example_model_solutions.jsonl

1. Only the first 400 lines of the source are read.
2. A case is a question, in the order of the source; its key is the text after the last ``\nA:`` of
   the ground truth, without ``,`` and ``$``.
3. An answer is a solution exactly as published; the published label goes into its ``metadata``,
   which no grader is given.
"""

import argparse
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
CASES = 400
VARIANT = "plain"
FINETUNING = "finetuned on the training set; the answer is one sample"
VERIFICATION = (
    "finetuned likewise; the answer is the one of 100 samples that a trained verifier ranks first"
)
CONFIGURATIONS = {
    "6b_finetuning": ("gpt-3-6b", f"GPT-3 6B, {FINETUNING}."),
    "6b_verification": ("gpt-3-6b", f"GPT-3 6B, {VERIFICATION}."),
    "175b_finetuning": ("gpt-3-175b", f"GPT-3 175B, {FINETUNING}."),
    "175b_verification": ("gpt-3-175b", f"GPT-3 175B, {VERIFICATION}."),
}
SUITE = {
    "suite_name": "gsm8k",
    "description": "Grade-school mathematics: 400 questions of GSM8K, each with one final amount.",
    "variants": [{"variant_name": VARIANT, "prompt_file": "prompts/plain.md"}],
    "gated_variant": VARIANT,
    "cases": "cases.jsonl",
    "repetitions": 1,
    "checks": [
        {
            "check_name": "final-answer",
            "grader": "amount",
            "fact_name": "final_answer",
            "pattern": "\\nA:(.*)",
            "occurrence": "last",
            "tolerance": "0",
            "minimum_pass_rate": 0.5,
            "description": "The last line that begins with 'A:' states the amount of the key.",
        }
    ],
}


def read_final_answer(ground_truth: str) -> str:
    """Return the amount that a ground truth ends with."""
    after = ground_truth.rpartition("\nA:")[2]
    return after.replace(",", "").replace("$", "").strip()


def format_case(case: str, row: Mapping[str, Any]) -> str:
    """Return one line of ``cases.jsonl``."""
    facts = {"final_answer": [read_final_answer(row["ground_truth"])]}
    return json.dumps({"id": case, "question": row["question"], "facts": facts}) + "\n"


def format_answer(case: str, solution: Mapping[str, Any]) -> str:
    """Return one line of ``answers/<configuration>.jsonl``."""
    record = {
        "answer": solution["solution"],
        "case": case,
        "metadata": {"is_correct": solution["is_correct"]},
        "repetition": 1,
        "variant": VARIANT,
    }
    return json.dumps(record) + "\n"


def format_configuration(name: str) -> str:
    """Return ``configurations/<name>.json``."""
    model, description = CONFIGURATIONS[name]
    record = {
        "configuration_name": name,
        "provider": "recorded",
        "model": model,
        "effort": None,
        "description": description,
        "settings": {"answers_file": f"../answers/{name}.jsonl"},
    }
    return json.dumps(record, indent=2) + "\n"


def derive_files(lines: Iterable[str]) -> dict[str, str]:
    """Return the text of every derived file by its path from this folder."""
    rows = {
        f"gsm8k-{number:04d}": json.loads(line)
        for number, line in zip(range(1, CASES + 1), lines, strict=False)
    }
    files = {
        "eval_suite.json": json.dumps(SUITE, indent=2) + "\n",
        "prompts/plain.md": "{{question}}\n",
        "cases.jsonl": "".join(format_case(case, row) for case, row in rows.items()),
    }
    for name in CONFIGURATIONS:
        files[f"configurations/{name}.json"] = format_configuration(name)
        files[f"answers/{name}.jsonl"] = "".join(
            format_answer(case, row[name]) for case, row in rows.items()
        )
    return files


def main() -> None:
    """Write the derived files beside this program, or into another folder."""
    parser = argparse.ArgumentParser(description="Derive the example from the published file.")
    parser.add_argument("source", type=Path, help="example_model_solutions.jsonl")
    parser.add_argument("--into", type=Path, default=HERE, help="the folder to write to")
    chosen = parser.parse_args()
    with chosen.source.open(encoding="utf-8", newline="\n") as lines:
        files = derive_files(lines)
    if files["cases.jsonl"].count("\n") != CASES:
        parser.error(f"{chosen.source} has fewer than {CASES} lines")
    for path, text in files.items():
        target = chosen.into / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")
    print(f"{len(files)} files written to {chosen.into}")


if __name__ == "__main__":
    main()
