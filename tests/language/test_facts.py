"""What follows from a model alone is worked out once for each model."""

from __future__ import annotations

from qnet.model.bind import expressions, structural
from qnet.model.load import load
from qnet.model.model import Model, fact
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
