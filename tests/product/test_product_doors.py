"""`qnet.Network` and the model language answer the same: random networks, closed and mixed, of every discipline."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from full import FULL
from many import many

import qnet
from qnet.errors import QnetError

pytestmark = pytest.mark.sliced

SEEDS = range(300 if FULL else 16)
LITTLE = frozenset({"mva", "convolution"})
"""Methods of one class, which a model has by the same name."""


def drawn(seed: int) -> dict[str, Any]:
    """The arguments of a network; open classes take up to six tenths of a station."""
    draw = np.random.default_rng([817, seed])
    stations, classes = draw.integers(1, 4), draw.integers(1, 4)
    visits = draw.choice([1, 1, 1, 0.5, 2], (stations, classes))
    demands = visits * np.exp(draw.uniform(-1.5, 1.5, (stations, classes)))
    kinds = draw.choice(["queue", "queue", "queue", "delay"], stations).tolist()
    disciplines = draw.choice(["fcfs", "fcfs", "ps", "priority", "preemptive", "lcfs-pr"], stations).tolist()
    servers = [1 if kind == "delay" else int(draw.integers(1, 4)) for kind in kinds]
    closed = draw.random(classes) < 0.7
    closed[0] = True
    rates = draw.uniform(0.2, 1.0, classes) * ~closed
    load = (demands @ rates / servers).max()
    rates *= draw.uniform(0.2, 0.6) / load if load else 1.0
    ranked = any(word in ("priority", "preemptive") and kind == "queue"
                 for word, kind in zip(disciplines, kinds, strict=True))  # fmt: skip
    return {
        "demands": demands, "visits": visits, "kinds": kinds, "disciplines": disciplines, "servers": servers,
        "population": [int(draw.integers(1, 8)) if item else None for item in closed],
        "think_time": [float(draw.uniform(0, 5)) if item else None for item in closed],
        "arrival_rate": [None if item else float(rate) for item, rate in zip(closed, rates, strict=True)],
        "scv": draw.choice([1.0, 1.0, 0.5, 3.0], (stations, classes)),
    } | ({"priority": draw.integers(1, 3, classes).tolist()} if ranked else {})  # fmt: skip


def model(given: dict[str, Any]) -> str:
    """The same, in the language of models."""
    lines = ["qnet = 1", 'title = "two doors"', "[stations]"]
    for number, kind in enumerate(given["kinds"]):
        queue = f'servers = {given["servers"][number]}, discipline = "{given["disciplines"][number]}"'
        lines.append(f"s{number} = {{ {'delay = true' if kind == 'delay' else queue} }}")
    for kind, rate in enumerate(given["arrival_rate"]):
        lines += [f"[classes.c{kind}]"] + [f"priority = {item}" for item in given.get("priority", [])[kind : kind + 1]]
        if rate is None:
            lines += [f"population = {given['population'][kind]}", f'think_time = "{given["think_time"][kind]!r} s"']
        else:
            lines.append(f'arrival_rate = "{rate!r}/s"')
        columns = [given[name][:, kind].tolist() for name in ("demands", "visits", "scv")]
        steps = [
            f'{{ station = "s{number}", visits = {visits}, time = "{demand / visits!r} s", scv = {scv} }}'
            for number, (demand, visits, scv) in enumerate(zip(*columns, strict=True))
        ]
        lines.append(f"steps = [ {', '.join(steps)} ]")
    return "\n".join(lines) + "\n"


def by_class(text: str, method: str) -> list[float]:
    """The responses of the classes of a model."""
    rows = qnet.loads(text).solve(method=method).records()
    return [row["response_s"] for row in rows if row["scope"] == "class"] or [rows[0]["response_s"]]


@cache
def answered(seed: int) -> Any:
    """The solution of a network, or why there is none."""
    try:
        return qnet.Network(**drawn(seed)).solve()
    except QnetError as error:
        return error


@many("seed", SEEDS)
def test_both_doors_answer_the_same(seed: int) -> None:
    found, text = answered(seed), model(drawn(seed))
    if isinstance(found, QnetError):
        with pytest.raises(type(found), match=found.problems[0].code):
            by_class(text, "priority-mva")
        return
    method = "auto" if found.method in LITTLE and not found.warnings else found.method
    assert found.response == pytest.approx(by_class(text, method), rel=1e-8)


def test_the_networks_have_everything() -> None:
    methods = {getattr(answered(seed), "method", "refused") for seed in SEEDS}
    assert {"residual-service", "priority-mva"} <= methods
    assert methods & LITTLE
