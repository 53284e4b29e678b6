"""The finance corpus: its texts are what the source draws, and the source's probabilities are right."""

import itertools
import math
import re
from collections import Counter

import pytest

from corpora.finance import names, source, texts
from corpora.finance.bands import KneserNey, trigrams
from corpora.finance.entropy import NOVELTIES, novelty_of, ratio_with_error
from corpora.finance.grammar import END, Choice, Sequence, Source, Words, derivations
from corpora.finance.knowledge_base import build_companies
from corpora.finance.sentences import fact_slots, fill, free_slots
from corpora.finance.splitmix import SplitMix64


@pytest.fixture(scope="module")
def small_expression():
    """An enumerable part of the grammar: a few of the corpus's own templates about two companies."""
    companies = build_companies()[:2]
    free = free_slots(companies)
    told = {"{company} has opened {count} {sites}": 3, "{company} has renamed {any_product} {any_product}": 2,
            "shares of {company} fell on {product} delays": 1, "in {year} {company} has kept {subsidiary} {guise}": 1}
    return Choice([fill(told, {**free, **fact_slots(company)}) for company in companies], [2, 1])


@pytest.fixture(scope="module")
def probability_of(small_expression):
    """{sentence: probability} of that part, summed over derivations one by one."""
    total = Counter()
    for probability, words in derivations(small_expression):
        total[words] += probability
    return total


@pytest.fixture
def ambiguous_expression():
    """An expression that says "a b c" in three ways and "a b" in two."""
    start = Choice([Words("a"), Words("a b"), Words("")], [3, 2, 1])
    middle = Choice([Words("b"), Words(""), Words("a b")], [1, 4, 2])
    return Sequence([start, middle, Choice([Words("c"), Words("")])])


@pytest.mark.parametrize("name", texts.TEXTS)
def test_text_is_what_its_seed_draws(name):
    assert (texts.FOLDER / f"{name}.txt").read_bytes() == texts.draw(name)


@pytest.mark.parametrize("name, n_sentences", [("train", 6194), ("dev", 844), ("heldout", 2049)])
def test_text_has_the_stated_number_of_plain_lines(name, n_sentences):
    lines = (texts.FOLDER / f"{name}.txt").read_text().splitlines(keepends=True)
    assert len(lines) == n_sentences
    assert all(re.fullmatch(r"[a-z0-9]+( [a-z0-9]+)*\n", line) for line in lines)


def test_texts_differ_only_by_seed():
    seeds = [seed for seed, _ in texts.TEXTS.values()]
    assert len(set(seeds)) == len(seeds)
    for name, (seed, n_sentences) in texts.TEXTS.items():
        assert source.sample_sentences(seed, n_sentences) == texts.read(texts.FOLDER / f"{name}.txt")


def test_splitmix_draws_the_published_sequence():
    generator = SplitMix64(1234567)
    assert [generator.next() for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_rare_names_are_distinct_and_nothing_else_is_called_so():
    rare = set(names.RARE_NAMES)
    assert len(rare) == len(names.RARE_NAMES)
    facts = [word for company in build_companies() for fact in (*company.products, *company.subsidiaries, company.chief)
             for word in fact.split()]
    assert rare.isdisjoint([*facts, *names.CITIES, *names.COMMON_SURNAMES, *names.FORENAMES, *names.QUALITIES])


def test_next_words_sum_to_one_along_random_prefixes():
    for words in source.sample_sentences(seed=77, n_sentences=300):
        for length in range(len(words) + 1):
            assert math.isclose(math.fsum(source.next_word_distribution(words[:length]).values()), 1, abs_tol=1e-9)


def test_word_probabilities_are_those_of_the_next_word_distribution():
    for words in source.sample_sentences(seed=78, n_sentences=20):
        logarithms = source.word_log2_probabilities(words)
        for position, word in enumerate([*words, END]):
            assert math.isclose(2 ** logarithms[position], source.next_word_distribution(words[:position])[word])
        assert source.sentence_log2_probability(words) == sum(logarithms)


def test_what_the_source_cannot_say_has_no_probability():
    assert source.sentence_log2_probability(["colourless", "green", "ideas"]) == -math.inf
    assert source.sentence_log2_probability([]) == -math.inf
    assert source.next_word_distribution(["shares", "shares"]) == {}


def test_probabilities_sum_to_one_over_an_enumerable_part(small_expression, probability_of):
    part = Source(small_expression)
    assert len(probability_of) > 300
    assert math.isclose(math.fsum(2 ** part.sentence_log2_probability(words) for words in probability_of), 1)


def test_forward_pass_equals_the_sum_over_derivations(small_expression, probability_of):
    part = Source(small_expression)
    for words, probability in probability_of.items():
        assert math.isclose(part.sentence_log2_probability(words), math.log2(probability), abs_tol=1e-9)


def test_forward_pass_adds_the_derivations_of_an_ambiguous_sentence(ambiguous_expression):
    ways, total = Counter(), Counter()
    for probability, words in derivations(ambiguous_expression):
        ways[words] += 1
        total[words] += probability
    assert ways["a", "b", "c"] == 3 and ways["a", "b"] == 3
    for length in range(5):
        for words in itertools.product("abc", repeat=length):
            log2_probability = Source(ambiguous_expression).sentence_log2_probability(words)
            assert math.isclose(2 ** log2_probability, total[words], abs_tol=1e-12)


def test_exact_expectations_equal_the_enumerated_ones(small_expression, probability_of, ambiguous_expression):
    ambiguous = Counter()
    for probability, words in derivations(ambiguous_expression):
        ambiguous[words] += probability
    for expression, enumerated in ((small_expression, probability_of), (ambiguous_expression, ambiguous)):
        bits, characters, tokens = Source(expression).expectations()
        assert math.isclose(bits, -math.fsum(p * math.log2(p) for p in enumerated.values()))
        assert math.isclose(characters, math.fsum(p * sum(len(w) + 1 for w in words) for words, p in enumerated.items()))
        assert math.isclose(tokens, math.fsum(p * (len(words) + 1) for words, p in enumerated.items()))


def test_mean_cost_of_samples_is_the_enumerated_entropy(small_expression, probability_of):
    n_samples = 100_000
    entropy = -math.fsum(p * math.log2(p) for p in probability_of.values())
    variance = math.fsum(p * (math.log2(p) + entropy) ** 2 for p in probability_of.values())
    part, generator = Source(small_expression), SplitMix64(2049)
    counts = Counter(tuple(part.sample(generator)) for _ in range(n_samples))
    mean = -math.fsum(n * part.sentence_log2_probability(words) for words, n in counts.items()) / n_samples
    assert abs(mean - entropy) < 3 * math.sqrt(variance / n_samples)


@pytest.mark.parametrize("context", [("<s>", "<s>"), ("<s>", "a"), ("a", "b"), ("c", "b"), ("never", "seen")])
def test_kneser_ney_of_the_bands_sums_to_one(context):
    training = [sentence.split() for sentence in ("a b c", "a b b", "c a b", "b", "a c", "d")]
    vocabulary = {"a", "b", "c", "d"}
    model = KneserNey([event for words in training for event in trigrams(words, vocabulary)], len(vocabulary) + 2)
    total = math.fsum(model.probability((*context, word)) for word in [*vocabulary, END, "<unk>"])
    assert math.isclose(total, 1)


def test_novelty_tells_what_training_showed():
    novelty = novelty_of([["a", "b"], ["b", "a"]])
    assert [novelty("<s>", "a"), novelty("a", "a"), novelty("a", "z"), novelty("b", END)] == [
        NOVELTIES[2], NOVELTIES[1], NOVELTIES[0], NOVELTIES[2]]


def test_standard_error_of_a_ratio_with_equal_denominators_is_that_of_the_mean():
    ratio, error = ratio_with_error([1.0, 2.0, 6.0], [2, 2, 2])
    assert math.isclose(ratio, 1.5)
    assert math.isclose(error, math.sqrt(7 / 3) / 2)
