"""Why the order of arrival is corrected: the note quotes the row of errors of the systems that the network is like."""

from __future__ import annotations

from building import station, visit

from qnet.networks.measured_errors import MEASURED, percent
from qnet.networks.routed import ClosedClass, OpenClass, Route, RoutedNetwork
from qnet.networks.solve import solve
from qnet.networks.wanted import AUTO

CLOSED = ClosedClass("c", 2.0, 2.0, (Route("r", 1.0, (visit("s", 0.5),)),))
OTHER = ClosedClass("d", 2.0, 2.0, (Route("r", 1.0, (visit("s", 0.9),)),))
OPEN = OpenClass("a", 0.5, (Route("r", 1.0, (visit("s", 0.9),)),))


def why(*classes: OpenClass | ClosedClass) -> str:
    return solve(RoutedNetwork((station("s"),), classes), AUTO.replace(chain=0)).why


def test_mixed_networks_have_a_row_of_their_own() -> None:
    row = MEASURED["first come first served: mixed"]
    assert why(CLOSED, OPEN) == (
        f"its measured error in such networks is {percent(row.median)} in the median, {percent(row.worst)} at worst"
    )


def test_closed_networks_are_compared_with_product_form() -> None:
    ours, theirs = (MEASURED[name] for name in ("first come first served", "first come first served, by product form"))
    assert f"{percent(ours.median)} in the median, product form {percent(theirs.median)}" in why(CLOSED, OTHER)
