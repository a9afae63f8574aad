"""What is told of how far approximations are off, on families of random models in the model language.

Of each a slice is held against what is told, and those that are answered worst; all of them with `QNET_FULL=1`.
"""

from __future__ import annotations

from functools import lru_cache

import pytest
from full import long_but
from measuring import assert_told, printed
from model_systems import OUTSIDE, Draw, errors, exact, hold, kept, measured, models, visit

from qnet.networks.measured_errors import MEASURED

_FIGURES = {"throughput": "throughput", "response": "response", "queue_length": "queue lengths"}
_NAMES = {
    "lines": "first come first served: up to ten customers",
    "second phases": "layers: second phases, customers who come back at once",
    "ranks": "priorities: closed, one or two stations",
    "layers": "layers: around one station or two",
    "wide lines": "first come first served: any visits",
    "wide second phases": "layers: second phases of some classes or all",
    "wide layers": "layers: any servers and visits",
    "inner second phases": "layers: second phases around stations",
    "pools": "memory: times that vary",
    "shared buffers": "buffer: wait, classes with any station in front",
    "losses": "capacity: closed classes, long or short think times",
}
ROWS = {
    "last come first served: several servers": ("stacks", "throughput"),
    **{f"{name}, {told}": (family, figure) for family, name in _NAMES.items() for figure, told in _FIGURES.items()},
    f"{_NAMES['losses']}, passages begun": ("losses", "offered"),
}
"""By name of the row: the family, and the figure."""


@lru_cache(None)
def slice_of(family: str) -> list[dict[str, float]]:
    """The errors of those that are kept."""
    texts = models(family)
    found = [errors(texts[number], figures, family in OUTSIDE) for number, figures in kept(family).items()]
    assert None not in found
    return [item for item in found if item]


@lru_cache(None)
def all_of(family: str) -> list[dict[str, float]]:
    """The errors of all."""
    return [item for _, _, item in measured(family)]


@pytest.mark.parametrize("name", long_but(ROWS, "last come first served: several servers"))
def test_what_is_told_is_the_worst(name: str) -> None:
    family, figure = ROWS[name]
    assert printed(max(item[figure] for item in slice_of(family))) == MEASURED[name].worst


@pytest.mark.long
@pytest.mark.parametrize("name", ROWS)
def test_the_errors_are_those_that_are_told(name: str) -> None:
    family, figure = ROWS[name]
    assert_told(name, [item[figure] for item in all_of(family) if figure in item])


@pytest.mark.parametrize("family", ["lines", "losses"])
def test_what_is_kept_is_what_the_chain_says(family: str) -> None:
    texts = models(family)
    for number, figures in list(kept(family).items())[:4]:
        found = exact(texts[number])
        assert found is not None
        for figure, values in figures.items():
            assert found[figure] == pytest.approx(values, rel=1e-6)


@pytest.mark.parametrize(("agents", "customers"), [(2, 2), (3, 3), (3, 2), (2, 1)])
def test_customers_who_are_no_more_than_agents_wait_for_second_phases_alone(agents: int, customers: int) -> None:
    """They waited for whole services, however short the second phase: two customers were answered 25 % too late."""
    draw = Draw(None)
    draw.station("agent", servers=agents)
    draw.station("cpu", discipline="ps")
    later = '{ phase = 2, time = "0.002 s" }'
    draw.closed("all", customers, 0.0, hold("agent", '{ time = "1.4 s" }', visit("cpu", 'time = "1.1 s"'), later))
    wanted = exact(draw.text())
    assert wanted is not None
    found = errors(draw.text(), wanted)
    assert found is not None
    assert max(found.values()) < 0.01
