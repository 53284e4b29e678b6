"""The model file (`.nlm`): a card in JSON and named arrays, closed by a SHA-256.

    magic 4 | version 1 | card length u32 | card | sections of the arrays | SHA-256 32

The digest covers everything before it and is the model's identity: archives name their
model by its first 8 bytes. The card's "arrays" entry lists name, dtype, shape and stored
length of each section in order. Integers are stored little-endian and compressed with
lzma; floats are stored as they are. Notes on every byte: notes/format.md. Only numpy is
needed to read a model, and nothing but the standard library to read a card.
"""

import hashlib
import io
import json
import lzma
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ..errors import ModelError
from .card import CardError, check_byte_model, check_entries, check_word_model
from .networks import NETWORKS

if TYPE_CHECKING:
    import numpy as np

MAGIC = b"\x8fnlm"
#: Kinds of model: a card without a kind is of words; others, such as an engine's start, no
#: user can name.
WORDS, BYTES = "words", "mix"
VERSION = 1
SUFFIX = ".nlm"

_DIGEST_BYTES = 32
_PREFIX_BYTES = len(MAGIC) + 1 + 4
#: Dtypes of arrays and the bytes of a number.
ITEM_BYTES = {"u1": 1, "u2": 2, "u4": 4, "f2": 2, "f4": 4}
#: What the arrays of a model of words are: integers index tables, floats are weights.
_KINDS = {"vocabulary": "u", "kneser_ney": "u", "speller": "u"} | dict.fromkeys(NETWORKS, "f")
#: Longest card: its values take up to 25 times as much memory, before anything is known of them.
_MAXIMUM_CARD_BYTES = 1 << 20
#: All arrays of a model together may not be larger than this when unpacked.
_MAXIMUM_BYTES = 1 << 31
#: Memory that unpacking a section may take beside the section itself.
UNPACKING_BYTES = 1 << 28


@dataclass(frozen=True)
class Model:
    """A trained model: what a user is told of it, its numbers, and its identity.

    card: JSON values; arrays: numpy arrays by name ("nplm.embedding", ...), floats as
    they are stored; sha256: 32 bytes, the content hash that archives refer to; file: the
    bytes of its file, where it was read from one.
    """

    card: dict
    arrays: dict
    sha256: bytes
    file: bytes = field(default=b"", repr=False)

    @property
    def name(self) -> str:
        return self.card["name"]

    @property
    def kind(self) -> str:
        return self.card.get("kind", WORDS)

    def section(self, prefix: str) -> "dict[str, np.ndarray]":
        """The arrays whose names begin with `prefix` and a dot, without that beginning."""
        start = prefix + "."
        return {n[len(start) :]: a for n, a in self.arrays.items() if n.startswith(start)}


def write(card: dict, arrays: "dict[str, np.ndarray]") -> bytes:
    """The bytes of a model file. Dtypes: uint8, uint16, uint32, float16, float32."""
    entries, sections = [], []
    for name, array in arrays.items():
        code = array.dtype.str[1:]
        if code not in ITEM_BYTES:
            raise ValueError(f"{name}: a model file has no arrays of dtype {array.dtype}")
        section = array.astype("<" + code).tobytes()
        if code.startswith("u"):
            section = lzma.compress(section, preset=9 | lzma.PRESET_EXTREME)
        sections.append(section)
        entries.append(
            {"name": name, "dtype": code, "shape": list(array.shape), "bytes": len(section)}
        )
    text = json.dumps({**card, "arrays": entries}, separators=(",", ":"), sort_keys=True).encode()
    body = b"".join((MAGIC, bytes([VERSION]), len(text).to_bytes(4, "little"), text, *sections))
    return body + hashlib.sha256(body).digest()


def read(data: bytes) -> Model:
    """Parse a model file. Raises ModelError for anything else, damaged or too new."""
    import numpy as np

    card, offset = _parse_card(data)
    if len(data) < offset + _DIGEST_BYTES:
        raise ModelError("truncated model file; fetch or train it again")
    digest = hashlib.sha256(memoryview(data)[:-_DIGEST_BYTES]).digest()
    if digest != data[-_DIGEST_BYTES:]:
        raise ModelError("damaged model file (its checksum does not hold); fetch or train it again")
    kind = card.get("kind", WORDS)
    of_words = kind == WORDS
    arrays, total = {}, 0
    try:
        if of_words:
            check_word_model(card)
        elif kind == BYTES:
            check_byte_model(card)
        for entry in card.pop("arrays"):
            code, shape = entry["dtype"], tuple(entry["shape"])
            if of_words and _KINDS.get(entry["name"].split(".")[0]) != code[:1]:
                raise ValueError(f"the array {entry['name']} is not one of a model")
            size = ITEM_BYTES[code] * math.prod(shape)
            total += size
            if total > _MAXIMUM_BYTES:
                raise ValueError("impossible size")
            section = data[offset : offset + entry["bytes"]]
            offset += entry["bytes"]
            if code.startswith("u"):
                section = _unpack(section, size)
            array = np.frombuffer(section, "<" + code).reshape(shape)
            arrays[entry["name"]] = array.astype(array.dtype.newbyteorder("="), copy=False)
        if offset != len(data) - _DIGEST_BYTES:
            raise ValueError("bytes left over")
    except (KeyError, ValueError, lzma.LZMAError, EOFError) as error:
        raise ModelError(f"malformed model file ({error}); fetch or train it again") from None
    return Model(card, arrays, digest, data)


def _unpack(section: bytes, size: int) -> bytes:
    return lzma.LZMADecompressor(memlimit=UNPACKING_BYTES).decompress(section, max_length=size)


def read_file(path: Path) -> Model:
    """Read the model at `path`. Raises OSError or ModelError."""
    return read(Path(path).read_bytes())


def read_card(path: Path) -> dict:
    """The card of the model at `path`, with its "sha256" and "file_bytes" added.

    Reads only the beginning and the end of the file: what it says is checked against
    the digest when the model is loaded, not here. Raises OSError or ModelError.
    """
    with open(path, "rb") as file:
        return card_in(file)


def card_with_arrays(model: Model) -> dict:
    """As read_card, of a model that is loaded, but for the stored lengths of its arrays."""
    entries = [
        {"name": name, "dtype": array.dtype.str[1:], "shape": list(array.shape)}
        for name, array in model.arrays.items()
    ]
    return {**model.card, "arrays": entries, "sha256": model.sha256.hex(), "file_bytes": 0}


def card_of(data: bytes) -> dict:
    """As read_card, of a model file that has been read. Raises ModelError."""
    return card_in(io.BytesIO(data))


def card_in(file: BinaryIO) -> dict:
    """As read_card, of an open file that stands at its beginning. Raises ModelError, OSError."""
    head = file.read(_PREFIX_BYTES)
    head += file.read(_card_length(head))
    card, _ = _parse_card(head)
    size = file.seek(0, 2)
    if size < len(head) + sum(entry["bytes"] for entry in card["arrays"]) + _DIGEST_BYTES:
        raise ModelError("truncated model file; fetch or train it again")
    file.seek(size - _DIGEST_BYTES)
    return {**card, "sha256": file.read().hex(), "file_bytes": size}


def _card_length(head: bytes) -> int:
    if not head.startswith(MAGIC):
        raise ModelError("not an nlmzip model; a model is made with `nlmzip train`")
    if len(head) < _PREFIX_BYTES:
        raise ModelError("truncated model file; fetch or train it again")
    version = head[len(MAGIC)]
    if version > VERSION:
        raise ModelError(f"model format {version} is newer than this nlmzip; upgrade nlmzip")
    if version < 1:
        raise ModelError("malformed model file (format 0); fetch or train it again")
    length = int.from_bytes(head[len(MAGIC) + 1 : _PREFIX_BYTES], "little")
    if length > _MAXIMUM_CARD_BYTES:
        raise ModelError("malformed model file (its card is too long); fetch or train it again")
    return length


def _parse_card(data: bytes) -> tuple[dict, int]:
    """The card and the offset of the first section."""
    end = _PREFIX_BYTES + _card_length(data[:_PREFIX_BYTES])
    try:
        card = json.loads(data[_PREFIX_BYTES:end])
        if not isinstance(card, dict):
            raise CardError("it is no object")
        check_entries(card)
    except CardError as error:
        raise ModelError(f"malformed model file ({error}); fetch or train it again") from None
    except (ValueError, RecursionError):
        raise ModelError("damaged model file (unreadable card); fetch or train it again") from None
    return card, end
