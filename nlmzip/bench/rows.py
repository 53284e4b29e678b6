"""What a comparison holds: a row for each contestant, and the sums over several texts.

Made by comparison.py; read by table.py, plot.py and the scripts in benchmarks/.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Row:
    """What one contestant made of one text, or of several.

    n_bytes: whole files, or what a file adds to a training text that both sides have;
    where there is such a text the seconds are of reading it and of the file.
    bits: where an archive's payload went ("words", "spelling", "other"), None if unknown.
    model: of an own row, the model's name. is_default: what `nlmzip encode` does.
    """

    contestant: str
    n_bytes: int
    encode_seconds: float | None = None
    decode_seconds: float | None = None
    bits: dict | None = None
    note: str = ""
    is_own: bool = False
    is_given: bool = False
    model: str = ""
    is_default: bool = False

    @property
    def label(self) -> str:
        """The contestant with its note."""
        return self.contestant + (f" ({self.note})" if self.note else "")


@dataclass(frozen=True)
class Comparison:
    """All rows of a text; n_characters is None for a text that is not UTF-8.

    failures: of peers whose archives did not give the text back, what to say of each.
    """

    name: str
    n_bytes: int
    n_characters: int | None
    rows: list[Row] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, name: str, data: bytes) -> "Comparison":
        """A comparison of this text, without rows."""
        try:
            n_characters = len(data.decode())
        except UnicodeDecodeError:
            n_characters = None
        return cls(name, len(data), n_characters)

    def bpc(self, row: Row) -> float | None:
        """8 * archive bytes / text bytes, None for an empty text."""
        return 8 * row.n_bytes / self.n_bytes if self.n_bytes else None

    def bits_per_character(self, row: Row) -> float | None:
        return 8 * row.n_bytes / self.n_characters if self.n_characters else None

    def bits_per_byte(self, row: Row, kind: str) -> float | None:
        """Bits of one kind ("words", ...) for each byte of the text."""
        return row.bits[kind] / self.n_bytes if row.bits and self.n_bytes else None

    def megabytes_per_second(self, seconds: float | None) -> float | None:
        return self.n_bytes / 1e6 / seconds if seconds else None


def total(comparisons: list[Comparison]) -> Comparison:
    """All texts together: sums over the rows of each contestant.

    A contestant without a row for one of the texts has no total.
    """
    characters = [each.n_characters for each in comparisons]
    of_contestant = [{row.contestant: row for row in each.rows} for each in comparisons]
    names = [name for name in of_contestant[0] if all(name in rows for rows in of_contestant)]
    return Comparison(
        "total",
        sum(each.n_bytes for each in comparisons),
        None if None in characters else sum(characters),
        [_sum([rows[name] for rows in of_contestant]) for name in names],
    )


def _sum(rows: list[Row]) -> Row:
    def add(values: list):
        return None if None in values else sum(values)

    kinds = [row.bits for row in rows]
    notes = {row.note for row in rows}
    first = rows[0]
    return Row(
        first.contestant,
        sum(row.n_bytes for row in rows),
        add([row.encode_seconds for row in rows]),
        add([row.decode_seconds for row in rows]),
        None if None in kinds else {kind: sum(bits[kind] for bits in kinds) for kind in kinds[0]},
        notes.pop() if len(notes) == 1 else "best of each" if all(notes) else "",
        *(first.is_own, first.is_given, first.model, first.is_default),
    )
