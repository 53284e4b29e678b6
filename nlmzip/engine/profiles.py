"""The levels of the engine: what each one looks at, and how much memory it takes.

A `Design` is what the arrays of a start are made for; a `Level` is a design with its
table size and the number under which archives name it. Needs neither numpy nor numba.
Called by start.py, engine.py, codec/mix.py and the command line.
"""

from typing import NamedTuple

from . import geometry

#: Sizes of the small contexts that can choose a weight set's weights, by their number:
#: partial byte; match and confidence; last byte; classes of the last three bytes; byte
#: before the last; length of the word; (for finer designs) states of all matches; longest
#: order seen here and the partial byte; place in line, field and character; byte before
#: these; class of the last byte and partial byte; byte that the longest match expects.
SELECTOR_SIZES = (256, 512, 256, 4096, 256, 128, 512, 2048, 512, 256, 2048, 2048)


class Design(NamedTuple):
    """What an engine looks at.

    kinds: contexts by their names in contexts/registry.py; matches: how many bytes each match
    model hashes; selectors, final_selectors: what chooses the weights
    of each set and of each final mixer; finer: whether the counters are those of finer.py,
    failed matches recover, and more secondary estimations take part; curves: secondary
    estimations, by the last byte alone or by the last three bytes too.
    """

    kinds: tuple[str, ...]
    matches: tuple[int, ...] = (6,)
    selectors: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    final_selectors: tuple[int, ...] = (0,)
    finer: bool = False
    curves: int = 2

    # Learning rates of the weights at last, and of the final mixers.
    @property
    def last_rate(self) -> float:
        return 0.0005 if self.finer else 0.002

    @property
    def final_rate(self) -> float:
        return 0.001 if self.finer else 0.005

    @property
    def context_inputs(self) -> int:
        """Inputs that each context gives the mixer."""
        return geometry.FINER_CONTEXT_INPUTS if self.finer else geometry.CONTEXT_INPUTS

    @property
    def slot_size(self) -> int:
        """Numbers, of two bytes, that each context keeps in a slot (counters.py, finer.py)."""
        return geometry.FINER_SLOT if self.finer else geometry.SLOT

    @property
    def match_classes(self) -> int:
        """Classes of trust that each match model learns: twice as many where matches recover."""
        return geometry.MATCH_CLASSES if self.finer else geometry.FAILED

    @property
    def first_weight(self) -> float:
        """The weight of each input before any text."""
        return 0.012 if self.finer else 0.15

    # Places of the inputs: of the contexts, of the matches, order 0, a constant.
    @property
    def match_input(self) -> int:
        return len(self.kinds) * self.context_inputs

    @property
    def order_0_input(self) -> int:
        return self.match_input + geometry.MATCH_INPUTS * len(self.matches)

    @property
    def bias_input(self) -> int:
        return self.order_0_input + 1

    @property
    def inputs(self) -> int:
        """All inputs, padded with zeros to whole vectors; finer designs keep room for 12 more."""
        return geometry.padded(self.bias_input + 1 + 12 * self.finer)

    @property
    def set_sizes(self) -> tuple[int, ...]:
        return tuple(SELECTOR_SIZES[selector] for selector in self.selectors)

    @property
    def final_sizes(self) -> tuple[int, ...]:
        return tuple(SELECTOR_SIZES[selector] for selector in self.final_selectors)


_ORDERS = ("order 1", "order 2", "order 3", "order 4", "order 5", "order 6")
_WORDS = ("word", "after one word", "after two words")
DEFAULT_DESIGN = Design(
    kinds=(*_ORDERS, "word", "after one word", "skipping one word", "after two words", "column", "above")
)
#: Where a model takes part that was trained on texts which repeat whole phrases: contexts
#: after three and after four words instead of the one that skips a word, and of characters above.
LONG_DESIGN = Design(kinds=(*_ORDERS, *_WORDS, "column", "after three words", "after four words"))
#: The same with order 8 beside them.
LONGEST_DESIGN = LONG_DESIGN._replace(kinds=(*LONG_DESIGN.kinds, "order 8"))
_FAST = Design(kinds=("order 2", "order 3", "order 4", "order 6", "word"), selectors=(0, 1, 2), curves=1)
_MEDIUM = Design(kinds=(*_ORDERS, "word", "after one word"), selectors=(0, 1, 2, 3))
_FINE = Design(
    kinds=DEFAULT_DESIGN.kinds, selectors=(0, 1, 2, 3, 4, 5, 7), final_selectors=(0, 2), finer=True,
)  # fmt: skip
_FINER = Design(
    kinds=(
        *DEFAULT_DESIGN.kinds, "eight bytes", "followers of one byte", "above in the field",
        "last value of the key", "first word of the line", "two characters", "three characters",
    ),
    matches=(12, 6), selectors=tuple(range(12)), final_selectors=(0, 2, 1), finer=True,
)  # fmt: skip
_FINEST = _FINER._replace(
    kinds=(
        *DEFAULT_DESIGN.kinds, "eight bytes", "bytes 2 to 3", "twelve classes", "six in lower case",
        "followers of one byte", "followers of two bytes", "field", "above in the field", "key",
        "last value of the key", "first word of the line", "character", "two characters",
        "three characters", "skipping one character", "match", "sixteen classes",
    ),
    matches=(20, 12, 6),
)  # fmt: skip


class Level(NamedTuple):
    """number: as on the command line; start: as in archives; file: whose file the start is."""

    number: int
    start: int
    file: int
    design: Design
    most_slots: int


DEFAULT = 5
#: All levels by their number. A level's line never changes once archives were written: a
#: better one gets a new start number.
LEVELS = {
    level.number: level
    for level in (
        Level(1, 2, 2, _FAST, 1 << 19),
        Level(2, 3, 2, _FAST, 3 << 19),
        Level(3, 4, 4, _MEDIUM, 3 << 18),
        Level(4, 5, 4, _MEDIUM, 1 << 21),
        Level(5, 1, 1, DEFAULT_DESIGN, 3 << 20),
        Level(6, 6, 6, _FINE, 3 << 20),
        Level(7, 7, 7, _FINER, 3 << 19),
        Level(8, 8, 7, _FINER, 1 << 22),
        Level(9, 9, 9, _FINEST, 1 << 23),
    )
}
#: The most slots where a model's counts remember the rest; and of a text of more than LONG_TEXT
#: bytes, of which they do not know enough.
MOST_SLOTS_BESIDE_COUNTS, MOST_SLOTS_OF_LONG, LONG_TEXT = 3 << 18, 3 << 20, 1 << 20
_BY_START = {level.start: level for level in LEVELS.values()}


def of_start(start: int) -> Level | None:
    """The level that an archive's start number stands for; None if this version has none."""
    return _BY_START.get(start)
