"""References between the claims of a study: `[lpar/kernel-build/wall]` denotes what that claim states."""

from __future__ import annotations

import re
from collections.abc import Callable

_REFERENCE = re.compile(r"\[([^\[\]]*)\]")


def referred(text: str) -> tuple[str, ...]:
    """The ids that a text refers to, each once, in order."""
    return tuple(dict.fromkeys(match[1].strip() for match in _REFERENCE.finditer(text)))


def filled(text: str, reported: Callable[[str], str]) -> str:
    """The text with every reference replaced by an expression; `told` gives that of an id."""
    return _REFERENCE.sub(lambda match: reported(match[1].strip()), text)
