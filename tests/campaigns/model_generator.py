"""Random models in the model language from a seed: every pair of features, loads up to 0.95, odd but legal spellings.

The chain of a model is mostly small enough to be solved, by a rough count of its states; the others are as large as
they come.
"""

from __future__ import annotations

from random import Random
from typing import Any

from model_features import asked
from model_sizes import Sizes, rounded
from model_text import Seconds, Spec, seconds, text

from qnet.record import Record

Step = dict[str, Any]


class Generated(Record):
    """A model from a seed."""

    seed: int
    text: str
    features: frozenset[str]
    spec: Spec


def model(seed: int) -> Generated:
    """The model of a seed."""
    wanted = asked(seed)
    spec = _Draft(Random(f"model {seed}"), wanted).spec()
    return Generated(seed, text(spec), wanted, spec)


class _Draft:
    """A model in the making. Stations that are held come before those that are used inside, so holds never circle."""

    def __init__(self, rng: Random, wanted: frozenset[str]) -> None:
        self.rng = rng
        self.wanted = wanted
        self.stations: dict[str, dict[str, Any]] = {}
        self.buffers: dict[str, dict[str, Any]] = {}
        self.classes: dict[str, dict[str, Any]] = {}
        self.chains: dict[str, dict[str, Any]] = {}
        self.times: dict[tuple[str, str], float] = {}
        self.base = rng.choice([0.01, 0.1, 1.0, 1.0, 10.0])
        """The time of a visit is about this, so that units differ."""
        self.ordinary: list[str] = []

    def spec(self) -> Spec:
        """All of it."""
        self.make_stations()
        self.make_classes()
        self.make_chains()
        self.rank()
        self.spell()
        found: Spec = {"title": "campaign", "stations": self.stations, "buffers": self.buffers}
        found |= {"classes": self.classes, "chains": self.chains}
        Sizes(self.rng, self.wanted, self.base, self.ordinary, found).fill()
        return found

    def has(self, *features: str) -> bool:
        """Whether any of some features is wanted."""
        return any(item in self.wanted for item in features)

    def chance(self, share: float) -> bool:
        """Whether something with this probability happens."""
        return self.rng.random() < share

    # Stations

    def make_stations(self) -> None:
        """The focus `s1`, which everyone visits, up to two more, and those that features need."""
        rng = self.rng
        count = rng.choices((1, 2, 3), (40, 50, 10) if self.has("open") else (25, 60, 15))[0]
        disciplines = [item for item in ("fcfs", "ps", "lcfs-pr", "priority", "preemptive") if item in self.wanted]
        rng.shuffle(disciplines)
        if self.has("hold", "parallel", "quorum", "memory", "routes", "copies apart"):
            count = max(count, 2)
        if self.has("hold in hold", "inside") or {"servers", "rates"} <= self.wanted:
            count = max(count, 2)
        count = max(count, len(disciplines))
        for number in range(1, count + 1):
            table: dict[str, Any] = {}
            if disciplines:
                table["discipline"] = disciplines.pop(0)
            else:
                table["discipline"] = rng.choices(("fcfs", "ps", "lcfs-pr", "priority"), (60, 28, 6, 6))[0]
            if table["discipline"] == "fcfs" and self.chance(0.6):
                del table["discipline"]
            self.stations[f"s{number}"] = table
        self.ordinary = list(self.stations)
        focus, other = "s1", self.ordinary[-1]
        if self.has("servers"):
            self.stations[focus]["servers"] = rng.choice([2, 2, 3, 4])
        if self.has("rates"):
            at = other if self.has("servers", "capacity") else focus
            if at == focus and self.has("servers", "capacity"):
                at = self.another()
            first = rng.uniform(1.2, 2.0)
            self.stations[at]["rates"] = [1, rounded(first), rounded(first * rng.uniform(0.8, 1.5))]
        if self.has("capacity"):
            at = focus if "rates" not in self.stations[focus] else other
            self.stations[at]["capacity"] = self.stations[at].get("servers", 1) + rng.choice([0, 1, 2, 3, 5])
        if self.has("copies"):
            at = rng.choice([focus, focus, other])
            copies = rng.choice([2, 2, 3])
            self.stations[at]["copies"] = copies
            if self.has("split"):
                if self.chance(0.5):
                    self.stations[at]["split"] = {"hot": 1, "share": rng.choice([0.5, 0.6, 0.7])}
                else:
                    self.stations[at]["split"] = (
                        [0.5, 0.5] if copies == 2 and self.chance(0.2) else _shares(rng, copies)
                    )
        if self.has("delay station"):
            self.stations["link"] = {"delay": True}

    def another(self) -> str:
        """A further ordinary station."""
        name = f"s{len(self.ordinary) + 1}"
        self.stations[name] = {}
        self.ordinary.append(name)
        return name

    # Classes

    def make_classes(self) -> None:
        """Classes with their routes; how many customers there are is found later."""
        rng = self.rng
        kinds = [kind for kind in ("open", "closed") if kind in self.wanted]
        chained = {kind for kind in kinds if self.has(f"{kind} chain")}
        plain = [kind for kind in kinds if kind not in chained or self.chance(0.4)]
        if not kinds:
            plain = [rng.choices(("open", "closed"), (45, 55))[0]]
        if self.has("think 0") and self.has("long think") and plain.count("closed") < 2:
            plain.append("closed")
        count = 3 if self.has("three classes") else 2 if self.has("two classes") else rng.choices((1, 2), (75, 25))[0]
        if chained and self.structured() and not plain:
            plain.append(rng.choice(kinds))
        if not chained or self.has("two classes"):
            while len(plain) + len(chained) < count:
                plain.append(rng.choice(plain or kinds))
        spread = self.spread(len(plain))
        for number, kind in enumerate(plain):
            name = "abcd"[number]
            routes = self.routes(name, number, spread[number])
            self.classes[name] = {"kind": kind, "routes": routes}
            if kind == "closed":
                self.classes[name]["think"] = self.think(number, plain)
                if not self.classes[name]["think"]:
                    _shake(routes)
        if self.has("arrival scv"):
            for table in self.classes.values():
                if table["kind"] == "open" and self.chance(0.8):
                    table["arrival_scv"] = rng.choice([0, 0.25, 0.5, 2, 4, 6])

    def structured(self) -> bool:
        """Whether anything is wanted that only routes can have."""
        own = (
            "hold", "phase 2 in hold", "work left behind", "parallel", "quorum", "memory", "buffer waits",
            "buffer loses", "routes", "visits", "fractional visits", "class told as two", "route told as two",
            "zero step", "copies apart",
        )  # fmt: skip
        return self.has(*own)

    def spread(self, count: int) -> list[float]:
        """By class a factor of all its times."""
        rng = self.rng
        if self.has("unequal") and count > 1:
            found = [1.0, rng.choice([5.0, 8.0, 12.0, 20.0]), rng.uniform(1, 20)][:count]
            rng.shuffle(found)
            return [rounded(item) for item in found]
        if self.chance(0.55):
            return [1.0] * count
        return [rounded(rng.uniform(1, 3)) for _ in range(count)]

    def think(self, number: int, kinds: list[str]) -> float:
        """The mean think time of a closed class, as a multiple of the base."""
        rng = self.rng
        first = "closed" not in kinds[:number]
        if self.has("think 0") and (first or not self.has("long think")):
            return 0.0
        if self.has("long think") and self.chance(0.8):
            return rounded(rng.uniform(30, 300))
        return rng.choice([0.0, 1.0, 3.0, rounded(rng.uniform(0.5, 10))])

    def time(self, factor: float, station: str) -> Seconds:
        """The time of a visit to a station: the same for all visits of a class, mostly."""
        key = (station, "")
        if key not in self.times or self.chance(0.1):
            self.times[key] = rounded(self.rng.uniform(0.3, 1.5))
        return seconds(rounded(self.times[key] * factor * self.base))

    def scv(self) -> dict[str, float]:
        """The scv of a step, if it is to have one."""
        options: list[float] = []
        if self.has("scv 0"):
            options.append(0)
        if self.has("scv below 1"):
            options += [0.5, 0.5, 0.25, 0.4, 0.75]
        if self.has("scv above 1"):
            options += [2, 3, 5, 10]
        return {"scv": self.rng.choice(options)} if options and self.chance(0.75) else {}

    def visit(self, station: str, factor: float, **more: Any) -> Step:
        """A step at a station."""
        return {"station": station, "time": self.time(factor, station), **self.scv(), **more}

    # Routes

    def routes(self, name: str, number: int, factor: float) -> list[dict[str, Any]]:
        """The routes of a class."""
        main = self.steps(number, factor)
        if self.has("copies apart") and (number == 0 or self.chance(0.3)):
            for copy in ("d1", "d2"):
                self.stations.setdefault(copy, {})
            own = rounded(0.6 * factor * self.base)
            return [
                {"name": f"{name}{copy}", "probability": 0.5,
                 "steps": [*main, {"station": copy, "time": seconds(own)}]}
                for copy in ("d1", "d2")
            ]  # fmt: skip
        if self.has("routes") and (number == 0 or self.chance(0.5)):
            share = self.rng.choice([0.1, 0.3, 0.5, 0.7])
            other = self.rng.choice([self.ordinary[-1:], self.ordinary[:1], self.ordinary])
            again = self.rng.choice([1.0, 1.0, 3.0])
            side: list[Step] = [self.visit(station, factor * again) for station in other]
            return [
                {"name": f"{name} main", "probability": 1 - share, "steps": main},
                {"name": f"{name} side", "probability": share, "steps": side},
            ]
        return [{"name": name, "probability": 1.0, "steps": main}]

    def steps(self, number: int, factor: float) -> list[Step]:
        """The steps of a route: visits, which the structures that are wanted go around or beside."""
        rng = self.rng
        first = number == 0
        some = lambda share=0.6: first or self.chance(share)  # noqa: E731
        at = [name for name in self.ordinary if name == "s1" or self.chance(0.75 if len(self.ordinary) < 3 else 0.6)]
        if first and len(self.ordinary) > 1 and self.has("hold", "memory", "rates"):
            at = list(self.ordinary)
        if not first and self.has("inner station outside"):
            at = list(dict.fromkeys(["s1", self.ordinary[-1]]))
        steps: list[Step] = [self.visit(name, factor) for name in at]
        if self.has("visits") and some():
            step = rng.choice(steps)
            step["visits"] = rng.choice([2, 2, 3])
        if self.has("fractional visits") and some():
            step = rng.choice(steps)
            step["visits"] = rng.choice([0.3, 0.5, 1.5, 1.25])
        if self.has("step priority") and self.in_order():
            for step in steps:
                if self.fits_priority(step["station"]) and self.chance(0.6):
                    step["priority"] = rng.choice([0, 1, 2])
                    if step["priority"] and self.chance(0.25):
                        step["exempt"] = rng.choice([0.3, 0.5])
        if self.has("hold") and some():
            steps = self.held(steps, factor)
        if self.has("phase 2 in hold", "keeps") and some():
            steps = self.second_phase(steps, factor)
        within = self.has("parallel") and self.chance(0.5)
        if within and some(0.4):
            steps.insert(rng.randrange(len(steps) + 1), self.fork(factor))
        if self.has("memory") and some(0.5):
            steps = self.limited(steps)
        if not within and self.has("parallel", "quorum") and some(0.4):
            steps.insert(rng.randrange(len(steps) + 1), self.fork(factor))
        if self.has("delay station") and some():
            steps.append(self.visit("link", factor * rng.choice([1, 3])))
        elif self.chance(0.12):
            steps.append({"delay": seconds(rounded(rng.uniform(0.2, 3) * factor * self.base))})
        if self.has("buffer waits", "buffer loses") and some(0.5):
            steps = self.buffered(steps, factor)
        if self.has("work left behind") and some():
            target = rng.choice(at if self.chance(0.8) else self.ordinary)
            left = self.visit(target, factor, phase=2)
            left["time"] = seconds(rounded(float(left["time"]) * rng.choice([0.3, 0.6, 1.0])))
            if self.chance(0.2):
                left["visits"] = rng.choice([0.5, 2])
            steps.append(left)
        if self.has("zero step") and some():
            zero = rng.choice(
                [{"delay": seconds(0.0)}, {"station": at[0], "visits": 0, "time": self.time(factor, at[0])},
                 {"station": at[-1], "time": seconds(0.0)}]
            )  # fmt: skip
            steps.insert(rng.randrange(len(steps) + 1) if not self.has("buffer waits", "buffer loses") else 0, zero)
        return steps

    def in_order(self) -> bool:
        """Whether any ordinary station has an order of service; one gets it otherwise."""
        if not any(self.fits_priority(name) for name in self.ordinary):
            self.stations[self.ordinary[0]]["discipline"] = "priority"
        return True

    def fits_priority(self, name: str) -> bool:
        """Whether priorities of steps are heeded at a station."""
        table = self.stations[name]
        return not table.get("delay") and table.get("discipline", "fcfs") not in ("ps", "lcfs-pr")

    def held(self, steps: list[Step], factor: float) -> list[Step]:
        """Some of the visits inside a hold."""
        rng = self.rng
        deep = self.has("hold in hold")
        inner = steps[-1]
        steady = self.stations[steps[0]["station"]].get("discipline", "fcfs") in ("fcfs", "priority")
        if len(steps) > 1 and self.chance(0.6 if steady else 0.1) and not deep:
            # The focus is what is held.
            outer = steps[0]
            hold: Step = {key: value for key, value in outer.items() if key in ("priority", "visits", "exempt")}
            body: list[Step] = [{"time": outer["time"], **_scv_of(outer)}, inner]
            return [{"hold": outer["station"], **hold, "steps": body}, *steps[1:-1]]
        if "h" not in self.stations:
            servers = rng.choice([1, 2, 2, 3])
            self.stations["h"] = {"servers": servers} if servers > 1 else {}
        body = [inner] if self.chance(0.3) else [{"time": self.time(factor, "h"), **self.scv()}, inner]
        if deep and len(steps) > 1:
            middle = steps[0]
            if not steady and self.chance(0.85):
                # What holds where others take the server away means is not clear.
                self.stations.setdefault("h2", {})
                middle = {**middle, "station": "h2"}
                middle.pop("priority", None)
                middle.pop("exempt", None)
            hold = {key: value for key, value in middle.items() if key in ("priority", "visits", "exempt")}
            body = [{"hold": middle["station"], **hold,
                     "steps": [{"time": middle["time"], **_scv_of(middle)}, inner]}]  # fmt: skip
            if self.chance(0.5):
                body.insert(0, {"time": self.time(factor, "h"), **self.scv()})
            return [*steps[1:-1], {"hold": "h", "steps": body}]
        if self.chance(0.15):
            body.append({"delay": seconds(rounded(rng.uniform(0.2, 1) * factor * self.base))})
        found = [*steps[:-1], {"hold": "h", "steps": body}]
        if self.has("inner station outside") and self.chance(0.5):
            found.append({key: value for key, value in inner.items() if key != "visits"})
        return found

    def second_phase(self, steps: list[Step], factor: float) -> list[Step]:
        """Work in a hold that goes on after the response."""
        rng = self.rng
        holds = [place for place, step in enumerate(steps) if "hold" in step]
        if not holds:
            place = rng.randrange(len(steps))
            old = steps[place]
            hold = {key: value for key, value in old.items() if key in ("priority", "visits", "exempt")}
            steps = list(steps)
            steps[place] = {"hold": old["station"], **hold, "steps": [{"time": old["time"], **_scv_of(old)}]}
            holds = [place]
        place = holds[-1]
        body = steps[place]["steps"]
        time = seconds(rounded(rng.choice([0.3, 1.0]) * float(self.time(factor, "s1"))))
        work: Step = {"phase": 2, "time": time, **self.scv()}
        inner = next((number for number, step in enumerate(body) if "station" in step or "hold" in step), None)
        if self.has("keeps") and inner is not None:
            # The rest is done while only one of the two stays held.
            step = body[inner]
            own = step["steps"] if "hold" in step else [{"time": step["time"], **_scv_of(step)}]
            kept = step.get("hold", step.get("station"))
            keeps = rng.choice([[kept], [kept], [steps[place]["hold"]]])
            hold = {key: value for key, value in step.items() if key in ("priority", "visits", "exempt")}
            body[inner] = {"hold": kept, **hold, "steps": [*own, {**work, "keeps": keeps}]}
        else:
            body.append(work)
        return steps

    def fork(self, factor: float) -> Step:
        """A parallel step."""
        rng = self.rng
        count = rng.choice([2, 2, 3])
        names = rng.sample(["p1", "p2", "p3", *self.ordinary[:1]], count)
        branches: list[dict[str, Any]] = []
        for name in names:
            self.stations.setdefault(name, {})
            steps: list[Step] = [self.visit(name, factor)]
            if self.chance(0.2):
                steps.append({"delay": seconds(rounded(0.5 * factor * self.base))})
            branches.append({"steps": steps})
        found: Step = {"parallel": branches}
        if self.has("quorum"):
            found["join"] = rng.randint(1, count - 1)
        return found

    def limited(self, steps: list[Step]) -> list[Step]:
        """A memory around most of the steps."""
        rng = self.rng
        self.stations.setdefault("memory", {"servers": rng.choice([1, 2, 2, 3])})
        inside = [step for step in steps if "delay" not in step]
        outside = [step for step in steps if "delay" in step]
        if self.has("inside"):
            step = rng.choice([item for item in inside if "time" in item] or [{}])
            if step:
                slope = rng.choice([0.1, 0.3, -0.1])
                factor = (
                    f"(1 + {slope} * (inside('memory') - 1))"
                    if slope > 0
                    else f"(1 - {-slope} * (inside('memory') - 1))"
                )
                step["time"] = seconds(float(step["time"]), factor)
            elif inside and "hold" in inside[0]:
                for item in inside[0]["steps"]:
                    if "time" in item:
                        item["time"] = seconds(float(item["time"]), "(1 + 0.2 * (inside('memory') - 1))")
                        break
        return [{"hold": "memory", "steps": inside}, *outside]

    def buffered(self, steps: list[Step], factor: float) -> list[Step]:
        """A buffer that is filled before the steps and drained after the response."""
        rng = self.rng
        names = [name for name, wanted in (("store", "buffer waits"), ("log", "buffer loses")) if self.has(wanted)]
        before: list[Step] = []
        after: list[Step] = []
        for name in names:
            full = {"full": "lost"} if name == "log" else {"full": "wait"} if self.chance(0.3) else {}
            self.buffers.setdefault(name, {"places": rng.choice([1, 2, 3, 4, 4, 6, 8, 12]), **full})
            target = rng.choice([self.ordinary[-1], "drain", "drain"])
            self.stations.setdefault(target, {})
            share = {"visits": 0.5} if self.chance(0.2) else {}
            before.append({"fill": name, **share})
            drain = self.visit(target, factor * rng.choice([0.5, 1.0]), phase=2, drains=name, **share)
            if self.fits_priority(target) and self.chance(0.2):
                drain["priority"] = rng.choice([-1, 1])
            after.append(drain)
        if self.chance(0.3):
            return [*steps, *before, *after]
        return [*before, *steps, *after]

    # Chains

    def make_chains(self) -> None:
        """Chains of two classes at the ordinary stations."""
        rng = self.rng
        for kind in ("open", "closed"):
            if not self.has(f"{kind} chain"):
                continue
            name = f"{kind}s"
            one, other = f"{kind[0]}1", f"{kind[0]}2"
            stations = self.ordinary[:2]
            home = "outside" if kind == "open" else "think"
            ratio = rng.choice([1.0, 1.0, 2.0, 10.0 if self.has("unequal") else 3.0])
            service = {
                one: {at: self.service(at, 1.0) for at in stations},
                other: {at: self.service(at, ratio) for at in stations[:1]},
            }
            last = stations[-1]
            routing: dict[str, dict[str, float]] = {home: {f"{one}.s1": 1}}
            away = f"{other}.s1"
            if last == "s1":
                routing[f"{one}.s1"] = {away: 0.4, home: 0.6}
            else:
                routing[f"{one}.s1"] = {f"{one}.{last}": 0.5, away: 0.3, home: 0.2}
                routing[f"{one}.{last}"] = {home: 0.6, away: 0.4}
            routing[away] = rng.choice([{home: 1}, {home: 0.7, f"{one}.s1": 0.3}])
            classes = {item: {"service": times} for item, times in service.items()}
            self.chains[name] = {"kind": kind, "classes": classes, "routing": routing}
            if kind == "closed":
                self.chains[name]["think"] = self.think(0, [])
            elif self.has("arrival scv") and self.chance(0.5):
                self.chains[name]["arrival_scv"] = rng.choice([0.25, 0.5, 2, 4])

    def service(self, at: str, factor: float) -> Any:
        """The service of a class of a chain at a station."""
        scv = self.scv()
        time = self.time(factor, at)
        return {"time": time, **scv} if scv else time

    # Priorities, spellings

    def rank(self) -> None:
        """Priorities of classes, where a station heeds them."""
        heeded = any(table.get("discipline") in ("priority", "preemptive") for table in self.stations.values())
        if not heeded:
            return
        groups = [*self.classes.values(), *self.chains.values()]
        order = list(range(len(groups)))
        self.rng.shuffle(order)
        if self.chance(0.5):
            # Open classes that come first leave the closed ones what they can; the other way they may starve.
            order.sort(key=lambda place: groups[place]["kind"] == "open")
        for rank, place in enumerate(order):
            groups[place]["priority"] = rank

    def spell(self) -> None:
        """Odd but legal spellings."""
        rng = self.rng
        if self.has("nobody visits"):
            self.stations["spare"] = rng.choice([{}, {"servers": 2}, {"discipline": "ps"}, {"delay": True}])
        if self.has("route told as two") and self.classes:
            for name, table in list(self.classes.items())[: rng.choice([1, 3])]:
                first, *rest = table["routes"]
                share = rng.choice([0.25, 0.5])
                part = first["probability"]
                table["routes"] = [
                    {**first, "name": f"{name} one", "probability": part * share},
                    {**first, "name": f"{name} two", "probability": part - part * share},
                    *rest,
                ]
        if self.has("class told as two") and self.classes:
            name = rng.choice(list(self.classes))
            table = self.classes[name]
            table["shared"] = 2
            twin = {**table, "routes": [{**item, "name": f"{item['name']} twin"} for item in table["routes"]]}
            self.classes[f"{name}_twin"] = twin
        if self.has("population 0"):
            at = rng.choice(self.ordinary)
            steps = [self.visit(at, 1.0)]
            own = {"kind": "closed", "think": rng.choice([0.0, 1.0]), "population": 0}
            self.classes["none"] = {**own, "routes": [{"name": "none", "probability": 1.0, "steps": steps}]}
            if any(table.get("discipline") in ("priority", "preemptive") for table in self.stations.values()):
                self.classes["none"]["priority"] = rng.choice([-1, 0, 5])


def _shake(routes: list[dict[str, Any]]) -> None:
    """Leave some time of every route exponential: constant times alone go round for ever as they began."""
    for route in routes:
        timed = [step for step in route["steps"] if "scv" in step or "time" in step]
        if len(timed) > 1 and all(step.get("scv") == 0 for step in timed):
            del timed[0]["scv"]


def _scv_of(step: Step) -> Step:
    return {"scv": step["scv"]} if "scv" in step else {}


def _shares(rng: Random, copies: int) -> list[float]:
    first = rng.choice([0.4, 0.5, 0.6])
    if copies == 2:
        return [first, rounded(1 - first)]
    return [first, rounded((1 - first) * 0.5), rounded(1 - first - rounded((1 - first) * 0.5))]
