"""The Python interface raises errors of qnet only, and no warning, whatever takes the place of an argument."""

from __future__ import annotations

import inspect
import warnings

import pytest
import python_door
from full import long_but
from python_door import Door, doors, failures, parameters

import qnet
from qnet.errors import UsageError

SLOW = {
    "System.envelope", "System.uncertainty", "System.calibrate", "System.formula", "System.knee", "System.knee.closed",
    "System.bottleneck.closed", "System.why.closed", "cell fitted", "cell fitted_on", "cell regressed",
}  # fmt: skip
"""Doors behind which each answer takes long."""


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Door]:
    return doors(tmp_path_factory.mktemp("doors"))


def test_every_public_callable_is_tried(every: dict[str, Door]):
    doors = {name: getattr(qnet, name) for name in qnet.__all__}
    errors = {name for name, item in doors.items() if isinstance(item, type) and issubclass(item, Exception)}
    public = {name for name, item in doors.items() if callable(item)} - errors - {"Note", "Report", "Solution"}
    asked = {f"System.{name}" for name in python_door.methods()}
    network = {
        f"Network.{name}"
        for name, item in inspect.getmembers(qnet.Network)
        if not name.startswith("_") and name in vars(qnet.Network) and callable(item)
    }
    assert public | asked | network <= set(every)
    assert len(asked) > 15 and len(network) == 3


def test_sound_arguments_are_answered(every: dict[str, Door]):
    refused = {"study", "validate", "System"}
    answers = {name: door.call(*door.positional, **door.given) for name, door in every.items() if name not in refused}
    assert [name for name, answer in answers.items() if answer is None] == []
    for answer in answers.values():
        python_door.read(answer)
    assert len(answers) > 40


@pytest.mark.parametrize("name", long_but(python_door.NAMES, *(set(python_door.NAMES) - SLOW)))
def test_a_wrong_argument_is_refused_in_words_or_answered(name: str, every: dict[str, Door]):
    assert parameters(every[name])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = failures(every[name])
    assert not found, "\n".join(found[:20])


def test_the_names_are_those_of_the_doors(every: dict[str, Door]):
    assert set(python_door.NAMES) == set(every)


@pytest.mark.parametrize("path", [b"x", 7, ["x"]])
def test_a_path_is_a_text_or_a_path(path: object):
    with pytest.raises(UsageError, match="QN753"):
        qnet.load(path)  # type: ignore[arg-type]
