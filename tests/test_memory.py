"""The memory that decoding says it takes: no less than it does, and not far more."""

import subprocess
import sys

import pytest
from command_line import MODEL, ROOT, TEXT

import nlmzip
from nlmzip.container import archive
from nlmzip.engine.memory import engine
from nlmzip.engine.primed import shipped
from nlmzip.engine.profiles import LEVELS
from nlmzip.models import catalogue, model_file
from nlmzip.plan import memory

MB = 10**6
ENGLISH = catalogue.default()


def n_bytes(state) -> int:
    """Of all arrays of an engine."""
    if isinstance(state, tuple):
        return sum(map(n_bytes, state))
    return 0 if state is None else state.nbytes


@pytest.mark.parametrize("number", LEVELS)
def test_an_engine_takes_hardly_less_than_is_said(number):
    level = LEVELS[number]
    made = n_bytes(engine(10, shipped(level.start), level.design))
    said = memory.of_engine(level.design, 10)
    # The start that the engine copies is counted, too.
    assert made <= said <= 2 * made + 20 * MB
    added = level.design.slot_size * 2 * len(level.design.kinds)
    assert memory.of_engine(level.design, 12) - said == 3 * 1024 * added


def of(data: bytes, model=None) -> int:
    return memory.of_decoding(archive.read(data), len(data), model)


def test_more_text_higher_levels_and_models_take_more():
    model = model_file.read(MODEL)
    fast, slow = (of(nlmzip.compress(TEXT, level=level, model="none")) for level in (1, 9))
    with_words = nlmzip.compress(TEXT, level=1, model=model)
    assert of(archive.write_stored(TEXT)) < fast < of(with_words, model) < slow
    assert of(archive.write_stored(bytes(MB))) > of(archive.write_stored(TEXT)) + 2 * MB


def test_a_model_that_is_not_there_takes_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("NLMZIP_MODELS", str(tmp_path))
    data = nlmzip.compress(TEXT, level=1, model=model_file.read(MODEL))
    before = of(data)
    (tmp_path / "tiny.nlm").write_bytes(MODEL)
    assert of(data) > before == of(nlmzip.compress(TEXT, level=1, model="none")) + 4 * (
        len(data) - len(nlmzip.compress(TEXT, level=1, model="none"))
    )


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


def test_encoding_is_held_to_the_limit_too():
    model = model_file.read(MODEL)
    alone = memory.of_encoding(len(TEXT), 9, catalogue.Models())
    beside = memory.of_encoding(len(TEXT), 9, catalogue.Models(words=model))
    assert alone < beside < memory.of_encoding(len(TEXT), 9, catalogue.Models(), default=ENGLISH)
    assert memory.of_encoding(len(TEXT), None, catalogue.Models(words=model)) < beside
    with pytest.raises(nlmzip.MemoryLimitError, match=r"needs up to \d+ MiB of memory to encode"):
        nlmzip.compress(TEXT, level=9, model=model, memory_limit=beside - 1)


def test_a_damaged_length_is_refused_at_once():
    settings = archive.MixSettings(1)
    data = archive.write(archive.MIX, settings, [archive.Frame(1 << 50, 0, bytes(9))])
    with pytest.raises(nlmzip.MemoryLimitError, match=r"needs up to 2,147,\d\d\d,\d\d\d MiB"):
        nlmzip.decompress(data, memory_limit=1 << 40)


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
