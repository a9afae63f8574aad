"""The question that `qnet sensitivity` asks: derivatives, or one of the three that are about ranges."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.model.model import Model
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.sensitivity.sensitivity import ask_sensitivity
from qnet.questions.sensitivity.uncertainty_report import ask_corners, ask_tornado, ask_uncertainty
from qnet.reports.report import Report


def ask(
    model: Model, tornado: bool, corners: bool, sample: int | None, seed: int, metric: Sequence[str], by: Sequence[str],
    range: Sequence[str], within: str, spread: Sequence[str], shape: str, wanted: Wanted = AUTO,
    asserted: Sequence[str] = (),
) -> Report:  # fmt: skip
    """The report of `sensitivity`, `tornado`, `corners` or `uncertainty`; arguments as of these of `System`.

    tornado, corners  which of them is asked; `uncertainty` where a number of points is given as `sample`. Of none:
                      `tornado` where there are ranges, else `sensitivity`.
    """
    if sample is not None:
        return ask_uncertainty(model, sample, seed, metric, by, range, within, spread, shape, wanted, asserted)
    if corners:
        return ask_corners(model, metric, by, range, within, wanted, asserted)
    if tornado or range or within:
        return ask_tornado(model, metric, by, range, within, wanted, asserted)
    return ask_sensitivity(model, metric, by, wanted, asserted)
