"""How many customers a random model has, and how fast they arrive: for wanted loads, and mostly few states."""

from __future__ import annotations

from math import comb, log
from random import Random
from typing import Any

from model_text import PerSecond, Spec, seconds

Step = dict[str, Any]
_SMALL = 10_000
"""States that a chain is to have at most, by a rough count."""


def rounded(value: float) -> float:
    """A number as people write it: three digits."""
    return float(f"{value:.3g}")


class Sizes:
    """The numbers of a model whose stations and routes are made.

    base       the time of a visit is about this.
    ordinary   the stations that classes visit.
    """

    def __init__(self, rng: Random, wanted: frozenset[str], base: float, ordinary: list[str], spec: Spec) -> None:
        self.rng, self.wanted, self.base, self.ordinary = rng, wanted, base, ordinary
        self.stations, self.buffers = spec["stations"], spec["buffers"]
        self.classes, self.chains = spec["classes"], spec["chains"]

    def has(self, *features: str) -> bool:
        """Whether any of some features is wanted."""
        return any(item in self.wanted for item in features)

    def chance(self, share: float) -> bool:
        """Whether something with this probability happens."""
        return self.rng.random() < share

    def fill(self) -> None:
        """Put all numbers into the model."""
        self.fit()
        self.load()

    def fit(self) -> None:
        """Populations and loads for which the states are few, but for one model in ten."""
        rng = self.rng
        groups = [item for item in (*self.classes.values(), *self.chains.values()) if item.get("population") != 0]
        for item in groups:
            if item["kind"] == "closed":
                item["population"] = rng.choice([1, 2, 3, 3, 4, 5, 6, 8, 10])
                if self.has("many customers"):
                    item["population"] = rng.randint(8, 25)
            else:
                item["load"] = rng.choice([0.2, 0.4, 0.5, 0.6, 0.7, 0.8])
                if self.has("high load"):
                    item["load"] = rng.choice([0.85, 0.9, 0.95])
        if self.chance(0.1) or (self.has("high load") and self.chance(0.3)):
            return
        ordered = self.has("fcfs", "step priority", "buffer waits", "buffer loses")
        if sum(item["kind"] == "open" for item in groups) > 1 and not ordered and self.chance(0.4):
            # In what order they came is most of what there is to tell apart.
            for table in self.stations.values():
                if table.get("discipline", "fcfs") == "fcfs" and set(table) <= {"discipline", "servers"}:
                    table["discipline"] = "ps"
        least = rng.choice([0.2, 0.3, 0.4])
        while self.states(groups) > _SMALL:
            closed = [item for item in groups if item["kind"] == "closed" and item["population"] > 1]
            opened = [item for item in groups if item["kind"] == "open" and item["load"] > least]
            if closed and (not opened or self.chance(0.7)):
                largest = max(closed, key=lambda item: item["population"])
                largest["population"] -= 1
            elif opened:
                for item in opened:
                    item["load"] = rounded(item["load"] * 0.85)
            else:
                return

    def states(self, groups: list[dict[str, Any]]) -> float:
        """About how many states the chain has: where customers of each class are, and in what order."""
        phases = 1.0
        if self.has("scv below 1"):
            phases = 2.5
        elif self.has("scv above 1"):
            phases = 1.7
        found = 1.0
        opened = [item for item in groups if item["kind"] == "open"]
        together = 0.0
        if opened:
            load = max(min(item["load"] for item in opened), 0.1)
            together = min(log(1e-9) / log(load), 400)
        for item in groups:
            places = self.places(item)
            if item["kind"] == "closed":
                found *= comb(int(item["population"] + places), int(places))
            elif item is opened[0]:
                spots = places * len(opened)
                found *= comb(int(together + spots), int(spots))
        ordered = any(table.get("discipline", "fcfs") in ("fcfs", "lcfs-pr") for table in self.stations.values())
        mixed = len({id(item) for item in groups}) > 1
        if ordered and mixed:
            counts = [item["population"] for item in groups if item["kind"] == "closed"]
            if len(opened) > 1:
                found *= 2 ** min(together / 3, 40)
            if opened and counts:
                found *= (together / 4 + 1) ** min(sum(counts) - 1, 3)
            if len(counts) > 1:
                found *= comb(sum(counts), max(counts)) ** 0.7
        if any("copies" in table for table in self.stations.values()):
            found *= 3
        if self.buffers:
            found *= 1 + min(table["places"] for table in self.buffers.values())
        return found * phases ** min(len(self.ordinary), 2)

    def places(self, item: dict[str, Any]) -> float:
        """At how many places a customer may be, besides one."""
        if "classes" in item:
            return 2.0 + (len(self.ordinary) > 1) * 1.0
        found = 0.0
        for route in item["routes"]:
            found += _places(route["steps"])
        return max(found - (item["kind"] == "closed" and item["think"] == 0), 1.0)

    def load(self) -> None:
        """Arrival rates for the loads, populations and think times."""
        opened: list[tuple[dict[str, Any], dict[str, float]]] = []
        for item in (*self.classes.values(), *self.chains.values()):
            kind, shared = item.pop("kind"), item.pop("shared", 1)
            if kind == "closed":
                # The keys in the order of the language, and a twin with half of the customers.
                item["population"] = max(item["population"] // shared, 1) if item["population"] else 0
                if self.chance(0.9) or item["think"] > 0:
                    item["think_time"] = seconds(rounded(item["think"] * self.base))
                del item["think"]
                if "routing" in item and "think_time" not in item:
                    item["think_time"] = seconds(0.0)
                continue
            opened.append((item, self.work(item)))
        if not opened:
            return
        shares = [self.rng.uniform(0.4, 1) for _ in opened]
        total: dict[str, float] = {}
        rates: list[float] = []
        for (_, work), share in zip(opened, shares, strict=True):
            largest = max(work.values(), default=0.0) or self.base
            rates.append(share / largest)
            for name, value in work.items():
                total[name] = total.get(name, 0.0) + value * share / largest
        target = min(item["load"] for item, _ in opened)
        if any("population" in item and item["population"] for item in (*self.classes.values(), *self.chains.values())):
            target = min(target, 0.85)
        scale = target / max(total.values(), default=1.0)
        for (item, _), rate in zip(opened, rates, strict=True):
            del item["load"]
            item["arrival_rate"] = PerSecond(rounded(rate * scale))

    def work(self, item: dict[str, Any]) -> dict[str, float]:
        """By station the share of its servers that a passage a second keeps busy, waits inside holds guessed."""
        found: dict[str, float] = {}
        if "classes" in item:
            for services in item["classes"].values():
                for at, value in services["service"].items():
                    time = float(value["time"] if isinstance(value, dict) else value)
                    self.add(found, at, time * 0.9)
            return found
        for route in item["routes"]:
            for step in route["steps"]:
                self.step_work(step, route["probability"], found)
        return found

    def step_work(self, step: Step, times: float, found: dict[str, float]) -> float:
        """The time of a step, added to the stations that it keeps busy."""
        times = times * step.get("visits", 1)
        if "delay" in step:
            return float(step["delay"])
        if "fill" in step:
            return 0.0
        if "parallel" in step:
            return max(
                sum(self.step_work(inner, times, found) for inner in branch["steps"]) for branch in step["parallel"]
            )
        if "station" in step:
            self.add(found, step["station"], times * float(step["time"]))
            return float(step["time"]) * step.get("visits", 1)
        if "hold" in step:
            # Waits inside are guessed; several inside share what is there, so servers count for little.
            length = sum(1.3 * self.step_work(inner, times, found) for inner in step["steps"])
            servers = self.stations[step["hold"]].get("servers", 1)
            self.add(found, step["hold"], times * length * (1 if servers == 1 else 0.75 * servers))
            return length * step.get("visits", 1)
        return float(step["time"]) * (1.5 if step["time"].factor else 1.0)

    def add(self, found: dict[str, float], at: str, work: float) -> None:
        """Work of a station, as a share of what its busiest copy can do."""
        table = self.stations[at]
        if table.get("delay") or not work:
            return
        copies, split = table.get("copies", 1), table.get("split", "even")
        share = 1 / copies
        if isinstance(split, dict):
            share = max(split["share"], (1 - split["share"]) / (copies - 1))
        elif isinstance(split, list):
            share = max(split)
        speed = table["rates"][-1] if "rates" in table else table.get("servers", 1)
        found[at] = found.get(at, 0.0) + work * share / speed


def _places(steps: list[Step]) -> float:
    found = 0.0
    for step in steps:
        if "parallel" in step:
            found += 1.5 * sum(_places(branch["steps"]) for branch in step["parallel"])
        elif "hold" in step:
            found += 0.6 + 0.5 * _places(step["steps"])
        elif "fill" in step:
            found += 0.5
        else:
            found += 1
    return found
