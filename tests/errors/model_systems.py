"""Random models in the model language for the table of errors: 1,000 or more of each family, of which a slice is kept.

`python tests/errors/model_systems.py [FAMILY ...]` measures all, by the chains of tests/oracle, and writes again what
is kept of them: the exact figures of every fiftieth, and of those that are answered worst.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from math import exp, log
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "campaigns")]

EXACT = Path(__file__).with_name("model_exact.json")
FIGURES = ("throughput", "response", "queue_length", "offered")
LEAST = 0.1
"""Errors of queue lengths are relative to the exact value, or to this where that is less."""


class Draw:
    """Parts of a model, from a seed."""

    def __init__(self, random: Random | None) -> None:
        self.random = random or Random(0)
        self.stations: list[str] = []
        self.classes: list[str] = []
        self.buffers: list[str] = []

    def one(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def number(self, low: float, high: float) -> float:
        return float(f"{exp(self.random.uniform(log(low), log(high))):.4g}")

    def time(self, low: float = 0.3, high: float = 1.5, *scvs: float) -> str:
        scv = self.one(*scvs) if scvs else 1
        return f'time = "{self.number(low, high)} s"' + (f", scv = {scv}" if scv != 1 else "")

    def station(self, name: str, **more: Any) -> None:
        inside = ", ".join(f"{key} = {json.dumps(value)}" for key, value in more.items())
        self.stations.append(f"{name} = {{ {inside} }}")

    def closed(self, name: str, population: int, think: float, *steps: str, more: str = "") -> None:
        lines = [f"[classes.{name}]", f"population = {population}", f'think_time = "{think} s"', more]
        self.classes += [*lines, f"steps = [{', '.join(steps)}]"]

    def text(self) -> str:
        buffers = ["[buffers]", *self.buffers] if self.buffers else []
        return "\n".join(["qnet = 1", 'title = "t"', "[stations]", *self.stations, *buffers, *self.classes, ""])


def visit(station: str, time: str, more: str = "") -> str:
    return f'{{ station = "{station}", {time}{more} }}'


def hold(station: str, *steps: str) -> str:
    return f'{{ hold = "{station}", steps = [{", ".join(steps)}] }}'


def stacks(draw: Draw) -> None:
    """One or two classes at two to four servers that serve the last first, beside a station that is shared."""
    draw.station("s1", discipline="lcfs-pr", servers=draw.one(2, 2, 3, 4))
    draw.station("s2", discipline="ps")
    base, scvs = draw.number(0.3, 1.5), draw.one((1,), (1,), (0.5, 1, 2, 4))
    names = draw.one("a", "ab", "ab", "abc") if scvs != (1,) else draw.one("ab", "ab", "abc")
    for name in names:
        steps = [visit("s1", draw.time(base, base * 3, *scvs))]
        steps += [visit("s2", draw.time())] if draw.one(True, False) else []
        draw.closed(name, draw.one(*range(1, 16 // len(names) ** 2 + 2)), draw.one(0, draw.number(0.1, 10)), *steps)


def layers(draw: Draw) -> None:
    """Servers around other stations, in turn or shared, that are asked from outside as well or not."""
    draw.station("s1", discipline=draw.one("fcfs", "ps"))
    draw.station("s2", **draw.one({}, {}, {"servers": 2}))
    draw.station("h", servers=draw.one(1, 2, 2, 3))
    names = draw.one("a", "a", "ab")
    base, scvs = draw.number(0.3, 1.5), draw.one((1,), (1,), (0.5, 1))
    for name in names:
        own = [f"{{ {draw.time(base, base * 3, *scvs)} }}"] if draw.one(True, True, False) else []
        inner = visit("s2", draw.time(base, base * 3, *scvs))
        outside = visit("s1", draw.time(base, base * 1.5, *scvs))
        steps = [outside, hold("h", *own, inner)] if draw.one(True, True, False) else [hold("h", *own, outside, inner)]
        if name == "b" and draw.one(True, False):
            steps = [outside, inner]
        count = draw.one(2, 3, 4, 5, 6) if names == "a" else draw.one(1, 2, 3)
        draw.closed(name, count, draw.one(0, 0, draw.number(0.1, 10)), *steps)


def ranks(draw: Draw) -> None:
    """Two or three priorities at one station or two, visited once or twice, beside one that is shared or a stack.

    The shortest and the longest time at a station are of any two classes, and a factor of 1 to 10 apart.
    """
    discipline, names = draw.one("priority", "preemptive"), draw.one("ab", "ab", "abc")
    second = draw.one("ps", "lcfs-pr", "fcfs", discipline)
    draw.station("s1", discipline=discipline, servers=draw.one(1, 1, 1, 2))
    draw.station("s2", discipline=second)
    span, common = draw.number(1, 10), draw.number(0.3, 1.5)
    at_first, at_second = spread(draw, span, len(names)), spread(draw, span, len(names))
    for rank, name in enumerate(names):
        high = rank < len(names) - 1
        visits = 1 if high else draw.one(1, 1, 2)
        own = visits * at_first[rank]
        steps = [visit("s1", f'time = "{at_first[rank]} s"', f", visits = {visits}" if visits > 1 else "")]
        if draw.one(True, False):
            other = at_second[rank] if second == discipline else common
            steps.append(visit("s2", f'time = "{other} s"'))
            own += other
            if draw.one(True, False):
                steps.append(visit("s1", f'time = "{at_first[rank]} s"'))
                own += at_first[rank]
        count = draw.one(1, 2, 3, 4) if len(names) == 3 else draw.one(1, 2, 3, 4, 6, 8)
        think = own * draw.number(1, 20) * draw.one(1, count) if high else draw.one(0, own * draw.number(0.1, 10))
        draw.closed(name, count, float(f"{think:.4g}"), *steps, more=f"priority = {len(names) - rank}")


def spread(draw: Draw, span: float, count: int) -> list[float]:
    """Times of classes, in any order: the longest is `span` times the shortest, the others are in between."""
    base = draw.number(0.3, 1)
    times = [base, base * span, *(base * draw.number(1, span) for _ in range(count - 2))]
    draw.random.shuffle(times)
    return [float(f"{time:.4g}") for time in times]


def lines(draw: Draw) -> None:
    """First come first served with times that differ by class or vary, beside a station that is shared or another."""
    draw.station("s1", **draw.one({}, {}, {"servers": 2}))
    draw.station("s2", discipline=draw.one("fcfs", "ps"))
    scvs = draw.one((1,), (0.5,), (0.5, 1, 2), (4,), (0.5, 1, 2, 4))
    names = draw.one("a", "ab", "ab") if scvs != (1,) else "ab"
    base, common = draw.number(0.3, 1.5), draw.number(0.3, 1.5)
    for name in names:
        steps = [visit("s1", draw.time(base, base * 3, *scvs)), visit("s2", draw.time(common, common * 2, *scvs))]
        count = draw.one(1, 2, 3, 4, 6, 8, 10) if names == "a" else draw.one(1, 2, 3)
        draw.closed(name, count, draw.one(0, 0, draw.number(0.1, 10)), *steps)


def second_phases(draw: Draw) -> None:
    """Servers that are kept after the response; who was served comes back after a while, or at once."""
    draw.station("s1", servers=draw.one(1, 1, 2, 3))
    draw.station("s2", discipline=draw.one("fcfs", "ps"))
    names = draw.one("a", "a", "ab")
    base = draw.number(0.3, 1.5)
    for name in names:
        later = f"{{ phase = 2, {draw.time(0.1, 1.5)} }}"
        steps = [hold("s1", f"{{ {draw.time(base, base * 2)} }}", later)]
        if draw.one(True, False):
            steps.append(visit("s2", draw.time()))
        count = draw.one(1, 2, 3, 4, 5, 6) if names == "a" else draw.one(1, 2, 3)
        draw.closed(name, count, draw.one(0, draw.number(0.05, 10)), *steps)


def losses(draw: Draw) -> None:
    """A closed class that a station loses that is full, or a buffer: after a long think time, or a short one."""
    draw.station("s1", **draw.one({}, {"capacity": draw.one(2, 3, 4, 5)}))
    draw.station("s2", discipline=draw.one("fcfs", "ps"))
    steps = [visit("s1", draw.time()), visit("s2", draw.time())]
    if "capacity" not in draw.stations[0]:
        draw.station("drain")
        draw.buffers.append(f'log = {{ places = {draw.one(3, 4, 6, 8)}, full = "lost" }}')
        steps = ['{ fill = "log" }', *steps, visit("drain", draw.time(), ', phase = 2, drains = "log"')]
    draw.closed("a", draw.one(3, 4, 5, 6, 8), draw.number(0.1, 30), *steps)


class Spans:
    """Times of classes at stations, of which the longest at a station is up to three times the shortest."""

    def __init__(self, draw: Draw, *scvs: float) -> None:
        self.draw, self.scvs = draw, scvs
        self.shortest: dict[str, float] = {}

    def time(self, name: str) -> str:
        """Often at one end of the range."""
        draw = self.draw
        low = self.shortest.setdefault(name, draw.number(0.05, 3))
        factor = draw.one(1, 3, draw.number(1, 3))
        return f'time = "{low * factor:.4g} s"' + (f", scv = {scv}" if (scv := draw.one(*self.scvs)) != 1 else "")


def crowd(draw: Draw, most: int, count: int) -> list[int]:
    """Populations of so many classes, of up to so many customers together or one each."""
    shares = [-log(1 - draw.random.random()) for _ in range(count)]
    total = draw.random.randint(2, most)
    return [max(1, int(total * share / sum(shares))) for share in shares]


VISITS = ("", "", ", visits = 2", ", visits = 0.4", ", visits = 5")


def wide_lines(draw: Draw) -> None:
    """One or two stations in order of arrival and maybe another, which classes pass by or visit several times in a
    row."""
    names = draw.one("a", "ab", "ab", "ab", "abc")
    others = draw.one((), (), ("fcfs",), ("fcfs",), ("ps",), ("fcfs", "ps"))
    draw.station("s0", servers=draw.one(1, 1, 1, 2, 3, 5))
    for number, discipline in enumerate(others, 1):
        draw.station(f"s{number}", discipline=discipline)
    spans = Spans(draw, *draw.one((1,), (0.5, 1), (0.5, 1, 2), (4,), (0.5, 1, 4)))
    for name, count in zip(names, crowd(draw, 10, len(names)), strict=True):
        steps = [visit(f"s{number}", spans.time(f"s{number}"), draw.one(*VISITS))
                 for number in range(len(others) + 1) if not number or draw.one(True, True, False)]  # fmt: skip
        draw.random.shuffle(steps)
        draw.closed(name, count, draw.one(0, draw.number(0.1, 30), draw.number(0.1, 100)), *steps)


def wide_layers(draw: Draw) -> None:
    """One to six servers, or others inside them, around one to three stations, which classes visit again or pass by."""
    names, inner = draw.one("a", "ab", "ab", "abc"), draw.one(1, 1, 2, 3)
    draw.station("h", servers=draw.one(1, 2, 2, 3, 4, 6))
    for number in range(inner):
        draw.station(f"s{number}", discipline=draw.one("fcfs", "ps"), servers=draw.one(1, 1, 1, 2))
    draw.station("out", discipline=draw.one("fcfs", "ps"))
    deep = draw.one(False, False, True)
    if deep:
        draw.station("g", servers=draw.one(1, 2, 3))
    spans = Spans(draw, *draw.one((1,), (1,), (0.5, 1), (0.5, 1, 2, 4)))
    for name, count in zip(names, crowd(draw, 8, len(names)), strict=True):
        held = [f"{{ {spans.time('h')} }}"] if draw.one(True, False) else []
        asked = [visit(f"s{number}", spans.time(f"s{number}"), draw.one(*VISITS))
                 for number in range(inner) if not number or draw.one(True, True, False)]  # fmt: skip
        steps = [hold("h", *held, hold("g", *asked)) if deep else hold("h", *held, *asked)]
        if draw.one(True, False):
            steps.insert(0, visit("out", spans.time("out")))
        draw.closed(name, count, draw.one(0, draw.number(0.1, 30), draw.number(0.1, 30)), *steps)


def wide_second_phases(draw: Draw) -> None:
    """One to four servers that are kept after the response by some classes or all, for a short or long time."""
    draw.station("s1", servers=draw.one(1, 1, 2, 3, 4))
    draw.station("s2", discipline=draw.one("fcfs", "ps"), servers=draw.one(1, 1, 2))
    names = draw.one("a", "ab", "ab", "abc")
    spans = Spans(draw, *draw.one((1,), (1,), (0.5, 1), (0.5, 1, 2, 4)))
    for name, count in zip(names, crowd(draw, 8, len(names)), strict=True):
        later = [f"{{ phase = 2, {draw.time(0.05, 5, *spans.scvs)} }}"] if name == "a" or draw.one(True, False) else []
        steps = [hold("s1", f"{{ {spans.time('s1')} }}", *later)]
        if draw.one(True, False):
            steps.append(visit("s2", spans.time("s2")))
        draw.closed(name, count, draw.one(0, draw.number(0.05, 30), draw.number(0.05, 30)), *steps)


def inner_second_phases(draw: Draw) -> None:
    """One to four agents around one station or two, who work on after the response for a moment or for long."""
    draw.station("agent", servers=draw.one(1, 2, 2, 3, 4))
    inner = draw.one(1, 1, 2)
    for number in range(inner):
        draw.station(f"s{number}", discipline=draw.one("fcfs", "ps"), servers=draw.one(1, 1, 2))
    names = draw.one("a", "a", "ab")
    spans = Spans(draw, *draw.one((1,), (1,), (0.5, 1)))
    for name, count in zip(names, crowd(draw, 6, len(names)), strict=True):
        held = [f"{{ {spans.time('agent')} }}"] if draw.one(True, False) else []
        held += [visit(f"s{number}", spans.time(f"s{number}")) for number in range(inner)]
        later = f"{{ phase = 2, {draw.time(0.001, 3)} }}"
        draw.closed(name, count, draw.one(0, draw.number(0.05, 10)), hold("agent", *held, later))


def pools(draw: Draw) -> None:
    """One to three places around one station or two, with times that vary less than exponential ones, or more."""
    draw.station("memory", servers=draw.one(1, 1, 2, 2, 3))
    draw.station("cpu", discipline=draw.one("fcfs", "ps", "ps", "lcfs-pr"))
    held = [f"{{ {draw.time(0.05, 1)} }}"] if draw.one(True, False, False) else []
    held.append(visit("cpu", draw.time(0.1, 2, 0.25, 0.5, 1, 2, 4)))
    if draw.one(True, False, False):
        draw.station("disk", discipline=draw.one("fcfs", "ps"))
        held.append(visit("disk", draw.time(0.1, 1)))
    draw.closed("a", draw.one(2, 3, 4, 5, 6), draw.one(0, draw.number(0.1, 20)), hold("memory", *held))


def shared_buffers(draw: Draw) -> None:
    """Two or three classes that fill one buffer after a station of any speed, short or long think times, or none."""
    draw.station("cpu", discipline=draw.one("ps", "fcfs"))
    draw.station("disk", servers=draw.one(1, 1, 1, 2))
    draw.buffers.append(f'log = {{ places = {draw.one(1, 2, 3, 4)}, full = "wait" }}')
    names, shared, time = draw.one("ab", "abc", "abc"), "ps" in draw.stations[0], draw.number(0.05, 5)
    for name in names:
        own = draw.number(time * 0.4, time * 2.5) if shared else time
        steps = [visit("cpu", f'time = "{own} s"')]
        if name == "a" or draw.one(True, True, True, False):
            steps += ['{ fill = "log" }', visit("disk", 'time = "1 s"', ', phase = 2, drains = "log"')]
        count = draw.one(1, 1, 2, 2, 3, 4) if names == "ab" else draw.one(1, 1, 2, 2, 3)
        draw.closed(name, count, draw.one(0, draw.number(0.05, 10), draw.number(0.05, 10)), *steps)


FAMILIES: dict[str, Callable[[Draw], None]] = {
    "stacks": stacks, "layers": layers, "ranks": ranks, "lines": lines, "second phases": second_phases,
    "losses": losses, "wide lines": wide_lines, "wide layers": wide_layers, "wide second phases": wide_second_phases,
    "inner second phases": inner_second_phases, "pools": pools, "shared buffers": shared_buffers,
}  # fmt: skip
OUTSIDE = ("stacks",)
"""Families of which all are outside of the region that is trusted, and warn."""
DRAWN = {"ranks": 1500, "pools": 500, "shared buffers": 500}
"""How many are drawn of a family, where not 1,000: more of one whose region is wide, fewer of one of few features."""
EVERY = 50


def models(family: str) -> list[str]:
    """The models of a family."""
    random, found = Random(f"errors {family}"), list[str]()
    for _ in range(DRAWN.get(family, 1000)):
        draw = Draw(random)
        FAMILIES[family](draw)
        found.append(draw.text())
    return found


def exact(text: str, states: int = 6000) -> dict[str, dict[str, float]] | None:
    """The figures of a model by its chain, what is offered only where some is lost; None where that is too large."""
    import oracle

    try:
        found = oracle.exact(oracle.load(text), states, 60.0)
    except (oracle.TooLarge, oracle.Unsupported):
        return None
    figures = {name: {key: float(f"{value:.7g}") for key, value in getattr(found, name).items()} for name in FIGURES}
    return figures if figures["offered"] != figures["throughput"] else {name: figures[name] for name in FIGURES[:-1]}


def errors(text: str, wanted: Any, outside: bool = False) -> dict[str, float] | None:
    """By figure the largest relative error of the answer without a chain; None where that is not of the region.

    wanted   the exact figures.
    outside  whether answers that warn are wanted, and not those that do not.
    """
    from asking import ask

    from qnet.networks.wanted import AUTO

    answer = ask(text, AUTO.replace(chain=0))
    if answer.status != "answered" or answer.exact or bool(answer.codes) != outside:
        return None
    found: dict[str, float] = {}
    for name in wanted:
        least = LEAST if name == "queue_length" else 0.0
        told = getattr(answer, name)
        sizes = [abs(told[key] - value) / max(value, least) for key, value in wanted[name].items() if value > 0]
        found[name] = max(sizes, default=0.0)
    return found


def measured(family: str) -> Iterator[tuple[int, Any, dict[str, float]]]:
    """Of every model of a family in its region: its number, the exact figures, the errors."""
    outside = family in OUTSIDE
    for number, text in enumerate(models(family)):
        # A chain takes longer than an answer: first whether it is of the region.
        wanted = None if errors(text, {}, outside) is None else exact(text)
        found = errors(text, wanted, outside) if wanted else None
        if found:
            yield number, wanted, found


def kept(family: str) -> dict[int, Any]:
    """The exact figures of the slice."""
    return {int(number): figures for number, figures in json.loads(EXACT.read_text())[family].items()}


def main(families: list[str]) -> None:
    """Measure, print and keep."""
    found: dict[str, Any] = {}
    for family in families:
        rows = list(measured(family))
        worst = {max(rows, key=lambda row, by=figure: row[2][by])[0] for figure in rows[0][1]}
        for figure in rows[0][1]:
            sizes = [row[2][figure] for row in rows]
            print(f"{family}: {figure}, {len(rows)} systems, {median(sizes):.2g}, {max(sizes):.2g}", flush=True)
        found[family] = {number: figures for number, figures, _ in rows if number in worst or not number % EVERY}
    told = (json.loads(EXACT.read_text()) if EXACT.exists() else {}) | found
    parts = [
        f"{json.dumps(family)}: {{\n"
        + ",\n".join(f'"{key}": {json.dumps(row, separators=(",", ":"))}' for key, row in rows.items()) + "\n}"
        for family, rows in told.items()
    ]  # fmt: skip
    EXACT.write_text("{\n" + ",\n".join(parts) + "\n}\n")


if __name__ == "__main__":
    main(sys.argv[1:] or list(FAMILIES))
