"""Checkpoints: a signed statement of the log's size and root, as C2SP notes. No I/O.

1. the text is ``origin``, size and base64 root, a line each, and no extension line (tlog-checkpoint
   v1.0.0);
2. a note is a text, an empty line and signature lines ``— name base64(key id ‖ signature)``
   (signed-note v1.0.0); the key name is the origin;
3. a signature by an unknown key is ignored, a bad one by a known key refuses the whole note;
4. the key is Ed25519; its public form is a *vkey*: ``name+keyid+base64(0x01 ‖ public key)``.
"""

import base64
import binascii
import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from ledger.errors import InvalidProof
from ledger.merkle import HASH_SIZE

ED25519 = b"\x01"
SIGNATURES_MAX = 64
"""Lines; signed-note demands at least 16."""
_ORIGIN = re.compile(r"[^\s+\x00-\x1f\x7f\ud800-\udfff]{1,255}\Z")
_SIZE = re.compile(r"(?:0|[1-9][0-9]{0,18})\Z")
_NO_TEXT = re.compile(r"[\x00-\x09\x0b-\x1f\ud800-\udfff]")
_PROOF_HEAD = "c2sp.org/tlog-proof@v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The log as it was at one size.

    Attributes:
        origin: names the log; no space and no plus sign.
        size: leaves, 0 or more.
        root: RFC 6962 root, 32 bytes.
    """

    origin: str
    size: int
    root: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Verifier:
    """A public Ed25519 key under a name."""

    name: str
    key: bytes

    @property
    def key_id(self) -> bytes:
        """The first four bytes of SHA-256(name ‖ newline ‖ 0x01 ‖ key)."""
        return sha256(self.name.encode() + b"\n" + ED25519 + self.key).digest()[:4]


def check_origin(origin: str) -> str:
    """Return ``origin``, a name that a note can carry.

    Raises:
        InvalidProof: it is empty, too long, or has a space, a plus sign or a control character.
    """
    if not _ORIGIN.match(origin):
        raise InvalidProof(
            f"{origin!r:.80} cannot name a log: no spaces, no '+', at most 255 characters"
        )
    return origin


def format_verifier(verifier: Verifier) -> str:
    """Return the vkey of ``verifier``."""
    key = base64.b64encode(ED25519 + verifier.key).decode()
    return f"{verifier.name}+{verifier.key_id.hex()}+{key}"


def parse_verifier(vkey: str) -> Verifier:
    """Return the verifier that ``vkey`` spells; the inverse of ``format_verifier``.

    Raises:
        InvalidProof: not a vkey of an Ed25519 key, or its key id is another.
    """
    name, _, rest = vkey.strip().partition("+")
    key_id, _, key = rest.partition("+")
    raw = _decode_base64(key)
    if len(raw) != 1 + HASH_SIZE or raw[:1] != ED25519:
        raise InvalidProof(f"{vkey[:80]!r} is not the vkey of an Ed25519 key")
    verifier = Verifier(name=check_origin(name), key=raw[1:])
    if verifier.key_id.hex() != key_id:
        raise InvalidProof(f"{vkey[:80]!r}: the key id does not belong to name and key")
    return verifier


def format_checkpoint(checkpoint: Checkpoint) -> str:
    """Return the text that is signed."""
    root = base64.b64encode(checkpoint.root).decode()
    return f"{check_origin(checkpoint.origin)}\n{checkpoint.size}\n{root}\n"


def parse_checkpoint(text: str) -> Checkpoint:
    """Return the checkpoint that ``text`` spells; the inverse of ``format_checkpoint``.

    Raises:
        InvalidProof: ``text`` has another form; extension lines are not taken, since nothing
            could audit them.
    """
    lines = text.split("\n")
    if len(lines) != 4 or lines[3] != "" or not _SIZE.match(lines[1]):  # noqa: PLR2004
        raise InvalidProof("not a checkpoint: it takes origin, size and root, a line each")
    root = _decode_base64(lines[2])
    if len(root) != HASH_SIZE:
        raise InvalidProof(f"not a checkpoint: a root has 32 bytes, this one {len(root)}")
    return Checkpoint(origin=check_origin(lines[0]), size=int(lines[1]), root=root)


def sign_checkpoint(checkpoint: Checkpoint, key: Ed25519PrivateKey) -> str:
    """Return the note: the text of ``checkpoint`` with one signature under its origin."""
    text = format_checkpoint(checkpoint)
    verifier = verifier_of(checkpoint.origin, key)
    signature = base64.b64encode(verifier.key_id + key.sign(text.encode())).decode()
    return f"{text}\n— {checkpoint.origin} {signature}\n"


def verifier_of(origin: str, key: Ed25519PrivateKey) -> Verifier:
    """Return the public half of ``key`` under the name ``origin``."""
    return Verifier(name=origin, key=key.public_key().public_bytes_raw())


def open_note(note: str, verifier: Verifier) -> Checkpoint:
    """Return the checkpoint that ``note`` states, if ``verifier`` signed it for its own origin.

    Raises:
        InvalidProof: malformed; not signed by ``verifier``; a signature of it that does not
            hold; or a statement about a log of another name.
    """
    text, signatures = _split_note(note)
    own = [raw for name, raw in signatures if name == verifier.name and raw[:4] == verifier.key_id]
    if not own:
        raise InvalidProof(f"the note is not signed by {verifier.name}")
    for raw in own:
        try:
            Ed25519PublicKey.from_public_bytes(verifier.key).verify(raw[4:], text.encode())
        except InvalidSignature as error:
            raise InvalidProof(f"the signature of {verifier.name} does not hold") from error
    checkpoint = parse_checkpoint(text)
    if checkpoint.origin != verifier.name:
        raise InvalidProof(f"a checkpoint of {checkpoint.origin}, not of {verifier.name}")
    return checkpoint


def format_proof(index: int, path: Sequence[bytes], note: str) -> str:
    """Return a tlog-proof: an inclusion proof with the checkpoint that it belongs to, one text.

    Args:
        index: position of the leaf.
        path: from the leaf's sibling up to the root's child.
        note: the signed checkpoint, taken over verbatim.
    """
    hashes = "".join(base64.b64encode(sibling).decode() + "\n" for sibling in path)
    return f"{_PROOF_HEAD}\nindex {index}\n{hashes}\n{note}"


def parse_proof(proof: str) -> tuple[int, list[bytes], str]:
    """Return index, path and note of a tlog-proof; the inverse of ``format_proof``.

    Raises:
        InvalidProof: ``proof`` has another form. An ``extra`` line is passed over: it is not
            authenticated.
    """
    head, _, note = proof.partition("\n\n")
    lines = head.split("\n")
    if lines.pop(0) != _PROOF_HEAD:
        raise InvalidProof(f"not a tlog-proof: the first line has to be {_PROOF_HEAD}")
    if lines and lines[0].startswith("extra "):
        lines.pop(0)
    word, _, index = (lines.pop(0) if lines else "").partition(" ")
    if word != "index" or not _SIZE.match(index):
        raise InvalidProof("not a tlog-proof: it has no index line")
    path = [_decode_base64(line) for line in lines]
    if any(len(sibling) != HASH_SIZE for sibling in path):
        raise InvalidProof("not a tlog-proof: a hash has 32 bytes")
    return int(index), path, note


def _split_note(note: str) -> tuple[str, list[tuple[str, bytes]]]:
    """Return the signed text and the signature lines as name and raw bytes."""
    if _NO_TEXT.search(note):
        raise InvalidProof("not a note: it has a control character or is no Unicode")
    body, separator, tail = note.rpartition("\n\n")
    lines = tail.split("\n")
    if not separator or lines.pop() != "" or not 0 < len(lines) <= SIGNATURES_MAX:
        raise InvalidProof("not a note: it takes a text, an empty line and signature lines")
    signatures = []
    for line in lines:
        dash, _, rest = line.partition(" ")
        name, _, signature = rest.partition(" ")
        raw = _decode_base64(signature)
        if dash != "—" or not _ORIGIN.match(name) or len(raw) <= 4:  # noqa: PLR2004
            raise InvalidProof(f"not a note: {line[:80]!r} is no signature line")
        signatures.append((name, raw))
    return body + "\n", signatures


def _decode_base64(text: str) -> bytes:
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidProof(f"{text[:80]!r} is not base64") from error
    if base64.b64encode(raw).decode() != text:
        # Other spellings of the same bytes would let two notes differ and both hold.
        raise InvalidProof(f"{text[:80]!r} is not the one base64 spelling of its bytes")
    return raw
