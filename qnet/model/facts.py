"""What follows from a model as it stands, before it has numbers: worked out once for each model, when it is asked for.

A question solves one model thousands of times.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from qnet.model.model import Model

_Fact = TypeVar("_Fact")


def fact(function: Callable[[Model], _Fact]) -> Callable[[Model], _Fact]:
    """A function of a model alone, whose result is kept with the model; it is not to be changed."""
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def known(model: Model) -> _Fact:
        facts = model.__dict__.setdefault("_facts", {})
        if name not in facts:
            facts[name] = function(model)
        return facts[name]

    return known
