"""Every method for product-form networks, in one table: the chooser, `--method` and `qnet methods` read it."""

from __future__ import annotations

from qnet.record import Record


class Method(Record):
    """One method, as people need to know it."""

    name: str
    trust: str
    """`exact`, `approximate` or `bounds`."""
    classes: str
    """`open`, `closed`, or both."""
    applies: str
    cost: str
    error: str
    """As measured against exact answers on random networks."""
    source: str


_REISER = "Reiser, Lavenberg, J. ACM 27 (1980) 313-322"
_CONVOLUTION = "Buzen, Comm. ACM 16 (1973) 527-531; Reiser, Kobayashi, IBM J. Res. Dev. 19 (1975) 283-294"
_STATES = "de Souza e Silva, Lavenberg, J. ACM 36 (1989) 194-207"
_LAZOWSKA = "Lazowska, Zahorjan, Graham, Sevcik, Quantitative System Performance, 1984, chapter 5"
_ROUNDING = "rounding only"
_LINEARIZER = "throughput: median 0.03 %, worst seen 1.6 % with single servers, 17 % with several"
_AQL = "throughput: median 0.05 %, worst seen 2.9 % with single servers, 17 % with several"
_SCHWEITZER = "throughput: median 1.4 %, worst seen 21 % with single servers, 24 % with several"
_FLOW = (
    "throughput of closed classes: median 0.2 %, worst seen 5 %; response of open ones: median 0.5 %, worst seen 20 %"
)
_RESIDUAL = "throughput: median 2 %, worst seen 15 %; 46 % where times are far apart"
_QNA = "response: median 0.4 %, worst seen 5.4 %; 2.4 % and 18 % where arrivals are not Poisson"
_PRIORITY = "throughput: median 0.3 %, worst seen 12 % where those served first leave enough"
_ENCLOSES = "encloses the exact answer"
_ANY = "single and several servers, delays; any populations, fractions too"
METHODS: dict[str, Method] = {
    row.name: row
    for row in (
        Method("open", "exact", "open", "any stations; closed classes beside them are solved by one of the others",
               "stations x classes", _ROUNDING, "Baskett, Chandy, Muntz, Palacios, J. ACM 22 (1975) 248-260"),
        Method("mva", "exact", "closed", "one class; single servers and delays",
               "population x different stations", _ROUNDING, _REISER),
        Method("convolution", "exact", "closed", "one class; any stations; state probabilities",
               "population x servers; for rates of every number population^2", _ROUNDING, _CONVOLUTION),
        Method("lattice-mva", "exact", "closed", "several classes; single servers and delays",
               "product of (population + 1) x classes x different stations", _ROUNDING, _REISER),
        Method("lattice-convolution", "exact", "closed", "several classes; any stations; state probabilities",
               "product of (population + 1) x classes x servers", _ROUNDING, _CONVOLUTION),
        Method("station-states", "exact", "closed",
               "many classes at few stations; any stations; state probabilities",
               "ways to spread all customers over the stations x customers", _ROUNDING, _STATES),
        Method("states", "exact", "open, closed",
               "any order of service, priorities, holds, second phases, rates, losses, buffers, parallel steps, "
               "chains; exponential times (others as phases: approximate)", "states, up to 50000",
               _ROUNDING, "Stewart, Introduction to the Numerical Solution of Markov Chains, 1994"),
        Method("linearizer", "approximate", "closed", _ANY, "core solutions x classes^2 x stations",
               _LINEARIZER, "Chandy, Neuse, Comm. ACM 25 (1982) 126-134"),
        Method("aql", "approximate", "closed", _ANY, "rounds x classes x stations", _AQL,
               "Zahorjan, Eager, Sweillam, Performance Evaluation 8 (1988) 255-270"),
        Method("bard-schweitzer", "approximate", "closed", _ANY, "rounds x classes x stations",
               _SCHWEITZER,
               "Schweitzer, Int. Conf. Stochastic Control and Optimization, Amsterdam, 1979"),
        Method("residual-service", "approximate", "closed",
               "first come first served with times that differ or are not exponential; single and several servers, "
               "delays; any populations, fractions too", "rounds x classes^3 x stations", _RESIDUAL,
               "Reiser, IEEE Trans. Comm. 27 (1979) 1199-1209; Bolch et al., Queueing Networks and Markov Chains, "
               "2006, section 10.1"),
        Method("flow-equivalent", "approximate", "open, closed",
               "subnetworks in which only so many may be: a station held first come first served around stations that "
               "nobody else uses; one closed class", "population^2 x stations", _FLOW,
               "Chandy, Herzog, Woo, IBM J. Res. Dev. 19 (1975) 36-42; Lazowska et al., Quantitative System "
               "Performance, 1984, chapter 9"),
        Method("qna", "approximate", "open",
               "any service times, and gaps between arrivals, told by mean and scv; several servers, sharing, delays; "
               "no holds, priorities, or work left after the response", "ways between stations, stations^3", _QNA,
               "Whitt, Bell System Technical Journal 62 (1983) 2779-2815"),
        Method("priority-mva", "approximate", "closed",
               "stations that serve one class before another, interrupting it or not; single and several servers, "
               "delays; any populations, fractions too", "rounds x classes^3 x stations", _PRIORITY,
               "Bryant, Krzesinski, Lakshmi, Chandy, ACM Trans. Computer Systems 2 (1984) 335-359; corrected here"),
        Method("layers", "approximate", "closed",
               "servers held while others are waited for, work after the response; no rates of the number present",
               "rounds x ways to hold x streams^2", "see qnet methods --error",
               "Rolia, Sevcik, IEEE TSE 21 (1995); Chandy, Neuse, Comm. ACM 25 (1982) 126-134"),
        Method("asymptotic", "bounds", "open, closed", "any stations", "stations x classes", _ENCLOSES, _LAZOWSKA),
        Method("balanced", "bounds", "open, closed", "rates that do not fall", "stations x classes", _ENCLOSES,
               _LAZOWSKA),
        Method("composite", "bounds", "closed", "several classes; rates that do not fall", "stations x classes^2",
               _ENCLOSES, "Kerola, Performance Evaluation 6 (1986), issue 1"),
        Method("proportional", "bounds", "closed", "one class; single servers", "stations", _ENCLOSES,
               "Hsieh, Lam, Performance Evaluation 7 (1987) 3-30"),
        Method("geometric", "bounds", "closed", "one class; single servers", "stations", _ENCLOSES,
               "Casale, Muntz, Serazzi, IEEE Trans. Computers 57 (2008) 780-794"),
    )
}  # fmt: skip
"""By name; within a kind of trust the preferred first."""

APPROXIMATIONS = tuple(name for name, row in METHODS.items() if row.trust == "approximate" and row.classes == "closed")
"""Of closed classes."""
OF_PRODUCT_FORM = ("linearizer", "aql", "bard-schweitzer")
"""The approximations of networks that have product form, the preferred first."""
CORRECTIONS = ("conway", "seidmann", "rolia-sevcik")
"""How approximations may treat several servers, the one with the smallest measured error first."""
BOUNDS = tuple(name for name, row in METHODS.items() if row.trust == "bounds")
SOLVERS = tuple(name for name, row in METHODS.items() if row.trust != "bounds")
"""What `--method` may name beside `auto`."""
