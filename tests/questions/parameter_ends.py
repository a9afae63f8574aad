"""Every parameter of every shipped model at the ends of its range, at zero and just inside, asked every question."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import qnet
from qnet.cli.check import checked
from qnet.errors import InvalidInput, QnetError, UsageError
from qnet.expression import FLOATS, evaluate
from qnet.lazy import np
from qnet.model.model import Parameter
from qnet.model.values import Values
from qnet.reports.report import Report
from qnet.system import System

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(str(path) for path in (ROOT / "examples").glob("*.toml"))
SYSTEMS = sorted(path.stem for path in (ROOT / "catalog" / "systems").glob("*.toml"))
SHIPPED = [*EXAMPLES, *SYSTEMS]


class Case(NamedTuple):
    """A question put to a shipped model with one parameter at an extreme."""

    system: str
    parameter: str
    value: float | str
    question: str

    def __str__(self) -> str:
        return f"{self.question} {Path(self.system).name} -p {self.parameter}={self.value!r}"


def extremes(system: System, parameter: Parameter) -> list[float | str]:
    """Both ends of the range, zero, and what is just inside of them; every option of a choice."""
    if parameter.options:
        return list(parameter.options)
    stated = value(system, parameter)
    low, high = (end(system, item) for item in (parameter.low, parameter.high))
    result = [0.0, 1e-9 * abs(stated or 1.0)]
    if low is not None:
        result += [low, low + 1e-9 * abs(low or stated or 1.0)]
    result += [1e3 * stated] if high is None else [high, high - 1e-9 * abs(high)]
    if stated and float(stated).is_integer():
        # Numbers of servers and of customers are integers.
        result += [1.0]
    return list(dict.fromkeys(result))


def value(system: System, parameter: Parameter) -> float:
    """The stated value, or 1 where it rests on the solution."""
    try:
        return float(Values(system, {}, None).known.get(parameter.name, 1.0))
    except QnetError:
        return 1.0


def end(system: System, bound: Any) -> float | None:
    """An end of a range, where it is stated by a number."""
    return None if bound is None or bound.names else float(evaluate(bound.root, {}, FLOATS))


def sweep(system: System, case: Case) -> Report:
    """The parameter swept over its extremes: one value that fails must not fail the others."""
    parameter = system.parameters[case.parameter]
    return qnet.load(case.system).sweep(f"{case.parameter}={text(system, parameter, case.value)}")


def text(system: System, parameter: Parameter, value: float | str) -> str:
    """A value as it is written in a grid."""
    from qnet.units import base_unit

    return value if isinstance(value, str) else f"{value!r}{base_unit(parameter.dimension)}"


def rows(system: System, case: Case) -> list[dict[str, Any]]:
    """The value as a row of the filter."""
    return list(qnet.load(case.system).map_rows([{case.parameter: case.value}]))


QUESTIONS: dict[str, Callable[[System, Case], Any]] = {
    "solve": lambda system, _: system.solve(),
    "sweep": sweep,
    "map": rows,
    "why": lambda system, _: system.why(),
    "bottleneck": lambda system, _: system.bottleneck(),
    "knee": lambda system, _: system.knee(),
    "envelope": lambda system, _: system.envelope(),
    "cost": lambda system, _: system.cost(),
    "sensitivity": lambda system, case: system.sensitivity(by=case.parameter),
    "tornado": lambda system, case: system.tornado(by=case.parameter, within="10%"),
    "compare": lambda system, case: system.compare(qnet.load(case.system)),
    "formula": lambda system, _: system.formula(),
}


def cases(system: str, questions: tuple[str, ...] = tuple(QUESTIONS)) -> Iterator[Case]:
    """Every case of a shipped model."""
    loaded = qnet.load(system)
    for parameter in loaded.parameters.values():
        for extreme in extremes(loaded, parameter):
            for question in questions:
                yield Case(system, parameter.name, extreme, question)


def drawn(seed: int, each: int = 1) -> list[Case]:
    """A slice in which every shipped model and every question occurs `each` times or more."""
    random_ = random.Random(seed)
    names = list(QUESTIONS)
    result: list[Case] = []
    for turn in range(each):
        for index, system in enumerate(SHIPPED):
            loaded = qnet.load(system)
            parameter = random_.choice(list(loaded.parameters.values()))
            extreme = random_.choice(extremes(loaded, parameter))
            result.append(Case(system, parameter.name, extreme, names[(index + turn) % len(names)]))
    return result


def failure(case: Case) -> str:
    """What is wrong with the answer to a case; empty where it is an answer, or a refusal in qnet's own words."""
    with warnings.catch_warnings(), np.errstate(divide="warn", over="warn", invalid="warn"):
        warnings.simplefilter("error")
        try:
            system = qnet.load(case.system)
            answer = QUESTIONS[case.question](system.set({case.parameter: case.value}), case)
            told = answer if isinstance(answer, list) else answer.records()
            if isinstance(answer, Report):
                answer.text("json")
                str(answer)
        except QnetError as error:
            invalid = isinstance(error, InvalidInput) or (case.question == "solve" and isinstance(error, UsageError))
            if invalid and passes(case):
                return f"check passes what is refused as invalid: {error}"
            return "" if str(error) else "a refusal without a word"
        except Exception as error:
            return f"{type(error).__name__}: {error} {place(error)}"
    return unsound(told)


def passes(case: Case) -> bool:
    """Whether the model of a case is valid."""
    try:
        checked(qnet.load(case.system).set({case.parameter: case.value}))
    except QnetError:
        return False
    return True


def place(error: Exception) -> str:
    """The innermost place in qnet that an error came through."""
    trace, last = error.__traceback__, ""
    while trace:
        name = trace.tb_frame.f_code.co_filename
        if "/qnet/" in name:
            last = f"{name.rpartition('/qnet/')[2]}:{trace.tb_lineno}"
        trace = trace.tb_next
    return last


def unsound(told: Any) -> str:
    """A figure that is not a number, or infinite; empty where there is none."""
    for row in told:
        for key, cell in dict(row).items():
            if isinstance(cell, float) and not abs(cell) < float("inf"):
                return f"{key} is {cell}"
    return ""


def main() -> None:
    """Run the full product for the systems and the questions given as arguments; print what fails."""
    import sys
    import time

    systems = [item for item in sys.argv[1].split(",") if item] or SHIPPED
    questions = tuple(item for item in sys.argv[2].split(",") if item) or tuple(QUESTIONS)
    count = 0
    for system in systems:
        for case in cases(system, questions):
            start = time.monotonic()
            found = failure(case)
            took = time.monotonic() - start
            count += 1
            if found or took > 5:
                print(f"{case}: {found} [{took:.1f} s]", flush=True)
        print(f"# {Path(system).name}: {count} cases so far", flush=True)


if __name__ == "__main__":
    main()
