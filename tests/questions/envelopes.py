"""What tests of envelopes share: models of a few lines, and a look at every value without any search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from qnet.documents import parse
from qnet.model.load import build
from qnet.model.model import Model
from qnet.questions.envelope.envelope import Envelope, EnvelopePoint, envelope
from qnet.questions.envelope.question import Question, question
from qnet.questions.points.expression_values import expression_value
from qnet.questions.points.points import solve_points


def model(text: str) -> Model:
    return build(parse(f'qnet = 1\ntitle = "A model"\n{text}'.encode(), "model.toml"), "model.toml")


def answer(
    text: str | Model, vary: str, limit: str | Sequence[str], over: Sequence[str] = (), find: str = ""
) -> Envelope:
    return envelope(question(model(text) if isinstance(text, str) else text, None, vary, limit, over, find=find))


def points(
    text: str | Model, vary: str, limit: str | Sequence[str], over: Sequence[str] = (), find: str = ""
) -> tuple[EnvelopePoint, ...]:
    return answer(text, vary, limit, over, find).points


def holds(asked: Question, place: Sequence[float], values: Any) -> Any:
    """Whether all limits hold at some values of the varied parameter, each solved for itself."""
    fixed = {item.name: np.full(len(values), value) for item, value in zip(asked.over, place, strict=True)}
    solved = solve_points(asked.model, {**fixed, asked.vary: values}, len(values), patient=False)
    found = solved.stable
    for item in asked.limits:
        found = found & item.holds(expression_value(solved, item.metric), expression_value(solved, item.bound))
    return found


def inside(point: EnvelopePoint, values: Any, near: float = 1e-9) -> tuple[Any, Any]:
    """Which values are in an interval of a point, and which are so near to an end that rounding decides."""
    found, close = np.zeros(len(values), dtype=bool), np.zeros(len(values), dtype=bool)
    for low, high in point.intervals:
        found |= (values >= low) & (values <= high)
        close |= (np.abs(values - low) <= near * abs(low)) | (np.abs(values - high) <= near * abs(high))
    return found, close
