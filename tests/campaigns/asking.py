"""qnet's answer to a model, as `qnet solve` prints it, with the label, the notes, and what was raised in its place."""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Mapping
from typing import Any

from qnet import budget
from qnet.documents import parse
from qnet.errors import InvalidInput, NoAnswer, NotComputed, QnetError
from qnet.model.bind import bind
from qnet.model.load import build
from qnet.model.model import Model
from qnet.model.scope import station_figures
from qnet.model.values import Values
from qnet.networks.wanted import AUTO, Wanted
from qnet.record import Record

_NONE: Mapping[str, float] = {}
_NO_BOUNDS: Mapping[str, tuple[float, float]] = {}


class Outcome(Record):
    """What `qnet solve` answers, or why it does not."""

    status: str
    """`answered`; `no answer` (exit code 4), `not computed` (5), `invalid` (3), `other` (2), or `crash`."""
    seconds: float
    exact: bool = False
    method: str = ""
    reasons: str = ""
    """Why it is approximate, as the note says it."""
    warnings: tuple[tuple[str, str], ...] = ()
    """Code and text of every note that limits the trust in the answer."""
    problems: tuple[tuple[str, str, str], ...] = ()
    """Code, what was found and the way out of every problem, where there is no answer; of a crash its traceback."""
    throughput: Mapping[str, float] = _NONE
    """Of passages that are completed, by class or chain."""
    response: Mapping[str, float] = _NONE
    offered: Mapping[str, float] = _NONE
    station_throughput: Mapping[str, float] = _NONE
    """By label of a group of copies, all of it together."""
    utilization: Mapping[str, float] = _NONE
    queue_length: Mapping[str, float] = _NONE
    """Waiting and in service."""
    occupancy: Mapping[str, float] = _NONE
    """Of buffers."""
    bounds: Mapping[str, tuple[float, float]] = _NO_BOUNDS
    """By figure and name, such as `throughput a`: what encloses it, where the answer tells that."""

    @property
    def codes(self) -> frozenset[str]:
        """Codes of the warnings."""
        return frozenset(code for code, _ in self.warnings)


def load_text(text: str, name: str = "model.toml") -> Model:
    """The checked model of a text; raises `InvalidInput`."""
    return build(parse(text.encode(), name), name)


def check_text(text: str) -> None:
    """What `qnet check` does with a text; raises `InvalidInput`."""
    model = load_text(text)
    bind(model, Values(model, {}, None, dict.fromkeys(station_figures(model), 0.0)))


def ask(text: str, wanted: Wanted = AUTO) -> Outcome:
    """Solve a model by the function behind `qnet solve`; warnings of numpy count as crashes, since users see them."""
    start = time.process_time()
    outcome = _ask(text, wanted)
    return outcome.replace(seconds=time.process_time() - start)


class Slow(BaseException):
    """The time for an answer is over; no `Exception`, so that no solver takes it for one of its own."""


def _ask(text: str, wanted: Wanted) -> Outcome:
    from qnet.questions.solve.solve import solve_report

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with budget.opened(budget.Account()):
                report = solve_report(load_text(text), wanted)
            return _read(report)
    except NoAnswer as error:
        return _refused("no answer", error)
    except NotComputed as error:
        return _refused("not computed", error)
    except InvalidInput as error:
        return _refused("invalid", error)
    except QnetError as error:
        return _refused("other", error)
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        at = f"{where.filename.rpartition('/qnet/')[2]}:{where.lineno}"
        return Outcome("crash", 0.0, problems=((type(error).__name__, str(error)[:200], at),))


def _refused(status: str, error: QnetError) -> Outcome:
    rendered = [problem.render().partition("help: ")[2] for problem in error.problems]
    problems = tuple((p.code, p.found, help) for p, help in zip(error.problems, rendered, strict=True))
    return Outcome(status, 0.0, problems=problems)


def _read(report: Any) -> Outcome:
    """The figures of a report, by scope and name."""
    found: dict[str, dict[str, float]] = {
        key: {}
        for key in (
            "throughput", "response", "offered", "station_throughput", "utilization", "queue_length", "occupancy",
        )
    }  # fmt: skip
    bounds: dict[str, tuple[float, float]] = {}
    system: dict[str, Any] = {}

    def put(figure: str, row: dict[str, Any], column: str) -> None:
        if row.get(column) is not None:
            found[figure][row["name"]] = float(row[column])

    for row in report.records():
        match row["scope"]:
            case "system":
                system = row
            case "class":
                put("throughput", row, "throughput_per_s")
                put("response", row, "response_s")
                put("offered", row, "offered_per_s")
                for figure, unit in (("throughput", "per_s"), ("response", "s")):
                    low, high = (row.get(f"{figure}_{side}_{unit}") for side in ("lower", "upper"))
                    if low is not None and high is not None:
                        bounds[f"{figure} {row['name']}"] = (float(low), float(high))
            case "station":
                put("station_throughput", row, "throughput_per_s")
                put("utilization", row, "utilization")
                put("queue_length", row, "queue_length")
            case "buffer":
                put("occupancy", row, "occupancy")
            case _:
                pass
    reasons = next((note.text for note in report.notes if note.code == "QN601"), "")
    told = tuple((note.code, note.text) for note in report.notes if note.severity == "warning")
    return Outcome(
        "answered", 0.0, exact=system["exactness"] == "exact", method=system["method"],
        reasons=reasons.removeprefix("the answer is approximate: "),
        warnings=told, bounds=bounds, **found,
    )  # fmt: skip
