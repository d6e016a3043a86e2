r"""Replies: the one JSON object in which a grader's model says what was asked, or nothing at all.

A reply is read strictly, because what is guessed out of one may be a verdict:

1. white space, byte order marks and zero-width characters at both ends are dropped;
2. what is left is one JSON object (``graders/strict_json.py``), or one Markdown code fence, plain
   or marked ``json``, that holds one; nothing stands beside it;
3. everything else is unreadable: prose around the object, a second one, a cut one, a key that
   stands twice, NaN. A word such as PASS is never looked for.

docs/graders.md has a table of replies and of what is made of each.

    >>> parse_reply('\ufeff```json\n{"passed": true}\n```\n')
    {'passed': True}
"""

import re
from collections.abc import Mapping
from typing import ClassVar

from graders.grader import Decision, GraderRequest
from graders.strict_json import MalformedJson, parse_strict_json
from ledger.digest import Digest
from ledger.errors import LedgerError
from ledger.outcomes import Cause, Verdict

REPLY_LENGTH_MAX = 1_000_000
"""Characters of a reply; no schema of a grader asks for so much."""

_SPACE = (
    "\t\n\v\f\r \x85\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""What Unicode calls white space (PropList.txt, ``White_Space``)."""
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff"

_FENCED = re.compile(r"```(?:json)?[ \t]*\r?\n(?P<body>.*)\n```", re.DOTALL)


class Unusable(LedgerError):
    """A reply on which nothing can be decided; the message is a clause that says why."""

    cause: ClassVar[Cause]


class Unanswered(Unusable):
    """There is no reply: the call failed."""

    cause = Cause.GRADER_FAILED


class Unreadable(Unusable):
    """The reply does not say what was asked."""

    cause = Cause.GRADER_UNREADABLE


def find_reply(request: GraderRequest, answers: Mapping[Digest, str]) -> str:
    """Return the recorded reply to ``request``.

    Raises:
        Unanswered: there is none.
    """
    reply = answers.get(request.address())
    if reply is None:
        raise Unanswered("there is none")
    return reply


def parse_reply(text: str) -> dict[str, object]:
    """Return the object that ``text`` is, by the module's rules.

    Raises:
        Unreadable: it is none, or more than one.
    """
    if len(text) > REPLY_LENGTH_MAX:
        raise Unreadable(f"it has more than {REPLY_LENGTH_MAX:,} characters")
    bare = strip_invisible(text)
    if not bare:
        raise Unreadable("it is empty")
    fenced = _FENCED.fullmatch(bare)
    try:
        document = parse_strict_json(fenced["body"] if fenced else bare)
    except MalformedJson as error:
        raise Unreadable(str(error)) from error
    if not isinstance(document, dict):
        raise Unreadable("it is JSON, but not an object")
    return document


def strip_invisible(text: str) -> str:
    """Return ``text`` without what cannot be seen at its ends (rule 1)."""
    return text.strip(_SPACE + _INVISIBLE)


def decline_reply(role: str, error: Unusable) -> Decision:
    """Return that the check is unproven because the reply of ``role`` is no use."""
    reason = f"The {role}'s reply cannot be used: {error}."
    return Decision(verdict=Verdict.UNPROVEN, cause=error.cause, reason=reason)
