"""One formula for floats, fractions, arrays and symbols."""

from __future__ import annotations

import importlib

import pytest
from many import many
from station_cases import POINTS

from qnet.queues.stations.answer import StationAnswer
from qnet.queues.stations.queue import queue
from qnet.queues.stations.table import BY_CLASS, STATIONS

CLOSED = (
    "M/M/1", "M/M/c", "M/M/inf", "M/M/1/K", "M/M/c/K", "M/M/c/c", "Engset", "M/M/c/K/N", "M/D/1", "M/G/1", "M/G/1-PS",
    "M/G/1-vacations", "M[X]/M/1", "M[X]/G/1", "M/Ek/1", "M/H2/1", "GI/G/1", "GI/G/c",
)  # fmt: skip
FIGURES = (
    "throughput", "utilization", "queue_length", "number_waiting", "response", "wait", "probability_of_waiting",
    "blocking", "time_congestion", "variance_of_wait", "variance_of_response",
    "variance_of_queue_length",
)  # fmt: skip


def each(one: StationAnswer, other: StationAnswer):
    for key in FIGURES:
        first, second = getattr(one, key), getattr(other, key)
        assert (first is None) == (second is None), key
        if first is not None:
            yield key, first, second


@pytest.mark.parametrize("station", [station for station in STATIONS if station not in BY_CLASS])
def test_arrays_are_their_points(station: str):
    np = importlib.import_module("numpy")
    point = POINTS[station]
    rate = "source_rate" if "source_rate" in point else "arrival_rate"
    rates = np.array([[0.3, 0.7], [0.9, 1.0]]) * point[rate]
    integer = queue(station, **{**point, rate: rates})
    for place in np.ndindex(2, 2):
        single = queue(station, **{**point, rate: float(rates[place])})
        for key, first, second in each(integer, single):
            assert np.broadcast_to(first, (2, 2))[place] == pytest.approx(second, rel=1e-12), key
        for name in ("wait_percentile", "response_percentile", "state_probability"):
            function = getattr(integer, name)
            if function is not None:
                asked = 2 if name == "state_probability" else 0.9
                assert function(asked)[place] == pytest.approx(getattr(single, name)(asked), rel=1e-9)


def test_arrays_across_a_load_of_one():
    np = importlib.import_module("numpy")
    rates = np.array([1.0, 99.9999, 100.0, 100.0001, 1e6])
    integer = queue("M/M/c/K", arrival_rate=rates, service_time=0.02, servers=2, capacity=9)
    for place, rate in enumerate(rates):
        single = queue("M/M/c/K", arrival_rate=float(rate), service_time=0.02, servers=2, capacity=9)
        for key, first, second in each(integer, single):
            assert first[place] == pytest.approx(second, rel=1e-12), key


@pytest.mark.parametrize("station", ["M/M/c", "M/M/c/K", "M/D/c", "M/M/c/c", "Engset"])
def test_arrays_of_servers(station: str):
    point = {**POINTS[station], "servers": [2, 3, 4], "capacity": 8, "sources": 9}
    point = {key: value for key, value in point.items() if key in (*STATIONS[station][2], *STATIONS[station][3])}
    point.pop("capacity", None) if station == "Engset" else None
    integer = queue(station, **point)
    for place, servers in enumerate((2, 3, 4)):
        assert integer.response[place] == pytest.approx(queue(station, **{**point, "servers": servers}).response)


@pytest.mark.long
@many("station", CLOSED)
def test_symbols_are_the_formula(station: str):
    sympy = importlib.import_module("sympy")
    point = dict(POINTS[station])
    rate = "source_rate" if "source_rate" in point else "arrival_rate"
    symbol, time = sympy.symbols("lambda S", positive=True)
    values = {symbol: point[rate], time: point["service_time"]}
    formula = queue(station, **{**point, rate: symbol, "service_time": time})
    number = queue(station, **point)
    for key, first, second in each(formula, number):
        assert float(sympy.sympify(first).subs(values)) == pytest.approx(second, rel=1e-9), key
    if formula.state_probability is not None and station not in ("M/D/1",):
        assert float(sympy.sympify(formula.state_probability(2)).subs(values)) == pytest.approx(
            number.state_probability(2), rel=1e-9
        )


def test_the_formula_of_one_server_reads_like_one():
    sympy = importlib.import_module("sympy")
    rate, time = sympy.symbols("lambda S", positive=True)
    found = queue("M/M/1", arrival_rate=rate, service_time=time)
    assert sympy.simplify(found.response - time / (1 - rate * time)) == 0
    share = found.response_percentile(0.5)
    assert sympy.simplify(share - sympy.log(2) * time / (1 - rate * time)) == 0


def test_scalars_need_no_numpy():
    import subprocess
    import sys

    code = (
        "import sys; from qnet.queues.stations.queue import queue; "
        "queue('M/M/c/K', arrival_rate=80.0, service_time=.02, servers=2, capacity=5).response_percentile(.95); "
        "queue('M/D/c', arrival_rate=80.0, service_time=.02, servers=2).wait_percentile(.9); "
        "print('numpy' in sys.modules, 'sympy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
