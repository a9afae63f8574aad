"""When a campaign fails."""

import pytest
from campaign_table import failures


def lines(**counts):
    """So many of each category, with 300 in all."""
    names = {"wrong": "exact-wrong", "slow": "no answer in 10 s"}
    found = [{"category": names.get(name, name)} for name, count in counts.items() for _ in range(count)]
    return found + [{"category": "right"}] * (300 - len(found))


@pytest.mark.parametrize("counts", [{}, {"unwarned": 3}, {"refused": 40, "warned": 100, "invalid": 1}])
def test_a_campaign_holds(counts):
    assert failures(lines(**counts)) == []


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ({"wrong": 1}, "1 exact-wrong"),
        ({"crash": 2}, "2 crash"),
        ({"slow": 1}, "1 no answer in 10 s"),
        ({"unwarned": 4}, "4 unwarned, more than 1 % of 300"),
    ],
)
def test_a_campaign_fails(counts, words):
    assert failures(lines(**counts)) == [words]


def test_a_campaign_without_models_fails():
    assert failures([]) == ["no models"]
