"""Answers that a process gives once, however often the same is asked: models that are read and checked.

Tests load the shipped models thousands of times, and a program in Python that did so would read each of them once. Only
what is the same to the last byte is kept, and nothing of another catalog; what is refused is refused anew each time.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any


def kept(function: Callable[..., Any], key: Callable[..., Any]) -> Callable[..., Any]:
    """A function that computes the answer to equal arguments once, as long as the catalog is that of the checkout.

    key   what makes arguments equal, and is hashable.
    """
    known: dict[Any, Any] = {}

    @wraps(function)
    def answer(*given: Any, **named: Any) -> Any:
        if os.environ.get("QNET_CATALOG"):
            return function(*given, **named)
        asked = key(*given, **named)
        if asked not in known:
            known[asked] = function(*given, **named)
        return known[asked]

    return answer


def keep_models() -> None:
    """From now on, all of qnet parses a document and checks a model of the same text once."""
    from qnet import documents
    from qnet.model import load

    replace(documents.parse, kept(documents.parse, lambda raw, name: (raw, name)))
    replace(load.build, kept(load.build, lambda document, name: (type(document), document.name, document.text, name)))


def replace(function: Callable[..., Any], other: Callable[..., Any]) -> None:
    """Put another function in every module of qnet that has this one by its name."""
    for name, module in list(sys.modules.items()):
        if name.startswith("qnet.") and vars(module).get(function.__name__) is function:
            setattr(module, function.__name__, other)
