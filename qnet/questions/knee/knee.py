"""Knees of the curve of response against load, by each definition in use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qnet.errors import Problem, UsageError, suggest
from qnet.lazy import lazy, np
from qnet.model.conditions import condition
from qnet.model.model import Model
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.knee.axes import GrowthAxis, axes
from qnet.questions.knee.curve import BEYOND, CurvePoint, solve_loads, together
from qnet.questions.knee.knees import DEFINITIONS, OF_KIND, Knee, Knees
from qnet.questions.knee.mix import MixAnswers
from qnet.questions.points.answers import Answers

if TYPE_CHECKING:
    from qnet.questions.knee import closed as along_populations
    from qnet.questions.knee import open as along_rates
else:
    along_populations = lazy("qnet.questions.knee.closed")
    along_rates = lazy("qnet.questions.knee.open")

TIMES_FLOOR = 2.0
"""The default multiple of the response without load."""


def knee(
    model: Model,
    vary: str = "",
    limits: Sequence[str] = (),
    multiple: float | None = None,
    definitions: Sequence[str] = (),
    wanted: Wanted = AUTO,
) -> list[Knees]:
    """The knees of the curve of response against load, along every axis of growth.

    vary         the parameter that sets the load; empty for all of them, as in `axes.axes`.
    limits       service levels, such as `response <= 1 s`, each with the largest load up to which it holds.
    multiple     for open classes, the multiple of the response without load; None for 2.
    definitions  names of `DEFINITIONS`; none for all.
    wanted       the method and its budget, which all solves of an axis share.
    Returns      the knees of each axis, in the order of `DEFINITIONS`.
    Definitions  N* as in `closed.Asymptotes`. Power is throughput / response, at its largest (Kleinrock,
                 Power and deterministic rules of thumb for probabilistic problems in computer communications, ICC
                 1979). Curvature |v''| / (1 + v'^2)^(3/2) of v = R / R0 over u = N / N*, at its largest (what
                 Satopaa, Albrecht, Irwin and Raghavan, Finding a "kneedle" in a haystack, ICDCS Workshops 2011, call
                 the knee of a continuous curve), by central differences over one customer, or over N* / 200 where
                 that is more.
    Mixes        Along several parameters at once their customers are in exact proportion, and figures are interpolated
                 between integer populations: `mix.corners`.
    Raises       `UsageError` QN017, QN018 for definitions that no axis has, and for faulty conditions; `NoAnswer` QN404
                 where nothing queues, QN401 where there is no steady state at any load; and what the solver raises.
    Limits       Between the points sampled first (all of a curve of one class up to 1000 customers, otherwise
                 17 or 33) a curve is assumed to have one hill or one crossing.
    """
    for name in definitions:
        if name not in DEFINITIONS:
            unknown = f'no definition "{name}" of a knee'
            raise UsageError(Problem("QN018", unknown, ", ".join(DEFINITIONS), help=suggest(name, list(DEFINITIONS))))
    if multiple is not None and not 1 < multiple < float("inf"):
        raise UsageError(Problem("QN018", f"a multiple of {multiple:g} of the floor", "a number above 1"))
    conditions = [condition(text, model) for text in limits]
    asked = tuple(definitions) or tuple(DEFINITIONS)
    along = axes(model, vary)
    if multiple is not None and all(axis.closed for axis in along):
        unused = f"a multiple of the floor along {', '.join(axis.name for axis in along)}"
        raise UsageError(Problem("QN018", unused, "a rate of arrivals; numbers of customers have no such knee"))
    _refuse_impossible(definitions, along, bool(limits))
    seekers: list[along_populations.AlongPopulations | along_rates.AlongRates] = [
        along_populations.AlongPopulations(axis, conditions, wanted) for axis in along if axis.closed
    ]
    opened = [axis for axis in along if not axis.closed]
    if opened:
        rates = [
            along_rates.AlongRates(axis, edge, conditions, wanted, multiple or TIMES_FLOOR)
            for axis, edge in zip(opened, along_rates.edges(opened), strict=True)
        ]
        along_rates.begin_all(rates)
        seekers += rates
    searches = [(seeker, search) for seeker in seekers for search in seeker.searches(asked)]
    knees = together([(seeker.curve, search) for seeker, search in searches])
    pairs = list(zip(searches, knees, strict=True))
    return [seeker.knees(asked, [knee for (item, _), knee in pairs if item is seeker]) for seeker in seekers]


def _refuse_impossible(definitions: Sequence[str], along: Sequence[GrowthAxis], limited: bool) -> None:
    """Refuse requested definitions that no axis has."""
    possible = dict.fromkeys(name for axis in along for name in OF_KIND[axis.closed])
    for name in definitions:
        if name not in possible:
            kind = "a number of customers" if along[0].closed else "a rate of arrivals"
            text = f"{name} along {', '.join(axis.name for axis in along)}: {kind} has no such knee"
            raise UsageError(Problem("QN018", text, ", ".join(possible)))
        if name == "service_level" and not limited:
            expected = "--limit with it, such as --limit 'response <= 1 s'"
            raise UsageError(Problem("QN018", "service_level without a limit", expected))


def answered_knees(knees: Knees) -> list[Knee]:
    """The knees at which there is a response."""
    return [item for item in knees.knees if item.status == "ok" and item.definition != "saturation"]


def around(result: Sequence[Knees]) -> list[tuple[list[Knee], Answers | MixAnswers, list[CurvePoint]]]:
    """For each axis, the knees with a response, the model solved at them, and the curve one step beyond.

    result   the knees of all axes. One step is one customer, or one percent of a rate.
    """
    known = [answered_knees(item) for item in result]
    values = [np.array([item.value for item in knees], dtype=float) for knees in known]
    beyond = [there + 1 if item.axis.closed else there * BEYOND for item, there in zip(result, values, strict=True)]
    solve_loads({item.curve: after.tolist() for item, after in zip(result, beyond, strict=True)})
    return [
        (knees, item.curve.answers(there), item.curve.points(after))
        for item, knees, there, after in zip(result, known, values, beyond, strict=True)
    ]
