"""Make the shipped model of English: `python corpora/english/build.py -o english.nlm --tests TEXT... -- TEXT|FOLDER...`

Lines that hold a run of ten words of a test text are left out (quotations.py), so that the
model's figures on these texts are of texts it has not seen. See README.md for the texts.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from corpora.english.quotations import LENGTH, files_of, index, quoted  # noqa: E402
from nlmzip.cli.progress import StageProgress
from nlmzip.models import model_file
from nlmzip.models.shipped import SHIPPED
from nlmzip.training.counts.train import LEVEL, CountsOptions, train_counts

SIZE = 10_000_000


def without_quotations(text: bytes, known: dict[bytes, str]) -> bytes:
    """The text without the lines in which runs of words of a test text stand."""
    parts, kept_to = [], 0
    for place, run, _ in quoted(text, known):
        first = text.rfind(b"\n", 0, place) + 1
        # A run has LENGTH words and as many gaps, of which line ends may be a few bytes more.
        last = text.find(b"\n", place + len(run) + LENGTH) + 1 or len(text)
        if first > kept_to:
            parts.append(text[kept_to:first])
        kept_to = max(kept_to, last)
    return b"".join([*parts, text[kept_to:]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="MODEL.nlm")
    parser.add_argument("--tests", nargs="+", type=Path, required=True, metavar="TEXT")
    parser.add_argument("texts", nargs="+", type=Path, metavar="TEXT")
    options = parser.parse_args()
    known = index({path.name: path.read_bytes() for path in files_of(options.tests)})
    texts, left_out = [], 0
    for path in files_of(options.texts):
        text = path.read_bytes()
        texts.append(without_quotations(text, known))
        left_out += len(text) - len(texts[-1])
    print(f"{len(texts)} texts, {left_out:,} bytes of quotations left out", file=sys.stderr)
    with StageProgress() as progress:
        trained = train_counts(texts, None, CountsOptions("english", SIZE, "short"), progress)
    model = model_file.read(trained)
    card = {**model.card, "numbers": {str(LEVEL): SHIPPED["english"].numbers[LEVEL]}}
    card["training"]["left_out_bytes"] = left_out
    options.output.write_bytes(model_file.write(card, model.arrays))


if __name__ == "__main__":
    main()
