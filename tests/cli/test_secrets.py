"""Secrets: planted everywhere a provider could repeat them, and found nowhere on record."""

import base64
import json
import re
import sqlite3
from pathlib import Path
from urllib.parse import quote

import pytest
import zstandard

from cli.setting import open_ledger
from ledger.events import TrialCompleted, TrialFailed
from tests.cli.program import call
from tests.trials.runs import make_case

KEY = 'k+y/"of horses"&batteries'
TOKEN = "staple-correct-7f3a9"
PASSWORD = "hunter22-hunter22"
VARIABLES = {
    "PLANTED_API_KEY": KEY,
    "PLANTED_TOKEN": TOKEN,
    "PLANTED_URL": f"https://user:{PASSWORD}@proxy.example:8080/x",
}
SPELLINGS = [
    spelling
    for secret in (KEY, TOKEN, PASSWORD)
    for spelling in (
        secret.encode(),
        quote(secret, safe="").encode(),
        json.dumps(secret)[1:-1].encode(),
        base64.b64encode(secret.encode()).rstrip(b"="),
    )
]
TELLING = """
import base64, json, os, sys, urllib.parse
told = []
for name in ("PLANTED_API_KEY", "PLANTED_TOKEN", "PLANTED_URL"):
    value = os.environ[name]
    told += [value, urllib.parse.quote(value, safe=""), json.dumps(value)]
    told.append(base64.b64encode(value.encode()).decode())
    password = urllib.parse.urlsplit(value).password
    told += [password] if password else []
open("left-" + os.environ["PLANTED_TOKEN"] + ".txt", "w").write(os.environ["PLANTED_API_KEY"])
print("warning:", *told, file=sys.stderr)
"""


@pytest.fixture
def planted(home, monkeypatch):
    """A folder with a suite of one case, and secrets in the environment."""
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    lines = [json.dumps({**make_case(number), "facts": {"total": ["1"]}}) for number in range(2)]
    (home / "suite" / "cases.jsonl").write_text("\n".join(lines) + "\n")
    return home


def configure(home, body, **settings):
    argv = ["python3", "-c", TELLING + body]
    document = {
        "provider": "command",
        "model": "m",
        "settings": {"argv": argv, "environment": list(VARIABLES)} | settings,
    }
    (home / "suite" / "configurations" / "live.json").write_text(json.dumps(document))


def read_everything(home):
    """Return every byte that the ledger's folder holds, unpacked as well as packed."""
    found = []
    for path in (home / ".verdict").rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            found.append(data)
            if path.suffix == ".zst" or data[:4] == b"\x28\xb5\x2f\xfd":
                found.append(zstandard.ZstdDecompressor().decompressobj().decompress(data))
    with sqlite3.connect(home / ".verdict" / "ledger.db") as database:
        for (packed,) in database.execute("SELECT data FROM artifact WHERE codec = 'zstd'"):
            if packed is not None:
                found.append(zstandard.ZstdDecompressor().decompress(packed))
    return found


def find_leaks(*places):
    return [
        spelling for place in places for spelling in SPELLINGS if spelling and spelling in place
    ]


def outcomes(home):
    with open_ledger(home / ".verdict") as opened:
        bodies = [entry.event.body for entry in opened.ledger.read()]
    return [body for body in bodies if isinstance(body, TrialCompleted | TrialFailed)]


@pytest.mark.parametrize(
    "body",
    [
        "print(*told)",
        "print(json.dumps({'answer': ' '.join(told), 'stop_reason': told[0]}))",
        "sys.exit('no: ' + ' '.join(told))",
        "sys.stdout.buffer.write(b'\\xff\\x00' + os.environ['PLANTED_API_KEY'].encode())",
        "print('x' * 60_000, *told)",
    ],
)
def test_nothing_that_a_session_repeats_is_on_record(planted, body):
    configure(planted, body, output="json" if "dumps({" in body else "text", collect=["*.txt"])
    done = call("run", "suite", "-c", "live")
    assert len(outcomes(planted)) == 2
    assert all(any("a secret stood" in note for note in one.notes) for one in outcomes(planted))
    reports = [
        call("scorecard", "--failed", "--format", form).out.encode()
        for form in ("text", "md", "json", "html")
    ]
    assert find_leaks(*read_everything(planted)) == []
    assert find_leaks(done.out.encode(), done.err.encode(), *reports) == []
    assert b"[secret PLANTED_TOKEN]" in b"".join(read_everything(planted))


def test_the_search_would_find_a_secret_that_is_there(planted):
    configure(planted, "print(*told)")
    (planted / ".verdict" / "staging").mkdir(exist_ok=True)
    (planted / ".verdict" / "staging" / "x").write_text(KEY)
    assert find_leaks(*read_everything(planted))


@pytest.mark.parametrize("where", ["prompt.md", "cases.jsonl", "configurations/live.json"])
def test_a_file_that_holds_a_secret_is_refused_before_anything_is_recorded(planted, where):
    configure(planted, "print(1)")
    place = planted / "suite" / where
    text = place.read_text()
    for spot in ('"model": "m', '"question": "'):
        text = text.replace(spot, spot + TOKEN)
    place.write_text(text if TOKEN in text else f"{text}{TOKEN}\n")
    done = call("run", "suite", "-c", "live")
    assert (done.code, done.out) == (2, "")
    assert re.search(r"holds the value of the environment's PLANTED_TOKEN", done.err)
    assert TOKEN not in done.err
    assert find_leaks(*read_everything(planted)) == []


def test_a_fault_of_a_file_does_not_repeat_a_secret(planted):
    place = planted / "suite" / "configurations" / "live.json"
    place.write_text(json.dumps({"provider": "command", "model": "m", TOKEN: 1}))
    done = call("run", "suite", "-c", "live")
    assert done.code == 2
    assert "[secret PLANTED_TOKEN]: unknown field" in done.err
    assert find_leaks(done.err.encode()) == []


@pytest.mark.parametrize("field", ["model", "description", TOKEN])
def test_a_check_of_the_suite_says_that_a_secret_is_there_and_not_which(planted, field):
    document = {"provider": "command", "model": "m", "settings": {"argv": ["true"]}}
    place = planted / "suite" / "configurations" / "live.json"
    place.write_text(json.dumps(document | {field: TOKEN}))
    done = call("suite", "check", "suite")
    assert done.code == 2
    assert "PLANTED_TOKEN" in done.err
    assert find_leaks(done.out.encode(), done.err.encode()) == []


def test_a_secret_that_a_file_spells_in_escapes_is_refused(planted):
    configure(planted, "print(1)")
    spelled = "".join(f"\\u{ord(sign):04x}" for sign in TOKEN)
    line = json.dumps(make_case(7)).replace("much", spelled)
    (planted / "suite" / "cases.jsonl").write_text(line + "\n")
    done = call("run", "suite", "-c", "live")
    assert (done.code, done.out) == (2, "")
    assert "PLANTED_TOKEN" in done.err


def test_a_credential_under_a_plain_name_is_refused_in_a_prompt(planted, monkeypatch):
    monkeypatch.setenv("MY_LOGIN", "battery-staple-77")
    settings = {"base_url": "http://127.0.0.1:9/v1", "api_key_env": "MY_LOGIN"}
    document = {"provider": "openai", "model": "m", "settings": settings}
    (planted / "suite" / "configurations" / "live.json").write_text(json.dumps(document))
    (planted / "suite" / "prompt.md").write_text("{{question}} battery-staple-77\n")
    done = call("run", "suite", "-c", "live")
    assert (done.code, done.out) == (2, "")
    assert "environment's MY_LOGIN" in done.err


def test_the_environment_of_a_session_holds_no_secret_that_is_not_named(planted):
    configure(planted, "")
    body = "import os; print(sorted(os.environ))"
    document = {"provider": "command", "model": "m", "settings": {"argv": ["python3", "-c", body]}}
    Path("suite/configurations/plain.json").write_text(json.dumps(document))
    call("run", "suite", "-c", "plain")
    with open_ledger(planted / ".verdict") as opened:
        answers = [
            opened.ledger.get(entry.event.body.answer.address).decode()
            for entry in opened.ledger.read()
            if isinstance(entry.event.body, TrialCompleted)
        ]
    assert len(answers) == 2
    assert not [name for name in VARIABLES for answer in answers if name in answer]
