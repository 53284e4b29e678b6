"""A 64-bit range coder with byte-wise renormalisation (Martin 1979; Schindler 1998).

    0        low                     low + range      2^64
    |---------|#########################|---------------|
               ^ symbol's part: range // total * [start, start + frequency)

Invariants, between two symbols:
  * 2^56 <= range < 2^64, so that range // total keeps 25 bits and more for any total
    below 2^31;
  * encoder: the codeword of everything that may follow begins with the bytes written,
    plus a carry that may still run back into them from `low`;
  * decoder: offset = codeword - low, and 0 <= offset < range.

Both directions share `narrow`; they differ only in where the symbol comes from
(`locate`) and in what leaves or enters when the range is renormalised. A payload is one
byte longer than the bytes that renormalisation moved out, so a decoder, which reads
eight ahead, ends seven past it: anything else is damage. Called by the codecs and by the kernels in text/.
"""

import math

import numpy as np

from ..kernels import njit

#: Totals of frequencies must stay below this.
MAXIMUM_TOTAL = 1 << 31

# Indices into the coder's state, a uint64 array.
LOW, RANGE, OFFSET, POSITION, DECODING = range(5)
#: Most bytes that coding one symbol can write.
BYTES_PER_SYMBOL = 8

_BOTTOM = np.uint64(1 << 56)
_BYTE = np.uint64(8)
_TOP_BYTE = np.uint64(56)
_MAXIMUM_TOTAL = np.uint64(MAXIMUM_TOTAL)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_TINY = 2.0**-512
_BIT_SHIFT, _BIT_TOTAL = np.uint64(22), np.uint64(1 << 22)
_BIT_SCALE = np.float32(1 << 22)
_LEAST_BIT, _MOST_BIT = 1, (1 << 22) - 1


@njit(borrowing=True)
def _carry(buffer, position):
    """Add one to the number that the bytes before `position` spell."""
    index = position - 1
    while buffer[index] == 255:
        buffer[index] = 0
        index -= 1
    buffer[index] += np.uint8(1)


@njit
def locate(state, total, target):
    """The point in [0, total) that the next symbol's part holds: `target` when encoding."""
    if state[DECODING] == _ZERO:
        return target
    found = state[OFFSET] // (state[RANGE] // total)
    # The few units at the top that the division leaves over belong to nobody: only a
    # damaged payload points there.
    return min(found, total - _ONE)


@njit
def narrow(state, buffer, information, start, frequency, total):
    """Narrow the range to the part [start, start + frequency) of total; all uint64."""
    step = state[RANGE] // total
    _narrow(state, buffer, information, start * step, frequency * step, frequency, total)


@njit(borrowing=True)
def _narrow(state, buffer, information, start, size, frequency, total):
    """Narrow the range to `size` of it from `start` on, which stands for frequency of total."""
    decoding = state[DECODING] != _ZERO
    position = np.int64(state[POSITION])
    low, offset = state[LOW], state[OFFSET]
    if decoding:
        offset -= start
    else:
        moved = low + start
        if moved < low:
            _carry(buffer, position)
        low = moved
    while size < _BOTTOM:
        if decoding:
            offset = offset << _BYTE
            if position < buffer.size:
                offset |= np.uint64(buffer[position])
        else:
            buffer[position] = np.uint8(low >> _TOP_BYTE)
            low = low << _BYTE
        position += 1
        size = size << _BYTE
    state[LOW], state[OFFSET], state[RANGE], state[POSITION] = low, offset, size, np.uint64(position)
    # The product of all probabilities, moved to the exponent before it underflows.
    product = information[0] * (np.float64(frequency) / np.float64(total))
    if product < _TINY:
        product /= _TINY
        information[1] += 512.0
    information[0] = product


@njit
def code_symbol(state, buffer, information, frequencies, symbol):
    """Code one symbol of an alphabet with these frequencies (uint32, all at least 1).

    Returns the symbol: the argument when encoding, the decoded one when decoding. Raises
    ValueError if the frequencies' total is too large.
    """
    total = _ZERO
    for index in range(frequencies.size):
        total += np.uint64(frequencies[index])
    if total >= _MAXIMUM_TOTAL:
        raise ValueError("the frequencies' total reaches 2^31")
    start = _ZERO
    if state[DECODING] == _ZERO:
        for index in range(symbol):
            start += np.uint64(frequencies[index])
    else:
        target = locate(state, total, _ZERO)
        symbol = 0
        # Whole blocks first: their sums vectorise.
        while symbol + 64 <= frequencies.size:
            block = _ZERO
            for index in range(symbol, symbol + 64):
                block += np.uint64(frequencies[index])
            if start + block > target:
                break
            start += block
            symbol += 64
        while start + np.uint64(frequencies[symbol]) <= target:
            start += np.uint64(frequencies[symbol])
            symbol += 1
    narrow(state, buffer, information, start, np.uint64(frequencies[symbol]), total)
    return symbol


@njit(borrowing=True)
def code_bit(state, buffer, information, probability, bit):
    """Code one bit under a probability of a one (float32), held to 22 bits: the bit."""
    scaled = np.int64(probability * _BIT_SCALE)
    ones = np.uint64(min(max(scaled, _LEAST_BIT), _MOST_BIT))
    # What `locate` and `narrow` do, with a total that is known and no division.
    step = state[RANGE] >> _BIT_SHIFT
    middle = ones * step
    if state[DECODING] != _ZERO:
        bit = np.int64(state[OFFSET] < middle)
    if bit:
        _narrow(state, buffer, information, _ZERO, middle, ones, _BIT_TOTAL)
        return 1
    zeros = _BIT_TOTAL - ones
    _narrow(state, buffer, information, middle, zeros * step, zeros, _BIT_TOTAL)
    return 0


class RangeCoder:
    """What encoder and decoder share: the state, and coding one symbol or interval.

    `state`, `buffer` and `information` are the arrays that kernels take; a kernel that
    codes many symbols in one call needs `reserve` before it.
    """

    def __init__(self, buffer: np.ndarray, decoding: bool):
        self.buffer = buffer
        self.state = np.zeros(5, np.uint64)
        self.state[RANGE] = 2**64 - 1
        self.state[DECODING] = decoding
        self.information = np.array([1.0, 0.0])

    @property
    def bits(self) -> float:
        """Information coded so far: the sum of -log2(frequency / total), in bits."""
        return float(self.information[1]) - math.log2(self.information[0])

    @property
    def overrun(self) -> bool:
        """Whether more was decoded than an encoder can have put into the payload."""
        return False

    def reserve(self, symbols: int) -> None:
        """Make room for the bytes of so many symbols."""

    def code(self, frequencies: np.ndarray, symbol: int) -> int:
        """Code one symbol.

        Parameters: frequencies, uint32 (n,), all at least 1, their sum below 2^31;
        symbol, in [0, n), ignored when decoding. Returns the symbol.
        """
        self.reserve(1)
        return code_symbol(self.state, self.buffer, self.information, frequencies, symbol)

    def locate(self, total: int, target: int) -> int:
        """A point of the next interval in [0, total): `target` itself when encoding."""
        return int(locate(self.state, np.uint64(total), np.uint64(target)))

    def narrow(self, start: int, frequency: int, total: int) -> None:
        """Code the interval [start, start + frequency) of [0, total), total below 2^31."""
        self.reserve(1)
        narrow(
            self.state, self.buffer, self.information,
            np.uint64(start), np.uint64(frequency), np.uint64(total),
        )  # fmt: skip


class Encoder(RangeCoder):
    """Symbols to bytes. `finish` gives the payload."""

    def __init__(self):
        super().__init__(np.zeros(1 << 16, np.uint8), decoding=False)

    def reserve(self, symbols: int) -> None:
        needed = int(self.state[POSITION]) + BYTES_PER_SYMBOL * (symbols + 1)
        if needed > self.buffer.size:
            grown = np.zeros(2 * needed, np.uint8)
            grown[: self.buffer.size] = self.buffer
            self.buffer = grown

    def finish(self) -> bytes:
        """The payload: bytes whose point, followed by zeros, lies in the final interval.

        The range is at least 2^56, so one byte after those written always suffices.
        """
        position = int(self.state[POSITION])
        low = int(self.state[LOW])
        top = -(-low // (1 << 56))  # the first multiple of 2^56 that is not below low
        if top == 256:
            _carry(self.buffer, position)
            top = 0
        return self.buffer[:position].tobytes() + bytes([top])


class Decoder(RangeCoder):
    """Bytes to symbols, in the order in which an `Encoder` took them."""

    def __init__(self, payload: bytes):
        super().__init__(np.frombuffer(payload, np.uint8).copy(), decoding=True)
        self.state[OFFSET] = int.from_bytes(payload[:8].ljust(8, b"\0"), "big")
        self.state[POSITION] = 8
        self._end = len(payload) + 7

    @property
    def overrun(self) -> bool:
        return int(self.state[POSITION]) > self._end

    @property
    def finished(self) -> bool:
        """Whether the payload ends exactly where decoding stands."""
        return int(self.state[POSITION]) == self._end
