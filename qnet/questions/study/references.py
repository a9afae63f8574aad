"""References between the claims of a study: `[lpar/kernel-build/wall]` stands for what that claim states."""

from __future__ import annotations

import re
from collections.abc import Callable

_REFERENCE = re.compile(r"\[([^\[\]]*)\]")


def referred(text: str) -> tuple[str, ...]:
    """The ids that a text refers to, each once, in order."""
    return tuple(dict.fromkeys(match[1].strip() for match in _REFERENCE.finditer(text)))


def filled(text: str, told: Callable[[str], str]) -> str:
    """The text with an expression in the place of every reference; `told` gives that of an id."""
    return _REFERENCE.sub(lambda match: told(match[1].strip()), text)
