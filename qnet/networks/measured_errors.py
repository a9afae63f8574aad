"""The measured errors of all approximations: one row of `measured_errors.csv` for each method, feature and region.

Every row is measured against exact answers of random systems (Markov chains, simulations, exact product form) by the
test that it names in `tests/errors`, which fails when the row states other numbers. The table is read when this module
is imported, so import it lazily. `qnet methods`, the choice of `auto` and the notes take their
figures from here.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Collection

from qnet.networks.solvers.table import row_of
from qnet.record import Record

TABLE = os.path.join(os.path.dirname(__file__), "measured_errors.csv")


class MeasuredError(Record):
    """The measured error of one method for one feature."""

    name: str
    """`feature`, or `feature: region` where it is measured in several."""
    method: str
    figure: str
    """Which figure the error is of, in words."""
    quantity: str
    """The figure in one word or two: throughput, response, residence, queue length, occupancy, offered rate or
    percentile."""
    systems: int
    """Random systems that were solved both ways."""
    median: float
    worst: float
    """Relative errors, two digits."""
    trusted: bool
    """Whether the method is trusted in the region of the systems; where it is not, it warns, or is not chosen."""
    code: str
    """Codes of the warnings outside of the trusted region; empty where there are none."""
    test: str
    """The file in `tests/errors` that measures the row again."""
    source: str
    region: str
    """The systems that were drawn."""

    @property
    def feature(self) -> str:
        """The feature that was measured."""
        return self.name.partition(":")[0]

    @property
    def solver(self) -> str:
        """The method of the table of solvers, without details of what it does."""
        return self.method.partition(", ")[0]


def _read() -> dict[str, MeasuredError]:
    with open(TABLE, encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        assert tuple(next(rows)) == MeasuredError.fields()
        return {cells[0]: _row(*cells) for cells in rows}


def _row(
    name: str, method: str, figure: str, quantity: str, systems: str, median: str, worst: str, trusted: str,
    code: str, test: str, source: str, region: str,
) -> MeasuredError:  # fmt: skip
    return MeasuredError(
        name=name, method=method, figure=figure, quantity=quantity, systems=int(systems), median=float(median),
        worst=float(worst), trusted=trusted == "yes", code=code, test=test, source=source, region=region,
    )  # fmt: skip


MEASURED: dict[str, MeasuredError] = _read()
"""By name, in the order of the file."""


def trusted_rows(method: str) -> list[MeasuredError]:
    """The rows of a method in the regions in which it is trusted."""
    return [row for row in MEASURED.values() if row.method == method and row.trusted]


def error_of(method: str) -> str:
    """The errors of a method in short, over all regions in which it is trusted; empty where none was measured.

    >>> error_of("qna")
    'response: median up to 2.3 %, worst 16 %; other figures: median up to 2.9 %, worst 41 %'
    """
    kinds: dict[str, list[MeasuredError]] = {"throughput": [], "response": [], "other figures": []}
    for row in trusted_rows(method):
        kinds.get(row.quantity, kinds["other figures"]).append(row)
    return "; ".join(
        f"{kind}: median up to {percent(max(row.median for row in rows))}, "
        f"worst {percent(max(row.worst for row in rows))}"
        for kind, rows in kinds.items()
        if rows
    )


_OF_METHOD: dict[str, tuple[str, ...]] = {
    "residual-service": ("first come first served",),
    "priority-mva": ("priorities",),
    "layers": ("layers",),
    **dict.fromkeys(("linearizer", "aql", "bard-schweitzer"), ("product form",)),
}
"""The features whose rows measure a method, whatever the network has."""
_OPEN = ("service times in open networks", "service times and arrivals")
_BY_REASON: dict[str, tuple[str, ...]] = {
    "different times": _OPEN,
    "variable times": _OPEN,
    "not Poisson": ("arrivals that are not Poisson", *_OPEN),
    "holds": ("holds",),
    "independent second phases": ("second phases", "second-phase work"),
    "priority order": ("priorities", *_OPEN),
    "joined branches": ("fork-join",),
    "lost later": ("capacity",),
    "passed as Poisson": ("capacity",),
    "independent drain": ("buffer",),
    "behind as one": ("memory",),
    "constant inside": ("memory",),
    "around as one": ("capacity", "buffer"),
}
"""By the code of a reason, the features whose rows measure what it states."""
_WITH: dict[str, tuple[str, ...]] = {
    "approximation": tuple(name for names in _OF_METHOD.values() for name in names),
    "different times": ("first come first served", "holds", "second phases", "priorities", "layers", "memory"),
    "holds": ("memory", "layers"),
    "independent second phases": ("memory", "layers", "first come first served", "holds"),
    "before others": ("priorities",),
    "interrupting": ("priorities",),
}
"""By the code of a reason, the features whose systems have it besides, so that their rows measure it as well."""
_PRODUCT_FORM = "convolution"
"""The method in the rows of all that solve closed networks exactly."""
_WITH["variable times"] = _WITH["different times"]


class FeatureErrors(Record):
    """The largest errors of a feature, over the rows of some methods."""

    feature: str
    median: float
    worst: float
    """Of throughputs and responses, or of the only figure."""
    others: tuple[tuple[str, float], ...]
    """The worst errors of other figures that are larger, by quantity."""

    def __str__(self) -> str:
        text = f"{self.feature} up to {percent(self.worst)}, half below {percent(self.median)}"
        larger = ", ".join(f"{quantity} up to {percent(worst)}" for quantity, worst in self.others)
        return f"{text} ({larger})" if larger else text


def errors_by_feature(
    methods: Collection[str], codes: Collection[str], variants: Collection[str] = ()
) -> tuple[FeatureErrors, ...]:
    """The measured errors behind an answer, by feature; empty where no row measures one of its reasons.

    methods   the names of the methods that gave it.
    codes     of the reasons why it is approximate, all of them in the region in which errors were measured.
    variants  of approximate mean value analysis, such as "aql, seidmann", where they are not the usual ones.

    >>> [str(item) for item in errors_by_feature(["aql"], ["approximation"])]
    ['product form up to 14 %, half below 0.41 %']
    """
    features = {feature for name in methods for feature in _OF_METHOD.get(name, ())}
    features |= {feature for code in codes for feature in _BY_REASON.get(code, ())}
    solvers = {_PRODUCT_FORM if row_of(name, "closed") else name for name in methods}
    if "lost later" in codes:
        solvers.add("states")
    measured: dict[str, list[MeasuredError]] = {}
    for row in MEASURED.values():
        usual = row.feature != "product form" or row.method in (variants or methods)
        if row.trusted and row.feature in features and row.solver in solvers and usual:
            measured.setdefault(row.feature, []).append(row)
    if any(not {*_BY_REASON.get(code, ()), *_WITH.get(code, ())} & {*measured} for code in codes):
        return ()
    return tuple(_largest(feature, rows) for feature, rows in measured.items())


def errors_of_percentiles() -> FeatureErrors:
    """The measured errors of percentiles of response, over all regions in which they are trusted."""
    feature = "percentiles"
    return _largest(feature, [row for row in MEASURED.values() if row.feature == feature and row.trusted])


def _largest(feature: str, rows: list[MeasuredError]) -> FeatureErrors:
    """The largest errors of some rows of a feature."""
    main = [row for row in rows if row.quantity in ("throughput", "response")] or rows
    worst = max(row.worst for row in main)
    larger: dict[str, float] = {}
    for row in rows:
        if row not in main and row.worst > max(worst, larger.get(row.quantity, 0.0)):
            larger[row.quantity] = row.worst
    return FeatureErrors(feature, max(row.median for row in main), worst, tuple(larger.items()))


def percent(share: float) -> str:
    """A relative error, a `share` of 1, as texts quote it: two digits.

    >>> percent(0.0044)
    '0.44 %'
    """
    return f"{100 * share:.2g} %"
