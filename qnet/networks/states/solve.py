"""Small networks without product form, exactly: by the Markov chain of all their states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from qnet import budget
from qnet.errors import NotComputed, Problem, of_method
from qnet.lazy import lazy, np
from qnet.networks.exactness import STATES
from qnet.networks.routed import ClosedClass, RoutedNetwork, holds_of
from qnet.networks.solution import RoutedSolution
from qnet.networks.states.compiler import program
from qnet.networks.states.program import NEGLIGIBLE, NotCovered, Program, TooLarge
from qnet.networks.states.shared import Walks
from qnet.networks.wanted import Divided, Wanted

if TYPE_CHECKING:
    from qnet.networks.states import chain, crowds, solution
    from qnet.networks.states import figures as state_figures
    from qnet.networks.states.chain import Walk
    from qnet.networks.states.figures import SolvedChain
    from qnet.networks.states.machine import Machine
else:
    # Most networks have too many states, which is known before any of them is generated.
    chain = lazy("qnet.networks.states.chain")
    crowds = lazy("qnet.networks.states.crowds")
    solution = lazy("qnet.networks.states.solution")
    state_figures = lazy("qnet.networks.states.figures")


NAME = STATES
MOST = 50_000
"""The most states of a chain if the method is requested by name."""
_A_STATE = 1e5
"""Operations per state, besides those of the elimination, by which a budget limits the number of states."""
LITTLE = 1e-3
"""As `NEGLIGIBLE`, for an approximation of networks that no other method solves."""
_LOOKS = 3
"""The most states generated in successive chains, as a multiple of the number allowed."""
_BATCHES, _SPENT = 4.0, "chains of the points of batches"
"""The operations of all batches of a question, as a multiple of those that a point may take, so that they take some
seconds at most; and the key under which the account has those that were spent."""
_FIRST = 6
"""The customers from outside that the first chain includes."""
STARVED = "QN589"
"""The code of a refusal where a closed class is never served."""


def keep_chains(solved: Sequence[SolvedChain], most: int, edge: float) -> None:
    """Keep the chains of the points that have one, and forget those of the batch before.

    solved   the chains.
    most     states that were allowed.
    edge     the probability of as many customers from outside as the chain includes that was allowed.
    """
    account = budget.current()
    if account is not None:
        account.kept[:] = [(most, edge, item) for item in solved]


def kept_chain(made: Program, most: int, edge: float) -> SolvedChain | None:
    """The chain of a program that is kept; None where there is none.

    made        the program.
    most, edge  as of `keep_chains`.
    """
    account = budget.current()
    if account is None:
        return None
    kept = (item for states, share, item in account.kept if (states, share) == (most, edge))
    return next((item for item in kept if item.program == made), None)


def solve(network: RoutedNetwork, wanted: Wanted, most: int = MOST) -> RoutedSolution:
    """The steady state of a network, or of every point of a batch, by the Markov chain of all its states.

    Applies   closed, open and mixed classes; first come first served, head-of-line and preemptive-resume priority,
              processor sharing, last come first served; several servers, copies, rates; simultaneous resource
              possession, second phases, times that depend on the number inside a station; capacities, buffers, parallel
              steps, chains.
    network   rates per second, times in seconds, populations as integers.
    wanted    the budget: `operations`.
    most      states of a point.
    Returns   figures by class, route and station. Exact where all times are exponential; else those of the phase-type
              distributions described in `compiler.program`. With open classes, states beyond a number of customers with
              a probability of at most `NEGLIGIBLE` are left out.
    Raises    `NotComputed` QN513 where the network has a feature that the chain does not cover, or for bounds and
              states, QN515 where it is too large, QN517 where it has no unique steady state.
    """
    if wanted.bounds:
        raise NotComputed(Problem("QN513", "bounds enclose product-form networks only", "no bounds"))
    if wanted.states:
        raise NotComputed(of_method("QN513", NAME, "gives no state probabilities of stations", "figures alone"))
    try:
        return solution.of_chains(
            network, [_answer(item) for item in _solved_points(network, most, wanted.operations)], wanted
        )
    except NotCovered as error:
        problem = of_method("QN513", NAME, f"does not apply: {error}", "another method, or auto")
        raise NotComputed(problem) from None
    except TooLarge:
        text = f"the Markov chain of the network has more than {most} states, or takes too long to be solved"
        help = "fewer customers or stations; or another method, such as auto"
        raise NotComputed(Problem("QN515", text, "a smaller network", help=help)) from None
    except ArithmeticError as error:
        help = "another method, such as auto"
        raise NotComputed(Problem("QN517", f"the Markov chain: {error}", "one steady state", help=help)) from None


def tried(
    network: RoutedNetwork,
    wanted: Wanted,
    edge: float = NEGLIGIBLE,
    even: float = 0.0,
    operations: float = float("inf"),
) -> RoutedSolution | None:
    """The answer of `solve`, where it applies with the number of states that `auto` may generate; else None.

    network     any network, a point or a batch.
    wanted      the method, and how many states `auto` may generate.
    edge        the probability of as many customers from outside as the chain includes that is small enough.
    even        the scv that replaces those too small for phases; 0 for none.
    operations  of a point, beyond which it is given up.
    Raises   `Divided` where it applies to some points of a batch, or only some answers are exact and each is to be as
             it would be alone; `NotComputed` QN589 where a closed class is never served, which approximations do not
             detect.
    """
    try:
        result = _solved_points(network, wanted.chain, wanted.operations, edge, even, trial=operations)
    except NotCovered:
        return None
    starved = next((item for item in result if isinstance(item, _Starved)), None)
    if starved is not None:
        expected = "throughput of all closed classes"
        help = "remove that class, which never uses a server; or give the others a think time or fewer customers"
        raise NotComputed(Problem(STARVED, str(starved), expected, help=help))
    return _together(network, wanted, result, wanted.chain, edge)


def _together(
    network: RoutedNetwork, wanted: Wanted, result: Sequence[SolvedChain | _Refusal], most: int, edge: float
) -> RoutedSolution | None:
    """The figures of all points, with arguments and errors as of `tried`; None where no point has a chain."""
    answered = [item for item in result if not isinstance(item, _REFUSALS)]
    if len(answered) == len(result):
        exact = solution.exact_points(network, answered) if wanted.each and len(answered) > 1 else [True]
        if any(exact) and not all(exact):
            keep_chains(answered, most, edge)
            raise Divided(np.array(exact) == exact[0])
        return solution.of_chains(network, answered, wanted)
    if answered:
        keep_chains(answered, most, edge)
        raise Divided(np.array([not isinstance(item, _REFUSALS) for item in result]))
    return None


def within(
    network: RoutedNetwork, wanted: Wanted, operations: float, order: Sequence[int] = (0,)
) -> RoutedSolution | None:
    """The answer of `solve` where it takes few operations; None where it does not apply.

    network     a point, or a batch.
    wanted      as of `solve`.
    operations  the most that a point may take; all batches of a question together may take `_BATCHES` times as many.
    order       the indices of the points of a batch, those whose chains have the fewest states first: after the first
                one that takes too many operations, no more are tried.
    Raises   `OverBudget` where no point is solved because too few operations are left; `Divided` where only some points
             are, or as `tried`.
    """
    if network.size in (None, 1):
        with budget.trial(operations):
            result = _solved_points(network, MOST, wanted.operations)
        return _together(network, wanted, result, MOST, NEGLIGIBLE)
    account = budget.current()
    result: list[SolvedChain | _Refusal] = [TooLarge() for _ in order]
    for index in order:
        before = budget.spent()
        left = _BATCHES * operations - (account.given_up.get(_SPENT, 0.0) if account else 0.0)
        try:
            with budget.trial(min(operations, left)):
                (result[index],) = _solved_points(network.point(index), MOST, wanted.operations)
        except budget.OverBudget:
            if index == order[0]:
                raise
            break
        finally:
            if account:
                account.given_up[_SPENT] = account.given_up.get(_SPENT, 0.0) + budget.spent() - before
        if isinstance(result[index], _REFUSALS):
            break
    return _together(network, wanted, result, MOST, NEGLIGIBLE)


def covers(network: RoutedNetwork) -> bool:
    """Whether the chain covers all features of a network, or of the first point of a batch, whatever its size.

    network  any network.
    """
    try:
        program(next(_points(network)))
    except (NotCovered, ArithmeticError):
        return False
    return True


_Refusal = NotCovered | TooLarge | ArithmeticError
_REFUSALS = (NotCovered, TooLarge, ArithmeticError)


def _answer(item: SolvedChain | _Refusal) -> SolvedChain:
    if isinstance(item, _REFUSALS):
        raise item
    return item


def _solved_points(
    network: RoutedNetwork,
    most: int,
    operations: float,
    edge: float = NEGLIGIBLE,
    even: float = 0.0,
    trial: float = 0.0,
) -> list[SolvedChain | _Refusal]:
    """The chains of the points of a network, or the reasons why there are none; `edge` and `even` as of `tried`.

    trial    the operations of a point beyond which its chain is given up, and when those left for trials are spent; 0
             for no such limit.
    """
    if trial and not budget.trial_left():
        return [TooLarge() for _ in range(network.size or 1)]
    points, made = list(_points(network)), dict[int, Program]()
    result: dict[int, SolvedChain | _Refusal] = {}
    for number, point in enumerate(points):
        try:
            made[number] = program(point, even)
        except (NotCovered, ArithmeticError) as error:
            result[number] = error
    walks = Walks(list(made.values()))
    numbers = list(made)
    for position in (position for group in walks.groups for position in group):
        point = points[numbers[position]]
        try:
            if trial and not budget.trial_left():
                raise TooLarge
            with budget.trial(trial) if trial else nullcontext():
                result[numbers[position]] = _passing(point, _solved(point, walks, position, most, operations, edge))
        except (NotCovered, TooLarge, ArithmeticError) as error:
            result[numbers[position]] = error
        except budget.OverBudget:
            if not trial:
                raise
            result[numbers[position]] = TooLarge()
    return [result[number] for number in range(len(points))]


class _Starved(ArithmeticError):
    """A closed class never passes."""


def _passing(network: RoutedNetwork, result: SolvedChain) -> SolvedChain:
    """A solved chain; raises `_Starved` where a closed class never passes, and `ArithmeticError` where it hardly ever
    does, since its waits have no correct digits."""
    most = max(result.often.values(), default=0.0)
    for class_index, item in enumerate(network.classes):
        if not isinstance(item, ClosedClass) or not item.population > 0:
            continue
        if not result.often.get(class_index, 0.0) > 0:
            raise _Starved(f'"{item.name}" is never served with the others present')
        if result.often[class_index] <= 1e-6 * most:
            raise ArithmeticError(f'"{item.name}" is hardly ever served with the others present')
    return result


def _points(network: RoutedNetwork) -> Iterator[RoutedNetwork]:
    """The network, or the points of a batch one by one."""
    if network.size is None:
        yield network
        return
    if any(not isinstance(step.exempt, float) for step in holds_of(network)):
        raise NotCovered("the share that is exempt from a priority differs between points")
    for number in range(network.size):
        yield network.point(number)


def solved(
    network: RoutedNetwork, most: int, operations: float, edge: float = NEGLIGIBLE, even: float = 0.0
) -> SolvedChain:
    """The solved chain of a network.

    network     one point.
    most        states.
    operations  the most of an elimination.
    edge, even  as of `tried`.
    Raises   `NotCovered`, `TooLarge`; `ArithmeticError` where it has no unique steady state.
    """
    return _solved(network, Walks([program(network, even)]), 0, most, operations, edge)


def _solved(
    network: RoutedNetwork, walks: Walks, number: int, most: int, operations: float, edge: float
) -> SolvedChain:
    """As `solved`, for one of several programs."""
    made = walks.programs[number]
    if known := kept_chain(made, most, edge):
        return known
    most = min(most, int(operations / _A_STATE))
    if walks.least(number, network) > most or sum(count for count, _ in made.homes) > most:
        raise TooLarge
    if not made.unbounded:
        machine, result = walks.of(number, 0, most)
        return state_figures.means(made, machine, result, chain.stationary(result, operations))
    crowd = enough = _FIRST
    edges = dict[int, tuple[float, int]]()
    best: SolvedChain | None = None
    ahead: tuple[int, tuple[Machine, Walk]] | None = None
    generated = 0
    while True:
        try:
            if generated > (_LOOKS * most if best is None else most):
                raise TooLarge
            machine, result = ahead[1] if ahead else walks.of(number, crowd, most)
            ahead = None
            generated += len(result.states)
            if not edges and crowds.least_beyond(machine, result) > max(edge, NEGLIGIBLE):
                # More customers are needed in any case, so that this chain is of no use if the next one is too large.
                ahead = _twice(network, walks, number, crowd, most, (machine, result))
            shares = chain.stationary(result, operations)
            beyond = float(sum(shares[crowds.outside(machine, result) >= machine.edge].tolist()))
            if beyond <= edge:
                best = state_figures.means(made, machine, result, shares).replace(beyond=beyond)
            if beyond <= NEGLIGIBLE:
                assert best is not None
                return best
            edges[crowd] = (beyond, len(result.states))
            if ahead:
                crowd, enough = ahead[0], 2 * crowd
                continue
            before, enough = crowd, _enough(network, crowd, edges, most, edge)
            crowd = walks.near(number, enough)
            if not network.limited and crowds.states_expected(machine, result, crowd - before) > most:
                raise TooLarge
        except TooLarge:
            if crowd > enough:
                crowd = enough
            elif best is None:
                raise
            else:
                return best


def _enough(network: RoutedNetwork, crowd: int, edges: dict[int, tuple[float, int]], most: int, edge: float) -> int:
    """The customers from outside to include after `crowd`; raises `TooLarge`, with the other arguments as of `tried`
    and `crowds.customers_needed`."""
    try:
        return crowds.customers_needed(edges, most, NEGLIGIBLE, edge)
    except TooLarge:
        # Capacities bound their number even where most of them are lost.
        bound = crowds.most_present(network)
        if bound is None or crowd > bound:
            raise
        return bound + 1


def _twice(
    network: RoutedNetwork, walks: Walks, number: int, crowd: int, most: int, walked: tuple[Machine, Walk]
) -> tuple[int, tuple[Machine, Walk]]:
    """Twice as many customers from outside as `crowd`, and the walk with them; raises `TooLarge`."""
    enough = 2 * crowd
    near = walks.near(number, enough)
    try:
        if not network.limited and crowds.states_expected(*walked, near - crowd) > most:
            raise TooLarge
        return near, walks.of(number, near, most)
    except TooLarge:
        if near == enough:
            raise
    return enough, walks.of(number, enough, most)
