"""A calibration that ends early: what is kept of it, and how that is reported."""

from __future__ import annotations

from qnet.budget import OverBudget
from qnet.lazy import np
from qnet.questions.calibrate.errors import UNKNOWN, Scatter
from qnet.questions.calibrate.least_squares import Minimum
from qnet.questions.calibrate.search import Target

SHARE = 0.9
"""Of the operations that are left, for the fit: the rest is for the rows of the report."""


class Stopped:
    """Why a calibration ended early, and how far it had come."""

    def __init__(self, error: OverBudget | KeyboardInterrupt, proven: bool) -> None:
        self.error = error
        self.proven = proven
        """Whether the minimum was reached, and only the errors of the values are missing."""

    @property
    def reason(self) -> str:
        """What ended it."""
        return "interrupted" if isinstance(self.error, KeyboardInterrupt) else "stopped at the end of its operations"

    @property
    def status(self) -> str:
        """The status of every value."""
        return "errors not computed" if self.proven else "best so far"


def kept(target: Target, best: Minimum | None) -> Minimum | None:
    """What is known where a calibration ends early: its minimum, or the best point so far; None before any."""
    if best is not None:
        return best
    if target.lowest is None:
        return None
    _, point, residuals = target.lowest
    return Minimum(
        point=point,
        residuals=residuals,
        jacobian=np.zeros((len(residuals), len(point))),
        side=np.zeros(len(point), dtype=int),
        offset=float("inf"),
        converged=False,
        reason="the search was stopped",
        rounds=0,
    )


def no_scatter(freedom: int) -> Scatter:
    """That nothing is known of the errors."""
    return Scatter(
        kind=UNKNOWN,
        variance=float("nan"),
        times=float("nan"),
        freedom=freedom,
        common=0.0,
        ratio=None,
        exceeds=False,
    )
