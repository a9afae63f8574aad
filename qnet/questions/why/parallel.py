"""Findings on parallel steps: how long they last, and which of their branches they wait for."""

from __future__ import annotations

from collections.abc import Iterator

from qnet.networks.solution import BranchFigures
from qnet.questions.bottleneck.bottleneck import Bottleneck
from qnet.questions.why.findings import TIME, Finding, percent, time_of


def parallel(found: Bottleneck) -> Iterator[Finding]:
    """Of every parallel step: its time, the time of its branches, and what they wait for each other."""
    steps: dict[tuple[str, int], list[BranchFigures]] = {}
    for item in found.solution.branches:
        steps.setdefault((item.class_name, item.step), []).append(item)
    for (name, number), own in steps.items():
        if own[0].width > 1:
            yield _step(name, number, own, sum(kind == name for kind, _ in steps) > 1)


def _step(name: str, number: int, own: list[BranchFigures], several: bool) -> Finding:
    whole, width, needed = float(own[0].whole), own[0].width, own[0].needed
    which = f"Parallel step {number} of {name}" if several else f"The parallel step of {name}"
    until = f"all {width} branches have" if needed == width else f"{needed} of {width} branches have"
    text = f"{which} lasts {time_of(whole)}, until {until} finished. "
    if needed == 1:
        text = f"{which} lasts {time_of(whole)}, until the first of {width} branches has finished. "
    text += f"{'; '.join(_branch(item, len(own) > 1) for item in own)}."
    if needed == width:
        early = sum(item.copies * float(item.time) for item in own) / width
        text += f" On average a branch waits {time_of(max(whole - early, 0.0))} of it for the last one."
    return Finding(TIME, name, text, "residence", whole, "s")


def _branch(item: BranchFigures, several: bool) -> str:
    if not several:
        return f"A branch, {item.name}, takes {time_of(float(item.time))}"
    names = f"{item.copies} x {item.name}" if item.copies > 1 else item.name
    last = "the last" if item.needed == item.width else "waited for to the last"
    return f"{names} takes {time_of(float(item.time))} and is {last} in {percent(float(item.awaited))} of the cases"
