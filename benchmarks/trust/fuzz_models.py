"""Changes to model files, so that a fuzzer gets behind their checksum and their card.

A model file is taken apart into its card and its arrays, one of these is changed, and all is put
together again. Models are changed without their SHA-256, which `sealed` puts behind them. What
cannot be taken apart is changed as bytes. Called by fuzz.py and fuzz_archives.py.
"""

import hashlib
import json
import lzma
from collections.abc import Callable
from copy import deepcopy
from random import Random

from nlmzip.models import model_file

#: Changes bytes into others, at most so many: libFuzzer's own changes.
Mutate = Callable[[bytes, int], bytes]

_HEAD = len(model_file.MAGIC) + 1 + 4
DIGEST_BYTES = 32
_ODD_NUMBERS = (
    0, 1, -1, 2, 3, 255, 256, 257, 4096, 65535, 65536, 1 << 24, (1 << 31) - 1, 1 << 31, 1 << 50,
    (1 << 62) - 1, 1 << 62, 1 << 63, -(1 << 63), 10**30, 0.5, 1.5, -1.0, 1e-300, 1e300, 1e308,
    float("inf"), float("nan"),
)  # fmt: skip
_ODD_VALUES = (
    None, True, False, "", "x", "kn", "nplm", "rnn", "lstm", "gru", "kn+rnn", "static", "dynamic",
    "mos", "moc", "softmax", "plain", "general", "bytes", "mix", "words", "u1", "u2", "u4", "f2", "f4",
    [], {}, [0], [1], ["x"], [[]], [0, 0],
)  # fmt: skip


def sealed(body: bytes) -> bytes:
    """A model file from what stands before its SHA-256."""
    return body + hashlib.sha256(body).digest()


def change_model(body: bytes, chance: Random, mutate: Mutate, most: int) -> bytes:
    """A model's body with its card or one of its arrays changed."""
    try:
        card, sections = _taken_apart(body)
    except (ValueError, KeyError, TypeError, IndexError):
        return mutate(body, most)
    choice = chance.random()
    try:
        if choice < 0.4:
            _change_value(card, chance)
        elif choice < 0.85 and sections:
            _change_array(card, sections, chance, mutate)
        elif choice < 0.95 and sections:
            _move_arrays(card, sections, chance)
        else:
            return mutate(body, most)
    except (ValueError, KeyError, TypeError, IndexError, lzma.LZMAError, RecursionError):
        pass  # earlier changes left nothing there to change
    return _together(card, sections)


def _taken_apart(body: bytes) -> tuple[dict, list[bytes]]:
    end = _HEAD + int.from_bytes(body[_HEAD - 4 : _HEAD], "little")
    card = json.loads(body[_HEAD:end])
    sections = []
    for entry in card["arrays"]:
        sections.append(body[end : end + entry["bytes"]])
        end += entry["bytes"]
    return card, sections


def _together(card: dict, sections: list[bytes]) -> bytes:
    text = json.dumps(card, separators=(",", ":")).encode()
    head = model_file.MAGIC + bytes([model_file.VERSION]) + len(text).to_bytes(4, "little")
    return b"".join((head, text, *sections))


def _places(value, found=None) -> list[tuple]:
    """Every place of a JSON value: what it stands in, and under which key or index."""
    found = [] if found is None else found
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        found.append((value, key))
        _places(value[key], found)
    return found


def _change_value(card: dict, chance: Random) -> None:
    """Change, remove or copy one value of a card, mostly not of its list of arrays."""
    rest = {key: value for key, value in card.items() if key != "arrays"}
    places = _places(card if chance.random() < 0.3 else rest)
    holder, key = chance.choice(places)
    holder = card if holder is rest else holder
    choice = chance.random()
    if choice < 0.15:
        del holder[key]
    elif choice < 0.3 and isinstance(holder[key], list):
        holder[key].append(deepcopy(chance.choice(holder[key] or [0])))
    elif choice < 0.5 and isinstance(holder[key], (int, float)):
        holder[key] += chance.choice((1, -1, 0.5))
    elif choice < 0.6:
        other, place = chance.choice(places)
        holder[key] = deepcopy(other[place])
    elif choice < 0.8:
        holder[key] = chance.choice(_ODD_NUMBERS)
    else:
        holder[key] = deepcopy(chance.choice(_ODD_VALUES))


def _change_array(card: dict, sections: list[bytes], chance: Random, mutate: Mutate) -> None:
    """Change numbers of an array, or how many there are; its entry tells the truth."""
    import numpy as np

    index = chance.randrange(len(sections))
    entry, section = card["arrays"][index], sections[index]
    if chance.random() < 0.1:  # as it is stored
        sections[index] = mutate(section, 2 * len(section) + 16)
        entry["bytes"] = len(sections[index])
        return
    code = entry["dtype"]
    compressed = code.startswith("u")
    array = np.frombuffer(lzma.decompress(section) if compressed else section, "<" + code).copy()
    choice = chance.random()
    if choice < 0.75:
        for _ in range(chance.choice((1, 1, 1, 2, 8))):
            place = chance.randrange(array.size)
            array[place] = _other_number(array, chance)
    elif choice < 0.9 and len(entry["shape"]) == 1:
        kept = chance.randrange(array.size + 1)
        array = np.concatenate((array[:kept], array[kept + chance.randrange(3) :], array[: chance.randrange(3)]))
        entry["shape"] = [array.size]
    else:
        array = np.frombuffer(mutate(array.tobytes(), array.nbytes).ljust(array.nbytes, b"\0"), array.dtype)
    data = array.tobytes()
    sections[index] = lzma.compress(data, preset=0) if compressed else data
    entry["bytes"] = len(sections[index])


def _other_number(array, chance: Random):
    """A number for a place of an array: another one of it, one near it, or an odd one."""
    import numpy as np

    other = array[chance.randrange(array.size)]
    if array.dtype.kind == "f":
        return array.dtype.type(chance.choice((other, -other, 0, 1e-7, 65504, -65504, np.inf, np.nan)))
    most = int(np.iinfo(array.dtype).max)
    return chance.choice((int(other), min(int(other) + 1, most), max(int(other) - 1, 0), 0, 1, most, most // 2))


def _move_arrays(card: dict, sections: list[bytes], chance: Random) -> None:
    """Leave out an array, name it as another one, or let it stand twice."""
    first, second = (chance.randrange(len(sections)) for _ in range(2))
    entries, choice = card["arrays"], chance.random()
    if choice < 0.3:
        del entries[first], sections[first]
    elif choice < 0.6:
        entries[first]["name"], entries[second]["name"] = entries[second]["name"], entries[first]["name"]
    else:
        entries.insert(second, dict(entries[first]))
        sections.insert(second, sections[first])
