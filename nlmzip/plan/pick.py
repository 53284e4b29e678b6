"""By which of several codings a stretch of text becomes smallest, told from its beginning.

What is measured is what a frame of each coding would cost a byte. A model is ahead on the first
lines of almost anything that is written in its language; what counts is the whole frame, so the
rate of the beginning's second half is carried on to the end.
"""

#: As much of a stretch is coded in each way.
HEAD_BYTES = 1 << 15


def pick(frame_bytes, states, data) -> int:
    """The number of the coding for frames that are cut out of `data` from its beginning on.

    frame_bytes: most bytes of each coding's frames, 0 for all; states: one of each coding.
    """
    costs = [
        bits_a_byte(state.begin(data[:HEAD_BYTES]), min(size or len(data), len(data)))
        for state, size in zip(states, frame_bytes, strict=True)
    ]
    return costs.index(min(costs))


def bits_a_byte(encoding, n_bytes: int) -> float:
    """What a frame of n_bytes costs a byte, as far as the beginning of this one tells."""
    n_head = min(HEAD_BYTES, n_bytes)
    half = encoding.advance(n_head // 2)
    head = encoding.advance(n_head)
    rest = 2 * (n_bytes - n_head) / n_head
    return (head + (head - half) * rest) / n_bytes
