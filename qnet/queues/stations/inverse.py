"""Inverse questions: the servers, rate, service time or capacity at which a limit on a figure just holds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from qnet.errors import NoAnswer, Problem, UsageError
from qnet.plain_tables import as_text
from qnet.queues.roots import neighbours
from qnet.queues.stations.answer import StationAnswer
from qnet.queues.stations.conversions import converted
from qnet.queues.stations.front import evaluate_station, read_parameters, station_name
from qnet.queues.stations.limits import FigureLimit, read_limit, separate
from qnet.queues.stations.table import BY_CLASS, PARAMETERS
from qnet.record import Record

SOLVABLE = ("servers", "capacity", "arrival_rate", "source_rate", "service_time")
"""Parameters that may be solved for."""
_CONTINUOUS = ("M/M/c", "Erlang C", "GI/G/c", "M/M/c/c", "Erlang B")
"""Stations whose formulas hold for fractional servers."""
_LARGEST = 2**50
"""The largest number that is searched: floats represent each integer up to it."""
_BESIDE = 1e-6
"""The relative distance from a rate or a time at which to test on which side of it a limit holds."""
_EDGE = 27.0
"""-log(1 - load) where a search towards saturation ends: a load of 1 - 2e-12."""


def proportions(station: str, parameter: str, stated: Mapping[str, Any]) -> tuple[dict[str, Any], list[float], float]:
    """The parameters of a station with classes, the proportions of the unknown one, and its saturation value.

    Arrival rates are shares of their sum, which is solved for; service times are multiples of their mean over all
    customers.

    station    one of `BY_CLASS`.
    parameter  `arrival_rate` or `service_time`.
    stated     all parameters by name.
    Raises     `UsageError` for others, and where values are missing.
    """
    if parameter not in ("arrival_rate", "service_time"):
        text = f"{parameter} of {station} cannot be solved for"
        raise UsageError(Problem("QN050", text, "arrival_rate or service_time"))
    if parameter not in stated:
        expected = f"a {parameter.replace('_', ' ')} for each class, for their proportions"
        raise UsageError(Problem("QN050", f"{station} lacks {parameter}", expected))
    fixed = read_parameters(station, stated)
    rates, times = _numbers(fixed["arrival_rate"]), _numbers(fixed["service_time"])
    length = max(len(rates), len(times))
    rates, times = (values * length if len(values) == 1 else values for values in (rates, times))
    if len(rates) != len(times) or not sum(rates) > 0:
        text = "the classes have no arrivals, or different numbers of rates and service times"
        raise UsageError(Problem("QN050", text, "one value for each class"))
    mean = sum(rate * time for rate, time in zip(rates, times, strict=True)) / sum(rates)
    if parameter == "arrival_rate":
        return fixed, [rate / sum(rates) for rate in rates], 1.0 / mean
    return fixed, [time / mean for time in times], 1.0 / sum(rates)


def _numbers(value: Any) -> list[float]:
    """One number, or one per class."""
    return [float(item) for item in value] if isinstance(value, (list, tuple)) else [float(value)]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


class Inverse(Record):
    """The answer to an inverse question."""

    parameter: str
    limit: str
    real: float | None
    """The value at which the limit just holds, not rounded: by Erlang's formulas for fractional servers where they
    apply, else by linear interpolation of the figure between integers; None where one of them has no steady state."""
    integer: int | None
    """The integer that meets the limit; None for a parameter that is not a count."""
    binds: str
    """`limit`, or the text of the binding one of several; `steady state` if saturation is reached before the limit;
    `least` or `largest` possible number."""
    answer: StationAnswer
    """The station at `integer`, else at `real`."""

    @property
    def value(self) -> float | int | None:
        """The integer where the parameter is a count, else the real number."""
        return self.real if self.integer is None else self.integer

    def __getattr__(self, name: str) -> float | int | None:
        """The value by the name of the parameter that was solved for, such as `servers`."""
        if name == self.parameter:
            return self.value
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _sentence(self) -> str:
        return f"{self.parameter} = {as_text(self.value)} for {self.limit}; binds: {self.binds}"

    def __repr__(self) -> str:
        return f"Inverse({self._sentence()}; {self.answer!r})"

    def __str__(self) -> str:
        return f"{self._sentence()}\n\n{self.answer}"

    def _repr_markdown_(self) -> str:
        """The text that notebooks show."""
        return f"**{self._sentence()}**\n\n{self.answer._repr_markdown_()}"  # pyright: ignore[reportPrivateUsage]


class _Unbroken(NoAnswer):
    """Every value meets a limit."""


def solve_for(
    parameter: str, limit: str | Sequence[str], name: str, within: float | None = None, **given: Any
) -> Inverse:
    """The value of one parameter at which limits just hold, the others being given.

    parameter   servers: the fewest. capacity: the least that meets a limit which small capacities violate (blocking),
                else the largest that meets one which large capacities violate (wait). arrival_rate, source_rate,
                service_time: the largest. For a lower limit (`>=`): the least rate or time, the most servers.
    limit       a comparison over `FIGURES` and percentiles, with units: `wait <= 200 ms`, `blocking <= 1 %`,
                `response_p95 <= 1 s`, `P(wait <= 20 s) >= 80 %`. The figure must be monotone in the parameter. Several
                limits must all hold: the most restrictive one gives the answer, and from a range of values it is the
                fewest servers, the least capacity, or the highest rate or time.
    name        of the station.
    within      the time t in seconds of `service_level` in limits, which is P(wait <= t).
    given       the other parameters as `queue` takes them; plain numbers. A station with classes takes the parameter
                that is solved for as well, for its proportions: the answer is then the total arrival rate, or the mean
                service time, and figures are those of all customers together.
    Returns     the real and the integer answer, what binds, and the figures there.
    Raises      UsageError as `queue`, for a parameter that cannot be solved for, and for a limit that cannot be read;
                NoAnswer (QN402) where no value meets the limit, with the best figure; or where no value meets all
                limits, with the two that exclude each other.
    Method      Doubling steps until the limit is violated, then bisection (integers) or a bracketed root, for rates
                over the logarithm of the distance from saturation.

    >>> solve_for("servers", "wait <= 0.4 s", "M/M/c", arrival_rate=1.0, service_time=1.0).integer
    2
    """
    texts = separate([limit] if isinstance(limit, str) else limit)
    questions = [_question(parameter, read_limit(text, within), name, given) for text in texts]
    if len(questions) == 1:
        return questions[0].inverse()
    return _all_hold(questions)


def _question(parameter: str, asked: FigureLimit, name: str, given: Mapping[str, Any]) -> _Question:
    """The inverse question of one limit."""
    station = station_name(name)
    if parameter not in SOLVABLE:
        raise UsageError(Problem("QN050", f'"{parameter}" cannot be solved for', "one of " + ", ".join(SOLVABLE)))
    stated = converted(station, {key: value for key, value in given.items() if value is not None}, parameter)
    if station in BY_CLASS:
        return _Question(station, parameter, asked, *proportions(station, parameter, stated))
    if parameter in stated:
        raise UsageError(Problem("QN050", f"{parameter} is given and solved for", "one of the two"))
    fixed = read_parameters(station, stated, parameter)
    if parameter == "servers" and asked.impossible():
        text = f"no number of servers of {station} meets {asked.source}"
        bound = "below 100 %" if asked.levels else "above 0"
        expected = f"a limit {bound}, which more servers approach and never reach"
        raise NoAnswer(Problem("QN402", text, expected))
    return _Question(station, parameter, asked, fixed)


def _all_hold(questions: Sequence[_Question]) -> Inverse:
    """The value of a parameter at which several limits hold, and the one that binds; see `solve_for`."""
    least: list[tuple[float, Inverse]] = []
    most: list[tuple[float, Inverse]] = []
    unbroken: list[_Unbroken] = []
    for question in questions:
        try:
            result = question.inverse()
        except _Unbroken as error:
            unbroken.append(error)
            continue
        value = result.real if result.integer is None else result.integer
        assert value is not None
        (least if question.from_here_on(value, result) else most).append((value, result))
    if len(unbroken) == len(questions):
        raise unbroken[0]
    least.sort(key=lambda item: -item[0])
    most.sort(key=lambda item: item[0])
    first = questions[0]
    stated = " and ".join(question.limit.source for question in questions)
    if least and most and least[0][0] > most[0][0]:
        unit = PARAMETERS[first.parameter][0]
        low, high = (f"{value:.6g} {unit}".strip().replace(" /", "/") for value in (least[0][0], most[0][0]))
        text = f"{least[0][1].limit} needs at least {low}, {most[0][1].limit} allows at most {high}"
        raise NoAnswer(Problem("QN402", f"no {_value_of(first)} meets {stated}", help=text))
    counts = first.parameter in ("servers", "capacity")
    value, result = (least if least and (counts or not most) else most)[0]
    broken = [question for question in questions if question.limit.source != result.limit and not question.holds(value)]
    if broken:
        raise broken[0].none(value)
    return result.replace(limit=stated, binds=result.limit if result.binds == "limit" else result.binds)


def _value_of(question: _Question) -> str:
    """The parameter of a question in a sentence: "arrival_rate of M/M/c", "number of servers of M/M/c"."""
    name = "number of servers" if question.parameter == "servers" else question.parameter
    return f"{name} of {question.station}"


class _Question:
    """One inverse question: its station, parameter and limit."""

    def __init__(
        self,
        station: str,
        parameter: str,
        limit: FigureLimit,
        fixed: Mapping[str, Any],
        shares: list[float] | None = None,
        full: float = 0.0,
    ) -> None:
        self.station = station
        self.parameter = parameter
        self.limit = limit
        self.fixed = fixed
        self.shares = shares
        """The proportions of the parameter by class; None for a station without classes."""
        self.full = full
        """The value at which a station with classes is saturated."""

    def at(self, value: float) -> StationAnswer:
        values: Any = value if self.shares is None else [value * share for share in self.shares]
        return evaluate_station(self.station, {**self.fixed, self.parameter: values})

    def slack(self, value: float) -> float:
        """The slack; minus infinity without a steady state."""
        try:
            return self.limit.slack(self.at(value))
        except NoAnswer as error:
            if error.problems[0].code != "QN401":
                raise
            return -math.inf

    def holds(self, value: float) -> bool:
        return self.limit.holds(self.slack(value))

    def offered(self) -> float:
        return float(self.fixed.get("arrival_rate", 0) * self.fixed.get("service_time", 0))

    def none(self, value: float) -> NoAnswer:
        """The refusal where no value meets the limit, with the figures at the best one."""
        reported = ""
        try:
            there = self.at(value)
            reported = self.limit.shown(there)
        except NoAnswer as error:
            reported = error.problems[0].found
        text = f"no {_value_of(self)} meets {self.limit.source}"
        return NoAnswer(Problem("QN402", text, help=f"at {self.parameter} = {value:.6g}, {reported}"))

    def inverse(self) -> Inverse:
        """The answer; raises `NoAnswer` where there is none."""
        return self.count() if self.parameter in ("servers", "capacity") else self.amount()

    def from_here_on(self, value: float, result: Inverse) -> bool:
        """Whether the limit holds at larger values than the answer, instead of smaller ones."""
        if result.integer is None:
            return result.binds == "limit" and self.holds(value * (1 + _BESIDE))
        return result.binds == "least" or (result.binds == "limit" and self.holds(value + 1))

    def count(self) -> Inverse:
        """The answer for a count: the integer and the real number."""
        least, largest = self.range()
        if least > largest:
            raise self.none(largest)
        kept = self.holds(least)
        want = not kept
        if kept and self.parameter == "servers" and self.limit.load:
            return self.result_of(least, self.real(least - 1, least), "least" if least == 1 else "limit")
        low = least
        high, step = least, 1
        while self.holds(high) != want:
            if high >= largest:
                if want:
                    raise self.none(high)
                integer = least if largest == _LARGEST else largest
                return self.result_of(integer, float(integer), "least" if integer == least else "largest")
            low, high, step = high, min(largest, high + step), step * 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.holds(middle) == want else (middle, high)
        return self.result_of(high if want else low, self.real(low, high), "limit")

    def range(self) -> tuple[int, int]:
        """The least and the largest number that the other parameters allow."""
        if self.parameter == "capacity":
            return self.fixed.get("servers", 1), self.fixed.get("sources", _LARGEST)
        bounds = [self.fixed[name] for name in ("capacity", "sources") if name in self.fixed]
        least = 1
        if not bounds and self.station not in ("M/M/c/c", "Erlang B"):
            least = max(1, math.floor(self.offered()))
            while self.slack(least) == -math.inf:
                least += 1
        return least, min([*bounds, _LARGEST])

    def real(self, low: int, high: int) -> float | None:
        """The real number between two neighbours, one of which meets the limit."""
        if self.parameter == "servers" and self.station in _CONTINUOUS:
            start = max(float(low), self.offered() if self.station not in ("M/M/c/c", "Erlang B") else 1e-9, 1e-9)
            sign = 1.0 if self.holds(high) else -1.0

            def lacking(value: float) -> float:
                return -sign * min(max(self.slack(value), -1e300), 1e300)

            if lacking(start) <= 0:
                return start
            below, above = neighbours(lacking, start, float(high))
            return above if sign > 0 else below
        if low < 1:
            return float(high)
        one, other = self.slack(low), self.slack(high)
        if math.isinf(one) or math.isinf(other) or one == other:
            return None
        return low + one / (one - other)

    def result_of(self, value: float, real: float | None, binds: str) -> Inverse:
        integer = int(value) if self.parameter in ("servers", "capacity") else None
        return Inverse(
            self.parameter, self.limit.source, real, integer, binds, self.at(value if integer is None else integer)
        )

    def amount(self) -> Inverse:
        """The answer for a rate or a time."""
        scale = self.scale()
        bounded = self.slack(scale) == -math.inf

        def value_at(u: float) -> float:
            return -scale * math.expm1(-u) if bounded else scale * u

        u, last = 1e-9, _EDGE if bounded else 1e30
        kept = self.holds(value_at(u))
        before = u
        while self.holds(value_at(u)) == kept:
            if u >= last:
                if not kept:
                    raise self.none(value_at(1e-9 if self.limit.load else last))
                if not bounded:
                    text = f"every {_value_of(self)} meets {self.limit.source}"
                    raise _Unbroken(Problem("QN402", text, "a limit that some value violates"))
                return self.result_of(value_at(last), scale, "steady state").replace(real=scale)
            before, u = u, min(last, u * 2 if u < 1 else u + 1 if bounded else u * 2)
        sign = 1.0 if kept else -1.0

        def function(x: float) -> float:
            return sign * self.slack(value_at(x))

        if not function(before) > 0:  # The limit holds with equality over a stretch: it ends at `before`.
            return self.result_of(value_at(before), value_at(before), "limit")
        low, high = neighbours(function, before, u)
        value = value_at(low if kept else high)
        return self.result_of(value, value, "limit")

    def scale(self) -> float:
        """The value at which the station is saturated, or would be without a limit on its customers."""
        if self.shares is not None:
            return self.full
        servers = self.fixed.get("servers", 1)
        if self.parameter == "service_time":
            rate = self.fixed.get("arrival_rate") or self.fixed.get("source_rate", 1.0)
            return float(servers / rate)
        return float(servers / self.fixed["service_time"])
