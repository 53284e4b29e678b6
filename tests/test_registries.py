"""What is said in one place only: contexts, networks, and the models that the package brings."""


import naive_networks
import pytest

from nlmzip.container import format
from nlmzip.contexts.registry import CONTEXTS, COUNTED, numbers
from nlmzip.engine.profiles import LEVELS, LONG_DESIGN, LONGEST_DESIGN
from nlmzip.models import catalogue, model_file, networks, shipped
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


def test_each_network_has_a_bit_of_its_own_for_which_archives_have_room():
    bits = list(networks.PREDICTOR_BITS.values())
    assert all(bit & (bit - 1) == 0 < bit for bit in bits) and len(set(bits)) == len(bits)
    assert format.OF_WORDS + sum(bits) < format.REFERRING


@pytest.mark.parametrize("byte", range(sum(networks.PREDICTOR_BITS.values()) + 1))
def test_a_byte_names_the_predictor_that_it_is_of(byte):
    assert networks.predictor_number(networks.predictor_name(byte)) == byte


@pytest.mark.parametrize("name", ["", "kn+", "rnn+rnn", "uniform+kn", "no such"])
def test_an_unknown_predictor_has_no_byte(name):
    with pytest.raises(ValueError):
        networks.predictor_number(name)


def test_a_bit_of_no_network_names_nothing():
    with pytest.raises(ValueError):
        networks.predictor_name(sum(networks.PREDICTOR_BITS.values()) + 1)


# --- shipped models


def test_every_shipped_model_has_a_row_and_every_row_a_file():
    assert {path.stem for path in shipped.FOLDER.glob("*" + model_file.SUFFIX)} == set(shipped.SHIPPED)


def test_archives_call_no_two_starts_by_one_number():
    models = [number for row in shipped.SHIPPED.values() for number in row.numbers.values()]
    numbers = [level.start for level in LEVELS.values()] + models
    assert len(set(numbers)) == len(numbers) and set(numbers) <= set(range(1, format.OF_WORDS))


@pytest.mark.parametrize("name", shipped.SHIPPED)
def test_a_row_says_of_a_model_what_its_card_says(name):
    row, model = shipped.SHIPPED[name], catalogue.load(name)
    assert sorted(row.numbers) == model.card.get("levels", [])
    assert {str(level): number for level, number in row.numbers.items()} == model.card.get("numbers", {})
    assert catalogue.is_shipped(model)
    for level, number in row.numbers.items():
        assert catalogue.shipped_number(model, level) == number
        assert catalogue.shipped_by_number(number) == (model, level)
        assert catalogue.shipped_number(model, level + 1) is None


def test_what_the_package_lacks_is_passed_over(monkeypatch, tmp_path):
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    assert catalogue.default() is None and catalogue.shipped_card(16) is None
