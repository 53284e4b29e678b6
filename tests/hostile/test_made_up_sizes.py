"""Archives and models that say one size and have another, or very many parts: no memory is taken for them."""

import hashlib
import json
import lzma
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
import tiny
from archives import archive
from command_line import MODEL, ROOT

import nlmzip
from nlmzip.container.frame import Frame
from nlmzip.container.recipe import (
    STORED,
    MixCoding,
    ModelReference,
    Recipe,
    WordsCoding,
)
from nlmzip.errors import ArchiveError, MemoryLimitError, ModelError
from nlmzip.execute.encode import write_model, write_stored
from nlmzip.models import model_file
from nlmzip.plan import memory
from nlmzip.predictors import architecture

MB = 1 << 20
COUNTS = {"contexts": 2, "followers": 256, "total": 0, "words": 1, "skipping": False}


def model_of(*arrays: tuple[str, list, bytes], **card) -> bytes:
    """A model file with arrays of bytes of these names and shapes, stored so, whose checksum holds."""
    entries = [
        {"name": name, "dtype": "u1", "shape": shape, "bytes": len(section)} for name, shape, section in arrays
    ]
    card = {"name": "x", "kind": "mix", "counts": COUNTS, "levels": [5], "arrays": entries} | card
    text = json.dumps(card).encode()
    head = model_file.MAGIC + bytes([model_file.VERSION]) + len(text).to_bytes(4, "little")
    body = b"".join((head, text, *(section for *_, section in arrays)))
    return body + hashlib.sha256(body).digest()


def zeros(n_bytes: int) -> bytes:
    """The section of an array of zeros."""
    return lzma.compress(bytes(n_bytes), preset=1)


LARGE, SMALL = zeros(64 * MB), zeros(9)


def bringing(*models: bytes) -> bytes:
    """An archive with these models and an empty text."""
    return b"".join(map(write_model, models)) + write_stored(b"")


def refused(data: bytes, limit: int = 64 * MB) -> None:
    with pytest.raises(MemoryLimitError):
        nlmzip.decompress(data, memory_limit=limit)


def test_a_large_model_is_refused():
    refused(bringing(model_of(("counts", [64 * MB], LARGE))))


def test_numbers_below_zero_make_no_room_for_another_model():
    large = model_of(("counts", [64 * MB], LARGE))
    for wrong in (
        {"counts": COUNTS | {"contexts": -(10**12)}},
        {"counts": COUNTS | {"followers": -(10**12)}},
        {"kind": "words", "vocabulary_size": -(10**12)},
    ):
        negative = model_of(("counts", [9], SMALL), **wrong)
        refused(bringing(large, negative))
        refused(bringing(negative, large))


def test_an_array_that_stands_there_twice_is_refused():
    """Its second shape would stand for both when memory is told."""
    data = model_of(("counts", [64 * MB], LARGE), ("counts", [9], SMALL))
    for read in (model_file.read, model_file.card_of):
        with pytest.raises(ModelError, match="twice"):
            read(data)
    with pytest.raises(ArchiveError, match="twice"):
        nlmzip.decompress(bringing(data))


@pytest.mark.parametrize("shape", [[1 << 31], [1 << 61, 1 << 61], [1 << 62], [1] * 100])
def test_a_shape_that_no_array_has_is_an_error(shape):
    data = bringing(model_of(("counts", shape, b"x")))
    with pytest.raises(nlmzip.NlmzipError):
        nlmzip.decompress(data, memory_limit=64 * MB)
    if shape == [1] * 100:  # of the others memory is asked for only if there is no limit
        with pytest.raises(nlmzip.NlmzipError):
            nlmzip.decompress(data)


def test_a_long_card_is_refused_before_it_is_read():
    """Each `[]` of it would take some sixty bytes."""
    with pytest.raises(ModelError, match="too long"):
        model_file.read(model_of(deep=[[]] * MB))
    claimed = MODEL[:5] + b"\xff\xff\xff\xff" + MODEL[9:]
    for read in (model_file.read, model_file.card_of):
        with pytest.raises(ModelError, match="too long"):
            read(claimed)


def test_frames_of_nothing_are_refused():
    """An archive could have any number of them."""
    data = archive(STORED, [Frame.of(b"", number=number) for number in range(3)], index=False)
    with pytest.raises(ArchiveError, match="a frame of nothing"):
        nlmzip.decompress(data)


# Decodes standard input within a limit, and prints the peak of the process's memory in KB, of
# which the interpreter and the archive have what stands there first.
DECODE = """
import sys
import nlmzip, nlmzip.plan.memory

def told(key):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(key))

data = sys.stdin.buffer.read()
try:
    nlmzip.decompress(data, memory_limit=int(sys.argv[1]))
except nlmzip.NlmzipError as error:
    print(type(error).__name__, end=" ")
else:
    print("decoded", end=" ")
print(told("VmHWM"))
"""


def peak(data: bytes, limit: int) -> tuple[str, int]:
    """What came of decoding in a process of its own, and its peak of memory in bytes."""
    done = subprocess.run(
        [sys.executable, "-c", DECODE, str(limit)], cwd=ROOT, input=data, capture_output=True, check=True
    )
    result, kilobytes = done.stdout.split()
    return result.decode(), int(kilobytes) * 1024


def one_byte_frames(n_frames: int) -> bytes:
    return archive(STORED, [Frame.of(b"x", number=number) for number in range(n_frames)])


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells so")
@pytest.mark.parametrize(
    "data", [one_byte_frames(50_000), write_stored(b"") * 50_000], ids=["frames of a byte", "members of nothing"]
)
def test_very_many_parts_take_next_to_nothing(data):
    result, taken = peak(data, 120 * MB)
    assert result == "decoded" and taken <= 80 * MB


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells so")
@pytest.mark.parametrize("preset", [1, 9])
def test_a_model_beyond_the_limit_takes_nothing(preset):
    large = lzma.compress(bytes(64 * MB), preset=preset)
    result, taken = peak(bringing(model_of(("counts", [64 * MB], large))), 40 * MB)
    assert result == "MemoryLimitError" and taken <= 70 * MB


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells so")
@pytest.mark.parametrize(
    "coding", [MixCoding(9), WordsCoding("kn", False, False, "plain", ModelReference(bytes(8)))]
)
def test_an_impossible_length_takes_nothing(coding):
    data = archive(Recipe((coding,)), 3 * [Frame(1 << 50, 0, bytes(9), 0)])
    result, taken = peak(data, memory.of_machine())
    assert result == "MemoryLimitError" and taken <= 70 * MB


def test_errors_are_one_line_whatever_name_an_archive_has():
    named = ModelReference(b"12345678", "evil\nall fine\x1b[31m")
    data = archive(Recipe((MixCoding(5, named),)), [Frame(9, 0, bytes(9), 0)])
    for offered in (None, model_file.read(MODEL)):
        with pytest.raises(nlmzip.NlmzipError) as caught:
            nlmzip.decompress(data, model=offered)
        assert "evil\\nall fine\\x1b[31m" in str(caught.value) and str(caught.value).isprintable()


@pytest.mark.parametrize("design", [{}, {"head": "mos"}, {"head": "moc"}, {"tied": True}])
@pytest.mark.parametrize("part", ["nplm", "rnn", "lstm", "gru", "mgu"])
def test_the_steps_that_a_network_keeps_are_announced(part, design):
    model = model_file.read(tiny.model_bytes(networks=(part,), **design))

    def said(interval: int) -> int:
        settings = {part: {"dynamic": {"interval": interval}}}
        return memory.of_model(model_file.card_with_arrays(model) | {"settings": settings})

    def taken(interval: int) -> int:
        made = architecture.network(model, part, interval, True)
        return sum(map(arrays_of, (vars(made.body), vars(made.head))))

    more = taken(4096) - taken(64)
    assert more <= said(4096) - said(64) <= 5 * more
    assert said(1 << 61) == said(4096)


def arrays_of(kept) -> int:
    """Bytes of all arrays, each once."""
    found, waiting = {}, [kept]
    while waiting:
        each = waiting.pop()
        if isinstance(each, np.ndarray):
            base = each if each.base is None else each.base
            found[id(base)] = base.nbytes
        elif isinstance(each, (dict, tuple, list)):
            waiting.extend(each.values() if isinstance(each, dict) else each)
    return sum(found.values())


def test_odd_settings_make_no_odd_memory():
    card = model_file.card_with_arrays(model_file.read(MODEL))
    at_least = memory.of_model(card | {"settings": {}})
    for settings in (5, [], {"rnn": 5}, {"rnn": {"dynamic": []}}, {"rnn": {"dynamic": {"interval": "9"}}},
                     {"rnn": {"dynamic": {"interval": -(10**30)}}}):  # fmt: skip
        assert memory.of_model(card | {"settings": settings}) == at_least
    for networks in (5, {"rnn": 5}, {"rnn": {"softmaxes": -5}}, {"rnn": {"softmaxes": "5"}}):
        assert memory.of_model(card | {"settings": {}, "networks": networks}) == at_least


def test_text_of_words_takes_no_object_for_each():
    """Short words would take forty bytes each."""
    model = model_file.read(MODEL)

    def peak_of(n_words: int) -> int:
        coded = nlmzip.compress(b" a" * n_words, model=model, codec="words", predictor="uniform")
        tracemalloc.start()
        try:
            nlmzip.decompress(coded, model=model)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    few, many = 2000, 10_000
    assert peak_of(few) and peak_of(many) - peak_of(few) <= 8 * 2 * (many - few)
