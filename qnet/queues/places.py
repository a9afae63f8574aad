"""A line with a finite number of places, which may differ by point and need not be an integer."""

from __future__ import annotations

from qnet.expression import Operations, Value
from qnet.queues.stations.loss import erlang_pair
from qnet.record import Record

_NEAR = 0.02
"""The exponent down to which e^y - 1 is a series."""
_MOST = 700.0
"""The exponent up to which e^y is a number."""
_TINY = 1e-300
"""Keeps a quotient finite at no load: any number near the smallest float works."""


class Servers(Record):
    """The servers of the places of a line, with their other work."""

    number: int
    """c >= 1."""
    load: Value
    """Arrivals for a place over what the servers can give them: x."""
    other: Value = 0.0
    """Share of the servers that is busy with other work, below 1."""
    spread: Value = 1.0
    """How many times as long the line is as that of exponential services alone: 1 where there is no other work."""

    @property
    def blocked(self) -> tuple[Value, Value]:
        """Erlang's B of all that is asked, and 1 - B."""
        return erlang_pair(self.number, self.number * (self.other + (1 - self.other) * self.load))

    @property
    def slack(self) -> Value:
        """(1 - x + k x) of the spread k: what the ratio of the line is measured by."""
        return 1 + self.beyond * self.load

    @property
    def beyond(self) -> Value:
        """How much more spread there is than of exponential services alone, at least -1/2: that of constant ones."""
        return self.spread - 1

    def log_ratio(self, operations: Operations) -> Value:
        """Logarithm of the ratio r of a state to the one before: r / (1 - r) = k x / (1 - x), mirrored above x = 1."""
        load = operations.maximum([self.load, _TINY + 0.0 * self.load])
        below = operations.minimum([load, 1 / load])
        logs = operations.log(below * (1 + self.beyond) / (1 + self.beyond * below))
        return operations.where(load > 1, -logs, logs)


class FiniteLine(Record):
    """A line with K places, those in service included."""

    full: Value
    """Probability that an arrival finds all places taken."""
    free: Value
    """Probability that it finds one."""
    waiting: Value
    """Mean number of taken places that wait for a server."""


def with_loss(servers: Servers, places: Value, operations: Operations) -> FiniteLine:
    """Poisson arrivals; those that find K places taken are lost.

    Applies     any load, above 1 as well; K >= c.
    servers     the servers of the places.
    places      K, a number or one per point; it need not be an integer.
    operations  those of the numbers.
    Exact       M/M/c/K: no other work, exponential service.
    Method      The states up to c are those of the loss system, those above fall or rise geometrically; sums from the
                larger end, without a difference of almost equal numbers. With other work the ratio is such that the
                line without an end has the right mean.
    Source      M/M/c/K: @kleinrock1975, sections 3.6 and 3.7. Other work: this tool.
    """
    where, exp = operations.where, operations.exp
    room = operations.maximum([places - servers.number, 0.0 * places])
    (blocked, idle), slope = servers.blocked, servers.log_ratio(operations)
    steep, falls = operations.absolute(slope), slope <= 0
    # All weights are relative to the largest of the states from c on.
    shrunk = exp(-steep * room)
    low, top = where(falls, 1.0, shrunk), where(falls, shrunk, 1.0)
    below = where(falls, 1.0, exp(-steep)) * geometric_sum(steep, room, operations)
    sum_ = geometric_sum(steep, room + 1, operations)
    # Other work lets arrivals pile up at the end: by this factor more than where the line is unlimited.
    more = servers.beyond * top
    free = idle * (1 - servers.other) * servers.slack * low + blocked * below
    overall = free + blocked * (top + more)
    ahead = (room + 1) * _level((room + 1) * slope, operations) - _level(slope, operations)
    waiting = blocked * (sum_ * operations.maximum([ahead, 0.0 * ahead]) + more * room) / overall
    # No more can be let in than is served.
    served = 1 / operations.maximum([servers.load, 1.0 + 0.0 * servers.load])
    full = operations.maximum([blocked * (top + more) / overall, 1 - served])
    return FiniteLine(full, operations.minimum([free / overall, served]), waiting)


def with_wait(servers: Servers, places: Value, operations: Operations) -> FiniteLine:
    """Poisson arrivals; those that find K places taken wait for one outside, in order of arrival.

    servers     their number, load and other work.
    places      K, the number of places.
    operations  of floats or of arrays.
    Applies     as `with_loss`, with a load below 1: else there is no steady state.
    Exact       no other work, exponential service.
    Method      All together, inside and outside, they are an M/M/c: N customers, min(N, K) of them inside.
    Source      M/M/c: @kleinrock1975, section 3.5. Other work: this tool.
    """
    (blocked, idle), load = servers.blocked, servers.load
    busy = blocked / (idle * (1 - servers.other) * (1 - load) + blocked)
    room = operations.maximum([places - servers.number, 0.0 * places])
    power = room * servers.log_ratio(operations)
    # Points without a steady state have no figures, and must not end the others.
    full = busy * operations.exp(operations.minimum([power, _MOST + 0.0 * power]))
    return FiniteLine(full, 1 - full, (busy - full) * (1 + servers.beyond) * load / (1 - load + (load == 1)))


def geometric_sum(steep: Value, count: Value, operations: Operations) -> Value:
    """The sum of e^(-steep j) over 0 <= j < count; `count` where it is not steep.

    steep       the decay per step, of either sign.
    count       the number of terms, at least 0; fractions are allowed.
    operations  of floats or of arrays.
    """
    still = steep == 0
    below = operations.where(still, 1.0, _grown(-steep, operations))
    return operations.where(still, count, _grown(-steep * count, operations) / below)


def _grown(power: Value, operations: Operations) -> Value:
    """e^y - 1 for y <= 0."""
    near = operations.maximum([power, -_NEAR + 0.0 * power])
    series = near * (1 + near / 2 * (1 + near / 3 * (1 + near / 4 * (1 + near / 5 * (1 + near / 6)))))
    return operations.where(power > -_NEAR, series, operations.exp(power) - 1)


def _level(slope: Value, operations: Operations) -> Value:
    """1 / (1 - e^-x) - 1 / x, which is 1/2 at 0: what the mean of a geometric series has beyond its leading term."""
    near = operations.absolute(slope) < 0.1
    x = operations.where(near, slope, 0.0)
    series = 0.5 + x / 12 * (1 - x**2 / 60 * (1 - x**2 / 42 * (1 - x**2 / 40)))
    far = operations.where(near, 1.0, slope)
    below = operations.exp(-operations.absolute(far))
    direct = operations.where(far > 0, 1 / (1 - below), -below / (1 - below)) - 1 / far
    return operations.where(near, series, direct)
