"""The three texts of the finance corpus: the seed and the number of sentences that make each."""

from pathlib import Path

from .source import sample_sentences

FOLDER = Path(__file__).resolve().parent

# {text: (seed, sentences)}. Nothing else tells the texts apart.
TEXTS = {"train": (1, 6194), "dev": (2, 844), "heldout": (10, 2049)}


def draw(name):
    """The bytes of a text, drawn from the source: one sentence a line, words separated by single spaces."""
    return "".join(" ".join(words) + "\n" for words in sample_sentences(*TEXTS[name])).encode()


def read(path):
    """The sentences of a text file, each a list of words."""
    return [line.split() for line in Path(path).read_text().splitlines()]
