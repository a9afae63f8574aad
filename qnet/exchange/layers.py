"""Layered queueing networks (Franks, Al-Omari, Woodside, Das, Derisavi 2009) in the model language: tasks are stations
held around the work of their entries, processors are ordinary stations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from qnet.errors import InvalidInput, NotComputed, Problem, printable
from qnet.exchange.demands import quantity, ranks, shown
from qnet.exchange.imported import REFUSED, Converted, Items, Reading, malformed, unused_name
from qnet.model.from_data import document_from
from qnet.model.tidy import tidy
from qnet.record import Record

MAX_STEPS = 3000
"""Steps of all passages together, with every call written out."""
MAX_LAYERS = 12
"""Depth of calls, because the language nests steps."""


class Processor(Record):
    """A processor, `p` of LQN."""

    name: str
    line: int
    discipline: str = "fcfs"
    infinite: bool = False
    servers: int = 1
    speed: float = 1.0


class Task(Record):
    """A task, `t` of LQN."""

    name: str
    line: int
    processor: str
    entries: tuple[str, ...]
    reference: bool = False
    infinite: bool = False
    servers: int = 1
    priority: int = 0
    discipline: str = "fcfs"
    think_time: float = 0.0


class EntryCall(Record):
    """Calls of an entry by a phase of another one."""

    target: str
    mean: float
    """Mean number of calls per execution of the phase."""
    line: int
    waits: bool
    """Whether the caller waits for the reply (`y` of LQN); else it sends a message (`z`)."""


class Phase(Record):
    """The work of an entry before its reply (phase 1) or after it (2, 3); times are those of one execution."""

    service: float = 0.0
    scv: float = 1.0
    think_time: float = 0.0
    calls: tuple[EntryCall, ...] = ()
    deterministic: bool = False
    """Whether the numbers of calls are constant, and not geometric."""

    @property
    def idle(self) -> bool:
        """Whether there is no work."""
        return not (self.service or self.think_time or self.calls)


class Entry(Record):
    """An entry with its phases."""

    name: str
    line: int
    phases: tuple[Phase, ...] = ()
    arrival_rate: float = 0.0
    priority: int = 0
    """Of its calls, at a task that serves by priority."""


class Layers(Record):
    """A layered queueing network."""

    title: str
    processors: dict[str, Processor]
    tasks: dict[str, Task]
    entries: dict[str, Entry]


def written(network: Layers, reading: Reading, items: Items) -> Converted:
    """The network in the model language.

    Raises   `InvalidInput` QN760 for unknown names, cycles of calls and networks too large to write out,
             `NotComputed` QN767 for features that the model language cannot express.
    """
    return _Writer(network, reading, items).converted()


class _Writer:
    def __init__(self, network: Layers, reading: Reading, items: Items) -> None:
        self.network, self.reading, self.items = network, reading, items
        self.unit = reading.time_unit
        self.task_of = {name: task for task in network.tasks.values() for name in task.entries}
        self.steps = 0
        self.used: dict[str, None] = {}
        self.task_stations = self._named_tasks()
        self.ranks = ranks(item.priority for item in (*network.tasks.values(), *network.entries.values()))
        """Priority -> that of the model language, whose range is smaller."""

    def converted(self) -> Converted:
        """The model."""
        self._check()
        classes = {name: self._class(task) for name, task in self.network.tasks.items() if task.reference}
        for entry in self.network.entries.values():
            if entry.arrival_rate:
                name = entry.name if entry.name not in classes else f"{entry.name} (arrivals)"
                steps = self._call(EntryCall(entry.name, 1.0, entry.line, True), (), 1.0, "")
                rate = f"{shown(entry.arrival_rate)}/{self.unit}"
                classes[name] = {"arrival_rate": rate, "steps": steps}
        if not classes:
            raise self._wrong(0, "there is no reference task and no open arrival", "some load")
        for name, task in self.network.tasks.items():
            where = f"{self.reading.name}:{task.line}"
            if not task.reference and self._task_station(task) not in self.used and not task.infinite:
                self.items.lost(where, f'no entry of the task "{name}" is called')
            if not task.reference and task.think_time:
                self.items.lost(where, f'the think time of "{name}" is left out, which is no reference task')
        stations = self._stations()
        if not stations:
            raise self._wrong(0, "every task and processor is infinite or idle: nothing queues", "a queue")
        for table in classes.values():
            if not table["steps"]:
                table["steps"] = [{"delay": f"0 {self.unit}"}]
        data = {"qnet": 1, "title": self.network.title or "A layered queueing network", "stations": stations,
                "classes": classes}  # fmt: skip
        text = document_from(data, "<converted>").text
        text = tidy(text, "<converted>")
        return Converted(f"# Written by qnet convert from a layered queueing network.\n{text}", self.items.all)

    def _wrong(self, line: int, found: str, expected: str) -> InvalidInput:
        return malformed(self.reading.name, line, found, expected)

    def _check(self) -> None:
        """Refuse names that refer to nothing, and entries of several tasks."""
        for task in self.network.tasks.values():
            if task.processor not in self.network.processors:
                raise self._wrong(task.line, f'there is no processor "{printable(task.processor, 60)}"', "its name")
            for name in task.entries:
                if name not in self.network.entries:
                    raise self._wrong(task.line, f'the entry "{printable(name, 60)}" has no parameters', "an entry")
                if self.task_of[name] is not task:
                    raise self._wrong(task.line, f'two tasks have the entry "{printable(name, 60)}"', "one task")
        for entry in self.network.entries.values():
            if entry.name not in self.task_of:
                raise self._wrong(entry.line, f'no task has the entry "{printable(entry.name, 60)}"', "a task")
            if entry.arrival_rate and self.task_of[entry.name].reference:
                found = f'open arrivals at "{printable(entry.name, 60)}", an entry of a reference task'
                raise self._wrong(entry.line, found, "an entry of another task")
            for call in (call for phase in entry.phases for call in phase.calls):
                if call.target not in self.task_of:
                    raise self._wrong(call.line, f'there is no entry "{printable(call.target, 60)}"', "an entry")
                if self.task_of[call.target].reference:
                    raise self._wrong(
                        call.line, f'a reference task is called, "{printable(call.target, 60)}"', "a task"
                    )

    # Stations

    def _named_tasks(self) -> dict[str, str]:
        """The names of the stations of tasks, distinct from each other and from those of processors."""
        taken = {*self.network.processors, *self.network.tasks}
        result: dict[str, str] = {}
        for name in self.network.tasks:
            result[name] = unused_name(f"{name} (task)", taken) if name in self.network.processors else name
            taken.add(result[name])
        return result

    def _task_station(self, task: Task) -> str:
        """The name of the station of a task."""
        return self.task_stations[task.name]

    def _stations(self) -> dict[str, Any]:
        stations: dict[str, Any] = {}
        for task in self.network.tasks.values():
            name = self._task_station(task)
            if name in self.used:
                stations[name] = {"servers": task.servers} if task.servers > 1 else {}
                if task.discipline != "fcfs":
                    stations[name]["discipline"] = task.discipline
        for name, item in self.network.processors.items():
            if name not in self.used:
                continue
            stations[name] = {} if item.discipline == "fcfs" else {"discipline": item.discipline}
            if item.servers > 1:
                stations[name]["servers"] = item.servers
        return stations

    # Classes

    def _class(self, task: Task) -> dict[str, Any]:
        """The closed class of a reference task, each copy of which is a customer."""
        if task.infinite or len(task.entries) != 1:
            found = f'the reference task "{task.name}" has {len(task.entries)} entries, or is infinite'
            problem = Problem(
                REFUSED, found, "one entry, and a number of copies", file=self.reading.name, line=task.line
            )
            raise NotComputed(problem)
        entry = self.network.entries[task.entries[0]]
        think = task.think_time + sum(phase.think_time for phase in entry.phases)
        steps: list[dict[str, Any]] = []
        for phase in entry.phases:
            steps += self._phase(task, phase.replace(think_time=0.0), (entry.name,), 1.0, "")
        if any(not phase.idle for phase in entry.phases[1:]):
            self.items.kept(
                f"{self.reading.name}:{entry.line}", "the later phases of a reference task are part of its response"
            )
        table: dict[str, Any] = {"population": task.servers}
        if think:
            table["think_time"] = quantity(think, self.unit)
        return {**table, "steps": steps}

    # Steps

    def _count(self, line: int) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise self._wrong(line, f"the calls, written out, are more than {MAX_STEPS} steps", "a smaller model")

    def _phase(self, task: Task, phase: Phase, path: tuple[str, ...], visits: float, mark: str) -> list[dict[str, Any]]:
        """The steps of a phase, executed `visits` times.

        mark   "" in phase 1; in phase 2 the name of the station that is kept, or "-" for none.
        """
        marks: dict[str, Any] = {} if not mark else {"phase": 2, "keeps": [] if mark == "-" else [mark]}
        processor = self.network.processors[task.processor]
        steps: list[dict[str, Any]] = []
        if phase.service and visits:
            self._count(task.line)
            slices = 1.0 + sum(call.mean for call in phase.calls)
            time = quantity(phase.service / processor.speed / slices, self.unit)
            if processor.infinite:
                steps.append(
                    {**marks, "delay": quantity(phase.service / processor.speed, self.unit), **_visits(visits)}
                )
            else:
                self.used[processor.name] = None
                step = {**marks, "station": processor.name, **_visits(visits * slices), "time": time}
                if phase.scv != 1:
                    step["scv"] = phase.scv
                if processor.discipline in ("priority", "preemptive"):
                    step["priority"] = self.ranks[task.priority]
                steps.append(step)
        if phase.think_time and visits:
            steps.append({**marks, "delay": quantity(phase.think_time, self.unit), **_visits(visits)})
        for call in phase.calls:
            if call.mean and not phase.deterministic:
                self.items.kept("", "the number of calls of a phase is geometric; here it is one of the two integers "
                                "next to its mean")  # fmt: skip
            if call.mean and visits:
                steps += self._call(call, path, visits * call.mean, mark)
        return steps

    def _call(self, call: EntryCall, path: tuple[str, ...], visits: float, mark: str) -> list[dict[str, Any]]:
        """The steps of `visits` calls of an entry, made in a phase with a mark as in `_phase`."""
        if call.target in path:
            chain = " -> ".join(printable(name, 40) for name in (*path, call.target))
            raise self._wrong(call.line, f"entries call each other in a cycle: {chain}", "no cycle")
        if len(path) >= MAX_LAYERS:
            raise self._wrong(call.line, "the calls nest too deeply", f"at most {MAX_LAYERS} layers")
        self._count(call.line)
        task, entry = self.task_of[call.target], self.network.entries[call.target]
        path = (*path, entry.name)
        first = entry.phases[:1]
        later = [phase for phase in entry.phases[1:] if not phase.idle]
        inner_visits = visits if task.infinite else 1.0
        station = self._task_station(task)
        if not call.waits:
            mark = "-"
        # After the response all phases of an entry are one piece of work, because no caller waits for its reply.
        joined = bool(mark) and bool(later)
        if joined and call.waits:
            self.items.lost(f"{self.reading.name}:{call.line}", f'"{entry.name}" is called after a reply: the caller '
                            "waits for its second phase too", True)  # fmt: skip
        inside = mark if task.infinite else ""
        steps = self._phases(task, first, path, inner_visits, inside)
        if later:
            after = inside if joined else ("-" if task.infinite else station)
            steps += self._phases(task, later, path, inner_visits, after)
        if task.infinite:
            return steps
        self.used[station] = None
        marks: dict[str, Any] = {} if not mark else {"phase": 2, "keeps": [] if mark == "-" else [mark]}
        # A call without work waits its turn.
        step = {**marks, "hold": station, **_visits(visits), "steps": steps or [{"time": f"0 {self.unit}"}]}
        if task.discipline == "priority" and entry.priority:
            step["priority"] = self.ranks[entry.priority]
        elif entry.priority:
            self.items.lost(f"{self.reading.name}:{entry.line}", f'the priority of "{entry.name}" is left out, whose '
                            "task does not serve by priority")  # fmt: skip
        return [step]

    def _phases(
        self, task: Task, phases: Iterable[Phase], path: tuple[str, ...], visits: float, mark: str
    ) -> list[dict[str, Any]]:
        return [step for phase in phases for step in self._phase(task, phase, path, visits, mark)]


def _visits(visits: float) -> dict[str, Any]:
    return {} if visits == 1 else {"visits": int(visits) if visits == int(visits) else visits}
