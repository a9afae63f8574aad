"""The solution of a `Network`: figures by class and station, the method, and why they are approximate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from qnet.lazy import Array, lazy, np
from qnet.networks.near import Nearby
from qnet.networks.product.demands import Demands
from qnet.networks.product.figures import DemandFigures
from qnet.networks.product.open_classes import reasons
from qnet.networks.reasons import Beyond, approximate_notes, idle_notes, method_notes
from qnet.note import Note

if TYPE_CHECKING:
    from qnet import plain_tables
    from qnet.networks.closed.bounds import Bounds
    from qnet.networks.product import bounds as product_bounds
    from qnet.networks.product import routes
else:
    plain_tables = lazy("qnet.plain_tables")
    routes = lazy("qnet.networks.product.routes")
    product_bounds = lazy("qnet.networks.product.bounds")


class Solution:
    """The steady state of a `Network`. Its properties are numpy arrays; `figures` has the plain numbers.

    Conventions: utilization is throughput x demand / peak capacity, per class, below 1 in sum at queueing stations.
    Residence counts all visits of a passage; response per visit is residence / visits; the system response is the sum
    of residences, without think time. Queue lengths count customers in service.
    """

    __slots__ = (
        "by_class", "by_routes", "exact", "figures", "method", "method_reasons", "network", "network_reasons",
        "reasons", "starts", "why",
    )  # fmt: skip

    def __init__(
        self,
        network: Demands,
        figures: DemandFigures,
        method: str,
        method_reasons: tuple[str, ...],
        why: str,
        starts: Any = None,
        network_reasons: tuple[str, ...] | None = None,
        by_routes: bool = False,
        by_class: list[list[Any]] | None = None,
    ) -> None:
        self.network = network
        self.figures = figures
        self.method = method
        """The name of the method, as in `qnet methods`."""
        self.method_reasons = method_reasons
        """Why the method is not exact."""
        self.network_reasons = reasons(network) if network_reasons is None else network_reasons
        """Why the network has no product form, by station."""
        self.reasons = (*method_reasons, *self.network_reasons)
        """Why the answer is not exact; empty where it is."""
        self.exact = not self.reasons
        self.why = why
        """Why this method was taken."""
        self.by_routes = by_routes
        """Whether it was solved by routes, so that `method_reasons` has all reasons and warnings."""
        self.by_class = by_class
        """(K, R) residences by class where customers change their class; None where they follow from those of the
        chains."""
        self.starts = starts
        """The values of its fixed points, as in `near`; None where there are none."""

    @property
    def near(self) -> Nearby:
        """Its fixed points, from which those of a nearby network converge sooner."""
        network = self.network
        return Nearby(self.method, network.size, network.shape, self.figures.throughput, self.starts)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of `qnet solve`, each with its code for `qnet explain`: use beyond the region in which the error
        was measured as small, and where the arguments leave open whether a class visits a station (QN739).
        """
        unstated = tuple(f"{text} [{routes.UNSTATED}]" for text in routes.unstated_visits(self.network))
        reasons = (*self.method_reasons, *self._route_reasons())
        warned = (f"{item.warning} [{item.code}]" for item in reasons if isinstance(item, Beyond))
        return unstated + tuple(dict.fromkeys(warned))

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes that `qnet solve` prints: why the answer is approximate and the method was taken, classes without
        customers, and all warnings; `str(note)` is the printed line.
        """
        network = self.network
        unstated = [Note(routes.UNSTATED, text, "warning") for text in routes.unstated_visits(network)]
        reasons = dict.fromkeys((*self.method_reasons, *self._route_reasons()))
        idle = [network.class_label(class_index) for class_index in network.closed if network.nobody(class_index)]
        return (
            *approximate_notes([] if self.exact else reasons or self.reasons, [self.method]),
            *unstated,
            *idle_notes(idle),
            *method_notes(self.method, self.why, not self.exact),
        )

    def _route_reasons(self) -> tuple[str, ...]:
        """The reasons of the same network given by routes; empty where they are known already."""
        if self.exact or self.by_routes:
            return ()
        rates = self.figures.throughput
        passages = rates if self.network.size is None else list(rates.T)
        return routes.route_reasons(self.network, self.method, passages)

    @property
    def bounds(self) -> Bounds | None:
        """The tightest bounds of the exact answer; None where there are none, or no product form."""
        return None if reasons(self.network) else product_bounds.tightest(self.network)

    @property
    def throughput(self) -> Any:
        """(R,) or (B, R): passages per second."""
        return _array(self.figures.throughput)

    @property
    def response(self) -> Any:
        """(R,) or (B, R): seconds per passage, think time excluded."""
        return _array(self.figures.response)

    @property
    def residence(self) -> Any:
        """(K, R) or (B, K, R): seconds per passage at the station, all visits and their waits."""
        classes = self.network.switching
        if self.by_class is not None:
            return np.moveaxis(_array(self.by_class), -1, 0) if self.network.size is not None else _array(self.by_class)
        table = _array(self.figures.residence)
        return table if classes is None else classes.residence(self.network, table)

    @property
    def queue_length(self) -> Any:
        """(K, R) or (B, K, R): mean number at the station, those in service included."""
        classes = self.network.switching
        if classes is None:
            return _array(self.figures.queue_length)
        return self.throughput[..., None, list(classes.chain_of)] * self.residence

    @property
    def utilization(self) -> Any:
        """(K, R) or (B, K, R): throughput x demand / peak capacity; 0 at delays."""
        return self._by_demand(self.figures.utilization)

    @property
    def busy_servers(self) -> Any:
        """(K, R) or (B, K, R): throughput x demand, the mean capacity in use."""
        return self._by_demand(self.figures.busy_servers)

    def _by_demand(self, table: Any) -> Any:
        classes = self.network.switching
        return _array(table) if classes is None else classes.by_demand(self.network, table)

    @property
    def station_throughput(self) -> Any:
        """(K, R) or (B, K, R): visits per second."""
        if self.network.switching is not None:
            return self.network.switching.passed(self.network, self.figures.throughput)
        return self.throughput[..., None, :] * self._visits()

    def _visits(self) -> Any:
        """(K, R) or (B, K, R) visits per passage."""
        classes, visits = self.network.switching, self.network.visits
        if classes is not None:
            return classes.passed(self.network, np.ones(_array(self.figures.throughput).shape))
        return (_array(self.network.demands) > 0) * 1.0 if visits is None else _array(visits)

    @property
    def response_per_visit(self) -> Any:
        """(K, R) or (B, K, R): residence / visits; 0 without visits."""
        visited: Array = self._visits()
        return np.divide(self.residence, visited, out=np.zeros(visited.shape), where=visited > 0)

    @property
    def log_constant(self) -> Any:
        """Logarithm of the normalising constant, a float or (B,); None where the method has none."""
        return self.figures.log_constant

    @property
    def state_probabilities(self) -> Any:
        """K rows: the probabilities of 0, 1, ... customers of closed classes there; None where not wanted.

        In a batch an array (B, K, most + 1).
        """
        states = self.figures.states
        if states is None or self.network.size is not None:
            return states if states is None else _array(states)
        return [_array(row) for row in states]

    @property
    def busy_probability(self) -> Any:
        """(K,) or (B, K): the probability that any customer of a closed class is there; None where not wanted."""
        rows = self.state_probabilities
        if rows is None or self.network.size is not None:
            return rows if rows is None else rows[..., 1:].sum(axis=-1)
        return _array([row[1:].sum() for row in rows])

    def _tables(self) -> tuple[str, list[tuple[Sequence[str], list[tuple[Any, ...]]]]]:
        """The title, and the headings with rows by class, and by station and class."""
        points = "" if self.network.size is None else f" at {self.network.size} points"
        trust = "exact" if self.exact else f"approximate: {'; '.join(self.reasons)}"
        passing = "class" if self.network.switching is None else "chain"
        result = [self.throughput, self.response, self.residence, self.queue_length, self.utilization]
        throughput, response, *by_station = result
        chains, stations, classes = self._names()
        first = [(name, throughput[..., chain], response[..., chain]) for chain, name in enumerate(chains)]
        second = [
            (station, name, *(figure[..., k, r] for figure in by_station))
            for k, station in enumerate(stations)
            for r, name in enumerate(classes)
        ]
        return f"Solution by {self.method}{points} ({trust})", [
            ((passing, "throughput (/s)", "response (s)"), first),
            (("station", "class", "residence (s)", "queue length", "utilization"), second),
        ]

    def _names(self) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
        """The names of the chains, the stations and the classes; numbers where they have none."""
        network, changing = self.network, self.network.switching
        chains = network.class_names or [str(chain) for chain in range(network.shape[1])]
        classes = chains
        if changing is not None:
            classes = changing.names or [str(index) for index in range(len(changing.chain_of))]
        return chains, network.names or [str(station) for station in range(network.shape[0])], classes

    def _warned(self) -> list[str]:
        return [str(note) for note in self.notes if note.severity == "warning"]

    def __str__(self) -> str:
        title, tables = self._tables()
        return "\n\n".join([title, *(plain_tables.plain_table(*table) for table in tables), *self._warned()])

    def _repr_markdown_(self) -> str:
        """The tables in Markdown, for notebooks."""
        title, tables = self._tables()
        return "\n\n".join(
            [f"### {title}", *(plain_tables.markdown_table(*table) for table in tables), *self._warned()]
        )

    def __repr__(self) -> str:
        trust = "exact" if self.exact else "approximate"
        return f"Solution(method={self.method!r}, {trust}, throughput={self.figures.throughput!r})"


def stacked(network: Demands, points: list[Solution]) -> Solution:
    """The solutions of the points of a batch as one."""
    values: list[Any] = []
    for name in DemandFigures.fields():
        column = [getattr(point.figures, name) for point in points]
        if name == "states":
            values.append(None if any(item is None for item in column) else _padded(column))
        else:
            values.append(None if any(item is None for item in column) else np.array(column, float))
    methods = dict.fromkeys(point.method for point in points)
    why = list(dict.fromkeys(point.why for point in points))
    return Solution(
        network,
        DemandFigures(*values),
        method=", ".join(methods),
        method_reasons=tuple(dict.fromkeys(reason for point in points for reason in point.method_reasons)),
        why=why.pop() if len(why) == 1 else "; ".join(why),
        network_reasons=tuple(dict.fromkeys(reason for point in points for reason in point.network_reasons)),
    )


def _padded(rows: list[Any]) -> Any:
    """State probabilities of different lengths, padded with zeros: (B, K, longest)."""
    longest = max(len(row) for states in rows for row in states)
    table = np.zeros((len(rows), len(rows[0]), longest))
    for point, states in enumerate(rows):
        for station, row in enumerate(states):
            table[point, station, : len(row)] = row
    return table


def _array(value: Any) -> Any:
    return np.asarray(value, dtype=float)
