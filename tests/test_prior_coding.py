"""Coded counts: what a decoder has is what the source says, and damage is told, never read."""

import random

import naive_prior
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlmzip.counts import bits, count_levels, counts_file, trie
from nlmzip.counts.store import empty
from nlmzip.entropy.range_coder import POSITION, Decoder, Encoder
from nlmzip.errors import ModelError
from nlmzip.training.counts import counting
from nlmzip.training.counts import train as training

REACHES = {
    "short": (2, True, 6), "no words": (1, False, 6), "long": (4, False, 6), "longest": (4, False, 8),
    "all": (4, True, 8),
}  # fmt: skip
every_reach = pytest.mark.parametrize("reach", REACHES.values(), ids=REACHES)
SEVERAL = {
    "a line": [b"the cow ate the hay, the cow ate\n"],
    "one byte": [b"x"],
    "a run": [b"a" * 700],
    "random": [random.Random(1).randbytes(4000)],
    "every byte value": [bytes(range(256)) * 8],
    "random words": [b" ".join(random.Random(2).randbytes(3).hex().encode() for _ in range(1))] * 2,
    "high bytes": ["Kühe fraßen Gräser. KÜHE\r\n".encode() * 30],
    "a long line": [b"a long line, and LONGER " * 60],
}


def source_of(texts, words, skipping, orders, least=1, least_context=1):
    """The arguments of counts_file.encode for exact counts of these texts."""
    pairs = list(counting.count(texts, [least] * trie.KINDS, [least_context] * trie.KINDS))
    kinds = training.Reach(words, skipping, orders, None).kinds
    total = int(count_levels.levels_of(np.array([sum(map(len, texts))]))[0])
    source = training._source([*(pairs[kind] for kind in kinds), pairs[trie.ROOT]])
    return *source, total, words, skipping, orders


def same(one, other) -> bool:
    return one.shift == other.shift and all(map(np.array_equal, one[:2], other[:2]))


def pairs_of(store, hashes) -> set:
    """(hash, byte, level) of all contexts of these hashes that a store holds."""
    lookup = naive_prior.Lookup(store)
    return {(hashed, *pair) for hashed in hashes for pair in lookup.followers(hashed) or []}


# --- both directions


@every_reach
def test_a_decoder_has_what_the_encoder_says(reach):
    coded, known = naive_prior.coded(*reach)
    assert same(counts_file.decode(coded), known)
    assert len(naive_prior.contexts_in(known)) == coded.contexts - 2


@pytest.mark.parametrize("texts", SEVERAL.values(), ids=SEVERAL)
def test_counts_of_any_text_come_back(texts):
    for reach in REACHES.values():
        arguments = source_of(texts, *reach)
        coded, known = counts_file.encode(*arguments)
        assert same(counts_file.decode(coded), known)
        assert counts_file.encode(*arguments)[0] == coded


@given(
    st.lists(st.one_of(st.binary(max_size=80), st.text("abAB \n.é", max_size=80).map(str.encode)), min_size=1, max_size=3),
    st.sampled_from(list(REACHES.values())),
    st.integers(1, 2),
)
@settings(max_examples=40)
def test_counts_of_any_bytes_come_back(texts, reach, least):
    if any(texts):
        coded, known = counts_file.encode(*source_of(texts, *reach, least))
        assert same(counts_file.decode(coded), known)


@every_reach
def test_coding_again_gives_the_same_bytes(reach):
    coded, known = naive_prior.coded(*reach)
    again, known_again = counts_file.encode(*naive_prior.source(*reach), *reach)
    assert again == coded and same(known_again, known)


@every_reach
def test_what_is_decoded_stands_in_the_source_and_hardly_anything_is_lost(reach):
    """A pair goes without only where its reference lacks it: at most one in forty of this text."""
    texts = [naive_prior.text_of(2500, seed) for seed in (1, 2)]
    arguments = source_of(texts, *reach, least_context=2)
    coded, known = counts_file.encode(*arguments)
    hashes = {naive_prior.hash_of(k, c) for k, pairs in enumerate(naive_prior.count(texts)) for c, _ in pairs}
    hashes.remove(trie.ORDER_0_HASH)  # which is in no store
    of_source, of_decoder = pairs_of(arguments[0], hashes), pairs_of(known, hashes)
    assert of_decoder <= of_source
    n_followers = sum(len(followers) for _, _, followers in naive_prior.contexts_in(known))
    assert len(of_decoder) == n_followers, "the decoder has contexts that stand nowhere in the text"
    assert len(of_decoder) > 0.975 * len(of_source)


def test_orders_lose_nothing_that_is_counted_everywhere():
    texts = [naive_prior.text_of(3000, 5)]
    arguments = source_of(texts, 1, False, 8)
    _, known = counts_file.encode(*arguments)
    kinds = (*range(5), naive_prior.ORDER_7, naive_prior.ORDER_8)
    counts = naive_prior.count(texts)
    hashes = {naive_prior.hash_of(kind, context) for kind in kinds for context, _ in counts[kind]}
    lost = pairs_of(arguments[0], hashes) - pairs_of(known, hashes)
    # Contexts at the beginning of a text, with bytes of 0 before it, cannot be reached.
    assert len(lost) <= sum((1, 2, 3, 4, 5, 7, 8))


def test_nothing_of_words_is_coded_beyond_what_is_asked_for():
    short, _ = naive_prior.coded(1, False)
    longer, _ = naive_prior.coded(2, False)
    longest, _ = naive_prior.coded(4, False)
    assert short.contexts < longer.contexts < longest.contexts
    skipping, _ = naive_prior.coded(4, True)
    assert longest.contexts < skipping.contexts


def test_followers_are_told_in_few_bits():
    coded, _ = naive_prior.coded(2, True)
    assert 8 * len(coded.payload) < 4 * coded.followers


def test_what_is_coded_stays_within_the_room_made_for_it():
    """Texts of which little can be foretold: the coder's buffer must not be written beyond."""
    texts = [random.Random(seed).randbytes(6000) for seed in range(2)]
    arguments = source_of(texts, 4, True, 8)
    coded, known = counts_file.encode(*arguments)
    room = counts_file._BYTES_A_FOLLOWER * (arguments[1] + arguments[2]) + 8 * (1 << 16)
    assert len(coded.payload) < room / 2
    assert same(counts_file.decode(coded), known)


@pytest.mark.parametrize("numbers", [(1 << 28, 9), (9, 1 << 26)], ids=["contexts", "followers"])
def test_more_than_the_nodes_have_room_for_is_refused(numbers):
    with pytest.raises(ModelError, match="prune more"):
        counts_file.encode(empty(), *numbers, 9, 2, True)


# --- damage


def refused(coded) -> bool:
    """Whether these counts are told to be damaged; otherwise they must be a sound store."""
    try:
        of = counts_file.decode(coded)
    except ModelError as error:
        assert "\n" not in str(error) and str(error)
        return True
    check_sound(of)
    return False


def check_sound(of) -> None:
    """What kernels that check no bounds rely on."""
    for _, _, followers in naive_prior.contexts_in(of):
        listed = [byte for byte, _ in followers]
        assert len(set(listed)) == len(listed), "a follower twice"
        assert all(1 <= level < count_levels.LEVELS for _, level in followers), "a level that cannot be"


def small():
    coded, _ = counts_file.encode(*source_of([naive_prior.text_of(1500, 7)], 2, True, 6))
    return coded


SMALL = small()


def test_every_truncation_is_refused():
    payload = SMALL.payload
    for n_bytes in (*range(0, len(payload), 37), len(payload) - 1):
        assert refused(SMALL._replace(payload=payload[:n_bytes])), n_bytes


def test_bytes_too_many_are_refused():
    for more in (b"\0", b"\xff", SMALL.payload):
        assert refused(SMALL._replace(payload=SMALL.payload + more))


def test_flipped_bits_are_refused_or_give_a_sound_store():
    chance, accepted = random.Random(3), 0
    places = [*range(8), *(chance.randrange(len(SMALL.payload)) for _ in range(80))]
    for place in places:
        damaged = bytearray(SMALL.payload)
        damaged[place] ^= 1 << chance.randrange(8)
        accepted += not refused(SMALL._replace(payload=bytes(damaged)))
    assert accepted <= 2  # only the whole file's digest can tell such a one


@pytest.mark.parametrize(
    "change",
    [
        {"contexts": SMALL.contexts - 1}, {"contexts": SMALL.contexts + 1},
        {"followers": SMALL.followers - 1}, {"followers": SMALL.followers + 1},
        {"contexts": 0}, {"contexts": 1}, {"contexts": 2}, {"followers": 0}, {"followers": 255}, {"followers": 256},
        {"contexts": (1 << 25) + 1}, {"followers": 1 << 40}, {"contexts": 1 << 61, "followers": 1 << 61},
        {"total": 64}, {"total": 1 << 40}, {"words": 0}, {"words": 5}, {"words": 1 << 50},
        {"orders": 5}, {"orders": 9}, {"orders": -1}, {"orders": 1 << 50}, {"orders": 8},
        {"words": 1}, {"words": 4}, {"skipping": False}, {"total": 0}, {"total": SMALL.total + 9},
    ],
    ids=str,
)  # fmt: skip
def test_wrong_numbers_are_refused(change):
    assert refused(SMALL._replace(**change))


def test_negative_numbers_are_refused():
    for name in ("contexts", "followers", "total", "words"):
        assert refused(SMALL._replace(**{name: -1}))


def as_a_hostile_writer_describes(payload: bytes, total: int, words: int, skipping: bool, orders: int):
    """Counts of this payload whose numbers and length give nothing away; None if there are none."""
    coder, nodes = Decoder(payload), trie.empty_nodes(20_000, 30_000)
    try:
        counts_file._walk(coder, nodes, empty(), total, words, skipping, orders)
    except ValueError:
        return None
    if not coder.overrun:
        return None
    contexts, followers = (int(n) for n in nodes.used)
    whole = payload.ljust(int(coder.state[POSITION]) - 7, b"\0")  # a decoder reads zeros behind the end
    return counts_file.CodedCounts(whole, contexts, followers, total, words, skipping, orders)


# Among these seeds are payloads that say a level of 0, with which a follower was never seen.
@pytest.mark.parametrize("seed", [*range(8), 440, 474, 534, 589, 597, 647, 650])
def test_a_hostile_payload_is_refused_or_gives_a_sound_store(seed):
    """Short payloads run on into zeros, and may say what no encoder says."""
    chance = random.Random(seed)
    payload = bytes(chance.choice((0, chance.randrange(256))) for _ in range(chance.randrange(1, 60)))
    said = chance.randrange(64), chance.randrange(1, 5), chance.random() < 0.5, 6 + 2 * (seed % 2)
    coded = as_a_hostile_writer_describes(payload, *said)
    if coded:
        refused(coded)


@pytest.mark.parametrize("payload", [b"", b"\0", b"\0" * 50, b"\1" * 9], ids=str)
def test_decoding_stops_soon_behind_the_end_of_a_payload(payload):
    """However many contexts and followers the numbers promise."""
    coder, nodes = Decoder(payload), trie.empty_nodes(1 << 19, 1 << 19)
    try:
        counts_file._walk(coder, nodes, empty(), 30, 4, True, 8)
    except ValueError:
        pass
    assert int(coder.state[POSITION]) < len(payload) + 2000
    assert refused(counts_file.CodedCounts(payload, 1 << 19, 1 << 19, 30, 4, True, 8))


# --- binary decisions


def test_decisions_come_back_and_are_learnt():
    chance = random.Random(1)
    wanted = [int(chance.random() < (0.9 if place % 3 else 0.05)) for place in range(3000)]

    def code(coder, bits_of):
        cells, weights = bits.new_cells(8), bits.new_weights(2)
        arrays = coder.state, coder.buffer, coder.information
        found = []
        for place, bit in enumerate(bits_of):
            found.append(bits.code_decision(arrays, cells, weights, place % 3, place % 2, 7, place % 5, place % 2, bit))
        return found, cells, weights

    encoder = Encoder()
    encoder.reserve(3000)
    assert code(encoder, wanted)[0] == wanted
    payload = encoder.finish()
    found, cells, weights = code(Decoder(payload), [0] * 3000)
    assert found == wanted
    assert 8 * len(payload) < 0.5 * 3000
    assert np.isfinite(weights).all()
    moves = cells & 255
    assert moves.max() == 30 and moves[0, :3].min() == 30 and (moves[0, 3:] == 0).all()
    ones = (cells[0, :3] >> 8) / (1 << 24)
    assert ones[0] < 0.3 and ones[1] > 0.7 and ones[2] > 0.7


def test_a_decision_that_never_changes_costs_next_to_nothing():
    for bit in (0, 1):
        encoder = Encoder()
        encoder.reserve(20_000)
        cells, weights = bits.new_cells(1), bits.new_weights(1)
        arrays = encoder.state, encoder.buffer, encoder.information
        for _ in range(20_000):
            bits.code_decision(arrays, cells, weights, 0, 0, 0, 0, 0, bit)
        assert encoder.bits < 40
        assert np.isfinite(weights).all()
