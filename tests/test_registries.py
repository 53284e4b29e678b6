"""What is said in one place only: contexts, networks, and the models that the package brings."""


import naive_networks
import pytest

from nlmzip.contexts.registry import CONTEXTS, COUNTED, numbers
from nlmzip.engine.profiles import LEVELS, LONG_DESIGN, LONGEST_DESIGN
from nlmzip.models import networks
from nlmzip.predictors import bodies as coding
from nlmzip.training import bodies as training

# --- contexts


def test_contexts_are_numbered_without_gaps():
    assert sorted(numbers(tuple(CONTEXTS)).tolist()) == list(range(len(CONTEXTS)))


def test_what_can_be_counted_has_the_numbers_that_models_were_coded_with():
    assert [COUNTED.get(kind) for kind in range(16)] == [*range(11), 38, 39, None, 40, 41]


@pytest.mark.parametrize("design", [*(level.design for level in LEVELS.values()), LONG_DESIGN, LONGEST_DESIGN])
def test_every_design_names_contexts_that_there_are(design):
    assert set(design.kinds) <= set(CONTEXTS)


def test_a_context_that_there_is_not_has_no_number():
    with pytest.raises(KeyError):
        numbers(("order 1", "no such context"))


# --- networks


@pytest.mark.parametrize("name", networks.NETWORKS)
def test_a_network_is_coded_with_trained_and_twice_told(name):
    for package in (coding, training):
        body = networks.body_class(name, package.__name__)
        assert body.__module__.startswith(package.__name__ + ".")
    assert name in naive_networks.NETWORKS


def test_each_network_has_a_bit_of_its_own():
    bits = list(networks.PREDICTOR_BITS.values())
    assert all(bit & (bit - 1) == 0 < bit < 256 for bit in bits) and len(set(bits)) == len(bits)


@pytest.mark.parametrize("byte", range(sum(networks.PREDICTOR_BITS.values()) + 1))
def test_a_byte_names_the_predictor_that_it_is_of(byte):
    assert networks.predictor_byte(networks.predictor_name(byte)) == byte


@pytest.mark.parametrize("name", ["", "kn+", "rnn+rnn", "uniform+kn", "no such"])
def test_an_unknown_predictor_has_no_byte(name):
    with pytest.raises(ValueError):
        networks.predictor_byte(name)


def test_a_bit_of_no_network_names_nothing():
    with pytest.raises(ValueError):
        networks.predictor_name(sum(networks.PREDICTOR_BITS.values()) + 1)
