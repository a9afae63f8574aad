"""The generator of random models: sound models, the same for a seed, and all pairs of features in a row of seeds."""

from itertools import combinations

import pytest
from asking import check_text, load_text
from model_features import FEATURES, IMPLIED, PAIRS, asked
from model_generator import model
from model_text import text


@pytest.mark.long
def test_every_model_passes_the_check():
    for seed in range(300):
        check_text(model(seed).text)


def test_a_seed_always_gives_the_same_model():
    assert [model(seed).text for seed in (3, 77, 5000)] == [model(seed).text for seed in (3, 77, 5000)]


def test_as_many_seeds_in_a_row_as_there_are_pairs_have_all_of_them():
    order = {feature: place for place, feature in enumerate(FEATURES)}
    met = {pair for seed in range(len(PAIRS)) for pair in combinations(sorted(asked(seed), key=order.get), 2)}
    assert met.issuperset(PAIRS)


def test_two_rounds_of_seeds_have_other_models_of_the_same_pairs():
    first, second = ([model(seed + start).text for seed in range(20)] for start in (0, len(PAIRS)))
    assert not set(first) & set(second)


def test_features_bring_what_they_need():
    for feature, more in IMPLIED.items():
        assert set(more) <= set(FEATURES)
        assert all(set(more) <= asked(seed) for seed in range(300) if feature in asked(seed))


@pytest.mark.parametrize(
    ("feature", "word"),
    [
        ("open", "arrival_rate"), ("closed", "population"), ("hold", "hold = "), ("capacity", "capacity = "),
        ("parallel", "parallel = "), ("quorum", "join = "), ("buffer loses", 'full = "lost"'), ("rates", "rates = "),
        ("memory", 'hold = "memory"'), ("work left behind", "phase = 2"), ("servers", "servers = "),
        ("closed chain", "[chains."), ("copies", "copies = "), ("preemptive", '"preemptive"'), ("keeps", "phase = 2"),
        ("class told as two", "_twin]"), ("population 0", "population = 0"), ("routes", ".routes]]"),
        ("visits", "visits = "), ("priority", "priority = "), ("nobody visits", "spare = "),
    ],
)  # fmt: skip
def test_a_model_has_the_features_that_it_is_said_to_have(feature, word):
    missing = [seed for seed in range(400) if feature in asked(seed) and word not in model(seed).text]
    assert missing == []


def test_times_may_be_written_in_another_unit():
    spec = model(8).spec
    assert text(spec, "ms") != text(spec)
    assert len(load_text(text(spec, "ms")).stations) == len(load_text(text(spec)).stations)
