"""What follows from a model alone is worked out once for each model."""

from __future__ import annotations

import pytest
from language_models import SOUND, model_of

from qnet.model import settings, values
from qnet.model.bind import expressions, structural
from qnet.model.keys import keys_of
from qnet.model.load import load
from qnet.model.model import Model, fact, fact_of_tables
from qnet.model.scope import depends_on_solution
from qnet.model.settings import with_settings
from qnet.model.values import Values, standing_values
from qnet.questions.points.points import figures_used


def test_a_fact_is_worked_out_once_for_each_model() -> None:
    asked: list[str] = []

    @fact
    def stations(model: Model) -> int:
        """How many there are."""
        asked.append(model.title)
        return len(model.stations)

    model = load("web-pool")
    other = model.replace(title="other", stations=model.stations[:1])
    assert [stations(model), stations(model), stations(other), stations(other)] == [2, 2, 1, 1]
    assert asked == [model.title, "other"]
    assert stations.__doc__ == "How many there are."


def test_facts_change_nothing_about_a_model() -> None:
    model, other = load("web-pool"), load("web-pool")
    assert expressions(model) is expressions(model)
    assert structural(model) is structural(model)
    assert figures_used(model) is figures_used(model)
    assert model == other


def test_what_settings_do_not_change_is_worked_out_once_for_all_of_them() -> None:
    asked: list[str] = []

    @fact_of_tables
    def stations(model: Model) -> int:
        asked.append(model.title)
        return len(model.stations)

    model = load("web-pool")
    first, second = (with_settings(model, {"rate": rate}) for rate in ("10/s", "20/s"))
    assert [stations(first), stations(model), stations(second)] == [2, 2, 2]
    assert len(asked) == 1
    assert expressions(first) is expressions(model)
    assert structural(first) is structural(model)
    assert keys_of(first) is keys_of(model)
    other = model.replace(stations=model.stations[:1])
    assert (stations(other), len(expressions(other))) < (2, len(expressions(model)))
    # What settings may change is not shared.
    assert figures_used(first) is not figures_used(model) or not figures_used(model)


def test_a_parameter_set_to_a_number_makes_nothing_depend_on_the_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    model = load("zvm-paging")
    monkeypatch.setattr(settings, "depends_on_solution", lambda _: pytest.fail("the solution is asked about"))
    changed = with_settings(model, {"guests": "2"})
    assert depends_on_solution(changed) == depends_on_solution(model)


def test_values_that_rest_on_nothing_replaced_are_not_evaluated_again(monkeypatch: pytest.MonkeyPatch) -> None:
    model = load("ibm-3990-6")
    changed = with_settings(model, {"rate": "500/s"})
    known = Values(model, {}, None).known
    expected = Values(changed, {}, None).known
    evaluated: list[object] = []
    evaluate = values.evaluate
    monkeypatch.setattr(values, "evaluate", lambda root, *more: evaluated.append(root) or evaluate(root, *more))
    assert Values(changed, {}, None).known == expected
    every = len(evaluated)
    standing = standing_values(changed, known, {"rate"})
    assert Values(changed, {}, None, standing=standing).known == expected
    assert len(evaluated) - every < every / 2
    assert "filled" not in standing and standing["hit"] == known["hit"]


def test_a_value_whose_range_moves_is_checked_again() -> None:
    model = model_of(SOUND)
    known = Values(model, {}, None).known
    for name, item in model.parameters.items():
        ends = {used for end in (item.low, item.high) if end for used in end.names}
        assert all(name not in standing_values(model, known, {end}) for end in ends)
