"""What measurements do not determine: parameters that cannot be distinguished, have no effect, or ran into an end."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from qnet.lazy import np
from qnet.questions.calibrate.calibrate import Calibration, FittedParameter
from qnet.reports.content import Note
from qnet.units import format_number, format_quantity

APART = 0.99
"""The correlation from which on two parameters count as indistinguishable."""
INFLATED = 1 / (1 - APART**2)
"""The inflation of a variance that two parameters of that correlation have."""
_NEAR = 0.05
"""How near to 1 a ratio is named as 1; a choice of wording."""


def doubts(calibration: Calibration) -> Iterator[Note]:
    """Everything that limits the trust in fitted values, as warnings."""
    known = calibration.spread
    items = calibration.parameters
    idle = [item.unknown.name for item in items if item.idle and (item.undetermined or not item.interval)]
    if idle:
        yield Note("QN635", f"no effect on what was measured: {', '.join(idle)}", "warning", "leave it out of --fit")
    for item in items:
        if item.side:
            end = "lower" if item.side < 0 else "upper"
            at = format_quantity(item.value, item.unknown.unit, 6)
            text = f'"{item.unknown.name}" ended at the {end} end of its range, {at}, and has no standard error'
            yield Note("QN635", text, "warning", "widen its range with --between, or check the model")
    for direction in known.tied.tolist():
        moved = [index for index, share in enumerate(direction) if abs(share) > 1e-3]
        names = [items[index].unknown.name for index in moved]
        text = f"cannot be distinguished: {', '.join(names)}"
        if len(moved) == 2:
            one, other = moved
            ratio = -_in_coordinates(calibration, direction, one) / _in_coordinates(calibration, direction, other)
            text += f"; only {combination(items[one], items[other], ratio)} is determined"
        yield _apart(text)
    paired: set[int] = set()
    for one in range(len(items)):
        for other in range(one + 1, len(items)):
            correlation = float(known.correlation[one, other])
            if abs(correlation) > APART:
                paired |= {one, other}
                yield _apart(_pair(calibration, one, other, correlation))
    inflated = entangled(known.inflation, known.correlation)
    if set(inflated) - paired:
        names = ", ".join(items[index].unknown.name for index in inflated)
        yield _apart(f"can hardly be distinguished: {names}; the condition number is {known.condition:.3g}")


def entangled(inflation: Any, correlation: Any) -> list[int]:
    """The indices of estimates whose variance others inflate, each with the one that it moves with most."""
    inflated = [index for index, value in enumerate(inflation.tolist()) if INFLATED < value < math.inf]
    partners = np.abs(np.nan_to_num(correlation))
    np.fill_diagonal(partners, 0.0)
    return sorted({*inflated, *(int(partners[index].argmax()) for index in inflated)})


def _apart(text: str) -> Note:
    return Note("QN634", text, "warning", "measure at other conditions, or state one of them with -p")


def _in_coordinates(calibration: Calibration, direction: list[float], index: int) -> float:
    """A direction is in coordinates scaled by their effects; this is its part in plain ones."""
    norm = float(np.linalg.norm(calibration.minimum.jacobian[:, index]))
    return direction[index] / norm


def _pair(calibration: Calibration, one: int, other: int, correlation: float) -> str:
    items, known = calibration.parameters, calibration.spread
    names = f'"{items[one].unknown.name}" and "{items[other].unknown.name}"'
    first = f"{names} can hardly be distinguished (correlation {correlation:.4f})"
    variances = float(known.covariance[one, one]), float(known.covariance[other, other])
    if not all(value > 0 for value in variances):
        return first
    ratio = -math.copysign(math.sqrt(variances[0] / variances[1]), correlation)
    return f"{first}; only {combination(items[one], items[other], ratio)} is well determined"


def combination(one: FittedParameter, other: FittedParameter, ratio: float) -> str:
    """The combination of two parameters that measurements determine: their sum, their product, or a power of them.

    ratio   how much the combination changes with the coordinate of the second, over that of the first.
    """
    a, b = one.unknown, other.unknown
    linear = ratio * a.slope(one.value) / b.slope(other.value)
    if a.unit == b.unit and a.unit and abs(abs(linear) - 1) < _NEAR:
        return f"{a.name} {'+' if linear > 0 else '-'} {b.name}"
    if one.value > 0 and other.value > 0:
        power = linear * other.value / one.value
        raised = "" if abs(abs(power) - 1) < _NEAR else f"^{format_number(abs(power), 3)}"
        return f"{a.name} {'*' if power > 0 else '/'} {b.name}{raised}"
    return f"{a.name} {'+' if linear > 0 else '-'} {format_number(abs(linear), 3)} * {b.name}"
