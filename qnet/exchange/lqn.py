"""The text form of layered queueing networks (user manual of LQNS, chapter "Traditional grammar")."""

from __future__ import annotations

import re
from collections.abc import Iterator

from qnet.errors import InvalidInput, NotComputed, Problem, printable
from qnet.exchange.imported import REFUSED, Converted, Items, Reading, above_0, integer, malformed, number, text_of
from qnet.exchange.layers import Entry, EntryCall, Layers, Phase, Processor, Task, written

MAX_TOKENS = 200_000
"""Any limit far above real models works: it bounds time and memory."""
_TOKEN = re.compile(r'"[^"\n]*"|[^\s"]+')
_LISTS = frozenset("tyszcfZMG")
"""Letters of the declarations that end with -1, possibly on a later line."""
_PROCESSORS = {"f": "fcfs", "h": "priority", "p": "preemptive", "s": "ps", "c": "ps", "i": "fcfs", "r": "fcfs"}
_TASKS = {"r": "fcfs", "n": "fcfs", "f": "fcfs", "i": "fcfs", "h": "priority"}
_REFUSED = {
    "A": "activities",
    "F": "forwarding of calls",
    "P": "semaphores",
    "V": "semaphores",
}
_IGNORED = {"H": "histograms", "M": "maximum service times"}

Statement = tuple[int, list[str]]
"""A declaration: its line and its words."""


def read(raw: bytes, reading: Reading) -> Converted:
    """The model of an LQN file in the model language; raises `InvalidInput` QN760 for a file that is no LQN,
    `NotComputed` QN767 for features that the model language cannot express."""
    items = Items()
    return written(_Reader(text_of(raw, reading.name), reading, items).network(), reading, items)


class _Reader:
    def __init__(self, text: str, reading: Reading, items: Items) -> None:
        self.text, self.name, self.items = text, reading.name, items
        self.variables: dict[str, str] = {}
        self.title = ""
        self.processors: dict[str, Processor] = {}
        self.tasks: dict[str, Task] = {}
        self.lines: dict[str, int] = {}
        """Entry -> its first line."""
        self.values: dict[tuple[str, str], list[float]] = {}
        """Entry and letter -> values by phase."""
        self.calls: dict[str, list[tuple[str, bool, int, list[float]]]] = {}
        """Entry -> target, whether the caller waits for the reply, line, and mean calls by phase."""
        self.rates: dict[str, float] = {}
        self.priorities: dict[str, int] = {}
        self.refusals: list[Problem] = []

    def network(self) -> Layers:
        """The network that the file declares."""
        section = ""
        sections = {"P": self._processor, "T": self._task, "E": self._entry}
        for line, words in self._statements():
            if words == ["-1"]:
                section = ""
            elif section in sections:
                sections[section](line, words)
            elif section:
                continue
            elif words[0] in ("P", "T", "E", "R", "C", "U") and len(words) == 2:
                section = words[0]
                if section == "U":
                    self._refuse(line, "groups of processors")
                elif section in "RC":
                    self.items.lost(f"{self.name}:{line}", "reports of SPEX are left out")
            elif words[0] == "G":
                self.title = printable(words[1].strip('"'), 200) if len(words) > 1 else ""
                self.items.kept(f"{self.name}:{line}", "convergence parameters apply to LQNS only")
            elif words[0] == "A":
                self._refuse(line, "activities")
                section = "A"
            elif words[0].startswith("$"):
                self._variable(line, words)
            elif words[0] in ("P", "T", "E", "R", "C", "U"):
                found = f'the heading of a section, "{words[0]}", is not alone in its line'
                raise self._wrong(line, found, f"{words[0]} and a number, and each declaration in a line after it")
            else:
                raise self._wrong(line, f'"{printable(words[0], 60)}" begins no section', "G, P, T or E")
        if not (self.processors and self.tasks and self.lines):
            raise self._wrong(0, "there are no processors, no tasks or no entries", "sections P, T and E")
        if self.refusals:
            raise NotComputed(*self.refusals)
        entries = {name: self._entry_of(name, line) for name, line in self.lines.items()}
        return Layers(self.title, self.processors, self.tasks, entries)

    def _wrong(self, line: int, found: str, expected: str) -> InvalidInput:
        return malformed(self.name, line, found, expected)

    def _refuse(self, line: int, what: str) -> None:
        problem = Problem(REFUSED, f"the model language has no {what} of LQN", "a network without them", file=self.name,
                          line=line)  # fmt: skip
        self.refusals.append(problem)

    def _statements(self) -> Iterator[Statement]:
        """The declarations, each with its continuation lines joined."""
        pending: list[str] = []
        start = count = 0
        for line, text in enumerate(self.text.split("\n"), 1):
            words: list[str] = _TOKEN.findall(_uncommented(text))
            count += len(words)
            if count > MAX_TOKENS:
                raise self._wrong(line, "the file is too long", f"at most {MAX_TOKENS} words")
            if not words:
                continue
            if not pending:
                start = line
            pending += words
            if pending[0] in _LISTS and "-1" not in pending:
                continue
            yield start, pending
            pending = []
        if pending:
            raise self._wrong(start, "the list does not end", "-1 at its end")

    def _variable(self, line: int, words: list[str]) -> None:
        """Read `$name = number`; expressions are refused."""
        text = "".join(words)
        name, _, value = text.partition("=")
        number(value, self.name, line, f"the value of {printable(name, 40)}")
        self.variables[name] = value
        self.items.lost(f"{self.name}:{line}", f"the variable {printable(name, 40)} is written as its value")

    def _text(self, word: str) -> str:
        return self.variables.get(word, word)

    def _number(self, word: str, line: int, what: str) -> float:
        return number(self._text(word), self.name, line, what)

    def _count(self, words: Iterator[str], line: int, what: str, least: int = 1) -> int:
        return integer(self._text(next(words, "")), self.name, line, what, least)

    def _without_requests(self, line: int, words: list[str]) -> list[str]:
        """The words without requests for results, such as `%f $x`."""
        comment = next((index for index, word in enumerate(words) if word.startswith("%")), None)
        if comment is None:
            return words
        self.items.lost(f"{self.name}:{line}", "requests for results are left out")
        return words[:comment] + (["-1"] if "-1" in words[comment:] and words[0] in "yszcfZM" else [])

    # Sections

    def _processor(self, line: int, words: list[str]) -> None:
        words = self._without_requests(line, words)
        if words[0] != "p" or len(words) < 3:
            raise self._wrong(line, f'"{printable(" ".join(words), 60)}" is no processor', "p NAME SCHEDULING")
        name, letter = words[1], words[2]
        if letter not in _PROCESSORS or name in self.processors:
            raise self._wrong(line, f'the scheduling is "{printable(letter, 20)}", or the name is repeated',
                              "f, h, p, s, c, i or r")  # fmt: skip
        item = Processor(name, line, _PROCESSORS[letter], infinite=letter == "i")
        rest = words[3:]
        if rest and letter in "sc" and not rest[0].isalpha():
            rest = rest[1:]  # the quantum of time sharing, whose limit is processor sharing
        if letter in "rc":
            self.items.lost(f"{self.name}:{line}", f'the scheduling of "{name}" is taken as {_PROCESSORS[letter]}')
        flags = iter(rest)
        for flag in flags:
            if flag == "m":
                item = item.replace(servers=self._count(flags, line, "the number of processors"))
            elif flag == "i":
                item = item.replace(infinite=True)
            elif flag == "R":
                item = item.replace(speed=above_0(self._text(next(flags, "")), self.name, line, "the speed"))
            elif flag == "r":
                if self._count(flags, line, "the number of replicas") > 1:
                    self._refuse(line, "replicas")
            else:
                raise self._wrong(line, f'"{printable(flag, 40)}" is no flag of a processor', "m, i, r or R")
        self.processors[name] = item

    def _task(self, line: int, words: list[str]) -> None:
        words = self._without_requests(line, words)
        if words[0] in ("I", "O"):
            self._refuse(line, "fan-in and fan-out")
            return
        if words[0] != "t" or len(words) < 6 or "-1" not in words:
            raise self._wrong(
                line, f'"{printable(" ".join(words), 60)}" is no task', "t NAME TYPE ENTRIES -1 PROCESSOR"
            )
        name, letter, end = words[1], words[2], words.index("-1")
        entries, rest = tuple(words[3:end]), words[end + 1 :]
        if letter in ("p", "S", "b"):
            self._refuse(line, f'scheduling "{letter}" of tasks')
            letter = "n"
        if letter not in _TASKS or name in self.tasks or not entries:
            raise self._wrong(line, f'the type is "{printable(letter, 20)}", or the name is repeated', "r, n, f, i, h")
        if rest[:1] == ["q"] and len(rest) > 2:
            self._refuse(line, "queue lengths")
            rest = rest[2:]
        if not rest:
            raise self._wrong(line, f'the task "{printable(name, 60)}" has no processor', "its name after -1")
        task = Task(
            name=name,
            line=line,
            processor=rest[0],
            entries=entries,
            reference=letter == "r",
            infinite=letter == "i",
            discipline=_TASKS[letter],
        )
        rest = rest[1:]
        if rest and (rest[0].lstrip("+").isdigit() or rest[0].startswith("$")):
            task = task.replace(priority=integer(self._text(rest[0]), self.name, line, "the priority"))
            rest = rest[1:]
        flags = iter(rest)
        for flag in flags:
            if flag == "m":
                task = task.replace(servers=self._count(flags, line, "the number of copies"))
            elif flag == "i":
                task = task.replace(infinite=True)
            elif flag in ("z", "Z"):
                task = task.replace(think_time=self._number(next(flags, ""), line, "the think time"))
            elif flag == "r":
                if self._count(flags, line, "the number of replicas") > 1:
                    self._refuse(line, "replicas")
            elif flag in ("t", "g"):
                next(flags, "")
                self._refuse(line, "tokens and groups")
            else:
                raise self._wrong(line, f'"{printable(flag, 40)}" is no flag of a task', "a priority, z, m, i or r")
        self.tasks[name] = task

    def _entry(self, line: int, words: list[str]) -> None:
        words = self._without_requests(line, words)
        letter = words[0]
        if letter in _REFUSED:
            self._refuse(line, _REFUSED[letter])
            return
        if len(words) < 3:
            raise self._wrong(line, f'"{printable(" ".join(words), 60)}" is no entry', "a letter, an entry, values")
        entry = words[1]
        self.lines.setdefault(entry, line)
        if letter in _IGNORED:
            self.items.lost(f"{self.name}:{line}", f"{_IGNORED[letter]} are left out")
        elif letter == "a":
            self.rates[entry] = self._number(words[2], line, "the arrival rate")
        elif letter == "p":
            self.priorities[entry] = integer(self._text(words[2]), self.name, line, "the priority")
        elif letter in "yz":
            values = self._values(line, words[3:])
            self.calls.setdefault(entry, []).append((words[2], letter == "y", line, values))
        elif letter in "scZf":
            values = self._values(line, words[2:])
            if (entry, letter) in self.values:
                found = f'"{letter}" of the entry "{printable(entry, 60)}" is stated twice'
                raise self._wrong(line, found, "once, with a value for each phase")
            self.values[entry, letter] = values
        else:
            raise self._wrong(line, f'"{printable(letter, 20)}" is no parameter of an entry', "a, c, f, p, s, y, z, Z")

    def _values(self, line: int, words: list[str]) -> list[float]:
        """One number for each phase, up to -1."""
        if words[-1:] != ["-1"] or not 2 <= len(words) <= 4:
            raise self._wrong(line, "the values of an entry cannot be read", "one for each of up to 3 phases, and -1")
        return [self._number(word, line, "a value of an entry") for word in words[:-1]]

    def _entry_of(self, name: str, line: int) -> Entry:
        """An entry with its phases."""

        def value(letter: str, phase: int, default: float) -> float:
            values = self.values.get((name, letter), [])
            return values[phase] if phase < len(values) else default

        phases = tuple(
            Phase(
                service=value("s", phase, 0.0),
                scv=value("c", phase, 1.0),
                think_time=value("Z", phase, 0.0),
                calls=tuple(
                    EntryCall(target, values[phase], at, waits)
                    for target, waits, at, values in self.calls.get(name, [])
                    if phase < len(values) and values[phase]
                ),
                deterministic=value("f", phase, 0.0) != 0,
            )
            for phase in range(3)
        )
        return Entry(name, line, phases, self.rates.get(name, 0.0), self.priorities.get(name, 0))


def _uncommented(text: str) -> str:
    """A line without its comment."""
    quoted = False
    for index, character in enumerate(text):
        if character == '"':
            quoted = not quoted
        elif character == "#" and not quoted:
            return text[:index]
    return text
