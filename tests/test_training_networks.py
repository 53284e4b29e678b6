"""The networks' hand-written gradients, against the complex step and against naive twins."""

import numpy as np
import pytest

from nlmzip.training.bodies.elman import Elman
from nlmzip.training.bodies.embeddings import embedding_gradient
from nlmzip.training.bodies.gru import Gru
from nlmzip.training.bodies.lstm import Lstm
from nlmzip.training.bodies.mgu import Mgu
from nlmzip.training.bodies.nplm import Nplm
from nlmzip.training.fit import batching
from nlmzip.training.heads.softmax import Softmax
from nlmzip.training.heads.softmax_mixtures import MixtureOfContexts, MixtureOfSoftmaxes
from nlmzip.training.heads.tying import Tied
from tests import naive_networks

# Short and long sentences; words repeat in a context (3 3), in a sentence and in the batch.
SENTENCES = [[3, 3, 3, 5, 1], [2, 1], [4, 0, 3, 3, 6, 2, 3, 1], [1], [6, 5, 4, 3, 2, 1]]
TOKENS = np.array(sum(SENTENCES, []), np.int32)
V = 7


def random_weights(network, seed=0):
    """Float64 weights, all of a size that bends tanh and softmax."""
    random = np.random.default_rng(seed)
    return {
        name: random.normal(0, 0.7, array.shape)
        for name, array in network.initial_weights(random).items()
    }


def complex_step_gradients(loss, weights, step=1e-30):
    """Squire and Trapp (1998): Im f(x + i h) / h, exact to rounding, one number at a time."""
    gradients = {}
    moved = {name: array.astype(np.complex128) for name, array in weights.items()}
    for name, array in weights.items():
        gradients[name] = np.zeros(array.shape)
        for index in np.ndindex(array.shape):
            moved[name][index] += 1j * step
            gradients[name][index] = loss(moved).imag / step
            moved[name][index] = array[index]
    return gradients


def assert_same_gradients(gradients, reference, tolerance=1e-12):
    assert gradients.keys() == reference.keys()
    for name, array in reference.items():
        assert np.abs(array).max() > 1e-4, f"{name}: nothing to compare"
        np.testing.assert_allclose(gradients[name], array, atol=tolerance, err_msg=name)


@pytest.mark.parametrize("context", [1, 2, 4])
def test_nplm_gradients_equal_the_complex_step(context):
    network = Nplm(V, embedding=2, hidden=3, context=context)
    weights = random_weights(network)
    contexts = network.contexts(TOKENS)
    _, gradients = network.loss_and_gradients(weights, contexts, TOKENS)
    reference = complex_step_gradients(
        lambda moved: network.loss_and_gradients(moved, contexts, TOKENS)[0], weights
    )
    assert_same_gradients(gradients, reference)


def sentence_batch(n_sentences):
    (batch,) = batching.sentence_batches(TOKENS, V, n_sentences, np.random.default_rng(0))
    return batch


RECURRENT = {Elman: naive_networks.elman, Lstm: naive_networks.lstm, Gru: naive_networks.gru, Mgu: naive_networks.mgu}
each_recurrent = pytest.mark.parametrize("kind", RECURRENT)


@each_recurrent
def test_recurrent_gradients_of_masked_sentences_equal_the_complex_step(kind):
    network = kind(V, embedding=2, hidden=3)
    weights = random_weights(network)
    batch = sentence_batch(len(SENTENCES))
    assert not batch.mask.all() and batch.mask.sum() == len(TOKENS)
    _, gradients, _ = network.loss_and_gradients(weights, batch)
    reference = complex_step_gradients(
        lambda moved: network.loss_and_gradients(moved, batch)[0], weights
    )
    assert_same_gradients(gradients, reference)


@each_recurrent
def test_recurrent_gradients_with_a_carried_state_equal_the_complex_step(kind):
    network = kind(V, embedding=2, hidden=3, reset_state=False)
    weights = random_weights(network)
    first, second = list(batching.stream_batches(TOKENS[:20], V, n_streams=2, n_steps=5))
    _, _, state = network.loss_and_gradients(weights, first)
    _, gradients, _ = network.loss_and_gradients(weights, second, state)
    reference = complex_step_gradients(
        lambda moved: network.loss_and_gradients(moved, second, state)[0], weights
    )
    assert_same_gradients(gradients, reference)


HEADS = {"softmax": Softmax(), "mos": MixtureOfSoftmaxes(3), "moc": MixtureOfContexts(3)}
DESIGNS = {
    "mixture of softmaxes": Elman(V, 2, 3, head=HEADS["mos"]),
    "mixture of contexts": Elman(V, 2, 3, head=HEADS["moc"]),
    "tied, projected": Elman(V, 2, 3, head=Tied(Softmax())),
    "tied": Elman(V, 3, 3, head=Tied(Softmax())),
    "tied mixture": Elman(V, 2, 3, head=Tied(HEADS["mos"])),
    "nplm, direct": Nplm(V, 2, 3, direct=True),
    "nplm, mixture": Nplm(V, 2, 3, head=HEADS["mos"]),
    "nplm, direct and tied": Nplm(V, 2, 3, direct=True, head=Tied(Softmax())),
}


@pytest.mark.parametrize("network", DESIGNS.values(), ids=DESIGNS)
def test_gradients_of_each_design_equal_the_complex_step(network):
    weights = random_weights(network)
    is_nplm = isinstance(network, Nplm)
    batch = (network.contexts(TOKENS), TOKENS) if is_nplm else (sentence_batch(len(SENTENCES)),)
    gradients = network.loss_and_gradients(weights, *batch)[1]
    reference = complex_step_gradients(
        lambda moved: network.loss_and_gradients(moved, *batch)[0], weights
    )
    assert_same_gradients(gradients, reference)


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("head", HEADS)
def test_each_design_equals_its_naive_twin(head, tied, direct):
    naive = naive_networks.HEADS[head]
    chosen = {"head": Tied(HEADS[head]) if tied else HEADS[head], "direct": direct}
    network = Nplm(V, 4, 5, batch_size=len(TOKENS), **chosen)
    weights = random_weights(network)
    assert ("output_weights" in weights) != tied
    ((_, loss, gradients),) = network.steps(weights, TOKENS, np.random.default_rng(0))
    reference_loss, reference = naive_networks.nplm(
        weights, SENTENCES, head=naive_networks.tied(naive) if tied else naive, direct=direct
    )
    assert loss == pytest.approx(reference_loss, abs=1e-12)
    assert -network.log_probabilities(weights, TOKENS).mean() == pytest.approx(loss, abs=1e-12)
    assert_same_gradients(gradients, reference)


@pytest.mark.parametrize("head, rank", [("softmax", 5), ("moc", 5), ("mos", 12)])
def test_only_a_mixture_of_softmaxes_is_of_high_rank(head, rank):
    """Log-probabilities over many contexts: d + 2 = 5 at most, or as many as there are words."""
    random = np.random.default_rng(4)
    weights = {
        name: random.normal(size=array.shape)
        for name, array in HEADS[head].initial_weights(random, 3, 12, 3).items()
    }
    hidden = random.normal(size=(40, 3))
    table = [
        HEADS[head].log_probabilities(weights, hidden, np.full(40, word)) for word in range(12)
    ]
    assert np.linalg.matrix_rank(np.transpose(table), tol=1e-8) == rank


@pytest.mark.parametrize("context", [1, 2, 5])
def test_nplm_equals_its_naive_twin(context):
    network = Nplm(V, embedding=4, hidden=5, context=context, batch_size=len(TOKENS))
    weights = random_weights(network)
    ((n, loss, gradients),) = network.steps(weights, TOKENS, np.random.default_rng(0))
    reference_loss, reference = naive_networks.nplm(weights, SENTENCES, context)
    assert n == len(TOKENS)
    assert loss == pytest.approx(reference_loss, abs=1e-12)
    assert_same_gradients(gradients, reference)


@each_recurrent
def test_a_recurrent_network_equals_its_naive_twin(kind):
    network = kind(V, embedding=4, hidden=5, batch_size=len(SENTENCES))
    weights = random_weights(network)
    ((n, loss, gradients),) = network.steps(weights, TOKENS, np.random.default_rng(0))
    reference_loss, reference = RECURRENT[kind](weights, SENTENCES)
    assert n == len(TOKENS)
    assert loss == pytest.approx(reference_loss, abs=1e-12)
    assert_same_gradients(gradients, reference)


@pytest.mark.parametrize("network", [Nplm(V, 4, 5), Elman(V, 4, 5), Lstm(V, 4, 5), Gru(V, 4, 5), Mgu(V, 4, 5)])
def test_log_probabilities_stand_at_their_tokens(network):
    weights = random_weights(network)
    scores = network.log_probabilities(weights, TOKENS)
    start = 0
    for sentence in SENTENCES:
        alone = (
            naive_networks.nplm(weights, [sentence], context=2)
            if isinstance(network, Nplm)
            else RECURRENT[type(network)](weights, [sentence])
        )
        mine = scores[start : start + len(sentence)]
        assert -mine.mean() == pytest.approx(alone[0], abs=1e-12)
        start += len(sentence)


@each_recurrent
def test_a_carried_state_runs_through_the_whole_text(kind):
    network = kind(V, 4, 5, reset_state=False)
    weights = random_weights(network)
    reference, _ = RECURRENT[kind](weights, [TOKENS.tolist()])
    loss = -network.log_probabilities(weights, TOKENS).mean()
    assert loss == pytest.approx(reference, abs=1e-12)


def test_parameter_counts_are_those_of_the_articles():
    random = np.random.default_rng(0)
    # The last is Bengio's best on the Brown corpus, without direct connections and with them.
    networks = (
        Nplm(3427), Elman(3427), Nplm(16_382, 30, 100, context=4), Nplm(16_382, 30, 100, context=4, direct=True),
    )  # fmt: skip
    counts = [
        sum(array.size for array in network.initial_weights(random).values()) for network in networks
    ]
    brown = 491_490 + 12_100 + 101 * 16_382
    assert counts == [677_987, 686_179, brown, brown + 120 * 16_382]


@pytest.mark.parametrize("network", DESIGNS.values(), ids=DESIGNS)
def test_what_weight_decay_spares_are_the_biases(network):
    """It spares what has one dimension (training/fit/adam.py)."""
    for name, array in network.initial_weights(np.random.default_rng(0)).items():
        assert (array.ndim == 1) == name.endswith("_bias"), name


@pytest.mark.parametrize("bias", [1, 3])
def test_the_forget_gate_begins_where_it_is_asked_to(bias):
    weights = Lstm(9, 2, 3, forget_bias=bias).initial_weights(np.random.default_rng(0))
    assert weights["hidden_bias"].tolist() == [0] * 3 + [bias] * 3 + [0] * 6


@pytest.mark.parametrize("network", [Nplm(3427), Elman(3427), Lstm(3427), Gru(3427), Mgu(3427), Nplm(300, 8, 16, context=5),
    Elman(3427, head=HEADS["mos"]), Elman(3427, head=HEADS["moc"]), Lstm(3427, head=Tied(Softmax())),
    Elman(3427, 128, head=Tied(Softmax())), Nplm(3427, head=Tied(HEADS["mos"]), direct=True)])
def test_initial_loss_is_that_of_the_uniform_guess(network):
    random = np.random.default_rng(1)
    weights = network.initial_weights(random)
    tokens = random.integers(0, network.vocabulary_size, 2000).astype(np.int32)
    loss = -network.log_probabilities(weights, tokens).mean()
    assert loss == pytest.approx(np.log(network.vocabulary_size), rel=0.01)


@pytest.mark.parametrize("network", [Nplm(50), Elman(50), Elman(50, reset_state=False), Lstm(50), Gru(50), Mgu(50),
    Elman(50, head=HEADS["mos"]), Nplm(50, head=HEADS["moc"]), Nplm(50, head=Tied(HEADS["mos"]), direct=True)])
def test_training_stays_in_single_precision(network):
    random = np.random.default_rng(2)
    weights = network.initial_weights(random)
    tokens = random.integers(0, 50, 300).astype(np.int32)
    for _, loss, gradients in network.steps(weights, tokens, random):
        assert {loss.dtype, *(array.dtype for array in gradients.values())} == {np.dtype("f4")}
    assert network.log_probabilities(weights, tokens).dtype == np.float32


def test_a_row_looked_up_often_gets_the_sum_of_its_gradients():
    random = np.random.default_rng(3)
    ids = random.integers(0, 9, 200)
    rows = random.normal(size=(200, 4))
    expected = np.zeros((12, 4))
    np.add.at(expected, ids, rows)
    np.testing.assert_allclose(embedding_gradient(ids, rows, 12), expected, atol=1e-12)
