"""A small language model behind HTTP, for `make test-model`.

    .venv-model/bin/python tests/model/serve.py .venv-model/model.gguf

It runs in an environment of its own, prints its address as soon as it answers, and ends with its
standard input: so it does not outlive the tests that started it, whatever ends them.
"""

import sys

import xllamacpp  # type: ignore[import-not-found] # of another environment

ALIAS = "local-gguf"
"""The model's name for clients, and what responses call it."""
CONTEXT_TOKENS = 32_768
"""Codex alone sends more than 4,000 tokens before its first word."""
OUTPUT_TOKENS_MAX = 64
"""The base model does not stop by itself, and not every client asks for a bound."""
TEMPLATE = (
    "{% for message in messages %}"
    "{{ message.content | trim }}{{ '' if loop.last else '\n' }}"
    "{% endfor %}"
)
"""The model was trained on plain text, and its file has no template."""


def serve(model: str) -> None:
    """Answer on a free port of 127.0.0.1 until the standard input ends."""
    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.model_alias = {ALIAS}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.n_parallel = 1
    parameters.n_predict = OUTPUT_TOKENS_MAX
    parameters.cpuparams.n_threads = 2
    parameters.use_jinja = True
    parameters.chat_template = TEMPLATE
    parameters.sampling.temp = 0.0
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)  # noqa: T201 - this is how it is found
    sys.stdin.read()


if __name__ == "__main__":
    serve(sys.argv[1])
