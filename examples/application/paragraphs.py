r"""Answers out of documents: the paragraph that a question's words fit best, by BM25.

No model is asked and nothing is guessed: an answer is a sentence that stands in a document, or that
the application does not know.

    >>> leave = "Every employee has 28 days of vacation.\n\nA wedding is two days off."
    >>> library = read_library({"leave.md": leave, "travel.md": "Book trains before flights."})
    >>> find_answer(library, "How many days of vacation has an employee?").text
    'Every employee has 28 days of vacation. (leave.md)'
    >>> find_answer(library, "Who wins?").text
    'I do not know.'
"""

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

UNKNOWN = "I do not know."
SCORE_MIN = 2.0
"""A paragraph below it fits by chance: one common word, as a rule."""
SATURATION, LENGTH_WEIGHT = 1.5, 0.75
"""k1 and b of BM25, as they are usually taken."""

_WORD = re.compile(r"[a-z0-9]+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_COMMON = frozenset(
    _WORD.findall(
        "a an and any are as at be by can do does for from get have how i if in is it its many may "
        "me much my no of on or our the their there they to up we what when where which who will "
        "with you your"
    )
)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of a document, and how often each of its words stands in it."""

    document: str
    text: str
    words: Counter[str]


@dataclass(frozen=True, slots=True)
class Library:
    """All paragraphs, in how many of them a word stands, and their mean length in words."""

    paragraphs: tuple[Paragraph, ...]
    spread: Counter[str]
    length_mean: float


@dataclass(frozen=True, slots=True)
class Answer:
    """What is answered; without ``paragraph`` it is that nobody knows."""

    text: str
    paragraph: Paragraph | None
    score: float


def read_library(documents: Mapping[str, str]) -> Library:
    """Return the paragraphs of ``documents``, name to text; headings are none."""
    paragraphs = []
    for name in sorted(documents):
        for block in documents[name].split("\n\n"):
            text = " ".join(block.split())
            if text and not text.startswith("#"):
                paragraphs.append(Paragraph(name, text, Counter(_list_words(text))))
    spread = Counter(word for paragraph in paragraphs for word in paragraph.words)
    words = sum(paragraph.words.total() for paragraph in paragraphs)
    return Library(tuple(paragraphs), spread, words / max(1, len(paragraphs)))


def find_answer(library: Library, question: str) -> Answer:
    """Return the sentence that fits ``question`` best, with the document it stands in."""
    asked = sorted(set(_list_words(question)))
    ranked = [(_score(library, each, asked), each) for each in library.paragraphs]
    score, paragraph = max(ranked, key=lambda pair: pair[0], default=(0.0, None))
    if paragraph is None or score < SCORE_MIN:
        return Answer(UNKNOWN, None, score)
    sentences = _SENTENCE.split(paragraph.text)
    best = max(sentences, key=lambda each: _weigh(library, set(_list_words(each)), asked))
    return Answer(f"{best} ({paragraph.document})", paragraph, score)


def _score(library: Library, paragraph: Paragraph, asked: list[str]) -> float:
    length = paragraph.words.total() / library.length_mean
    norm = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * length)
    counts = ((word, paragraph.words[word]) for word in asked if word in paragraph.words)
    return sum(
        _rarity(library, word) * count * (SATURATION + 1) / (count + norm) for word, count in counts
    )


def _weigh(library: Library, words: set[str], asked: list[str]) -> float:
    return sum(_rarity(library, word) for word in asked if word in words)


def _rarity(library: Library, word: str) -> float:
    spread = library.spread[word]
    return math.log(1 + (len(library.paragraphs) - spread + 0.5) / (spread + 0.5))


def _list_words(text: str) -> list[str]:
    """Return the words that say something, without an ``s`` at their end."""
    words = _WORD.findall(text.lower())
    return [word.removesuffix("s") for word in words if word not in _COMMON]
