"""Learning how far to trust what: the engine's mixing weights and maps, over many pieces.

Each piece is read by an engine whose tables are empty, as an archive's will be, and
weights and maps go on from piece to piece. Called by counts.py and corpora/engine/.
"""

from collections.abc import Callable, Sequence

import numpy as np

from ...engine.byte_model import Beginning
from ...engine.loop import code_bytes
from ...engine.memory import engine, learnt
from ...entropy.range_coder import Encoder

#: Lengths of pieces: short texts matter as much as long ones.
PIECE_LENGTHS = (3_000, 15_000, 60_000)


def pieces(texts: Sequence[bytes], n_bytes: int, chance: np.random.Generator) -> list[bytes]:
    """Pieces of several lengths at random places, from all texts in turn, of n_bytes together."""
    cut, total = [], 0
    while total < n_bytes and any(texts):
        for number in chance.permutation(len(texts)):
            text = texts[number]
            length = PIECE_LENGTHS[chance.integers(len(PIECE_LENGTHS))]
            first = int(chance.integers(max(1, len(text) - length + 1)))
            piece = text[first : first + length]
            if piece and total < n_bytes:
                cut.append(piece)
                total += len(piece)
    return cut


def bits_of(text: bytes, beginning: Beginning) -> float:
    """What a text costs an engine that begins like this, in bits."""
    return _read(text, beginning)[0]


def _read(text: bytes, beginning: Beginning):
    coder = Encoder()
    reading = engine(beginning.n_slots(len(text)), beginning.start, beginning.design, beginning.store)
    code_bytes(coder, reading, np.frombuffer(text, np.uint8).copy(), 0, len(text))
    return coder.bits, reading


def learn(
    texts: Sequence[bytes],
    beginning: Beginning,
    rates: tuple[float, float, float],
    progress: Callable[[int], None] | None = None,
) -> Beginning:
    """The beginning with a start learnt from these pieces, one after the other.

    rates: of the sets' weights at first and in the end, and of the final mixers.
    """
    first_rate, last_rate, final_rate = rates
    for number, piece in enumerate(texts):
        rate = last_rate + (first_rate - last_rate) * (1 - number / len(texts))
        steady = np.array((rate, rate, final_rate), np.float32)
        start = beginning.start._replace(rate=steady)
        _, reading = _read(piece, beginning._replace(start=start))
        beginning = beginning._replace(start=learnt(reading))
        if progress:
            progress(len(piece))
    return beginning
