"""Putting names in an order in which each comes after those it uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

MAX_CIRCLES = 20
"""Circles that are reported; a choice: a model with more of them has one cause."""


def ordered(uses: Mapping[str, Iterable[str]]) -> tuple[list[str], list[list[str]]]:
    """The names so that each comes after those it uses, and the circles among them, the first `MAX_CIRCLES` at most.

    uses   what each name uses; uses of anything that is not a name itself do not count
    """
    done: dict[str, None] = {}
    circles: list[list[str]] = []
    for start in uses:
        trail: dict[str, Iterator[str]] = {} if start in done else {start: iter(uses[start])}
        while trail:
            name = next(reversed(trail))
            for used in trail[name]:
                if used in trail:
                    if len(circles) < MAX_CIRCLES:
                        names = list(trail)
                        circles.append([*names[names.index(used) :], used])
                elif used in uses and used not in done:
                    trail[used] = iter(uses[used])
                    break
            else:
                del trail[name]
                done[name] = None
    return list(done), circles
