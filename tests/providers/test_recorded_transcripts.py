import asyncio

import pytest

from ledger.errors import FaultyInput
from providers import Setup, TrialPlace
from providers.provider import SessionFailure, SessionRequest, SessionResult
from providers.recorded import make_recorded
from tests.providers.recordings import CODEX_LONG, NETWORK_REFUSED, NOT_LOGGED_IN, STREAM, read_log

FILES = {
    "logs/claude.jsonl": STREAM,
    "logs/codex.jsonl": CODEX_LONG,
    "logs/session.jsonl": read_log("subagent"),
    "logs/refused.jsonl": NETWORK_REFUSED,
    "logs/login.jsonl": NOT_LOGGED_IN,
    "answers.jsonl": b'{"case": "a", "answer": "42"}\n',
}


def name(file: str, case: str = "a", form: str = "claude-stream", **fields) -> dict[str, object]:
    return {"case": case, "file": f"./logs/{file}.jsonl", "format": form, **fields}


def make(*transcripts, **settings):
    own = {"transcripts": list(transcripts), **settings}
    return make_recorded(Setup(name="c", model="m", settings=own, files=FILES))


def ask(provider, case: str = "a", variant: str = "plain", repetition: int = 1):
    place = TrialPlace(case, variant, repetition)
    request = SessionRequest(place=place, prompt="?", model="m", effort=None)
    return asyncio.run(provider.respond(request))


@pytest.mark.parametrize(
    ("file", "form", "begin"),
    [
        ("claude", "claude-stream", "Here are the files"),
        ("codex", "codex-exec", "Added `/blog`"),
        ("session", "claude-session", "## Beads Created"),
    ],
)
def test_a_transcript_answers_its_trial_with_all_its_bytes(file, form, begin):
    result = ask(make(name(file, form=form)))
    assert isinstance(result, SessionResult)
    assert result.answer.startswith(begin)
    assert result.response == FILES[f"logs/{file}.jsonl"]
    assert result.media == "application/jsonl"
    assert result.tool_calls
    assert result.sent is None


@pytest.mark.parametrize(
    ("file", "cause"), [("refused", "server_error"), ("login", "unauthorized")]
)
def test_a_transcript_without_an_answer_is_history_and_stops_nothing(file, cause):
    failure = ask(make(name(file)))
    assert isinstance(failure, SessionFailure)
    assert failure.cause == cause
    assert (failure.is_transient, failure.stops_run) == (False, False)
    assert failure.response == FILES[f"logs/{file}.jsonl"]


def test_a_transcript_is_for_its_repetition_alone():
    provider = make(name("claude", repetition=2))
    assert ask(provider).cause == "no_answer"
    assert isinstance(ask(provider, repetition=2), SessionResult)


def test_a_transcript_for_a_variant_comes_before_one_for_any():
    provider = make(name("claude"), name("codex", form="codex-exec", variant="plain"))
    assert ask(provider).answer.startswith("Added")
    assert ask(provider, variant="other").answer.startswith("Here")


def test_answers_and_transcripts_stand_side_by_side():
    provider = make(name("claude", case="b"), answers_file="answers.jsonl")
    assert ask(provider).answer == "42"
    assert ask(provider, case="b").answer.startswith("Here")


@pytest.mark.parametrize(
    ("transcripts", "settings", "fault"),
    [
        (
            [name("claude")],
            {"answers_file": "answers.jsonl"},
            "c: settings.transcripts.0: a second answer for case a, repetition 1; leave one out",
        ),
        (
            [name("claude"), name("codex", form="codex-exec")],
            {},
            "c: settings.transcripts.1: a second answer for case a, repetition 1; leave one out",
        ),
        (
            [name("claude", form="opencode")],
            {},
            "c: settings.transcripts.0.format: opencode is none of claude-stream, claude-session,",
        ),
        ([name("claude", answer="42")], {}, "c: settings.transcripts.0.answer: Extra inputs"),
        ([name("claude", repetition=0)], {}, "c: settings.transcripts.0.repetition: Input should"),
        (["logs/claude.jsonl"], {}, "c: settings.transcripts.0: Input should be a valid"),
        ([], {"transcript": []}, "c: settings.transcript: unknown setting"),
    ],
)
def test_an_entry_that_cannot_be_meant_is_refused(transcripts, settings, fault):
    with pytest.raises(FaultyInput) as caught:
        make(*transcripts, **settings)
    assert str(caught.value).startswith(fault)


def test_neither_answers_nor_transcripts_is_a_fault():
    with pytest.raises(FaultyInput, match="answers_file"):
        make_recorded(Setup(name="c", model="m"))
