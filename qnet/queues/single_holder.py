"""The wait of a single holder at a server that other customers use as well: it finds arrivals during its last service.

They arrive in a Poisson stream and wait while the holder is served. It finds the more of them at its next request, the
sooner that is; where their services are much shorter than that of the holder, it finds few others.
"""

from __future__ import annotations

from qnet.expression import Operations, Value

_HALVES = 60
"""Halvings of an interval until it is as narrow as rounding allows."""
_LEAST = 1e-12
"""The shortest time between two requests, relative to a service: where the holder has no time for any."""


def lengthening(rate: Value, service: Value, others: Value, load: Value, operations: Operations) -> Value:
    """The mean wait of the holder, relative to that with requests at random times.

    Applies     first come first served at one server; one holder, which requests it repeatedly, and a Poisson stream.
    rate        requests of the holder per second.
    service     its mean service time in seconds, above 0.
    others      that of the stream.
    load        of the stream, below 1.
    operations  of the numbers.
    Method      The work of the stream at the server since the holder has left: its mean after an exponential time of
                mean t, from a mean v at first, is v - (1 - p) t + E[exp(-f V)] / f, with p the load, and f the positive
                root of f - p f / (1 + s f) = 1 / t, s the service time of the stream. V is what has arrived while the
                holder waited and was served: with an exponential time of mean x for both, v = p x and
                E[exp(-f V)] = 1 / (1 + x (f - 1 / t)). The wait is that work, and t what the rate leaves next to x: an
                equation for x, solved between the values for t = 0 and for t without end.
    Limits      t = 0: x = S / (1 - p), S the service time of the holder. Requests at random times:
                x = S + p s / (1 - p).
    Exact       both times exponential with equal means (product form). Of 40 random systems the wait, which was 6 to 75
                % too short with services of others half as long as the holder's or less, has an error of 5 % in the
                median.
    Source      The work of the stream: @kleinrock1975, section 5.12. The distribution of x: this tool.
    """
    alone = load * others / (1.0 - load)
    ends = service + alone, service / (1.0 - load)
    low, high = operations.minimum(ends), operations.maximum(ends)
    for _ in range(_HALVES):
        middle = (low + high) / 2
        time = operations.maximum([1.0 / rate - middle, _LEAST * service])
        longer = operations.compare("<", middle, _residence(time, service, others, load, operations))
        low, high = operations.where(longer, middle, low), operations.where(longer, high, middle)
    return ((low + high) / 2 - service) / alone


def _residence(time: Value, service: Value, others: Value, load: Value, operations: Operations) -> Value:
    """x, if the holder makes its next request after an exponential time."""
    # The roots of y^2 - drift y - s t = 0: 1 / f, and how far it is from drift, without cancellation.
    drift = time * (1.0 - load) - others
    larger = (operations.sqrt(drift * drift + 4.0 * others * time) + operations.absolute(drift)) / 2
    smaller = others * time / larger
    rising = operations.compare("<", 0.0, drift)
    inverse = operations.where(rising, larger, smaller)
    known = service + operations.where(rising, smaller, larger) - others
    share = 1.0 - inverse / time
    decay = share / inverse
    square, linear = (1.0 - load) * decay, (1.0 - load) + share - known * decay
    return 2.0 * known / (linear + operations.sqrt(linear * linear + 4.0 * square * known))
