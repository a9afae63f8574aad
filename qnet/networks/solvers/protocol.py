"""The interface of solvers: the names that the module of every method has."""

from __future__ import annotations

from typing import Any, Protocol

from qnet.networks.reasons import Reason
from qnet.networks.wanted import Wanted, Work


class SolvePart(Protocol):
    """The chooser, for methods that take a network apart: it solves a part, given by routes or by demands."""

    def __call__(self, network: Any, wanted: Wanted) -> Any: ...


class Solver(Protocol):
    """A method. Networks are `RoutedNetwork`, `Demands` or `ClosedNetwork`, as its row states; solutions are
    `RoutedSolution`, `Solution` or `ClosedFigures`.
    """

    CLASSES: str
    """`open`, `closed`, or both."""
    APPLIES: str
    COST: str
    SOURCE: str
    """Publications, by their keys in `references`: `@reiser1980`."""

    def applies(self, network: Any, wanted: Wanted) -> Reason | None:
        """Why the method does not apply, beyond the features that its row does not support; None where it does.

        Raises   `NotComputed` where no other method is to be tried.
        """
        ...

    def work(self, network: Any, wanted: Wanted) -> Work:
        """Elementary operations and bytes, before anything is computed."""
        ...

    def solve(self, network: Any, wanted: Wanted, solve_part: SolvePart) -> Any:
        """The solution; None where the method gives up and leaves the network to the next.

        Raises   `NotComputed` where it does not converge or has no answer.
        """
        ...


class Patient(Solver, Protocol):
    """A method that is tried again at the end: where no other has an answer, or none that is exact."""

    def at_last(self, network: Any, wanted: Wanted, result: Any) -> Any:
        """A better solution than `result`, that of the other methods or None; None where it has none."""
        ...
