"""Counts of what follows each context: those of dictionaries, and the levels and histories they become."""

import itertools

import naive_mixing
import naive_prior
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlmzip.counts import count_levels, trie
from nlmzip.engine import tables
from nlmzip.engine.inputs import counted
from nlmzip.training.counts import counting

TEXTS = {
    "prose": [naive_prior.text_of(600, 1), naive_prior.text_of(400, 2), b"The cow"],
    "case and digits": [b"The COW the cow THE 12 the 1212, tHe\n" * 3],
    "CRLF": [b"one two three\r\none two\r\n\r\none two three four five six\r\n" * 2],
    "high bytes": [bytes(range(120, 256)) * 2, "Kühe fraßen Gräser. KÜHE\n".encode() * 3],
    "columns": [b"ab 1\nab 2\n\nlonger than above\nab 3" + b"-" * 253 + b"\n" + b"+" * 255],
    "words": [b"one two three four five six seven one two three four five six eight. a b c d e f"],
    "zeros": [b"\0\0\0a\0\0\0a"],
    "one byte": [b"x", b"x", b"y"],
    "with an empty text": [b"", b"the cow", b""],
    "nothing": [b""],
    "no text": [],
}
every_text = pytest.mark.parametrize("texts", TEXTS.values(), ids=TEXTS)


def count(texts, least=1, least_context=1) -> list[dict]:
    """Of each kind, {(hash, byte): (count, documents)}; sorted, and no pair twice."""
    kinds = [least] * trie.KINDS, [least_context] * trie.KINDS
    found = []
    for counts in counting.count(texts, *kinds):
        assert [array.dtype for array in counts] == [np.uint64, np.uint8, np.uint32, np.uint32]
        pairs = list(zip(counts.contexts.tolist(), counts.following.tolist(), strict=True))
        assert pairs == sorted(set(pairs))
        found.append(dict(zip(pairs, zip(counts.count.tolist(), counts.documents.tolist(), strict=True), strict=True)))
    return found


def naive(texts, least=1, least_context=1) -> list[dict]:
    kinds = naive_prior.count(texts, least, least_context)
    hashed = [
        {
            (naive_prior.hash_of(kind, context) & naive_prior.KEPT_BITS, byte): numbers
            for (context, byte), numbers in pairs.items()
        }
        for kind, pairs in enumerate(kinds)
    ]
    assert list(map(len, hashed)) == list(map(len, kinds)), "two contexts hash alike"
    return hashed


@every_text
def test_counts_are_those_of_a_dictionary(texts):
    assert count(texts) == naive(texts)


@pytest.mark.parametrize("least, least_context", [(2, 1), (1, 2), (1, 5), (2, 4), (3, 50), (1000, 1)])
def test_thresholds_leave_out_what_they_say(least, least_context):
    texts = TEXTS["prose"] + TEXTS["case and digits"]
    assert count(texts, least, least_context) == naive(texts, least, least_context)


@given(
    st.lists(
        st.one_of(
            st.binary(max_size=60),
            st.lists(st.sampled_from([b"a", b"A", b"b", b" ", b"\n", b"\r\n", b"9", b"\xc3", b"-"]), max_size=60).map(b"".join),
        ),
        max_size=4,
    ),
    st.integers(1, 3),
    st.integers(1, 6),
)
@settings(max_examples=60)
def test_any_texts_count_as_in_a_dictionary(texts, least, least_context):
    assert count(texts, least, least_context) == naive(texts, least, least_context)


@pytest.mark.parametrize("times", [256, 257, 262, 600])
def test_counts_above_255_in_one_document_are_whole(times):
    texts = [b"a" * times + b"b", b"a" * 3, b"b"]
    found, wanted = count(texts), naive(texts)
    counts = [[{pair: n for pair, (n, _) in kind.items()} for kind in of] for of in (found, wanted)]
    assert counts[0] == counts[1]
    assert sum(counts[0][trie.ROOT].values()) == times + 5


@pytest.mark.parametrize("times", [256, 300, 600])
def test_a_document_is_one_document_however_often_a_pair_stands_in_it(times):
    texts = [b"a" * times + b"b", b"a" * 3, b"b"]
    assert count(texts) == naive(texts)


def test_thresholds_are_of_each_kind():
    least = list(range(1, trie.KINDS + 1))
    contexts = [1 + kind % 3 for kind in range(trie.KINDS)]
    counted_ = list(counting.count(TEXTS["prose"], least, contexts))
    for kind, counts in enumerate(counted_):
        if kind == trie.ROOT:  # is never pruned
            continue
        wanted = naive(TEXTS["prose"], least[kind], contexts[kind])[kind]
        assert dict(zip(zip(counts.contexts.tolist(), counts.following.tolist()), counts.count.tolist())) == {
            pair: n for pair, (n, _) in wanted.items()
        }


# --- levels


def test_level_counts_are_exact_to_five_and_then_a_third_apart():
    counts = count_levels.level_counts()
    assert counts.tolist() == [naive_prior.level_count(level) for level in range(count_levels.LEVELS)]
    assert counts[:6].tolist() == [0, 1, 2, 3, 4, 5]
    assert (np.diff(counts) > 0).all()
    shares = counts[7:] / counts[6:-1]
    assert shares.min() > 4 / 3 and shares.max() < 1.5


def test_the_level_of_a_count_is_the_nearest():
    counts, highest = count_levels.level_counts(), count_levels.LEVELS - 1
    several = np.unique(np.concatenate([np.arange(3000), *(counts + step for step in (-1, 0, 1))]))
    several = several[several >= 0]
    levels = count_levels.levels_of(several)
    assert levels.dtype == np.uint8
    for n, level in zip(several.tolist(), levels.tolist()):
        distance = abs(n - int(counts[level]))
        assert distance <= abs(n - int(counts[min(level + 1, highest)]))
        assert distance <= abs(n - int(counts[max(level - 1, 0)]))
    assert (count_levels.levels_of(counts) == np.arange(count_levels.LEVELS)).all()


def test_the_largest_counts_have_a_level():
    assert count_levels.levels_of(np.array([1 << 32, 1 << 39], np.int64)).tolist() == [63, 63]
    assert count_levels.levels_of(np.array([], np.int64)).size == 0


def test_logarithms_are_quarters_rounded_down():
    logarithms = count_levels.logarithms()
    assert logarithms.dtype == np.int64
    for count_, quarters in zip(count_levels.level_counts()[1:].tolist(), logarithms[1:].tolist()):
        assert 2**quarters <= count_**4 < 2 ** (quarters + 1)


# --- counted histories


def test_the_classes_of_counts():
    classes = counted.count_classes()
    assert classes.tolist() == [naive_prior.count_class(n) for n in range(counted.LARGEST_COUNT + 1)]
    assert classes[0] == 0 and classes[-1] == counted.CLASSES - 1


def test_counted_histories_have_codes_of_their_own():
    numbers = naive_prior.counted_numbers()
    assert len(numbers) == (counted.CLASSES**2 - 1) * 7 == len(set(numbers.values()))
    assert all(0 < number < tables.HISTORIES for number in numbers.values())


def test_ordinary_histories_never_become_counted_and_stay_as_they_were():
    ordinary, table = tables.history_table(), counted.history_table()
    codes = set(naive_prior.counted_numbers().values())
    reached, waiting = {0}, [0]
    while waiting:
        history = waiting.pop()
        assert history not in codes
        assert (table[history] == ordinary[history]).all()
        after = set(table[history].tolist()) - reached
        reached |= after
        waiting += after
    # Every history that is reached from nothing is one that the twin's nodes have.
    assert len(reached) + len(codes) <= tables.HISTORIES


def test_counted_histories_move_as_the_twin_s_do():
    table, numbers = counted.history_table(), naive_prior.counted_numbers()
    for history, number in numbers.items():
        for bit in (0, 1):
            node = naive_prior.Node()
            node.history = history
            node.move(bit)
            assert table[number, bit] == numbers[node.history]


def test_first_codes_are_those_of_no_bit_since():
    first, numbers = counted.first_codes(), naive_prior.counted_numbers()
    assert first[0, 0] == 0
    for zeros, ones in itertools.product(range(counted.CLASSES), repeat=2):
        if zeros or ones:
            assert first[zeros, ones] == numbers["counted", zeros, ones, ""]


def test_first_probabilities_say_what_was_counted_and_leave_the_others():
    maps = np.arange(2 * tables.HISTORIES).reshape(2, -1).astype(np.uint16)
    before = maps.copy()
    after = counted.with_first_probabilities(maps)
    assert (maps == before).all() and after.dtype == np.uint16 and after.shape == maps.shape
    numbers = naive_prior.counted_numbers()
    others = sorted(set(range(tables.HISTORIES)) - set(numbers.values()))
    assert (after[:, others] == maps[:, others]).all()
    for (_, zeros, ones, since), number in numbers.items():
        assert after[0, number] == after[1, number] == after[0, numbers["counted", zeros, ones, ""]]
        if zeros == ones:
            assert abs(int(after[0, number]) - 32768) <= 1
        else:
            assert (after[0, number] > 32768) == (ones > zeros)
    for zeros in range(counted.CLASSES - 1):  # more zeros, fewer ones expected
        more = [after[0, numbers["counted", n, 3, ""]] for n in (zeros, zeros + 1)]
        assert more[0] > more[1]
    assert 16 <= after[:, list(numbers.values())].min() and after[:, list(numbers.values())].max() <= 65519


def test_a_history_of_the_twin_has_the_kernel_s_number():
    ordinary = tables.history_table()
    for bits in itertools.product((0, 1), repeat=6):
        node, number = naive_mixing.Node(), 0
        for bit in bits:
            node.move(bit)
            number = int(ordinary[number, bit])
        assert naive_mixing.history_number(node.history) == number
