"""Times that depend on the solution: the fixed point, where it ends, and what is refused."""

from __future__ import annotations

import importlib
import math
from typing import Any

import pytest
from full import FULL, long_but

from qnet.documents import parse
from qnet.errors import NoAnswer, NotComputed
from qnet.model.load import build, load
from qnet.model.model import Model
from qnet.model.settings import with_settings
from qnet.networks.exactness import Beyond
from qnet.networks.solution import RoutedSolution
from qnet.questions.points import points
from qnet.questions.points.points import solve_points
from qnet.questions.points.saturation import saturation
from qnet.questions.solve.solve import solve_report

pytestmark = pytest.mark.sliced


def model(rate: str, time: str) -> Model:
    """One queue whose time is an expression."""
    text = f"""qnet = 1
title = "Feedback"
[parameters]
rate = "{rate}"
time = "{time}"
[stations]
a = {{}}
[classes.x]
arrival_rate = "rate"
steps = [ {{ station = "a", time = "time" }} ]
"""
    return build(parse(text.encode(), "model.toml"), "model.toml")


# S = 1 + W and W = r S^2 / (1 - r S) give 2 r S^2 - (1 + r) S + 1 = 0, with a root up to r = 3 - sqrt(8).
END = 3 - math.sqrt(8)
FAR, NEAR = [1e100], [0.2, 1e-6, 0.01, 0.17, 0.1716, 0.99, 3.0, 1e6]
ASKED = FAR + NEAR if FULL else FAR


@pytest.mark.parametrize("share", [1e-9, 0.1, 0.5, 0.9, 0.999, 0.9999])
def test_a_time_that_grows_with_its_own_wait_is_the_least_root(share: float):
    rate = share * END
    solved = solve_points(model(f"{rate!r}/s", "1 s + wait('a')"))
    (station,) = solved.parts[0].solution.stations
    root = (1 + rate - math.sqrt((1 + rate) ** 2 - 8 * rate)) / (4 * rate) if share > 1e-6 else 1 + rate
    assert station.holding == pytest.approx(root, rel=1e-9)
    assert station.wait == pytest.approx(root - 1, rel=1e-9, abs=1e-15)


@pytest.mark.long
@pytest.mark.parametrize("rate", ASKED)
def test_where_the_steady_state_ends_does_not_depend_on_the_rate_asked(rate: float):
    asked = model(f"{rate!r}/s", "1 s + wait('a')")
    found = saturation(asked, solve_points(asked))
    assert found.factor * rate == pytest.approx(END, rel=1e-8)
    assert found.cause == "a"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """One number for every network that is solved from here on."""
    result: list[float] = []
    solve = points.solve

    def counted(*given: Any) -> RoutedSolution:
        result.append(1)
        return solve(*given)

    monkeypatch.setattr(points, "solve", counted)
    return result


@pytest.mark.parametrize("beyond", [1e-3, 1e-4, 1e-10])
def test_rounds_that_only_go_by_where_a_solution_was_are_skipped(beyond: float, made: list[float]):
    """They take about 3.3 / sqrt(beyond) rounds, of which 500 are made at most; then waits grow up to a limit."""
    rate = f"{END * (1 + beyond)!r}/s"
    limited = solve_points(model(rate, "1 s + min(wait('a'), 2 s)"), patient=False)
    assert limited.parts[0].solution.stations[0].holding == pytest.approx(3, rel=1e-12)
    assert not solve_points(model(rate, "1 s + wait('a')"), patient=False).stable
    assert len(made) < 250


def test_rounds_that_return_to_where_they_were_are_stopped(made: list[float]):
    """A step down at a load between both of its sides: there is no fixed point."""
    assert not solve_points(model("0.7/s", "where(utilization('a') > 0.5, 0.1 s, 1 s)"), patient=False).stable
    assert len(made) < 20


@pytest.mark.long
@pytest.mark.parametrize("rate", ["5/s", "40/s", "73/s"])
def test_the_station_whose_times_grow_ends_the_steady_state_though_another_is_fuller(rate: str):
    """Each server is used u = r S / 2, S = 8 ms (1 + 3 u^2), up to u = 1 / sqrt(3): at d, u is more than that."""
    text = f"""qnet = 1
title = "Feedback beside another station"
[stations]
s = {{ servers = 2 }}
d = {{}}
[classes.x]
arrival_rate = "{rate}"
steps = [ {{ station = "s", time = "8 ms * (1 + 3 * utilization('s') ** 2)" }}, {{ station = "d", time = "8.14 ms" }} ]
"""
    asked = build(parse(text.encode(), "model.toml"), "model.toml")
    solved = solve_points(asked, patient=False)
    found = saturation(asked, solved)
    assert found.factor * float(rate[:-2]) == pytest.approx(1000 / 8 / math.sqrt(3), rel=1e-6)
    assert found.cause == "s"


def test_beyond_its_end_the_largest_rate_is_told():
    # U = r (1 + U) is 1 at half a customer per second.
    with pytest.raises(NoAnswer, match=r"the saturation throughput is 0\.5/s"):
        solve_report(model("0.6/s", "1 s * (1 + utilization('a'))"))


@pytest.mark.parametrize("rate", ["1350/s", "1e5/s", "1e100/s", "1e300/s"])
def test_the_largest_rate_of_holds_does_not_depend_on_the_rate_asked(rate: str):
    system = load("ibm-3990-6")

    def asked(text: str) -> Model:
        return with_settings(system, {"rate": text})

    def largest(text: str) -> float:
        solved = solve_points(asked(text))
        return float(saturation(asked(text), solved).factor * solved.parts[0].solution.throughput)

    found = largest(rate)
    assert found == pytest.approx(largest("600/s"), rel=1e-9)
    assert solve_points(asked(f"{found * (1 - 1e-9)!r}/s")).stable
    assert not solve_points(asked(f"{found * (1 + 1e-9)!r}/s")).stable


def test_figures_that_no_time_uses_do_not_count():
    asked = with_settings(load("ibm-3990-6"), {"rate": "1/s", "write_fraction": "utilization('back_end')"})
    solved = solve_points(asked)
    assert solved.parts[0].values.known["write_fraction"] == pytest.approx(
        max(item.utilization for item in solved.parts[0].solution.stations if item.name == "back_end"), rel=1e-12
    )


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_a_time_that_falls_with_the_load_settles(share: float):
    # S = 1 / (1 + 9 u) and u = r S.
    asked = model(f"{share!r}/s", "1 s / (1 + 9 * utilization('a'))")
    found = solve_points(asked).parts[0].solution.stations[0].utilization
    assert found == pytest.approx((math.sqrt(1 + 36 * share) - 1) / 18, rel=1e-11)


@pytest.mark.parametrize("fall", [0.5, 1.0, 9.0])
@pytest.mark.parametrize("share", [0.1, 0.6, 0.95, 0.9999])
def test_a_time_that_falls_with_the_load_has_a_steady_state_beyond_what_it_is_without_any(fall: float, share: float):
    """S = 1 / (1 + k u) and u = r S give u + k u^2 = r, up to 1 + k; without load the server would be full at 1."""
    end = 1 + fall
    rate = share * end
    asked = model(f"{rate!r}/s", f"1 s / (1 + {fall} * utilization('a'))")
    solved = solve_points(asked)
    found = solved.parts[0].solution.stations[0].utilization
    assert found == pytest.approx((math.sqrt(1 + 4 * fall * rate) - 1) / (2 * fall), rel=1e-9)
    assert saturation(asked, solved).factor * rate == pytest.approx(end, rel=1e-8)


def test_where_times_fall_the_largest_rate_is_known_beyond_it():
    with pytest.raises(NoAnswer, match="the saturation throughput is 2/s"):
        solve_report(model("2.5/s", "1 s / (1 + utilization('a'))"))


@pytest.mark.parametrize("rate", long_but([50, 150, 195, 199.5], 150))
def test_a_time_that_falls_with_its_queue_has_a_steady_state_up_to_what_it_settles_at(rate: float):
    """S = h + h / (1 + q), 1 + q = 1 / (1 - u) and u = r S, of an M/M/1, give u (1 + r h) = 2 r h, up to u = 1."""
    asked = model(f"{rate!r}/s", "5 ms + 5 ms / (1 + queue_length('a'))")
    solved = solve_points(asked)
    found = solved.parts[0].solution.stations[0].utilization
    assert solved.stable
    assert found == pytest.approx(2 * rate * 0.005 / (1 + rate * 0.005), rel=1e-9)
    assert saturation(asked, solved).factor * rate == pytest.approx(200, rel=1e-8)


def test_beyond_what_a_time_settles_at_there_is_none():
    with pytest.raises(NoAnswer, match="the saturation throughput is 200/s"):
        solve_report(model("201/s", "5 ms + 5 ms / (1 + queue_length('a'))"))


def test_a_time_that_falls_with_its_wait_has_a_steady_state_beyond_what_it_is_without_any():
    asked = model("150/s", "5 ms + 5 ms / (1 + wait('a') / 10 ms)")
    solved = solve_points(asked)
    (station,) = solved.parts[0].solution.stations
    assert station.holding == pytest.approx(0.005 + 0.005 / (1 + station.wait / 0.01), rel=1e-9)
    assert station.wait == pytest.approx(0.15e3 * station.holding**2 / (1 - 150 * station.holding), rel=1e-9)
    assert saturation(asked, solved).factor * 150 == pytest.approx(200, rel=1e-8)


@pytest.mark.parametrize("rate", [50, 150, 199, 249])
def test_a_time_that_falls_steeply_is_enclosed(rate: float):
    """S = 10 - q ms, at least 4 ms: rounds from the longest queue find the server overloaded on the way."""
    asked = model(f"{rate}/s", "max(4 ms, 10 ms - 1 ms * queue_length('a'))")
    solved = solve_points(asked)
    (station,) = solved.parts[0].solution.stations
    assert station.holding == pytest.approx(max(0.004, 0.01 - 0.001 * station.queue_length), rel=1e-9)
    assert station.queue_length == pytest.approx(station.utilization / (1 - station.utilization), rel=1e-9)
    assert saturation(asked, solved).factor * rate == pytest.approx(250, rel=1e-8)


def test_times_that_fall_with_busy_servers_are_a_batch_of_their_points():
    """Two servers: S = 1 / (1 + b / 2) and b = r S, up to r = 4 at b = 2."""
    np = importlib.import_module("numpy")
    text = """qnet = 1
title = "two servers"
[parameters]
rate = "1/s"
[stations]
a = { servers = 2 }
[classes.x]
arrival_rate = "rate"
steps = [ { station = "a", time = "1 s / (1 + busy_servers('a') / 2)" } ]
"""
    asked = build(parse(text.encode(), "model.toml"), "model.toml")
    rates = np.array([0.5, 1.9, 2.4, 3.9, 4.1])
    solved = solve_points(asked, {"rate": rates}, 5, patient=False)
    assert solved.stable.tolist() == [True] * 4 + [False]
    busy = solved.gather(lambda part: part.solution.stations[0].busy_servers)
    assert busy[:4] == pytest.approx(np.sqrt(1 + 2 * rates[:4]) - 1, rel=1e-9)


def test_a_time_without_a_fixed_point_is_refused():
    asked = model("0.7/s", "where(utilization('a') > 0.5, 0.1 s, 1 s)")
    with pytest.raises(NotComputed, match="QN511"):
        solve_points(asked)


def test_a_batch_is_its_points():
    np = importlib.import_module("numpy")
    rates = np.array([1e-9, 0.05, 0.1, 0.17, 0.1716, 0.5])
    whole = solve_points(model("1/s", "1 s + wait('a')"), {"rate": rates}, 6)
    assert list(whole.stable) == [True, True, True, True, False, False]
    waits = whole.parts[0].solution.stations[0].wait
    for place, rate in enumerate(rates[:4]):
        single = solve_points(model(f"{float(rate)!r}/s", "1 s + wait('a')"))
        assert waits[place] == pytest.approx(single.parts[0].solution.stations[0].wait, rel=1e-10)


def paging(users: int, spent: str) -> RoutedSolution:
    """Users who think for a second and ask one processor."""
    text = f"""qnet = 1
title = "Paging"
[stations]
cpu = {{ discipline = "ps" }}
[classes.user]
population = {users}
think_time = "1 s"
steps = [ {{ station = "cpu", time = "{spent}" }} ]
"""
    return solve_points(build(parse(text.encode(), "m.toml"), "m.toml")).parts[0].solution


STEEP = "10 ms + 190 ms * where(queue_length('cpu') > 8, 1, 0)"


def test_a_second_solution_is_told():
    """10 ms lead to a queue that asks for 10 ms, and 200 ms to one that asks for 200 ms."""
    light, heavy = paging(20, "10 ms"), paging(20, "200 ms")
    assert light.stations[0].queue_length < 8 < heavy.stations[0].queue_length
    found = paging(20, STEEP)
    told = [reason for reason in found.reasons if isinstance(reason, Beyond)]
    assert found.response == pytest.approx(light.response, rel=1e-12) and not found.exact
    assert [item.code for item in told] == ["QN647"] and f"a response of {heavy.response:.4g} s" in told[0].warning


def test_a_single_solution_has_no_other():
    found = paging(3, STEEP)
    assert found.response == paging(3, "10 ms").response and not found.reasons
