"""Studies and costs take the budget options, and stop within them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
import pytest

import qnet
from qnet import budget
from qnet.budget import Account
from qnet.cli import study, validate
from qnet.cli.question import command_of
from qnet.errors import NotComputed


@pytest.mark.parametrize("command", [command_of("cost"), study.command, validate.command], ids=lambda item: item.name)
def test_commands_of_many_solutions_have_the_options_of_a_budget(command: click.Command):
    options = {text for item in command.params for text in item.opts}
    assert {"--operations", "--memory"} <= options


@pytest.mark.parametrize("ask", [qnet.study, qnet.validate])
def test_a_study_beyond_its_operations_is_refused(ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(budget, "FLOOR", 1e6)
    with pytest.raises(NotComputed, match=r"stopped after \S+ operations.*QN515"):
        ask("sfs", operations=1.0)


def test_a_cost_that_rests_on_the_solution_is_charged_for_it():
    system = qnet.load("terminals-and-web")
    with pytest.raises(NotComputed, match="QN515"), budget.opened(Account(1e9)):
        budget.spend(1e9)
        system.cost(of="cpu")


def test_a_cost_is_solved_by_the_method_within_its_operations():
    system = qnet.load("terminals-and-web")
    exact, approximate = system.cost(of="cpu"), system.cost(of="cpu", operations=1.0)
    method = [column.key for column in exact.columns].index("method")
    assert exact.rows[0][method] != approximate.rows[0][method]
