"""The account of a command: what it counts, what it refuses, and that nothing is answered beyond it."""

import pytest

from qnet import budget
from qnet.budget import Account, OverBudget
from qnet.errors import NotComputed


def test_what_is_spent_adds_up_to_the_limit():
    account = Account(2e9)
    account.spend(1e9)
    account.spend(1e9)
    with pytest.raises(OverBudget, match=r"stopped after 2\.0e\+09 operations, in the rounds"):
        account.spend(1.0, "the rounds")


def test_a_refusal_names_a_larger_limit_and_a_cheaper_way():
    with pytest.raises(OverBudget) as caught:
        Account(2e9).spend(3e9)
    problem = caught.value.problems[0]
    assert problem.code == "QN515" and "--operations 2e+10" in problem.help and "fewer points" in problem.help


def test_little_is_always_allowed():
    account = Account(1.0)
    account.spend(budget.FLOOR)
    assert account.spent == budget.FLOOR and account.over is None


def test_whoever_goes_on_without_operations_answers_nothing():
    with pytest.raises(OverBudget), budget.opened(Account(1.0)), pytest.raises(NotComputed):
        budget.spend(2e9)


def test_settling_before_an_answer_is_written_refuses_it():
    with pytest.raises(OverBudget), budget.opened(Account(1.0)):
        with pytest.raises(NotComputed):
            budget.spend(2e9)
        budget.settle()


def test_arrays_that_do_not_fit_are_refused_and_smaller_ones_are_not():
    with budget.opened(Account(memory=1e6)):
        with pytest.raises(NotComputed, match=r"the table would take 2\.0e\+06 bytes") as caught:
            budget.reserve(2e6, "the table")
        assert not isinstance(caught.value, OverBudget)
        budget.reserve(1e6, "the table")


def test_a_share_that_is_spent_leaves_the_rest():
    account = Account(1e10)
    with budget.opened(account):
        with pytest.raises(OverBudget), budget.share(0.5):
            budget.spend(6e9)
        assert account.spent == 6e9
        budget.spend(3e9)


def test_a_door_inside_a_command_uses_its_account():
    account = Account()
    with budget.opened(account), budget.door(1.0, 1.0):
        budget.spend(5e9)
    assert account.spent == 5e9


def test_nothing_is_counted_without_an_account():
    assert budget.current() is None
    budget.spend(1e30)


def test_more_than_the_usual_is_announced_once_and_only_where_it_was_asked_for():
    told: list[str] = []
    account = Account(1e11, announce=told.append)
    account.spend(5e9)
    assert not told
    account.spend(6e9)
    account.spend(6e9)
    assert len(told) == 1 and "--operations" in told[0]


def test_a_question_from_python_has_an_account_of_its_own():
    @budget.asked
    def question(operations: float) -> float:
        budget.spend(operations)
        return operations

    assert question(1e9) == 1e9
    assert question(1e9) == 1e9
    with pytest.raises(OverBudget):
        question(2e10)


def test_a_stop_ends_an_account_and_leaves_its_trials_what_they_have():
    account = Account(1e10)
    account.stop = 2e9
    with pytest.raises(OverBudget, match=r"stopped after 2\.0e\+09"), budget.opened(account):
        assert budget.trial_left() == 7.5e9
        with pytest.raises(OverBudget), budget.trial():
            budget.spend(3e9)
