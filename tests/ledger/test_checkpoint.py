"""Checkpoints are C2SP notes: Go's own vector, foreign signatures, and every flipped byte."""

import base64
import string
from hashlib import sha256

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from ledger.checkpoint import (
    SIGNATURES_MAX,
    Checkpoint,
    Verifier,
    check_origin,
    format_checkpoint,
    format_proof,
    format_verifier,
    open_note,
    parse_checkpoint,
    parse_proof,
    parse_verifier,
    sign_checkpoint,
    verifier_of,
)
from ledger.errors import InvalidProof

ORIGIN = "example.com/log"
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER = Ed25519PrivateKey.from_private_bytes(bytes(32))
VERIFIER = verifier_of(ORIGIN, KEY)
CHECKPOINT = Checkpoint(origin=ORIGIN, size=20852163, root=sha256(b"root").digest())
NOTE = sign_checkpoint(CHECKPOINT, KEY)
TEXT = format_checkpoint(CHECKPOINT)

# The vector of golang.org/x/mod/sumdb/note (note_test.go), whose text is no checkpoint.
GO_VKEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_SEED = base64.b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
GO_NOTE = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
    "\n"
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6"
    "KE6RyyBwJnAM=\n"
)


def sign_independently(text, name, key):
    """Return a signature line as the specification says, with no code of the ledger."""
    public = key.public_key().public_bytes_raw()
    key_id = sha256(name.encode() + b"\n\x01" + public).digest()[:4]
    return f"— {name} {base64.b64encode(key_id + key.sign(text.encode())).decode()}\n"


# A grease line, as of a key and an algorithm that nobody here knows.
UNKNOWN = f"— grease.example {base64.b64encode(b'?' * 50).decode()}\n"
OWN = sign_independently(TEXT, ORIGIN, KEY)
BAD = f"— {ORIGIN} {base64.b64encode(VERIFIER.key_id + bytes(64)).decode()}\n"


# Known answers


def test_a_vkey_of_go_is_read_and_written_the_same():
    verifier = parse_verifier(GO_VKEY)
    assert format_verifier(verifier) == GO_VKEY
    assert verifier == verifier_of("PeterNeumann", Ed25519PrivateKey.from_private_bytes(GO_SEED))


def test_a_note_of_go_is_verified_before_its_text_is_read():
    verifier = parse_verifier(GO_VKEY)
    with pytest.raises(InvalidProof, match="not a checkpoint"):
        open_note(GO_NOTE, verifier)
    with pytest.raises(InvalidProof, match="does not hold"):
        open_note(GO_NOTE.replace("cryptography", "cryptographY"), verifier)


def test_a_note_is_what_the_specification_says():
    root = base64.b64encode(CHECKPOINT.root).decode()
    assert f"{ORIGIN}\n20852163\n{root}\n" == TEXT
    assert f"{TEXT}\n{OWN}" == NOTE


@pytest.mark.parametrize("at", range(1, len(GO_VKEY)))
def test_a_part_of_a_vkey_is_none(at):
    for part in (GO_VKEY[:at], GO_VKEY[at:], GO_VKEY[:at] + "A" + GO_VKEY[at + 1 :]):
        if part != GO_VKEY:
            with pytest.raises(InvalidProof):
                parse_verifier(part)


def test_a_vkey_of_another_algorithm_is_refused():
    # Both from Go's test: another algorithm, and a key of another length, with fitting key ids.
    for vkey in (
        "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==",
    ):
        with pytest.raises(InvalidProof):
            parse_verifier(vkey)


# Signatures


@pytest.mark.parametrize(
    "signatures",
    [
        OWN,
        UNKNOWN + OWN,
        OWN + UNKNOWN,
        UNKNOWN * 16 + OWN,
        OWN + UNKNOWN * 16,
        UNKNOWN * 8 + OWN + UNKNOWN * 8,
        OWN + OWN,
        sign_independently(TEXT, ORIGIN, OTHER) + OWN,
        sign_independently(TEXT, "witness.example", KEY) + OWN,
        UNKNOWN * (SIGNATURES_MAX - 1) + OWN,
    ],
)
def test_signatures_of_unknown_keys_are_passed_over(signatures):
    assert open_note(f"{TEXT}\n{signatures}", VERIFIER) == CHECKPOINT


@pytest.mark.parametrize(
    ("signatures", "match"),
    [
        (BAD, "does not hold"),
        (OWN + BAD, "does not hold"),
        (BAD + OWN, "does not hold"),
        (OWN + UNKNOWN + BAD, "does not hold"),
        (sign_independently(TEXT + " ", ORIGIN, KEY), "does not hold"),
        (UNKNOWN, "not signed by"),
        (sign_independently(TEXT, ORIGIN, OTHER), "not signed by"),
        (sign_independently(TEXT, "witness.example", KEY), "not signed by"),
        ("", "not a note"),
        (UNKNOWN * SIGNATURES_MAX + OWN, "not a note"),
        (OWN[:-1], "not a note"),
        (OWN + "\n", "not a note"),
        (OWN + "a line\n", "no signature line|not base64"),
        (OWN + "— grease.example AAAA\n", "no signature line"),
        (OWN + "— gre+ase.example AAAAAAA=\n", "no signature line|spelling"),
        (OWN.replace("— ", "- "), "no signature line"),
        (OWN.replace("— ", "—"), "not base64|no signature line"),
        (OWN.replace("=", ""), "not base64"),
        (OWN.replace("\n", " \n"), "not base64"),
    ],
)
def test_a_note_without_one_whole_signature_of_the_key_is_refused(signatures, match):
    with pytest.raises(InvalidProof, match=match):
        open_note(f"{TEXT}\n{signatures}", VERIFIER)


def test_another_spelling_of_the_same_signature_is_refused():
    # 68 bytes leave two bits of the last digit unused; a lenient reader takes any of them.
    digits = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
    last = digits[digits.index(NOTE[-3]) ^ 1]
    other = f"{NOTE[:-3]}{last}=\n"
    assert base64.b64decode(other.rsplit(maxsplit=1)[-1]) == base64.b64decode(
        NOTE.rsplit(maxsplit=1)[-1]
    )
    with pytest.raises(InvalidProof, match="one base64 spelling"):
        open_note(other, VERIFIER)


def test_a_checkpoint_of_another_log_is_refused_though_the_key_signed_it():
    text = TEXT.replace(ORIGIN, "example.com/other")
    note = f"{text}\n{sign_independently(text, ORIGIN, KEY)}"
    with pytest.raises(InvalidProof, match=r"a checkpoint of example\.com/other"):
        open_note(note, VERIFIER)


@pytest.mark.parametrize(
    "text",
    [
        TEXT + "an extension line\n",
        TEXT.replace("20852163", "020852163"),
        TEXT.replace("20852163", "+20852163"),
        TEXT.replace("20852163", "-1"),
        TEXT.replace("20852163", "2085216\u0663"),
        TEXT.replace("20852163", "9" * 20),
        TEXT.replace("20852163", ""),
        TEXT.replace("\n20852163", ""),
        "\n" + TEXT,
        TEXT.replace("=\n", "==\n"),
        TEXT.replace("=\n", "\n"),
        f"{ORIGIN}\n1\n{base64.b64encode(bytes(31)).decode()}\n",
        f"{ORIGIN}\n1\n{base64.b64encode(bytes(33)).decode()}\n",
        TEXT[:-1],
        "",
    ],
)
def test_a_text_that_is_no_checkpoint_is_refused_though_it_is_signed(text):
    with pytest.raises(InvalidProof):
        parse_checkpoint(text)
    with pytest.raises(InvalidProof):
        open_note(f"{text}\n{sign_independently(text, ORIGIN, KEY)}", VERIFIER)


@pytest.mark.parametrize("character", [*"\x00\t\r\x0b\x1f", chr(0xD800), chr(0xDFFF)])
def test_a_note_has_no_control_character_and_is_unicode(character):
    for note in (character + NOTE, NOTE + character, NOTE.replace("log\n", f"log{character}\n")):
        with pytest.raises(InvalidProof, match="not a note"):
            open_note(note, VERIFIER)


@given(st.integers(0, len(NOTE.encode()) - 1), st.integers(1, 255))
def test_no_byte_of_a_note_can_change_unnoticed(at, change):
    data = bytearray((f"{TEXT}\n{OWN}").encode())
    data[at] ^= change
    with pytest.raises(InvalidProof):
        open_note(data.decode("utf-8", "surrogateescape"), VERIFIER)


@given(st.integers(0, len(UNKNOWN.encode()) - 1), st.integers(1, 255))
def test_a_changed_unknown_signature_is_refused_or_changes_nothing(at, change):
    grease = bytearray(UNKNOWN.encode())
    grease[at] ^= change
    note = f"{TEXT}\n".encode() + bytes(grease) + OWN.encode()
    try:
        opened = open_note(note.decode("utf-8", "surrogateescape"), VERIFIER)
    except InvalidProof:
        return
    assert opened == CHECKPOINT


# Names


@pytest.mark.parametrize(
    "origin", ["", "a b", "a+b", "a\u00a0b", "a\tb", "a\x7fb", "\ud800", "a" * 256]
)
def test_a_name_that_a_note_cannot_carry_is_refused(origin):
    with pytest.raises(InvalidProof, match="cannot name a log"):
        check_origin(origin)
    with pytest.raises(InvalidProof, match="cannot name a log"):
        format_checkpoint(Checkpoint(origin=origin, size=0, root=bytes(32)))


@given(st.integers(0, 2**63 - 1), st.binary(min_size=32, max_size=32))
def test_a_signed_checkpoint_is_opened_to_itself(size, root):
    checkpoint = Checkpoint(origin="ж.example/é", size=size, root=root)
    verifier = Verifier(name="ж.example/é", key=KEY.public_key().public_bytes_raw())
    assert open_note(sign_checkpoint(checkpoint, KEY), verifier) == checkpoint


# Proofs as text


@given(st.integers(0, 2**63 - 1), st.lists(st.binary(min_size=32, max_size=32), max_size=8))
def test_a_proof_is_parsed_to_what_was_formatted(index, siblings):
    assert parse_proof(format_proof(index, siblings, NOTE)) == (index, siblings, NOTE)


def test_a_proof_is_written_as_tlog_proof_says():
    sibling = base64.b64encode(bytes(32)).decode()
    text = format_proof(7, [bytes(32)], NOTE)
    assert text == f"c2sp.org/tlog-proof@v1\nindex 7\n{sibling}\n\n{NOTE}"
    with_extra = text.replace("index 7", "extra AAAA\nindex 7")
    assert parse_proof(with_extra) == parse_proof(text)


@pytest.mark.parametrize(
    "change",
    [
        ("tlog-proof@v1", "tlog-proof@v2"),
        ("index 7", "index 07"),
        ("index 7", "index -7"),
        ("index 7", "Index 7"),
        ("index 7\n", ""),
        ("index 7", "index 7\nextra AAAA"),
        ("AAAA=\n", "AAAA\n"),
        ("AAAA=\n", "AAB=\n"),
        ("AAAA=\n", "AAAA=\nAAAA\n"),
    ],
    ids=str,
)
def test_a_proof_in_another_form_is_refused(change):
    text = format_proof(7, [bytes(32)], NOTE)
    assert text.count(change[0]) == 1
    with pytest.raises(InvalidProof):
        parse_proof(text.replace(*change))
