"""`qnet check` warns of valid models that no method solves, by their features alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_process import Run

import qnet as package
from qnet.errors import NotComputed
from qnet.model.bind import bind
from qnet.model.values import Values
from qnet.networks.not_covered import not_covered

BRANCHES = '{ parallel = [ { steps = [ BRANCH ] }, { steps = [ { station = "b", time = "20 ms" } ] } ] }'
AT_A = '{ station = "a", time = "20 ms" }'
FORK = BRANCHES.replace("BRANCH", AT_A)
HELD = f'{{ hold = "pool", steps = [ {FORK} ] }}'
INSIDE_BRANCHES = BRANCHES.replace("BRANCH", f'{{ hold = "pool", steps = [ {AT_A} ] }}')


def model(step: str, limit: str = "", arrive: str = 'arrival_rate = "2/s"') -> str:
    stations = f"[stations]\npool = {{ servers = 2 }}\na = {{ {limit} }}\nb = {{}}\n"
    return f'qnet = 1\ntitle = "t"\n{stations}[classes.x]\n{arrive}\nsteps = [ {step} ]\n'


CLOSED = 'population = 2\nthink_time = "1 s"'
UNSOLVED = {
    "parallel steps in a hold": (model(HELD), "QN552"),
    "the same, of closed customers": (model(HELD, arrive=CLOSED), "QN552"),
    "a capacity in a branch": (model(FORK, "capacity = 3"), "QN551"),
    "a capacity in a branch, closed": (model(FORK, "capacity = 3", CLOSED), "QN551"),
}
BEFORE = f'{{ station = "pool", time = "20 ms" }}, {FORK}'
SOLVED = {
    "a hold in a branch": model(INSIDE_BRANCHES),
    "a capacity elsewhere": model(BEFORE).replace("servers = 2", "capacity = 3"),
    "no customers": model('{ station = "pool", time = "20 ms" }', "capacity = 3")
    + f'[classes.none]\npopulation = 0\nthink_time = "1 s"\nsteps = [ {FORK} ]\n',
}


def problem(text: str):
    system = package.loads(text)
    return not_covered(bind(system, Values(system, {}, None)))


@pytest.mark.parametrize("name", sorted(UNSOLVED))
def test_a_model_without_a_method_is_named(name: str):
    text, code = UNSOLVED[name]
    found = problem(text)
    assert found is not None
    assert found.code == code
    for method in ("auto", "states"):
        with pytest.raises(NotComputed):
            package.loads(text).solve(method=method)


@pytest.mark.parametrize("name", sorted(SOLVED))
def test_a_model_with_a_method_has_no_warning(name: str):
    assert problem(SOLVED[name]) is None
    assert package.loads(SOLVED[name]).metric("response") > 0


def test_the_command_warns_and_succeeds(qnet: Run, tmp_path: Path):
    (tmp_path / "held.toml").write_text(model(HELD))
    answer = qnet("check", "./held.toml")
    assert answer.code == 0
    assert answer.out.startswith("./held.toml: valid; ")
    assert answer.err.startswith('qnet: warning: no method solves this model: a parallel step while "pool" is held;')
    assert "[QN552]" in answer.err
    assert not qnet("check", "-q", "./held.toml").err
