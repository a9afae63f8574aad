"""First come first served without product form in closed classes: when the residual-service correction applies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qnet.errors import NotComputed, Problem
from qnet.lazy import lazy
from qnet.networks.exactness import RESIDUAL
from qnet.networks.product.demands import Demands
from qnet.networks.product.open_classes import ordered_stations, product_form, ranked
from qnet.networks.product.solution import Solution
from qnet.networks.reasons import Reason
from qnet.networks.solvers.features import Final
from qnet.networks.wanted import Divided, Wanted, Work

if TYPE_CHECKING:
    from qnet.networks import measured_errors
    from qnet.networks.measured_errors import MeasuredError
    from qnet.networks.product import first_come
    from qnet.networks.solvers.protocol import SolvePart
else:
    measured_errors = lazy("qnet.networks.measured_errors")
    first_come = lazy("qnet.networks.product.first_come")

METHOD = RESIDUAL
CLASSES = "closed"
APPLIES = (
    "first come first served with service times that differ between classes or are not exponential; single and "
    "several servers, delays; any populations, fractional ones too"
)
COST = "iterations x classes^3 x stations"
SOURCE = "@reiser1979; @bolch2006, section 10.1"
_LARGEST = 20_000_000
"""The most numbers in one array of a point."""


def applies(network: Demands, wanted: Wanted) -> Reason | None:
    """Why a network is not to be solved by the correction for residual service; None where it is.

    wanted  `auto`, or the method by name.
    Raises  `NotComputed` QN552 for parallel branches that it does not support, and QN513 where state probabilities are
            wanted, which would not agree with the corrected means; `Divided` where every point of a batch is to get
            the method that it would get alone, and only some have product form.
    """
    refusal = _refusal(network)
    if wanted.states and (network.joins is not None or wanted.method == METHOD):
        if wanted.method == METHOD:
            return _NO_STATES
        raise NotComputed(Problem("QN513", str(_NO_STATES), f"auto, or {METHOD}"))
    if wanted.method == METHOD:
        return refusal
    if network.joins is not None:
        if refusal:
            raise NotComputed(Problem("QN552", f"branches in parallel, and {refusal}", "stations with servers"))
        return None
    if refusal:
        return refusal
    if network.left and not wanted.states:
        return None
    needed: Any = False
    for station in ordered_stations(network):
        identical = product_form(network, station)
        needed = needed | ((not identical) if isinstance(identical, bool) else ~identical)
    if needed is False:  # Before the table of measured errors is read.
        return Reason("product form")
    corrected, shared = measured(network)
    if shared.median < corrected.median:
        return Reason("measured error")
    if wanted.states and (needed if isinstance(needed, bool) else needed.any()):
        text = f"{METHOD} corrects the order of arrival, and {_NO_STATES}"
        help = "--method lattice-convolution takes such stations like processor sharing, means too"
        raise NotComputed(Problem("QN513", text, 'stations with product form, such as discipline "ps"', help=help))
    if wanted.each and network.size is not None and not isinstance(needed, bool) and needed.any() and not needed.all():
        raise Divided(needed)
    some = needed if isinstance(needed, bool) else needed.any()
    return None if some else Reason("product form")


_NO_STATES = Reason("state probabilities")
_MIXED = "first come first served: mixed"


def measured(network: Demands) -> tuple[MeasuredError, MeasuredError]:
    """The measured errors of the correction and of product form, in the region of a network."""
    several = any(network.servers[station] > 1 for station in ordered_stations(network))
    name = "first come first served: several servers" if several else "first come first served"
    corrected, shared = measured_errors.MEASURED[name], measured_errors.MEASURED[f"{name}, by product form"]
    # In mixed networks only the correction was measured.
    return (
        measured_errors.MEASURED[_MIXED] if network.open and not network.left and network.joins is None else corrected
    ), shared


def why_corrected(network: Demands) -> str:
    """Why the correction was taken and not product form, by their measured errors."""
    corrected, shared = measured(network)
    errors = f"{100 * corrected.median:.2g} % in the median"
    if corrected.name == _MIXED:
        return f"its measured error in such networks is {errors}, {100 * corrected.worst:.2g} % at worst"
    return f"it has the smallest measured error in such networks: {errors}, product form {100 * shared.median:.2g} %"


def work(network: Demands, wanted: Wanted) -> Work:
    """Some hundred iterations over the pairs of classes at every station."""
    stations, classes = network.shape
    cells = float(stations * classes**2 * (network.size or 1))
    return Work(3e4 * (classes + 1) * cells / max(1, classes), 100.0 * cells)


def _refusal(network: Demands) -> Reason | None:
    """Why the correction does not apply; None where it does."""
    if not network.closed:
        return Reason("no closed classes")
    if ranked(network):
        return Reason("ranked")
    if any(rates is not None for rates in network.rates):
        return Reason("rates")
    if network.shape[0] * len(network.closed) ** 2 > _LARGEST:
        return Reason("too large")
    return None


def solve(network: Demands, wanted: Wanted, solve_part: SolvePart) -> Solution:
    """The steady state; raises `Final` QN511 where a fixed point is not proven, since product-form methods, which
    ignore the order of arrival, must not answer instead."""
    try:
        result = first_come.solve(network, wanted, solve_part)
    except NotComputed as error:
        raise Final(*error.problems) from None
    result.why = why_corrected(network)
    return result
