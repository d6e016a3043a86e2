"""The vault: what is secret, and that no spelling of it is left."""

import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import FaultyInput
from providers import SessionResult, Vault, scrub_session
from providers.provider import Part

SECRETS = st.text(min_size=8, max_size=40).filter(lambda text: text.strip() == text)


@given(SECRETS, st.binary(max_size=30), st.binary(max_size=30))
def test_no_spelling_of_a_secret_is_left(secret, before, behind):
    vault = Vault({"API_KEY": secret})
    for spelling in (
        secret.encode(),
        quote(secret, safe="").encode(),
        quote_plus(secret).encode(),
        json.dumps(secret)[1:-1].encode(),
        base64.b64encode(secret.encode()),
    ):
        told = b"<" + before + b"<" + spelling + b">" + behind + b">"
        assert spelling.rstrip(b"=") not in vault.scrub(told).replace(before, b"").replace(
            behind, b""
        )


@given(st.text(min_size=12, max_size=40), st.binary(max_size=8), st.binary(max_size=8))
def test_a_secret_within_what_is_written_in_base64_is_found_wherever_it_stands(
    secret, before, behind
):
    if secret.strip() != secret:
        return
    vault = Vault({"API_KEY": secret})
    told = vault.scrub(base64.b64encode(before + secret.encode() + behind))
    assert b"[secret API_KEY]" in told


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [
        ("OPENAI_API_KEY", True),
        ("GITHUB_TOKEN", True),
        ("TOKEN", True),
        ("DB_PASSWORD", True),
        ("aws_secret_access_key", True),
        ("MY_PAT", True),
        ("DB_PASS", True),
        ("MYSQL_PWD", True),
        ("SENTRY_DSN", True),
        ("PWD", False),
        ("OLDPWD", False),
        ("PATH", False),
        ("KEYBOARD", False),
        ("TOKENIZER", False),
        ("SSH_AUTH_SOCK", False),
        ("HOME", False),
    ],
)
def test_a_variable_is_secret_by_its_name(name, is_secret):
    vault = Vault({name: "a-rather-long-value"})
    assert (vault.scrub(b"a-rather-long-value") != b"a-rather-long-value") is is_secret


def test_the_password_of_a_url_is_secret_and_the_rest_is_not():
    vault = Vault({"DATABASE_URL": "postgres://me:pa%2Fssword9@db.example/x"})
    assert vault.scrub_text("pa/ssword9 pa%2Fssword9 db.example") == (
        "[secret DATABASE_URL] [secret DATABASE_URL] db.example"
    )


def test_what_is_too_short_is_left():
    assert Vault({"API_KEY": "short"}).scrub(b"short cut") == b"short cut"


def test_the_longer_of_two_secrets_is_found_first():
    vault = Vault({"A_KEY": "abcdefgh", "B_KEY": "abcdefgh-ijkl"})
    assert vault.scrub(b"abcdefgh-ijkl abcdefgh") == b"[secret B_KEY] [secret A_KEY]"


def test_a_key_that_is_read_is_secret_whatever_its_name():
    vault = Vault({"GATEWAY": "a-rather-long-value"})
    assert vault.find_names(b"a-rather-long-value") == []
    assert vault.read("GATEWAY", "x") == "a-rather-long-value"
    assert vault.find_names(b"a-rather-long-value") == ["GATEWAY"]


def test_a_key_that_is_missing_is_said_and_in_a_dry_run_it_is_not():
    with pytest.raises(FaultyInput, match=r"^live: the environment has no NOT_SET"):
        Vault({}).read("NOT_SET", "live")
    assert Vault(is_dry=True).read("NOT_SET", "live") == ""


def test_a_session_without_secrets_is_the_same_object():
    result = SessionResult(answer="a", response=b"b")
    assert scrub_session(result, Vault({"API_KEY": "correct-horse"})) is result


def test_the_name_of_a_part_stays_a_name():
    part = Part("file.left-correct-horse.txt", b"", "text/plain")
    result = SessionResult(answer="a", response=b"b", parts=(part,))
    (clean,) = scrub_session(result, Vault({"API_KEY": "correct-horse"})).parts
    assert clean.name == "file.left-secret-api_key.txt"
