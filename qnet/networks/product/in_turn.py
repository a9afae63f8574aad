"""Networks of demands that are solved by routes: each class visits its stations in turn.

Without product form demands do not suffice, since waits depend on the order of visits. Such a network is solved as one
of routes, by the same methods as a model in a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from qnet.errors import NoAnswer, Problem
from qnet.expression import Value
from qnet.lazy import lazy, np
from qnet.networks.exactness import STATES
from qnet.networks.product.demands import Demands
from qnet.networks.product.figures import figures
from qnet.networks.product.open_classes import reasons, refuse_overload
from qnet.networks.product.routes import anywhere, by_routes
from qnet.networks.product.solution import Solution
from qnet.networks.reasons import Inexact, Reason
from qnet.networks.solvers import table
from qnet.networks.wanted import Wanted
from qnet.queues.arithmetic import total

if TYPE_CHECKING:
    from qnet.networks import solve as routed_solve
    from qnet.networks.solution import RoutedSolution
else:
    routed_solve = lazy("qnet.networks.solve")

_WHY = {"qna": "the variability of arrivals matters", "open": "its stations are solved one by one"}


def needs_routes(network: Demands, wanted: Wanted) -> bool:
    """Whether a network is solved by its routes.

    Applies  without product form, to open classes alone, and to points with closed ones whose routing is stated; and
             to methods, by name, that take only routes. A batch with closed classes is solved by one method for
             demands; so are state probabilities.
    """
    if table.row_of(wanted.method, "routes") and not table.row_of(wanted.method, "demands"):
        return True
    if wanted.method not in ("auto", "open") or wanted.states or not reasons(network):
        return False
    ordered = network.switching is not None and network.size is None
    return not network.closed or (wanted.method == "auto" and ordered)


def solve(network: Demands, wanted: Wanted) -> Solution:
    """The steady state of the network of routes that visit the stations in their order, or by the stated routing.

    network  a point or a batch, open load below every capacity.
    Returns  `Solution`, with the reasons and warnings of that network.
    Raises   as `qnet.networks.solve.solve`; `NoAnswer` QN401 without a steady state.
    """
    refuse_overload(network)
    solved = routed_solve.solve(by_routes(network), wanted)
    _refuse_unstable(network, solved)
    nothing: Value = 0.0 if network.size is None else np.zeros(network.size)
    spent = {(item.chain, item.class_name, item.name): item.residence + nothing for item in solved.visits}

    def rows(classes: Sequence[tuple[str, str]]) -> list[list[Value]]:
        stations = map(network.station_label, range(network.shape[0]))
        return [[spent.get((*names, station), nothing) for names in classes] for station in stations]

    chains = [network.class_label(class_index) for class_index in range(network.shape[1])]
    changing, by_class = network.switching, None
    if changing is None:
        residence = rows([("", name) for name in chains])
    else:
        by_class = rows(
            [(chains[chain], changing.class_label(class_index)) for class_index, chain in enumerate(changing.chain_of)]
        )
        residence = [
            [total(value for value, one in zip(row, changing.chain_of, strict=True) if one == chain)
             for chain in range(len(chains))]
            for row in by_class
        ]  # fmt: skip
    return Solution(
        network,
        figures(network, [item.throughput + nothing for item in solved.classes], residence),
        method=solved.method,
        method_reasons=(*solved.reasons, *_reasons(network, solved.method)),
        why=solved.why or _WHY.get(solved.method, ""),
        network_reasons=(),
        by_routes=True,
        by_class=by_class,
    )


def _reasons(network: Demands, method: str) -> tuple[Inexact, ...]:
    """Why the chain of all states is not the exact answer: it assumes an order of visits where none is stated."""
    stations, classes = network.shape
    if method != STATES or network.switching is not None:
        return ()
    for class_index in range(classes):
        visits: list[Any] = [network.visit_ratio(station, class_index) for station in range(stations)]
        if sum(map(anywhere, visits)) > 1 or any(anywhere(abs(count * (count - 1.0))) for count in visits):
            return (Inexact(Reason("order unstated")),)
    return ()


def _refuse_unstable(network: Demands, solved: RoutedSolution) -> None:
    """Raise `NoAnswer` QN401 where some variant has no steady state, with the station of the largest load."""
    stable: Any = solved.stable
    if stable if network.size is None else np.all(stable):
        return
    variant = None if network.size is None else int(np.argmin(stable))
    loads = {item.name: _at(item.load, variant) for item in solved.loads}
    worst = max(loads, key=loads.__getitem__)
    where = "" if variant is None else f" in variant {variant}"
    text = f"no steady state: {worst} would be {100 * loads[worst]:.4g} % utilized{where}"
    raise NoAnswer(Problem("QN401", text, "fewer customers, or fewer arrivals"))


def _at(value: Any, variant: int | None) -> float:
    """A figure of a point, or of a variant of a batch."""
    return float(value if variant is None or not getattr(value, "ndim", 0) else value[variant])
