"""The memory that decoding says it takes: no less than it does, and not far more."""

import io
import subprocess
import sys

import pytest
from archives import archive, members
from command_line import MODEL, ROOT, TEXT

import nlmzip
from nlmzip.container.frame import Frame
from nlmzip.container.layout import read_layout
from nlmzip.container.recipe import STORED, MixCoding, Recipe
from nlmzip.engine.memory import engine
from nlmzip.engine.primed import shipped
from nlmzip.engine.profiles import LEVELS
from nlmzip.execute.encode import write_stored
from nlmzip.models import catalogue, model_file
from nlmzip.plan import memory
from nlmzip.plan.choose import choose
from nlmzip.plan.description import memory_of
from nlmzip.plan.known import Known
from nlmzip.plan.options import Options

MB = 10**6


def n_bytes(state) -> int:
    """Of all arrays of an engine."""
    if isinstance(state, tuple):
        return sum(map(n_bytes, state))
    return 0 if state is None else state.nbytes


@pytest.mark.parametrize("number", LEVELS)
def test_an_engine_takes_hardly_less_than_is_said(number):
    level = LEVELS[number]
    made = n_bytes(engine(1 << 13, shipped(level.start), level.design))
    said = memory.of_engine(level.design, 1 << 13)
    # The start that the engine copies is counted, too.
    assert made <= said <= 2 * made + 20 * MB
    assert memory.of_engine(level.design, 1 << 15) - said == 3 * 8192 * 2 * level.design.slot_size


def of(data: bytes, model=None) -> int:
    """What the frame of an archive takes that takes most."""
    return max(
        memory.of_decoding(member.recipe, frame, Known(model)).total
        for member in members(data)
        for frame in member.frames
    )


def test_more_text_higher_levels_and_models_take_more():
    model = model_file.read(MODEL)
    fast, slow = (of(nlmzip.compress(TEXT, level=level, model="none")) for level in (1, 9))
    with_words = nlmzip.compress(TEXT, level=1, model=model)
    assert of(write_stored(TEXT)) < fast < of(with_words, model) < slow
    assert of(write_stored(bytes(MB))) > of(write_stored(TEXT)) + 2 * MB


def test_smaller_frames_take_less():
    text = bytes(range(97, 123)) * 4_000
    whole, split = (nlmzip.compress(text, level=1, model="none", frame=frame) for frame in ("all", 10_000))
    assert of(split) < of(whole) - 2 * 90_000
    assert nlmzip.decompress(split, memory_limit=of(split)) == text


def test_info_says_what_the_longest_frame_takes():
    data = nlmzip.compress(TEXT, level=1, model="none") + nlmzip.compress(TEXT * 20, level=1, model="none")
    said = memory_of(io.BytesIO(data), read_layout(io.BytesIO(data)))
    # It does not read payloads, whose lengths count for little.
    assert abs(said - of(data)) <= 4 * len(data)


def test_a_text_that_is_gathered_is_held_to_the_limit():
    """However small its frames are."""
    data = archive(STORED, [Frame.of(bytes(MB // 2), number=number) for number in range(80)])
    limit = 40 * MB
    assert of(data) < limit
    with pytest.raises(nlmzip.MemoryLimitError, match="to decode"):
        nlmzip.decompress(data, memory_limit=limit)
    assert nlmzip.decompress(data) == bytes(40 * MB)
    with nlmzip.open(io.BytesIO(data), memory_limit=limit) as file:  # which gathers nothing
        assert sum(map(len, iter(lambda: file.read(MB), b""))) == 40 * MB


def test_a_model_that_is_not_there_takes_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("NLMZIP_MODELS", str(tmp_path))
    data = nlmzip.compress(TEXT, level=1, model=model_file.read(MODEL))
    before = of(data)
    (tmp_path / "tiny.nlm").write_bytes(MODEL)
    alone = members(nlmzip.compress(TEXT, level=1, model="none"))[0]
    more = members(data)[0].frames[0].coded_length - alone.frames[0].coded_length
    without = of(nlmzip.compress(TEXT, level=1, model="none"))
    assert of(data) > before and abs(before - without) <= 3 * abs(more)


def test_a_card_that_says_no_numbers_is_no_crash():
    card = {"arrays": [{"name": "counts", "dtype": "u1", "shape": [5]}], "file_bytes": 9}
    assert memory.of_model(card | {"kind": "mix", "counts": {"contexts": "many"}}) == 24
    assert memory.of_model(card | {"kind": "mix", "counts": None}) == 24
    assert memory.of_model(card) == 24


def test_the_api_refuses_what_takes_more_than_the_limit():
    data = nlmzip.compress(TEXT, level=1, model="none")
    assert nlmzip.decompress(data, memory_limit=of(data)) == TEXT
    with pytest.raises(nlmzip.MemoryLimitError, match=r"needs up to \d+ MiB .* limit is 2\d\d MiB; "):
        nlmzip.decompress(data, memory_limit=of(data) - 1)


def test_encoding_is_held_to_the_limit_too(monkeypatch):
    model = model_file.read(MODEL)

    def needed(n_bytes=len(TEXT), **options) -> int:
        return memory.of_encoding(choose(Options(**options)), n_bytes).total

    alone, beside = needed(level=9, model="none"), needed(level=9, model=model)
    assert alone < beside and needed(model=model) < beside
    monkeypatch.delenv(catalogue.DEFAULT_VARIABLE)
    if catalogue.default() is not None:
        assert beside < needed(level=9)
    # Of a text of unknown length the longest frame is told, which the user can choose.
    assert needed(None, level=1, model="none", frame=1000) < needed(None, level=1, model="none")
    assert needed(10**9, level=1, model="none", frame="all") > 10**9
    with pytest.raises(nlmzip.MemoryLimitError, match=r"needs up to \d+ MiB of memory to encode"):
        nlmzip.compress(TEXT, level=9, model=model, memory_limit=beside - 1)


def test_a_damaged_length_is_refused_at_once():
    for recipe, coding in ((Recipe((MixCoding(1),)), 0), (STORED, None)):
        data = archive(recipe, [Frame(1 << 50, 0, bytes(9), coding)])
        for cut in (data, data[:-3]):  # before its payload is waited for
            with pytest.raises(nlmzip.MemoryLimitError, match=r"needs up to \d,\d\d\d,\d\d\d,\d\d\d MiB"):
                nlmzip.decompress(cut, memory_limit=1 << 40)


def test_a_machine_has_some_memory():
    assert 1 << 26 < memory.of_machine() < 1 << 50


# Decodes standard input and prints the peak of the process's memory in KB (getrusage would
# count what the process that started it had).
DECODE = """
import sys, nlmzip
nlmzip.decompress(sys.stdin.buffer.read())
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM:")))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells so")
@pytest.mark.parametrize("level", [1, 5])
def test_a_process_stays_below_what_is_said_and_near_it(level):
    text = b"".join(b"%d bottles, %x of beer\n" % (n, n * n) for n in range(6000))
    data = nlmzip.compress(text, level=level, model="none")
    done = subprocess.run(
        [sys.executable, "-c", DECODE], cwd=ROOT, input=data, capture_output=True, check=True
    )
    taken = int(done.stdout) * 1024
    assert taken <= of(data) <= 1.6 * taken
