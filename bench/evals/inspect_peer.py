"""The workload by Inspect AI, in one process of its own environment; nothing of ours is imported.

    python inspect_peer.py DATASET LOGS PASSES

DATASET is its own JSON lines (``id``, ``input``, ``target``); the log goes to the folder LOGS as it
comes by default. ``mockllm`` is its provider that needs no network.
"""

# Inspect AI is in an environment of its own, where no type is checked.
# mypy: disable-error-code="import-not-found"

import sys

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import json_dataset
from inspect_ai.model import (
    ChatMessage,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.scorer import includes
from inspect_ai.solver import generate

MODEL = "mockllm/model"


def echo(messages: list[ChatMessage], *_: object) -> ModelOutput:
    """Return the prompt as the answer."""
    output = ModelOutput.from_content(MODEL, messages[-1].text)
    # Left out, the tokens would be counted with a vocabulary that is downloaded first.
    output.usage = ModelUsage(input_tokens=80, output_tokens=80, total_tokens=160)
    return output


def main() -> None:
    dataset, logs, expected = sys.argv[1:]
    task = Task(name="echo", dataset=json_dataset(dataset), solver=generate(), scorer=includes())
    (log,) = evaluate(
        task, model=get_model(MODEL, custom_outputs=echo), log_dir=logs, display="none"
    )
    assert log.status == "success", log.status
    samples = log.samples or []
    passes = sum(sample.scores["includes"].value == "C" for sample in samples if sample.scores)
    assert passes == int(expected), f"{passes:,} passes"


if __name__ == "__main__":
    main()
