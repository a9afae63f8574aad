"""What a validation computes, by counts: systems are opened once, and what is moved once for all claims at a point."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import pytest

from qnet.model.values import Values
from qnet.questions.points.domain import Domain
from qnet.questions.study import validate_points, validate_settings
from qnet.questions.study.load import load_study
from qnet.questions.study.validate import validate


def test_every_system_of_a_study_is_opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: Counter[str] = Counter()

    def load(name: str) -> Any:
        opened[name] += 1
        return loaded(name)

    loaded = validate_settings.load
    monkeypatch.setattr(validate_settings, "load", load)
    assert validate(load_study("paging")).influences
    assert set(opened.values()) == {1}


def test_a_parameter_is_moved_once_for_all_claims_with_the_same_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    moved: Counter[tuple[str, ...]] = Counter()

    def values(model: Any, varied: dict[str, float], size: int | None) -> Values:
        moved[model.title, repr(model.settings), repr(varied)] += bool(varied)
        return Values(model, varied, size)

    monkeypatch.setattr(validate_settings, "Values", values)
    validate(load_study("paging"))
    assert sum(moved.values())
    assert max(moved.values()) == 1


class Work(NamedTuple):
    """Sizes of the batches of moved parameters, one for each parameter moved alone, and sizes of searches."""

    single: list[int]
    batches: list[int]
    searched: list[int]


@pytest.fixture(scope="module")
def work() -> Work:
    """What a validation of the 3990-6 does."""
    done = Work([], [], [])
    search = validate_points.search

    def values(model: Any, varied: dict[str, Any], size: int | None) -> Values:
        if varied:
            (done.single if size is None else done.batches).append(size or 1)
        return Values(model, varied, size)

    def counted(trial: Any) -> Any:
        done.searched.append(trial.size)
        return search(trial)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(validate_settings, "Values", values)
        patch.setattr(validate_points, "search", counted)
        validate(load_study("ibm-3990-6"))
    return done


def test_the_parameters_of_claims_at_one_place_are_moved_as_one_batch(work: Work) -> None:
    """What rests on other parameters is moved alone."""
    assert sum(work.batches) > 10 * len(work.single)
    assert sum(work.batches) > 4 * len(work.batches)


def test_moved_claims_are_solved_together_near_what_they_were(work: Work) -> None:
    """Every system is searched from the start once; what is moved begins at the answers."""
    assert len(work.searched) == 2


def test_points_with_one_range_of_integers_share_its_search(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def allows(self: Domain, index: int, value: float) -> bool:
        asked.append(value)
        return 1 <= value <= 300

    monkeypatch.setattr(Domain, "allows", allows)
    domain = Domain(validate_settings.load("interactive-users"), "users", {})
    assert domain.integer_ranges(20) == [(1, 300)] * 20
    of_twenty = len(asked)
    asked.clear()
    assert domain.integer_ranges(1) == [(1, 300)]
    assert of_twenty == len(asked) + 19 * 4
