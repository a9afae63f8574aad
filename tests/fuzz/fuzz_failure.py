"""Running one input inside this process, and what counts as a failure of it.

A failure is an exception that is no error of qnet, an internal error, an exit code that is not documented, a traceback
on standard error, a warning of numpy or Python, not-a-number or infinity in a figure of an answered row, exit code 0
with output that is lost, an answer beyond the limits of time or memory, or a model that `check` passes and `solve`
refuses as invalid.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from fuzz_case import Case

SECONDS = 10.0
"""Processor time that an input may take, on a machine that takes `PACE` for some plain steps."""
PACE, _STEPS = 4e-3, 100_000
"""Seconds for so many steps of a plain loop, and the steps. A machine that is busy with other work takes longer."""
_SLOWEST = 4.0
"""How many times as long a busy machine may take."""
MEMORY = 10**9
"""Bytes that an input may take."""

EXIT_CODES = {0, 2, 3, 4, 5, 6}
"""Those that are documented, but for an internal error (1) and an interruption (130), which nothing here asks for."""

MARKER = re.compile(r"\bid\d{4}\b")
"""Cells of generated rows that must come out where the rows are answered."""

_NO_FIGURE = {"nan", "inf", "-inf", "+inf", "infinity", "-infinity"}
_ANSWERED = {"ok", "answered", ""}


class Slow(BaseException):
    """The processor time is over; no `Exception`, so that nothing takes it for an error of its own."""


class Failure(NamedTuple):
    """What went wrong."""

    kind: str
    """`exception`, `internal error`, `exit code`, `traceback`, `warning`, `figure`, `lost`, `time`, `memory`, ..."""
    what: str
    """The type of the exception or warning, or the column of the figure."""
    where: str
    """The innermost frame of qnet, `networks/solve.py:solve`."""
    detail: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What distinct failures differ in."""
        return self.kind, self.what, self.where

    def __str__(self) -> str:
        return f"{self.kind}: {self.what} at {self.where}: {self.detail}"


class Outcome(NamedTuple):
    """How an input ended: `exit 4`, `value`, `refused`; and the failure, if it is one."""

    end: str
    failure: Failure | None = None


def _innermost(frames: Any) -> str:
    for frame in reversed(list(frames)):
        _, found, rest = frame.filename.rpartition("/qnet/")
        if found and "/tests/" not in rest:
            return f"{rest}:{frame.name}"
    return ""


def _frame(error: BaseException) -> str:
    return _innermost(traceback.extract_tb(error.__traceback__))


def run(case: Case, seconds: float = SECONDS) -> Outcome:
    """The outcome of an input, in this process, in the current folder."""
    signal.signal(signal.SIGPROF, _watch(seconds))
    warned: list[Failure] = []

    def warn(message: Any, category: type[Warning], *_: Any, **__: Any) -> None:
        where = _innermost(traceback.extract_stack())
        warned.append(Failure("warning", category.__name__, where, str(message)[:200]))

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = warn
            try:
                # Again and again, for where the first is lost in a callback.
                signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)
                outcome = _RUNS.get(case.door, _command)(case)
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
    except Slow as error:
        return Outcome("slow", Failure("time", f"beyond {seconds:g} s", _frame(error)))
    if outcome.failure is None and warned:
        return Outcome(outcome.end, warned[0])
    return outcome


def _watch(seconds: float) -> Callable[..., None]:
    """What the alarm of an input calls, again and again: raises `Slow` when its time is over."""
    began, slowest = time.process_time(), 1.0

    def over(*_: Any) -> None:
        nonlocal slowest
        slowest = max(slowest, min(slowness(), _SLOWEST))
        if time.process_time() - began >= seconds * slowest:
            raise Slow

    return over


def slowness() -> float:
    """How many times as long as `PACE` this machine takes now."""
    start, value = time.process_time(), 0.0
    for step in range(_STEPS):
        value = value * 0.5 + step
    return (time.process_time() - start) / PACE


def _raised(error: BaseException) -> Outcome:
    kind = "memory" if isinstance(error, MemoryError) else "exception"
    return Outcome("raised", Failure(kind, type(error).__name__, _frame(error), str(error)[:200]))


VALUES = {
    "a": 3.0, "b": 0.25, "c": 1e-3, "zero": 0.0, "one": 1.0, "huge": 1e300, "tiny": 1e-300, "minus": -2.0, "t": 0.01,
    "cpu.t": 0.02, "size": 4096.0, "rate": 50.0,
}  # fmt: skip
"""Names that expressions may use, with their values."""
CHOICES = {"way": ("fast", "slow")}


def _expression(case: Case) -> Outcome:
    """Parse, check and evaluate an expression over floats and over arrays: the same value, or an error of qnet."""
    import numpy as np

    from qnet.expression import ExpressionError, arrays, check, evaluate, parse
    from qnet.units import NUMBER, base_unit
    from qnet.units import unit as unit_of

    def unit(name: str) -> Any:
        return {"t": "s", "cpu.t": "s", "size": "B", "rate": "/s"}.get(name, "")

    dimensions = {name: unit_of(unit(name)).dimension if unit(name) else NUMBER for name in VALUES}
    values: dict[str, Any] = {**VALUES, "way": 0.0}
    try:
        root = parse(case.text).root
        dimension = check(root, dimensions, CHOICES)
        if dimension is not None:
            base_unit(dimension)
        several = {name: np.full(2, value) for name, value in values.items()}
        with np.errstate(all="ignore"):
            batch = np.broadcast_to(evaluate(root, several, arrays(), CHOICES), (2,))
        try:
            single = float(evaluate(root, values, choices=CHOICES))
        except ExpressionError:
            return Outcome("undefined")
        same = bool(batch[0] == single) or math.isclose(batch[0], single, rel_tol=1e-9, abs_tol=1e-300)
        if math.isfinite(single) and not same:
            sentence = f"{single!r} over floats, {batch[0]!r} over arrays"
            return Outcome("value", Failure("figure", "floats and arrays differ", "expression", sentence))
        return Outcome("value")
    except ExpressionError as error:
        error_text = str(error)
        return Outcome("refused") if error_text else Outcome("refused", Failure("exception", "no message", "", ""))
    except Exception as error:
        return _raised(error)


def _python(case: Case) -> Outcome:
    """Evaluate a call of the package: only errors of qnet may be raised, and figures are numbers."""
    import decimal
    import fractions

    import numpy as np

    import qnet
    from qnet.errors import QnetError

    names = {
        "qnet": qnet, "np": np, "nan": math.nan, "inf": math.inf, "Decimal": decimal.Decimal,
        "Fraction": fractions.Fraction,
    }  # fmt: skip
    try:
        with np.errstate(all="ignore"):
            code = compile(case.text, "<fuzz>", "eval", dont_inherit=True)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return Outcome("no call")
    try:
        answer = eval(code, names)  # The fuzzer's own text.
        if hasattr(answer, "records"):
            answer = answer.records()
        elif hasattr(answer, "__next__"):
            answer = list(answer)
        return _judged(answer)
    except QnetError as error:
        with suppress(UnicodeError):
            str(error)
        return Outcome(f"raised {type(error).__name__}")
    except Exception as error:
        if not _frame(error) and not isinstance(error, MemoryError):
            return Outcome("no call")  # Arguments that no function has: Python's own message.
        return _raised(error)


_BATCH_FIGURES = ("throughput", "response", "residence", "queue_length", "utilization", "wait")


def _judged(answer: Any) -> Outcome:
    import numpy as np

    if isinstance(answer, list):
        for row in answer:
            for name, value in row.items():
                if isinstance(value, float) and not math.isfinite(value) and row.get("status", "ok") in _ANSWERED:
                    return Outcome("value", Failure("figure", name, "python", f"{value} in {str(row)[:150]}"))
        return Outcome("value")
    if isinstance(answer, float) and math.isnan(answer):
        return Outcome("value", Failure("figure", "metric", "python", str(answer)))
    for name in _BATCH_FIGURES:
        value = getattr(answer, name, None)
        if value is None or callable(value):
            continue
        try:
            numbers = np.asarray(value, dtype=float)
        except (TypeError, ValueError, OverflowError):
            continue
        if not np.isfinite(numbers).all():
            return Outcome("value", Failure("figure", name, type(answer).__name__, str(numbers)[:150]))
    return Outcome("value")


class Ended(NamedTuple):
    """What a command left."""

    code: int
    out: bytes
    err: str
    unexpected: tuple[BaseException, ...]


def command(words: tuple[str, ...], text: str) -> Ended:
    """Run `qnet WORDS` with a text on standard input in this process."""
    from qnet.cli import failures
    from qnet.cli.group import qnet

    unexpected: list[BaseException] = []
    report = failures._report_other

    def noted(error: Exception) -> None:
        if not isinstance(error, OSError | OverflowError):
            unexpected.append(error)
        report(error)

    out, err = io.BytesIO(), io.BytesIO()
    code = 0
    with _streams(text, out, err):
        failures._report_other = noted  # type: ignore[assignment]
        try:
            qnet.main(args=list(words), prog_name="qnet", standalone_mode=True)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        except Exception as error:
            unexpected.append(error)
            code = 1
        finally:
            failures._report_other = report
        for stream in (sys.stdout, sys.stderr):
            with suppress(ValueError, OSError):
                stream.flush()
        # Streams that are collected close what they write to.
        return Ended(code, out.getvalue(), err.getvalue().decode("utf-8", "replace"), tuple(unexpected))


@contextmanager
def _streams(text: str, out: io.BytesIO, err: io.BytesIO) -> Iterator[None]:
    before = sys.stdin, sys.stdout, sys.stderr
    encoded = text.encode("utf-8", "surrogateescape" if _bytes_only(text) else "replace")
    try:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(_Pausing(encoded)), "utf-8", newline="")
        sys.stdout = io.TextIOWrapper(out, "utf-8")
        sys.stderr = io.TextIOWrapper(err, "utf-8")
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


class _Pausing(io.RawIOBase):
    """Bytes of a pipe that does not block: before every piece of them there is nothing yet."""

    def __init__(self, data: bytes) -> None:
        self.data, self.pause = data, False
        self.ready = os.open(os.devnull, os.O_RDONLY)

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.ready

    def isatty(self) -> bool:
        return False

    def readinto(self, buffer: Any, /) -> int | None:
        self.pause = not self.pause
        if self.pause:
            return None
        count = min(len(buffer), len(self.data))
        buffer[:count], self.data = self.data[:count], self.data[count:]
        return count

    def close(self) -> None:
        if not self.closed:
            os.close(self.ready)
        super().close()


def _bytes_only(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" and not "\udc80" <= character <= "\udcff" for character in text)


def _command(case: Case) -> Outcome:
    try:
        os.fsencode("\0".join(case.command))
    except UnicodeError:
        return Outcome("no words")
    ended = command(case.command, case.text)
    failure = _failure(case, ended)
    if failure is None and case.door == "model" and case.command[0] == "solve" and ended.code == 3:
        failure = _unsound(case, ended)
    return Outcome(f"exit {ended.code}", failure)


def _unsound(case: Case, ended: Ended) -> Failure | None:
    checked = command(("check", "-"), case.text)
    if checked.code == 0:
        code = re.findall(r"\[(QN\d+)\]", ended.err)
        return Failure("check passes", code[0] if code else "", "check", ended.err[:300])
    return None


def _failure(case: Case, ended: Ended) -> Failure | None:
    for error in ended.unexpected:
        kind = "memory" if isinstance(error, MemoryError) else "internal error"
        return Failure(kind, type(error).__name__, _frame(error), str(error)[:200])
    verb = case.command[0] if case.command else ""
    if ended.code not in EXIT_CODES:
        return Failure("exit code", str(ended.code), verb, ended.err[:300])
    if "Traceback (most recent call last)" in ended.err:
        return Failure("traceback", "on standard error", verb, ended.err[-300:])
    if ended.code not in (0, 6):
        if ended.out and verb != "map":
            return Failure("output", "of a failure", verb, ended.out[:200].decode("utf-8", "replace"))
        if not ended.err.strip() and verb != "map":
            return Failure("lost", "no message", verb, f"exit {ended.code}")
        return None
    return _no_number(case, ended) or _lost(case, ended)


def _lost(case: Case, ended: Ended) -> Failure | None:
    if case.door != "rows" or case.command[0] != "map":
        return None
    header, _, below = case.text.partition("\n")
    passed = set(MARKER.findall(below)) - set(MARKER.findall(header))
    out = ended.out.decode("utf-8", "replace")
    missing = sorted(marker for marker in passed if marker not in out)
    if missing and ended.code == 0:
        return Failure("lost", "rows", "map", f"{len(missing)} of {len(passed)}: {', '.join(missing[:5])}")
    return None


def _no_number(case: Case, ended: Ended) -> Failure | None:
    """A cell that is no number in a row that is answered, in CSV, JSON or JSON Lines."""
    text = ended.out.decode("utf-8", "surrogateescape")
    given = {item.strip() for item in re.split(r'[,\r\n"{}:]+', case.text)} if case.door == "rows" else set[str]()
    for row in _rows(text):
        if str(row.get("status", "ok")) not in _ANSWERED:
            continue
        for name, value in row.items():
            if not isinstance(name, str) or not name or name in given:
                continue
            wrong = isinstance(value, float) and not math.isfinite(value)
            wrong |= isinstance(value, str) and value.lower() in _NO_FIGURE and name not in ("name", "parameter")
            if wrong:
                return Failure("figure", f"{value} in {name}", case.command[0], str(row)[:200])
    return None


def _rows(text: str) -> Iterator[dict[Any, Any]]:
    with suppress(ValueError, RecursionError):
        if text.startswith("{") and "\n{" in text.rstrip("\n"):
            for line in text.splitlines():
                item = json.loads(line)
                if isinstance(item, dict):
                    yield item
            return
        if text.startswith("{"):
            yield from _objects(json.loads(text))
            return
    first = text.partition("\n")[0]
    if "," in first and "  " not in first:
        with suppress(csv.Error):
            yield from csv.DictReader(io.StringIO(text))


def _objects(item: Any) -> Iterator[dict[Any, Any]]:
    if isinstance(item, dict):
        yield item
        for value in item.values():
            yield from _objects(value)
    elif isinstance(item, list):
        for value in item:
            yield from _objects(value)


_RUNS: dict[str, Callable[[Case], Outcome]] = {"expression": _expression, "python": _python}
