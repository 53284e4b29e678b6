"""The store, by its definition: what was put in is found, nothing else; and slots filled from it."""

import random

import naive_prior
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlmzip.counts import store
from nlmzip.engine import geometry
from nlmzip.engine.inputs import counters
from nlmzip.engine.inputs.counters import RUN
from nlmzip.engine.inputs.fill import fill_slot
from nlmzip.engine.inputs.finer import FAST, SLOW

followers_of = st.dictionaries(st.integers(0, 255), st.integers(1, 63), min_size=1, max_size=12)
hashes = st.integers(0, (1 << 64) - 1)


def build(contexts: "dict[int, dict[int, int]]") -> store.Store:
    """A store of {hash: {byte: level}}."""
    sizes = [len(followers) for followers in contexts.values()]
    pairs = [pair for followers in contexts.values() for pair in followers.items()]
    return store.build(
        np.array(list(contexts), np.uint64),
        np.cumsum([0, *sizes]).astype(np.int64),
        np.array([byte for byte, _ in pairs], np.uint8),
        np.array([level for _, level in pairs], np.uint8),
    )


def find(of: store.Store, hashed: int) -> "dict[int, int] | None":
    place = store.find_followers(of.starts, of.data, of.shift, np.uint64(hashed))
    if place < 0:
        return None
    n = int(of.data[place]) + 1
    pairs = of.data[place + 1 : place + 1 + 2 * n].tolist()
    return dict(zip(pairs[::2], pairs[1::2], strict=True))


def place_of(of: store.Store, hashed: int) -> tuple[int, int]:
    """All that tells one context from another: its bucket and its check."""
    return hashed >> int(of.shift), hashed >> 16 & 0xFFFF


@given(st.dictionaries(hashes, followers_of, max_size=40), st.lists(hashes, max_size=10))
@settings(max_examples=100)
def test_what_was_built_is_found_and_nothing_else(contexts, others):
    of = build(contexts)
    places = {}
    for hashed in sorted(contexts):
        places.setdefault(place_of(of, hashed), contexts[hashed])
    for hashed in contexts:
        assert find(of, hashed) == places[place_of(of, hashed)]
    for hashed in others:
        assert find(of, hashed) == places.get(place_of(of, hashed))
    assert len(naive_prior.contexts_in(of)) == len(contexts)


def test_a_large_store_tells_its_contexts_apart():
    chance = random.Random(1)
    contexts = {chance.getrandbits(64): {n % 256: n % 63 + 1, (n + 1) % 256: 1} for n in range(20_000)}
    of = build(contexts)
    # Buckets hold about two contexts: hardly two of a bucket have the same check.
    assert sum(find(of, hashed) != followers for hashed, followers in contexts.items()) <= 5
    assert sum(find(of, chance.getrandbits(64)) is not None for _ in range(20_000)) <= 5
    sizes = np.bincount([bucket for bucket, *_ in naive_prior.contexts_in(of)])
    assert 1 <= sizes.mean() <= 3 and sizes.max() < 20


def test_buckets_are_a_power_of_two_that_the_shift_reaches():
    for n in (0, 1, 2, 3, 4, 7, 8, 9, 100, 1000):
        of = build({number << 50 | number: {1: 1} for number in range(n)})
        buckets = of.starts.size - 1
        assert buckets & (buckets - 1) == 0 and 2**64 >> int(of.shift) == buckets
        assert isinstance(of.shift, np.uint64)


@pytest.mark.parametrize("n", [1, 2, 255, 256])
def test_a_context_has_up_to_256_followers(n):
    contexts = {1 << 60: {byte: byte % 63 + 1 for byte in range(n)}, 3 << 16: {7: 7}, 5 << 20: {8: 8}}
    of = build(contexts)
    assert all(find(of, hashed) == followers for hashed, followers in contexts.items())


def test_the_ends_of_the_hashes_have_places():
    contexts = {0: {1: 2}, (1 << 64) - 1: {3: 4}, 0xFFFF << 16: {5: 6}}
    of = build(contexts)
    assert all(find(of, hashed) == followers for hashed, followers in contexts.items())


@pytest.mark.parametrize("of", [store.empty(), build({})], ids=["empty", "built of nothing"])
def test_an_empty_store_knows_nothing(of):
    assert naive_prior.contexts_in(of) == []
    for hashed in (0, 1, 1 << 16, 1 << 63, (1 << 64) - 1):
        assert find(of, hashed) is None


def test_a_store_cannot_be_written():
    for of in (store.empty(), build({5 << 40: {1: 1}})):
        for array in (of.starts, of.data):
            assert not array.flags.writeable
            with pytest.raises(ValueError):
                array[:1] = 0


# --- slots

SIZES = {"32 numbers": geometry.SLOT, "64 numbers": geometry.FINER_SLOT}
every_size = pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
FOLLOWERS = {
    "one": {ord("a"): 1},
    "one, often": {ord("a"): 63},
    "one, 255 times and more": {0: 19},
    "two of a half": {ord("a"): 3, ord("b"): 2},
    "the ends": {0: 1, 255: 63},
    "many": {byte: byte % 40 + 1 for byte in range(0, 256, 7)},
    "all": {byte: byte % 63 + 1 for byte in range(256)},
    "all, most often": dict.fromkeys(range(256), 63),
}


def fill(followers, half: "int | None", size: int) -> np.ndarray:
    """The slot of a byte's first half, or of the second one behind these four bits."""
    of = build({1 << 60: followers})
    place = store.find_followers(of.starts, of.data, of.shift, np.uint64(1 << 60))
    slots = np.zeros(4 * size, np.uint16)
    slots[size : 2 * size] = fresh(size)
    before = slots.copy()
    partial = 1 if half is None else 16 | half
    counts = np.full(32, 7, np.int64)  # whatever was there
    fill_slot(slots, size, size, of.data, place, half is not None, partial, counts)
    found = slots[size : 2 * size].copy()
    slots[size : 2 * size] = before[size : 2 * size]
    assert (slots == before).all(), "another slot was written"
    return found


def fresh(size: int) -> np.ndarray:
    """A slot just taken by a context, as find_slot leaves it."""
    slots = np.zeros(4 * size, np.uint16)
    at = ~counters.find_slot(slots, np.uint64(4), np.uint64(9 << 48), size)
    return slots[at : at + size]


def expected(followers, half, size) -> np.ndarray:
    slot = fresh(size)
    path = "" if half is None else f"{half:04b}"
    for within, (probability, history, observations) in naive_prior.filled(followers.items(), path).items():
        node = int("1" + within, 2)
        slot[node] = probability
        slot[node + 15] = naive_prior.counted_numbers()[history] << 6 | observations
        if size == geometry.FINER_SLOT:
            slot[node + FAST] = slot[node + SLOW] = probability
    if len(followers) == 1 and half is None:
        ((byte, level),) = followers.items()
        slot[RUN] = min(naive_prior.level_count(level), 255) << 8 | byte
    return slot


@every_size
@pytest.mark.parametrize("followers", FOLLOWERS.values(), ids=FOLLOWERS)
def test_a_slot_is_filled_by_the_definition(followers, size):
    for half in (None, 0, 6, 15):
        assert (fill(followers, half, size) == expected(followers, half, size)).all()


@given(
    st.dictionaries(st.integers(0, 255), st.integers(1, 63), min_size=1, max_size=256),
    st.one_of(st.none(), st.integers(0, 15)),
    st.sampled_from(list(SIZES.values())),
)
@settings(max_examples=100)
def test_any_followers_fill_a_slot_by_the_definition(followers, half, size):
    assert (fill(followers, half, size) == expected(followers, half, size)).all()


def test_what_a_filled_slot_says():
    slot = fill({ord("a"): 5, ord("b"): 1}, 6, geometry.SLOT)  # 0110 0001 five times, 0110 0010 once
    # Tenths: 4 beside what was seen of each outcome.
    wanted = {1: (4, 68), 0b10: (4, 68), 0b100: (14, 68), 0b1000: (54, 58), 0b1001: (4, 18)}
    for node in range(1, 16):
        ones, seen = wanted.get(node, (1, 2))
        assert slot[node] == ones * 65536 // seen
    assert [slot[node + 15] & 63 for node in (1, 0b100, 0b1000, 0b1001, 0b11)] == [6, 6, 5, 1, 0]
