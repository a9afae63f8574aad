"""How far approximations beyond product form were found from the exact answer: one row for each feature.

Every row is measured by a test of the same name in `tests/errors`, against the Markov chain of all states of small
random systems, and fails when it tells other numbers.
"""

from __future__ import annotations

from qnet.record import Record


class Measured(Record):
    """The measured error of one method for one feature."""

    name: str
    """`feature`, or `feature: region` where it is measured in several."""
    method: str
    systems: int
    """Random systems that were solved both ways."""
    figure: str
    """Which figure the error is of."""
    median: float
    worst: float
    """Relative errors, two digits."""
    trusted: str
    """The region in which the method is trusted, with all systems of the row inside; or that they are outside."""
    code: str
    """Of the warning outside that region; empty where there is no outside."""
    source: str


_WHITT = "Whitt, Bell System Technical Journal 62 (1983) 2779-2815"
_REISER = "Reiser, IEEE Trans. Communications 27 (1979) 1199-1209; what is met soon, and product form: this tool"
_ONE_BY_ONE = "closed classes, single servers, two stations, two to four customers of two classes"
_SHARED_ORDER = "Baskett, Chandy, Muntz, Palacios, J. ACM 22 (1975) 248-260, for processor sharing in its place"
_WIDE = (
    "one to 25 customers a class, one to five servers; mean times at a station up to a factor of 3 apart, scv up to 4"
)
_BY_KIND = "throughput of closed or response of open class, where it is worst"
_CHANDY = "Chandy, Herzog, Woo, IBM J. Res. Dev. 19 (1975) 36-42"
_COURTOIS = "Courtois, Decomposability, 1977"
_SHORT = "no visit inside longer than a passage of the subnetwork on average; one class inside"
_FIRST = (
    "customers served before others keep no server more than 60 % busy, and if closed spend half of their time without "
    "waits away from queues"
)
_PRIORITY_MVA = "Bryant, Krzesinski, Lakshmi, Chandy, ACM Trans. Computer Systems 2 (1984) 335-359; corrected here"
_BY_CLASS = "throughput of the class where it is worst"
_FORK_JOIN = "independent branches, less what they wait in common"
_FLATTO = "Flatto, Hahn, SIAM J. Appl. Math. 44 (1984) 1041-1053; its use for unlike branches: this tool"
_BY_RESPONSE = "response, of the class where it is worst"
_LEFT = "Heidelberger, Trivedi, IEEE Trans. Computers 31 (1982) 1099-1109, for the problem; this tool"
_OWN_STATIONS = "up to 10 branches with stations or copies of their own and exponential service times"
_LAYERS = "servers of a station are held for times that differ by a factor of up to 3, with an scv up to 4"
_GAMMAS = "independent gamma times"
_LATE = "the worst of response_p90, p95 and p99"
_MIXED = "Abate, Whitt, ORSA J. Computing 7 (1995) 36-43, for the sum; gamma times: this tool"
_FOUND = "Sevcik, Mitrani, J. ACM 28 (1981) 358-371, for what is found; gamma times: this tool"
_ROLIA = "Rolia, Sevcik, IEEE TSE 21 (1995)"

_FEW_QUEUES = "at most 10 % of the time at a queue rest on what queues before it do to the variability of arrivals"
_HELD = "loads up to 0.95; the response grows by at most 2 % where the waits inside holds are 10 % longer"
_RESTING = "Reiser, Lavenberg, J. ACM 27 (1980) 313-322, for what a holder finds; this tool"

_UP_TO_TEN = (
    "closed classes at one or two servers and then another, with think times or none; mean times up to a factor of 3 "
    "apart, scv from 0.5 to 4"
)
_BACK_AT_ONCE = "closed classes at one to three servers that are kept after the response, with think times or none"
_ONE_OR_TWO = (
    _FIRST + "; up to eight customers a class in two or three classes, one or two servers, interrupting or not; visits "
    "in a row by those alone who are served last"
)
_AROUND = (
    "one to three servers around one station or two, with think times or none, times up to a factor of 3 apart, scv of "
    "0.5 or 1; none is asked for by the same customers inside and outside, or for work left behind"
)
_LOSSES = f"{_CHANDY}, for one number in the place of a network; losses on average: this tool"
_FEW_LOST = "at most 10 % lost; a station with a capacity, or a buffer with a station of its own that drains it"

_PLACES = "exponential times to free a place, one place at a time"
_OWN_PLACES = f"{_CHANDY}, for one number in the place of a network; places as customers: this tool"

_MEMORY = (
    Measured("memory: throughput of a closed class", "flow-equivalent", 200, "throughput", 0.002, 0.051,
             _SHORT, "QN644", _CHANDY),
    Measured("memory: time there of a closed class", "flow-equivalent", 200, "wait and time inside", 0.0028, 0.085,
             _SHORT, "QN644", _CHANDY),
    Measured("memory: response of an open class", "flow-equivalent", 200, "response", 0.0048, 0.2,
             _SHORT + "; up to 70 % of the capacity", "QN644, QN645", _CHANDY),
    Measured("memory: holds in holds", "flow-equivalent", 200, "response", 0.0064, 0.031,
             "each around stations of its own; " + _SHORT, "QN644", _CHANDY),
    Measured("memory: throughput with paging", "flow-equivalent", 200, "throughput", 0.00015, 0.01,
             "times that depend on the number inside", "", _COURTOIS),
    Measured("memory: response with paging", "flow-equivalent", 200, "response", 0.00072, 0.019,
             "times that depend on the number inside", "", _COURTOIS),
)  # fmt: skip
_PATHS = (
    Measured("missed revolutions", "missed_revolutions(...) in a time", 200, "response", 0.021, 0.2,
             "disks loaded evenly, transfers of 0.1 to 0.6 revolutions, two to five customers", "",
             "Lazowska, Zahorjan, Graham, Sevcik, Quantitative System Performance, 1984, chapter 10"),
)  # fmt: skip
_FIRST_COME = (
    Measured("first come first served: equal times", "residual-service", 200, "throughput, the worse class",
             0.014, 0.063, f"{_ONE_BY_ONE}; equal mean times at a station, scv from 0.5 to 4", "QN638", _REISER),
    Measured("first come first served: exponential times", "residual-service", 200, "throughput, the worse class",
             0.01, 0.11, f"{_ONE_BY_ONE}; mean times at a station up to a factor of 3 apart", "QN638", _REISER),
    Measured("first come first served", "residual-service", 200, "throughput, the worse class", 0.02, 0.1,
             f"{_ONE_BY_ONE}; mean times up to a factor of 3 apart, scv from 0.5 to 4", "QN638", _REISER),
    Measured("first come first served, by product form", "convolution", 200, "throughput, the worse class", 0.15, 1.2,
             "nothing: not chosen, since residual-service errs less on the same systems", "QN727", _SHARED_ORDER),
    Measured("first come first served: constant times", "residual-service", 200, "throughput, the worse class",
             0.039, 0.15, "nothing: outside, closed classes at a single server, two to four customers, constant times "
             "up to a factor of 3 apart, beside a station that is shared", "QN638", _REISER),
    Measured("first come first served: several servers", "residual-service", 200, "throughput, the worse class",
             0.016, 0.1, "as \"first come first served\" with two servers at one station", "QN638", _REISER),
    Measured("first come first served: several servers, by product form", "convolution", 200,
             "throughput, the worse class", 0.095, 0.99,
             "nothing: not chosen, since residual-service errs less on the same systems", "QN727", _SHARED_ORDER),
    Measured("first come first served: times far apart", "residual-service", 200, "throughput, the worse class",
             0.032, 0.46, "nothing: outside, mean times up to a factor of 10 apart", "QN638", _REISER),
    Measured("first come first served: up to 25 customers", "residual-service", 200, "throughput, the worse class",
             0.0035, 0.15, _WIDE, "QN638", _REISER),
    Measured("first come first served: mixed", "residual-service", 200, _BY_KIND, 0.01, 0.15,
             _WIDE + "; open classes ask up to 95 % of a station", "QN638", _REISER),
    Measured("first come first served: mixed, heavy open load", "residual-service", 200, _BY_KIND, 0.012, 0.26,
             _WIDE + "; open classes ask 80 to 95 % of a station", "QN638", _REISER),
    Measured("first come first served: up to 25 customers, times far apart", "residual-service", 200, _BY_KIND,
             0.0078, 0.42, "nothing: outside, mean times up to a factor of 20 apart, scv up to 10", "QN638", _REISER),
    Measured("first come first served: up to ten customers, throughput", "residual-service", 976,
             _BY_CLASS, 0.014, 0.18, _UP_TO_TEN, "QN638", _REISER),
    Measured("first come first served: up to ten customers, response", "residual-service", 976,
             _BY_RESPONSE, 0.016, 0.15, _UP_TO_TEN, "QN638", _REISER),
    Measured("first come first served: up to ten customers, queue lengths", "residual-service", 976,
             "queue length, at the station where it is worst", 0.026, 0.42, _UP_TO_TEN, "QN638", _REISER),
    Measured("last come first served: several servers", "convolution", 527,
             _BY_CLASS, 0.0039, 1.4, "nothing: outside, two to four servers, times up to a factor of 3 apart or an scv "
             "from 0.5 to 4; with one exponential time for all exact", "QN728", _SHARED_ORDER),
)  # fmt: skip
_OPEN = (
    Measured("service times in open networks", "qna", 362, "response", 0.0034, 0.062,
             "Poisson arrivals, single servers at two stations, one after the other or with returns by chance, classes "
             "with times of their own, scv from 0.5 to 4, loads up to 0.95; " + _FEW_QUEUES, "QN654", _WHITT),
    Measured("service times in open networks: constant times", "qna", 200, "response", 0.029, 0.16,
             "Poisson arrivals, two to four single servers of constant times in a row, loads up to 0.95; "
             + _FEW_QUEUES, "QN654", _WHITT),
    Measured("service times and arrivals: several servers", "qna", 200, _BY_RESPONSE, 0.012, 0.13,
             "one station of two or three servers, loads up to 0.95; Poisson arrivals of classes with exponential "
             "times up to 20 apart, or one class whose scv of arrivals and services are from 0.25 to 4", "QN654",
             _WHITT),
    Measured("arrivals that are not Poisson", "qna", 325, "response", 0.023, 0.12,
             "one class; one queue and an scv from 0.25 to 4, or two stations that nobody returns to and an scv of "
             "arrivals up to 2; single servers, loads up to 0.95; " + _FEW_QUEUES, "QN654", _WHITT),
    Measured("arrivals that are not Poisson: customers who return", "qna", 200, "response", 0.1, 0.25,
             "nothing: outside, two stations with returns, at once or by the other", "QN654", _WHITT),
)  # fmt: skip
_LEFT_OPEN = (
    Measured("second phases: open, left at one queue", "open", 252, _BY_RESPONSE, 0.0098, 0.15,
             "one to three classes at a single server, exponential times up to 20 apart, loads up to 0.95; at most a "
             "tenth of the time there rest on services that are not one exponential time", "QN654", _LEFT),
)  # fmt: skip
_HOLDS = (
    Measured("holds: open, around an inner station", "open", 200, _BY_RESPONSE, 0.0011, 0.17,
             "one to four servers around one or two, exponential times up to 20 apart; " + _HELD, "QN716", _RESTING),
    Measured("holds: open, second phases", "open", 200, _BY_RESPONSE, 0.0057, 0.19,
             "as the row before, with both servers kept after the response; " + _HELD, "QN716", _RESTING),
    Measured("holds: open, inner station asked from outside as well", "open", 200, _BY_RESPONSE, 0.0035, 0.16,
             "one or two holders, exponential times up to 20 apart at one inner server; " + _HELD, "QN716", _RESTING),
    Measured("holds: open, copies around one station", "open", 200, _BY_RESPONSE, 0.0016, 0.015,
             "two or three copies, each loaded up to 30 % without waits, around one or two servers; " + _HELD, "QN716",
             _RESTING),
    Measured("holds: open, times more even than exponential", "open", 200, _BY_RESPONSE, 0.0024, 0.15,
             "as the rows before, with scv 1/4, 1/3, 1/2 or 1; constant times: up to 9 % in 22 simulations; " + _HELD,
             "QN716", _RESTING),
)  # fmt: skip
_PRIORITIES = (
    Measured("priorities: closed", "priority-mva", 200, _BY_CLASS, 0.0024, 0.085, _FIRST + "; none interrupted",
             "QN646", _PRIORITY_MVA),
    Measured("priorities: closed, interrupting", "priority-mva", 200, _BY_CLASS, 0.002, 0.093, _FIRST, "QN646",
             _PRIORITY_MVA),
    Measured("priorities: closed, interrupting, by shadow servers", "shadow servers", 200, _BY_CLASS, 0.015, 0.26,
             "nothing: not offered, since priority-mva errs less on the same systems", "",
             "Sevcik, IFIP Congress 1977"),
    Measured("priorities: closed, several servers", "priority-mva", 200, _BY_CLASS, 0.0027, 0.045,
             _FIRST + "; two servers, interrupting or not", "QN646", _PRIORITY_MVA),
    Measured("priorities: closed, three levels at three servers", "priority-mva", 200, _BY_CLASS,
             0.0018, 0.066,
             _FIRST + "; interrupting or not", "QN646", _PRIORITY_MVA),
    Measured("priorities: up to 25 customers", "priority-mva", 200, _BY_CLASS, 0.014, 0.84,
             "nothing: outside, one to 25 customers a class, one to three servers; those served first keep up to 90 % "
             "of them busy, more is refused; interrupting or not", "QN646", _PRIORITY_MVA),
    Measured("priorities: mixed", "priority-mva", 200, "throughput of closed or response of open class", 0.003,
             0.12, _FIRST + "; interrupting or not", "QN646", _PRIORITY_MVA),
    Measured("priorities: closed, one or two stations, throughput", "priority-mva", 669,
             _BY_CLASS, 0.0082, 0.17, _ONE_OR_TWO, "QN646", _PRIORITY_MVA),
    Measured("priorities: closed, one or two stations, response", "priority-mva", 669,
             _BY_RESPONSE, 0.018, 0.27, _ONE_OR_TWO, "QN646", _PRIORITY_MVA),
    Measured("priorities: closed, one or two stations, queue lengths", "priority-mva", 669,
             "queue length, at the station where it is worst", 0.011, 0.33, _ONE_OR_TWO, "QN646", _PRIORITY_MVA),
    Measured("priorities: open, several servers", "open", 200, _BY_RESPONSE, 0.004, 0.054,
             "one station of two or three servers, exponential times up to 20 apart, loads up to 0.95; interrupting or "
             "not", "QN654", "Cobham, Operations Research 2 (1954) 70-76; Bondi, Buzen, ACM SIGMETRICS 1984"),
    Measured("priorities: open, in networks", "qna", 300, _BY_RESPONSE, 0.014, 0.066,
             "two single servers of which nobody visits one twice, scv from 0.25 to 2 at the first, exponential times "
             "up to 20 apart at the second, loads up to 0.95; interrupting or not; " + _FEW_QUEUES, "QN654",
             f"Cobham, Operations Research 2 (1954) 70-76; {_WHITT}"),
)  # fmt: skip
_PARALLEL = (
    Measured("fork-join: two branches, open", _FORK_JOIN, 200, "response", 0.003, 0.011, _OWN_STATIONS, "QN660",
             _FLATTO),
    Measured("fork-join: closed classes", f"residual-service, {_FORK_JOIN}", 200, "response", 0.0039, 0.012,
             _OWN_STATIONS, "QN660",
             f"Heidelberger, Trivedi, IEEE Trans. Computers 32 (1983) 73-82, for the problem; {_FLATTO}"),
    Measured("fork-join: closed classes, queue lengths", f"residual-service, {_FORK_JOIN}", 208,
             "queue length, at the station where it is worst", 0.027, 0.12,
             "up to 8 customers, two branches; " + _OWN_STATIONS, "QN660", _FLATTO),
    Measured("work left behind: first come first served", "residual-service", 200, _BY_RESPONSE, 0.0073,
             0.11,
             "closed classes, single servers, times up to a factor of 3 apart, any load", "QN638, QN662", _LEFT),
    Measured("work left behind: several servers", "residual-service", 200, _BY_RESPONSE, 0.023, 0.21,
             "nothing: outside, as the row before with two servers at one station", "QN662", _LEFT),
    Measured("work left behind: shared service", "a stream at the rate of the passages", 200, _BY_RESPONSE, 0.002,
             0.17,
             "one closed class there, times up to a factor of 10 apart, any load", "QN662", _LEFT),
)  # fmt: skip
_FULL = (
    Measured(
        "capacity: loss behind loss", "M/M/c/K each, reduced load", 200, "throughput", 0.0083, 0.038,
        "exponential times, alike for all visits of a station with a capacity; above 10 % lost also warned of", "QN657",
        "Kelly, Advances in Applied Probability 18 (1986) 473-505; M/M/c/K: Kleinrock, Queueing Systems I, 1975",
    ),
    Measured(
        "capacity: a queue behind", "M/M/c/K, then M/M/1", 200, "response", 0.029, 0.14,
        "up to 10 % lost, exponential times", "QN657", "M/M/c/K: Kleinrock, Queueing Systems I, 1975",
    ),
    Measured(
        "capacity: customers who come back", "M/M/c/K, reduced load", 200, "throughput", 0.015, 0.066,
        "up to 10 % lost, processor sharing, back after a delay", "QN657",
        "Kelly, Advances in Applied Probability 18 (1986) 473-505",
    ),
    Measured(
        "capacity: passages that may be lost after their first visit", "states", 200, _BY_RESPONSE, 0.0069, 0.17,
        "the response alone: all other figures are exact; closed and open classes, any load", "",
        "Markov chain of all states: this tool; waits of passages that are lost later are counted as those of others",
    ),
    Measured(
        "buffer: lost, drained beside other work", "M/G/1/K with the wait of its drain", 200, "throughput", 0.015, 0.15,
        "a single server drains them below other work, which is not long or uneven beside all places", "QN658",
        "own, for M/G/1/K: Keilson, J. Royal Statistical Society B 28 (1966) 190-201",
    ),
    Measured(
        "buffer: lost, drained beside other work, occupancy", "M/G/1/K with the wait of its drain", 200, "occupancy",
        0.025, 0.42,
        "a single server drains them below other work, which is not long or uneven beside all places", "QN658",
        "own, for M/G/1/K: Keilson, J. Royal Statistical Society B 28 (1966) 190-201",
    ),
    Measured(
        "buffer: wait, filled on the way", "M/G/1 of which K are inside", 200, "occupancy", 0.00066, 0.0065,
        "at least four places, of which one in ten at most is taken before it can be drained; one server of its own "
        "drains them", "QN658", "own, for M/G/1: Kleinrock, Queueing Systems I, 1975, section 5.6",
    ),
    Measured(
        "buffer: wait, filled on the way, response", "M/G/1 of which K are inside", 200,
        "response", 0.00046, 0.019,
        "at least four places, of which one in ten at most is taken before it can be drained; one server of its own "
        "drains them", "QN658", "own, for M/G/1: Kleinrock, Queueing Systems I, 1975, section 5.6",
    ),
    Measured(
        "buffer: wait, filled on the way, queue lengths", "M/G/1 of which K are inside", 200,
        "queue length, at the station where it is worst", 0.0045, 0.038,
        "at least four places, of which one in ten at most is taken before it can be drained; one server of its own "
        "drains them", "QN658", "own, for M/G/1: Kleinrock, Queueing Systems I, 1975, section 5.6",
    ),
)  # fmt: skip
_CLIENTS = (
    Measured(
        "buffer: wait, closed classes", "flow-equivalent", 200, "throughput", 0.0014, 0.031,
        _PLACES, "QN670", _OWN_PLACES,
    ),
    Measured(
        "buffer: wait, closed classes, occupancy", "flow-equivalent", 200, "occupancy", 0.01, 0.075,
        _PLACES, "QN670", _OWN_PLACES,
    ),
    Measured(
        "buffer: wait, closed classes, drained beside other work", "flow-equivalent", 200, "throughput", 0.0011, 0.019,
        _PLACES + "; other work there is shared, in turn or first", "QN670", _OWN_PLACES,
    ),
    Measured(
        "buffer: wait, closed classes, occupancy beside other work", "flow-equivalent", 200, "occupancy", 0.04, 0.35,
        _PLACES + "; other work there is shared, in turn or first", "QN670", _OWN_PLACES,
    ),
    Measured(
        "buffer: wait, closed classes, queue lengths", "flow-equivalent", 200,
        "queue length, at the station where it is worst", 0.016, 0.085, _PLACES + "; two or more customers", "QN670",
        _OWN_PLACES,
    ),
    Measured(
        "buffer: wait, closed classes, queue lengths beside other work", "flow-equivalent", 200,
        "queue length, at the station that frees places", 0.022, 0.13,
        _PLACES + "; other work there, of others than fill it, is shared, in turn or first", "QN670", _OWN_PLACES,
    ),
    Measured(
        "buffer: wait, several closed classes", "flow-equivalent", 200, "throughput of the class where it is worse",
        0.0031, 0.096, _PLACES, "QN670", _OWN_PLACES,
    ),
    Measured(
        "buffer: lost, closed classes", "flow-equivalent", 200, "throughput", 0.0047, 0.05, _PLACES, "QN670",
        _OWN_PLACES,
    ),
    Measured(
        "capacity: closed classes", "flow-equivalent", 200, "throughput", 0.0013, 0.024,
        "exponential times, alike for all visits of a station with a capacity", "QN670",
        f"{_CHANDY}, for one number in the place of a network; losses on average: this tool",
    ),
    Measured("capacity: closed classes, long or short think times, throughput", "flow-equivalent", 313,
             _BY_CLASS, 0.00061, 0.044, _FEW_LOST, "QN670", _LOSSES),
    Measured("capacity: closed classes, long or short think times, response", "flow-equivalent", 313,
             _BY_RESPONSE, 0.0011, 0.027, _FEW_LOST, "QN670", _LOSSES),
    Measured("capacity: closed classes, long or short think times, queue lengths", "flow-equivalent", 313,
             "queue length, at the station where it is worst", 0.015, 0.15, _FEW_LOST, "QN670", _LOSSES),
    Measured("capacity: closed classes, long or short think times, passages begun", "flow-equivalent", 313,
             "offered rate", 0.00058, 0.33, _FEW_LOST, "QN670", _LOSSES),
)  # fmt: skip
_LAYERED = (
    Measured("layers: two deep", "layers", 600, "response", 0.0058, 0.28, _LAYERS, "QN640", _ROLIA),
    Measured("layers: three deep", "layers", 600, "response", 0.004, 0.29, _LAYERS, "QN640", _ROLIA),
    Measured("layers: two classes in one memory", "layers", 201, "response", 0.018, 0.22, _LAYERS, "QN640", _ROLIA),
    Measured("layers: second phases", "layers", 600, "response", 0.015, 0.17, _LAYERS, "QN640", _ROLIA),
    Measured("layers: second phases, customers who come back at once, throughput", "layers", 991,
             _BY_CLASS, 0.0061, 0.17, _BACK_AT_ONCE, "QN640", _ROLIA),
    Measured("layers: second phases, customers who come back at once, response", "layers", 991,
             _BY_RESPONSE, 0.0082, 0.22, _BACK_AT_ONCE, "QN640", _ROLIA),
    Measured("layers: second phases, customers who come back at once, queue lengths", "layers", 991,
             "queue length, at the station where it is worst", 0.011, 0.21, _BACK_AT_ONCE, "QN640", _ROLIA),
    Measured("layers: around one station or two, throughput", "layers", 792,
             _BY_CLASS, 0.011, 0.2, _AROUND, "QN640, QN729", _ROLIA),
    Measured("layers: around one station or two, response", "layers", 792,
             _BY_RESPONSE, 0.012, 0.17, _AROUND, "QN640, QN729", _ROLIA),
    Measured("layers: around one station or two, queue lengths", "layers", 792,
             "queue length, at the station where it is worst", 0.024, 0.37, _AROUND, "QN640, QN729", _ROLIA),
)  # fmt: skip

_PERCENTILES = (
    Measured("percentiles: open", _GAMMAS, 200, _LATE, 0.0049, 0.019,
             "exponential times first come first served, nobody returns by chance", "QN663", _MIXED),
    Measured("percentiles: service times", _GAMMAS, 200, _LATE, 0.036, 0.11,
             "Poisson arrivals, single servers first come first served, scv up to 2", "QN663", _MIXED),
    Measured("percentiles: one queue, any load", _GAMMAS, 200, _LATE, 0.023, 0.14,
             "Poisson arrivals of up to three classes at a single server first come first served, whose times have one "
             "scv, from 0.25 to 2, and means up to a factor of 3 apart; loads up to 0.95", "QN663",
             "W. Feller, Probability II, 1971, XIV.2, for the exact transform"),
    Measured("percentiles: closed", _GAMMAS, 200, _LATE, 0.029, 0.19,
             "exponential times first come first served, classes, several servers, returns by plan or by chance; two "
             "to four customers, or no two stations that are about as full",
             "QN663", _FOUND),
    Measured("percentiles: open and closed classes", _GAMMAS, 200, _LATE, 0.016, 0.18,
             "the same exponential times for all at single servers first come first served", "QN663", _FOUND),
    Measured("percentiles: open, customers who return by chance", _GAMMAS, 200, _LATE, 0.11, 0.27,
             "nothing: outside", "QN663", _MIXED),
    Measured("percentiles: service times far from exponential", _GAMMAS, 200, _LATE, 0.16, 0.92,
             "nothing: outside, scv of 4 and 8", "QN663", _MIXED),
    Measured("percentiles: shared service", _GAMMAS, 200, _LATE, 0.028, 0.1,
             "exponential times that differ by class or not, one server, open or closed", "QN663",
             "Coffman, Muntz, Trotter, J. ACM 17 (1970) 123-130, for one open queue; others: this tool"),
)  # fmt: skip

MEASURED: dict[str, Measured] = {
    row.name: row
    for row in (
        *_MEMORY,
        *_PATHS,
        *_FIRST_COME,
        *_OPEN,
        *_LEFT_OPEN,
        *_HOLDS,
        *_PRIORITIES,
        *_PARALLEL,
        *_FULL,
        *_CLIENTS,
        *_LAYERED,
        *_PERCENTILES,
    )
}
"""By name."""


def error_of(method: str) -> str:
    """The errors of a method in short, over all rows of the regions in which it is trusted; empty where it has none."""
    rows = [row for row in MEASURED.values() if row.method == method and not row.trusted.startswith("nothing")]
    kinds: dict[str, list[Measured]] = {"throughput": [], "response": [], "other figures": []}
    for row in rows:
        kinds[next((kind for kind in kinds if row.figure.startswith(kind)), "other figures")].append(row)
    told: list[str] = []
    for kind, own in kinds.items():
        if own:
            median, worst = max(row.median for row in own), max(row.worst for row in own)
            told.append(f"{kind}: median up to {_percent(median)}, worst {_percent(worst)}")
    return "; ".join(told)


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %"
