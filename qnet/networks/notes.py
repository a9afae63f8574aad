"""What a reader should know of the answer for a network, however the network was given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from qnet.networks.reasons import Beyond, Inexact, Requested
from qnet.note import Note

_LINE = 120
"""A note that is longer has a text in a few words."""
_MOST, _FIRST = 12, 5
"""Reasons that are listed all, and those that are listed of more."""


def approximate_notes(reasons: Iterable[str], what: str = "the answer is") -> list[Note]:
    """Why something is approximate, with warnings of what is beyond its measured region; nothing without a reason.

    reasons  those of a solution, each as its sentence.
    what     subject and verb of the note.
    """
    every = sorted(reasons, key=_of_method)
    result = list(dict.fromkeys(every))
    if not result:
        return []
    warned: dict[str, dict[str, None]] = {}
    for reason in every:
        if isinstance(reason, Beyond):
            warned.setdefault(reason.code, {})[reason.warning] = None
    warnings = [Note(code, _listed(list(texts)), "warning") for code, texts in warned.items()]
    text = f"{what} approximate: {_listed(result)}"
    brief = f"{what} approximate: {result[0]}; {len(result) - 1} more with --json"
    return [Note("QN601", text, brief=brief if len(text) > _LINE and len(result) > 1 else ""), *warnings]


def _of_method(reason: str) -> bool:
    """Whether a reason states no more than that the method is an approximation: what of the model makes it one stands
    before it."""
    return isinstance(reason, Inexact) and reason.reason.code == "approximation"


def _listed(texts: Sequence[str]) -> str:
    """Reasons in a row: the first of very many, and how many more there are."""
    if len(texts) <= _MOST:
        return "; ".join(texts)
    return f"{'; '.join(texts[:_FIRST])}; and {len(texts) - _FIRST} more like these"


def idle_notes(idle: Sequence[str]) -> list[Note]:
    """That closed classes have no customers; nothing without such a class.

    idle  the names of these classes.
    """
    if not idle:
        return []
    text = f"{', '.join(idle)}: without customers, the response is that of the demands alone, without any wait"
    return [Note("QN702", text)]


def method_notes(method: str, why: str, approximate: bool) -> list[Note]:
    """Why an approximation was taken that was not asked for.

    method       that `auto` took.
    why          the reason that no exact method did; empty for none.
    approximate  whether it is no exact one.
    """
    return [Note("QN607", f"method {method}: {why}")] if why and approximate and not isinstance(why, Requested) else []
