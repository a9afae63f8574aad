"""The solved chains of a batch that is divided: its parts ask for them again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qnet import budget
from qnet.networks.states.program import Program

if TYPE_CHECKING:
    from qnet.networks.states.figures import SolvedChain


def keep_chains(solved: Sequence[SolvedChain], most: int, edge: float) -> None:
    """Keep the chains of the points that have one, and forget those of the batch before.

    solved   the chains.
    most     states that were permitted.
    edge     the probability of more customers from outside than the chain knows that was permitted.
    """
    account = budget.current()
    if account is not None:
        account.kept[:] = [(most, edge, item) for item in solved]


def kept_chain(made: Program, most: int, edge: float) -> SolvedChain | None:
    """The chain of a program that is kept; None where there is none.

    made, most, edge   as it was asked for.
    """
    account = budget.current()
    if account is None:
        return None
    kept = (item for states, share, item in account.kept if (states, share) == (most, edge))
    return next((item for item in kept if item.program == made), None)
