"""A state that is used again: every text as by a fresh engine, whatever came before it."""

import functools
import random
import threading
import weakref
from contextlib import suppress

import naive_prior
import numpy as np
import pytest
import tiny
from test_mixing import CODE, PROSE, TABLE
from test_prior_engine import DESIGNS, beginning

from nlmzip.codec import mix
from nlmzip.codec.mix import Prepared
from nlmzip.engine import byte_model, memory
from nlmzip.engine.byte_model import without_model
from nlmzip.engine.profiles import LEVELS
from nlmzip.errors import ArchiveError
from nlmzip.models import catalogue, model_file
from nlmzip.predictors.as_bytes.prepare import prepare_source

#: Growing and shrinking, with others between; some share beginnings, so that what stays would be believed.
TEXTS = [
    PROSE, b"x", PROSE * 3, b"", TABLE[:300] + PROSE, (PROSE + TABLE + CODE) * 12, PROSE[:200],
    random.Random(1).randbytes(3000), PROSE * 3, bytes(range(256)), b"the cow " * 40, PROSE,
]  # fmt: skip


@functools.cache
def source(form: str, predictor: str, dynamic: bool):
    networks = ("lstm",) if form == "bytes" else ("nplm", "rnn")
    model = model_file.read(tiny.model_bytes(f"tiny {form}", form=form, networks=networks))
    return prepare_source(model, predictor, dynamic)


@functools.cache
def prepared(kind) -> Prepared:
    if isinstance(kind, int):
        return Prepared(without_model(LEVELS[kind].start))
    if kind == "english":
        return Prepared(byte_model.beginning(catalogue.default(), 5))
    if kind in DESIGNS:
        return Prepared(beginning(DESIGNS[kind]))
    return Prepared(without_model(mix.START), *(source(*each) for each in kind))


KINDS = {f"-{level}": level for level in LEVELS} | {kind: kind for kind in ("english", *DESIGNS)}
KINDS |= {
    "words": (("general", "kn+rnn", True),),
    "static words": (("plain", "kn+nplm", False),),
    "bytes": (("bytes", "kn+lstm", True),),
    "words and bytes": (("general", "kn", False), ("bytes", "kn+lstm", True)),
}
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


@functools.cache
def payload_of(kind, data: bytes) -> bytes:
    """By an engine that has coded nothing before."""
    return prepared(kind).state().encode(data)


class Interrupted(BaseException):
    """As KeyboardInterrupt."""


def interrupt(done, total):
    raise Interrupted


@every_kind
def test_every_text_is_coded_as_if_it_was_the_first(kind):
    state = prepared(kind).state()
    for data in TEXTS:
        payload = state.encode(data)
        assert payload == payload_of(kind, data)
        assert state.decode(payload, len(data)) == data


@every_kind
def test_nothing_is_left_of_a_text_that_was_interrupted(kind):
    state = prepared(kind).state()
    for data, other in zip(TEXTS, TEXTS[1:]):
        if data:
            with pytest.raises(Interrupted):
                state.encode(data, interrupt)
            with pytest.raises(Interrupted):
                state.decode(payload_of(kind, data), len(data), interrupt)
        assert state.encode(other) == payload_of(kind, other)


@every_kind
def test_nothing_is_left_of_a_text_that_was_coded_in_part(kind):
    state = prepared(kind).state()
    for data, other in zip(TEXTS, TEXTS[1:]):
        state.begin(data).advance(len(data) // 2)
        assert state.encode(other) == payload_of(kind, other)


@every_kind
def test_nothing_is_left_of_a_damaged_payload(kind):
    state, chance, refused = prepared(kind).state(), random.Random(4), 0
    for data, other in zip(TEXTS, TEXTS[1:]):
        damaged = bytearray(payload_of(kind, data) + b"\0")
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        try:
            state.decode(bytes(damaged), len(data) + 9000)
        except ArchiveError:
            refused += 1
        assert state.encode(other) == payload_of(kind, other)
    assert refused >= len(TEXTS) - 2


def ways_in(state) -> list[tuple]:
    """What an interrupt can come before while an engine is made anew: an object and a name on it."""
    return [
        (state._memory, "_restore_curves"), (state._memory._slots, "taken_by"), (memory.np, "copyto"), (memory, "restore_curves"), (memory, "in_one_block"),
        (memory, "zeros_on_lines"), (memory, "Engine"),
    ]  # fmt: skip


@pytest.mark.parametrize("number", range(7))
@pytest.mark.parametrize("kind", [5, "finer", 9], ids=str)
def test_an_interrupt_while_an_engine_is_made_anew_leaves_nothing(kind, number, monkeypatch):
    for before in TEXTS[:6]:
        state = prepared(kind).state()
        for data in (PROSE, before):
            state.encode(data)
        with monkeypatch.context() as patch:
            of, name = ways_in(state)[number]

            def broken(*arguments):
                raise Interrupted

            patch.setattr(of, name, broken)
            with suppress(Interrupted):
                state.encode(TABLE * 90)
        assert state.encode(PROSE) == payload_of(kind, PROSE)
        assert state.encode(TABLE) == payload_of(kind, TABLE)


@pytest.mark.parametrize("limit", [0, 100, 1 << 30])
def test_how_curves_are_restored_changes_nothing(limit, monkeypatch):
    monkeypatch.setattr(memory, "_SHORT", limit)
    state = prepared(5).state()
    for data in TEXTS:
        assert state.encode(data) == payload_of(5, data)


def test_a_text_cannot_go_on_after_another():
    state = prepared(5).state()
    one = state.begin(PROSE)
    one.advance(100)
    other = state.begin(TABLE)
    with pytest.raises(RuntimeError, match="another text"):
        one.finish()
    assert other.finish() == payload_of(5, TABLE)


def test_rooms_for_slots_do_not_stand_side_by_side(monkeypatch):
    """A coding that was tried leaves its own to the next one, though its state is kept."""
    rooms, zeros = [], memory.zeros_on_lines

    def noted(shape, dtype):
        if dtype is np.uint16:
            assert not any(room() is not None for room in rooms)
        made = zeros(shape, dtype)
        if dtype is np.uint16:
            rooms.append(weakref.ref(made.base))
        return made

    monkeypatch.setattr(memory, "zeros_on_lines", noted)
    shared = {}
    states = [prepared(kind).state(shared) for kind in (1, 5)]
    for state, length in zip(states * 2, (300, 3000, 30_000, 300_000), strict=True):
        state.begin(bytes(length)).advance(100)
    assert len(rooms) == 4


@every_kind
def test_threads_do_not_disturb_each_other(kind):
    """Each codes all texts, from another one on."""
    found = {}

    def run(number):
        state = prepared(kind).state()
        turned = TEXTS[number:] + TEXTS[:number]
        found[number] = [(data, state.encode(data)) for data in turned]
        found[number] += [(state.decode(payload, len(data)), payload) for data, payload in found[number]]

    threads = [threading.Thread(target=run, args=(number,)) for number in range(0, 12, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == len(threads)
    for coded in found.values():
        assert len(coded) == 2 * len(TEXTS)
        assert all(payload == payload_of(kind, data) for data, payload in coded)


def test_what_is_shared_stays_as_it_was():
    shared = prepared(5).first
    before = shared.image.tobytes(), shared.by_byte.tobytes()
    prepared(5).state().encode(TEXTS[5])
    assert (shared.image.tobytes(), shared.by_byte.tobytes()) == before


def test_a_model_s_text_is_coded_by_what_the_model_saw():
    """So that the kinds above are what they say."""
    known = naive_prior.text_of(60_000, 1)[200:2200]
    assert len(payload_of("short", known)) < 0.75 * len(payload_of(5, known))
