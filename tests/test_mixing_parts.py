"""Parts of the mixing engine: tables, slots, counters and the match model."""

import itertools
import math

import naive_mixing
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_numbers import mix_hash
from test_mixing import SHIPPED, TEXTS, UNTRAINED, array, arrays, run

from nlmzip.contexts.basic import RECENT, WORDS
from nlmzip.engine import tables
from nlmzip.engine.inputs import counters
from nlmzip.engine.inputs.match import LENGTH, POINTER, recent_hash
from nlmzip.engine.loop import code_bytes
from nlmzip.engine.memory import engine
from nlmzip.engine.tables import squash
from nlmzip.entropy.logistic import LARGEST_LOGIT, stretch_table
from nlmzip.entropy.range_coder import Encoder
from nlmzip.kernels import njit

# --- tables


def test_stretch_is_the_logit_monotone_and_antisymmetric():
    table = stretch_table()
    p = (np.arange(4096) + 0.5) / 4096
    exact = [math.log(x / (1 - x)) for x in p]
    assert table.dtype == np.float32 and (table == np.array(exact, np.float32)).all()
    assert (np.diff(table) > 0).all() and (table == -table[::-1]).all()
    assert table.max() < LARGEST_LOGIT


@njit
def each_squash(logits, out):
    for index in range(logits.size):
        out[index] = squash(logits[index])


def test_squash_undoes_stretch():
    out = np.empty(4096, np.float32)
    each_squash(stretch_table(), out)
    np.testing.assert_allclose(out, (np.arange(4096) + 0.5) / 4096, rtol=2e-6)


def test_the_learning_rate_falls_like_one_over_n():
    rates = tables.reciprocal_table()
    assert (rates == [int(65536 / (n + 1.5)) for n in range(64)]).all()


def histories():
    """Every history that bits can lead to, with the bits of a shortest way there."""
    table, ways, new = tables.history_table(), {0: ""}, [0]
    while new:
        history = new.pop(0)
        for bit in (0, 1):
            after = int(table[history, bit])
            if after not in ways:
                ways[after] = ways[history] + str(bit)
                new.append(after)
    return table, ways


def counts(history):
    return [history >> 7, history >> 4 & 7]


def test_a_history_counts_to_seven_and_the_other_count_never_grows():
    table, ways = histories()
    assert len(ways) > 100
    for history, bit in itertools.product(ways, (0, 1)):
        before, after = counts(history), counts(int(table[history, bit]))
        assert after[bit] == min(before[bit] + 1, 7)
        assert after[1 - bit] <= before[1 - bit]


def test_a_history_ends_in_the_last_three_bits():
    table, ways = histories()
    for history, bits in ways.items():
        assert f"{history & 15:b}" == ("1" + bits[-3:] if bits else "0")
        for bit in "01":
            assert f"{table[history, int(bit)] & 15:b}" == "1" + (bits + bit)[-3:]


def test_a_first_probability_follows_its_counts():
    p = tables.first_history_probabilities()
    assert p[0] == 32768
    for history in range(tables.HISTORIES):
        zeros, ones = counts(history)
        assert np.sign(int(p[history]) - 32768) == np.sign(ones - zeros)


def test_every_character_has_a_class():
    classes = tables.character_classes()
    assert classes.tolist() == [naive_mixing.class_of(byte) for byte in range(256)]
    assert classes.min() == 0 and classes.max() == 7


# --- slots, counters, match


N_SLOTS = 3 << 8


def hash_of(line, check):
    """Of a context that has this check and may stand from this line on."""
    return np.uint64(check << 48 | -(-(line << 32) // N_SLOTS))


def empty_slots():
    return np.zeros(N_SLOTS * counters.SLOT, np.uint16)


def find(slots, line, check):
    """The slot's index, whether it was there or is new."""
    found = counters.find_slot(slots, np.uint64(N_SLOTS), hash_of(line, check))
    return found if found >= 0 else ~found


def see(slots, slot, times):
    slots[slot + 16] = times


def test_a_slot_is_found_again_as_it_was_left():
    slots = empty_slots()
    slot = find(slots, 77, 5)
    slots[slot + 1 : slot + counters.SLOT] = range(1, counters.SLOT)
    before = slots.copy()
    assert find(slots, 77, 5) == slot
    assert (slots == before).all()


def test_a_slot_that_was_cleared_is_told_from_one_that_was_found():
    slots, n_slots, hashed = empty_slots(), np.uint64(N_SLOTS), hash_of(77, 5)
    cleared = counters.find_slot(slots, n_slots, hashed)
    assert cleared < 0 and counters.find_slot(slots, n_slots, hashed) == ~cleared


def test_a_check_of_zero_is_a_check_too():
    slots = empty_slots()
    slot = find(slots, 3, 0)
    assert slots[slot] == 1 and find(slots, 3, 0) == slot


def test_three_contexts_of_one_line_stand_side_by_side():
    slots = empty_slots()
    places = {check: find(slots, 8, check) for check in (1, 2, 3)}
    assert sorted(places.values()) == [line * counters.SLOT for line in (8, 9, 10)]
    for slot in places.values():
        see(slots, slot, 1)
    assert {check: find(slots, 8, check) for check in (1, 2, 3)} == places


@pytest.mark.parametrize("seen, loser", [((3, 1, 2), 1), ((3, 2, 1), 2), ((1, 1, 1), 0), ((9, 0, 0), 1)])
def test_the_least_seen_gives_way_and_leaves_nothing_behind(seen, loser):
    slots = empty_slots()
    places = [find(slots, 8, check) for check in (1, 2, 3)]
    for slot, times in zip(places, seen):
        slots[slot + 1 : slot + counters.SLOT] = 999 << 6
        see(slots, slot, times)
    taken = find(slots, 8, 4)
    assert taken == places[loser]
    assert slots[taken : taken + counters.SLOT].tolist() == [4] + [32768] * 15 + [0] * 16


@given(st.integers(0, 65535), st.sampled_from([1024, *map(int, tables.reciprocal_table())]))
def test_a_probability_moves_to_the_bit_and_stays_inside(probability, rate):
    inside = min(max(probability, 16), 65519)
    down, up = (int(counters.adapt(np.uint16(probability), bit, rate)) for bit in (0, 1))
    assert 16 <= down <= inside <= up <= 65519
    assert down < inside or inside == 16
    assert up > inside or (65535 - inside) * rate < 65536 or inside == 65519


def test_maps_stay_inside_while_a_text_is_learnt():
    mixing, _ = run(Encoder(), array(TEXTS["more than a stretch"]), begin=UNTRAINED)
    maps = mixing.moving.maps
    for values in (maps.history, maps.run, maps.match, maps.order_0):
        assert values.min() >= 16 and values.max() <= 65519
    assert max(maps.history_seen.max(), maps.order_0_seen.max()) <= 62
    assert all(np.isfinite(values).all() for values in arrays(mixing))
    for curves in (mixing.curves.by_byte, mixing.curves.by_trigram):
        assert curves.min() >= 0 and curves.max() <= 1


def test_the_match_follows_a_repeat_and_fails_at_a_mismatch():
    data = array(b"0123456789abcdef, 01234567ZZ.")
    mixing = engine(1 << 12, SHIPPED)
    matches = []
    for place in range(data.size):
        code_bytes(Encoder(), mixing, data, place, place + 1)
        matches.append((int(mixing.moving.match[0, POINTER]), int(mixing.moving.match[0, LENGTH])))
    lengths = [length for _, length in matches]
    assert lengths[:23] == [0] * 23  # six bytes are needed to find one
    assert matches[23:26] == [(6, 6), (7, 7), (8, 8)]
    assert lengths[26:] == [0, 0, 0]


@pytest.mark.parametrize("n", [1, 5, 7, 8, 12, 15, 16, 20])
def test_the_hash_of_the_last_bytes_is_of_as_many_as_there_are(n):
    """16 bytes at most; a shift by 64 or more would be another number on each processor."""
    data = bytes(range(100, 116))
    words = np.zeros(WORDS, np.uint64)
    words[RECENT] = int.from_bytes(data[8:], "big")
    hashed = recent_hash(words, np.uint64(int.from_bytes(data[:8], "big")), n)
    last = int.from_bytes(data[-min(n, 16) :], "big")
    if n < 8:
        assert hashed == mix_hash(last, 0)
    else:
        assert hashed == mix_hash(mix_hash(last & (1 << 64) - 1, last >> 64), n)
