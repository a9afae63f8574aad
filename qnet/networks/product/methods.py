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
    source: str


_REISER = "Reiser, Lavenberg, J. ACM 27 (1980) 313-322"
_CONVOLUTION = "Buzen, Comm. ACM 16 (1973) 527-531; Reiser, Kobayashi, IBM J. Res. Dev. 19 (1975) 283-294"
_RECAL = "Conway, Georganas, J. ACM 33 (1986) 768-791; the form: this tool"
_LAZOWSKA = "Lazowska, Zahorjan, Graham, Sevcik, Quantitative System Performance, 1984, chapter 5"
METHODS: dict[str, Method] = {
    row.name: row
    for row in (
        Method(
            "open",
            "exact",
            "open",
            "any stations; closed classes beside them are solved by one of the other methods",
            "stations x classes",
            "Baskett, Chandy, Muntz, Palacios, J. ACM 22 (1975) 248-260",
        ),
        Method(
            "mva", "exact", "closed", "one class; single servers and delays", "population x different stations", _REISER
        ),
        Method(
            "convolution",
            "exact",
            "closed",
            "one class; any stations; state probabilities",
            "population x servers, population^2 for rates of every number",
            _CONVOLUTION,
        ),
        Method(
            "lattice-mva",
            "exact",
            "closed",
            "several classes; single servers and delays",
            "product of (population + 1) x classes x different stations",
            _REISER,
        ),
        Method(
            "lattice-convolution",
            "exact",
            "closed",
            "several classes; any stations; state probabilities",
            "product of (population + 1) x classes x servers",
            _CONVOLUTION,
        ),
        Method(
            "station-states",
            "exact",
            "closed",
            "many classes with few stations; any stations; state probabilities",
            "ways to spread all customers over the stations x classes",
            _RECAL,
        ),
        Method(
            "linearizer",
            "approximate",
            "closed",
            "single and several servers, delays; any populations",
            "core solutions x classes^2 x stations",
            "Chandy, Neuse, Comm. ACM 25 (1982) 126-134",
        ),
        Method(
            "aql",
            "approximate",
            "closed",
            "single and several servers, delays; any populations",
            "rounds x classes x stations",
            "Zahorjan, Eager, Sweillam, Performance Evaluation 8 (1988) 255-270",
        ),
        Method(
            "bard-schweitzer",
            "approximate",
            "closed",
            "single and several servers, delays; any populations",
            "rounds x classes x stations",
            "Schweitzer, Int. Conf. Stochastic Control and Optimization, Amsterdam, 1979",
        ),
        Method(
            "asymptotic", "bounds", "open, closed", "any stations; a closed class needs fixed or rising rates to be "
            "tight", "stations x classes", _LAZOWSKA,
        ),
        Method("balanced", "bounds", "open, closed", "rates that do not fall", "stations x classes", _LAZOWSKA),
        Method(
            "composite", "bounds", "closed", "several classes; rates that do not fall", "stations x classes^2",
            "Kerola, Performance Evaluation 6 (1986) 1-9",
        ),
        Method(
            "proportional", "bounds", "closed", "one class; single servers", "stations",
            "Hsieh, Lam, Performance Evaluation 7 (1987) 3-30",
        ),
        Method(
            "geometric", "bounds", "closed", "one class; single servers", "stations",
            "Casale, Muntz, Serazzi, IEEE Trans. Computers 57 (2008) 780-794",
        ),
    )
}  # fmt: skip
"""By name; within a kind of trust the preferred first."""

APPROXIMATIONS = tuple(name for name, row in METHODS.items() if row.trust == "approximate")
BOUNDS = tuple(name for name, row in METHODS.items() if row.trust == "bounds")
SOLVERS = tuple(name for name, row in METHODS.items() if row.trust != "bounds")
"""What `--method` may name beside `auto`."""
