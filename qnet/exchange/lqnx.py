"""The XML form of layered queueing networks whose entries have phases; graphs of activities are refused."""

from __future__ import annotations

from qnet.errors import InvalidInput, NotComputed, Problem, printable
from qnet.exchange.imported import REFUSED, Converted, Items, Reading, above_0, integer, malformed, number
from qnet.exchange.layers import Entry, EntryCall, Layers, Phase, Processor, Task, written
from qnet.exchange.xml_tree import Element, parse_xml

_PROCESSORS = {
    "fcfs": "fcfs", "hol": "priority", "pp": "preemptive", "ps": "ps", "cfs": "ps", "inf": "fcfs", "rand": "fcfs",
}  # fmt: skip
_TASKS = {"ref": "fcfs", "fcfs": "fcfs", "hol": "priority", "inf": "fcfs", "pri": "priority"}
_REFUSED = {
    "forwarding": "forwarding of calls",
    "task-activities": "graphs of activities",
    "group": "groups of processors",
    "fan-in": "fan-in and fan-out",
    "fan-out": "fan-in and fan-out",
}
_LEFT_OUT = ("service-time-distribution", "lqx", "pragma", "result-general")


def read(raw: bytes, reading: Reading) -> Converted:
    """The model of an LQNX file in the model language; raises `InvalidInput` QN760 for a file that is no LQNX,
    `NotComputed` QN767 for features that the model language cannot express."""
    items = Items()
    return written(_Reader(parse_xml(raw, reading.name), reading, items).network(), reading, items)


class _Reader:
    def __init__(self, root: Element, reading: Reading, items: Items) -> None:
        self.root, self.name, self.items = root, reading.name, items

    def network(self) -> Layers:
        """The network that the file declares."""
        if self.root.name != "lqn-model":
            raise self._wrong(self.root, f"the root element is <{printable(self.root.name, 60)}>", "<lqn-model>")
        self._refuse()
        processors: dict[str, Processor] = {}
        tasks: dict[str, Task] = {}
        entries: dict[str, Entry] = {}
        for element in self.root.inside("processor"):
            processor = self._processor(element)
            _once(processors, processor.name, self._wrong(element, "a name is repeated or missing", "one name"))
            processors[processor.name] = processor
            for inner in element.inside("task"):
                task = self._task(inner, processor.name)
                _once(tasks, task.name, self._wrong(inner, "a name is repeated or missing", "one name"))
                tasks[task.name] = task
                for item in inner.inside("entry"):
                    entry = self._entry(item)
                    _once(entries, entry.name, self._wrong(item, "a name is repeated or missing", "one name"))
                    entries[entry.name] = entry
        if not entries:
            raise self._wrong(self.root, "there are no processors, tasks or entries", "some of each")
        title = printable(self.root.attributes.get("description", "") or self.root.attributes.get("name", ""), 200)
        return Layers(title, processors, tasks, entries)

    def _wrong(self, element: Element, found: str, expected: str) -> InvalidInput:
        return malformed(self.name, element.line, found, expected)

    def _refuse(self) -> None:
        """Refuse all features that the model language cannot express, and list the elements that are left out."""
        problems: list[Problem] = []
        for element in self.root.walk():
            what = _REFUSED.get(element.name, "")
            if element.name in ("processor", "task") and element.attributes.get("replication", "1") != "1":
                what = "replicas"
            if element.name == "entry" and element.attributes.get("semaphore"):
                what = "semaphores"
            if what:
                found = f"the model language has no {what} of LQN"
                problems.append(Problem(REFUSED, found, "a network without them", file=self.name, line=element.line))
            if element.name in _LEFT_OUT or element.name.startswith("result-"):
                self.items.lost("", f"elements <{element.name}> are left out")
        if problems:
            raise NotComputed(*problems)

    def _number(self, element: Element, key: str, default: str) -> float:
        return number(element.attributes.get(key, default), self.name, element.line, key)

    def _count(self, element: Element, key: str, default: str = "1") -> int:
        return integer(element.attributes.get(key, default), self.name, element.line, key, 1)

    def _integer(self, element: Element, key: str) -> int:
        return integer(element.attributes.get(key, "0"), self.name, element.line, key)

    def _scheduling(self, element: Element, known: dict[str, str]) -> str:
        text = element.attributes.get("scheduling", "fcfs").lower()
        if text not in known:
            found = f'the model language has no scheduling "{printable(text, 40)}" of LQN'
            problem = Problem(REFUSED, found, ", ".join(known), file=self.name, line=element.line)
            raise NotComputed(problem)
        return text

    def _multiplicity(self, element: Element) -> tuple[bool, int]:
        text = element.attributes.get("multiplicity", "1")
        infinite = element.attributes.get("scheduling", "").lower() == "inf" or text.lower() in ("inf", "infinity")
        return infinite, 1 if infinite else self._count(element, "multiplicity")

    def _processor(self, element: Element) -> Processor:
        text = self._scheduling(element, _PROCESSORS)
        if text in ("cfs", "rand"):
            where = f"{self.name}:{element.line}"
            self.items.lost(where, f'the scheduling "{text}" is taken as {_PROCESSORS[text]}')
        infinite, servers = self._multiplicity(element)
        speed = above_0(element.attributes.get("speed-factor", "1"), self.name, element.line, "speed-factor")
        return Processor(element.attributes.get("name", ""), element.line, _PROCESSORS[text], infinite, servers, speed)

    def _task(self, element: Element, processor: str) -> Task:
        text = self._scheduling(element, _TASKS)
        infinite, servers = self._multiplicity(element)
        return Task(
            name=element.attributes.get("name", ""),
            line=element.line,
            processor=processor,
            entries=tuple(item.attributes.get("name", "") for item in element.inside("entry")),
            reference=text == "ref",
            infinite=infinite,
            servers=servers,
            priority=self._integer(element, "priority"),
            discipline=_TASKS[text],
            think_time=self._number(element, "think-time", "0"),
        )

    def _entry(self, element: Element) -> Entry:
        phases = [Phase(), Phase(), Phase()]
        known: set[int] = set()
        for index, item in enumerate(element.inside("activity")):
            order = self._count(item, "phase", str(index + 1))
            if order > len(phases):
                raise self._wrong(item, f"the phase is {order}", "1, 2 or 3")
            if order in known:
                raise self._wrong(item, f"phase {order} of an entry is stated twice", "one activity for each phase")
            known.add(order)
            if "max-service-time" in item.attributes:
                self.items.lost(f"{self.name}:{item.line}", "maximum service times are left out")
            phases[order - 1] = Phase(
                service=self._number(item, "host-demand-mean", "0"),
                scv=self._number(item, "host-demand-cvsq", "1"),
                think_time=self._number(item, "think-time", "0"),
                calls=tuple(
                    EntryCall(
                        call.attributes.get("dest", ""),
                        self._number(call, "calls-mean", "0"),
                        call.line,
                        call.name == "synch-call",
                    )
                    for call in item.inside("synch-call", "asynch-call")
                ),
                deterministic=item.attributes.get("call-order", "").upper() == "DETERMINISTIC",
            )
        rate = self._number(element, "open-arrival-rate", "0")
        priority = self._integer(element, "priority")
        return Entry(element.attributes.get("name", ""), element.line, tuple(phases), rate, priority)


def _once(known: object, name: str, error: InvalidInput) -> None:
    """Raise the error for a name that is missing or already known."""
    if not name or name in known:  # type: ignore[operator]
        raise error
