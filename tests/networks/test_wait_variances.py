"""The spread of waits of closed classes, where it is known in closed form, and in batches as at single points."""

from __future__ import annotations

import random
from math import exp, factorial, log
from typing import Any

import pytest

import qnet
from qnet.networks.percentiles import wait_variances
from qnet.networks.routed import Group, Station
from qnet.system import System

ALONE = """qnet = 1
title = "alone"
[parameters]
users = 4
[stations]
cpu = { discipline = "DISCIPLINE" }
[classes.a]
population = "users"
steps = [ { station = "cpu", time = "100 ms" } ]
"""
TERMINALS = """qnet = 1
title = "terminals"
[parameters]
users = 4
[stations]
cpu = { discipline = "DISCIPLINE" }
disk = {}
[classes.a]
population = "users"
think_time = "500 ms"
steps = [ { station = "cpu", time = "100 ms" }, { station = "disk", time = "80 ms" } ]
"""


def system(text: str, discipline: str) -> System:
    return qnet.loads(text.replace("DISCIPLINE", discipline))


@pytest.mark.parametrize("users", [1, 2, 4, 9])
@pytest.mark.parametrize("percent", [50, 95])
def test_a_server_that_always_the_same_number_share_has_exponential_responses(users: int, percent: int):
    found = system(ALONE, "ps").set(users=users).metric(f"response_p{percent}")
    assert found == pytest.approx(-log(1 - percent / 100) * users * 0.1, rel=1e-7)


@pytest.mark.parametrize("discipline", ["ps", "fcfs"])
def test_points_of_a_sweep_have_the_percentiles_that_they_have_alone(discipline: str):
    model = system(TERMINALS, discipline)
    swept = model.sweep("users=1:7:1", metric=["response_p95"]).columns["response_p95_s"].tolist()
    alone = [model.set(users=users).metric("response_p95") for users in range(1, 8)]
    assert swept == pytest.approx(alone, rel=1e-7)
    assert alone == sorted(alone)


@pytest.mark.parametrize("users", [2, 3, 6])
def test_a_line_of_all_customers_is_a_sum_of_equal_exponential_times(users: int):
    found = system(ALONE, "fcfs").set(users=users).metric("response_p90")
    term = total = 1.0
    for count in range(1, users):
        term *= found / 0.1 / count
        total += term
    assert exp(-found / 0.1) * total == pytest.approx(0.1, rel=2e-2)


def sixteen_departures_and_a_service(time: float) -> float:
    """The probability that 16 exponential times of 25 ms and one of 100 ms last longer, by the closed form."""
    # Given the sum x of the 16, the service outlasts time - x: an Erlang distribution function, tilted.
    late = 1 - gamma_cdf(16, 40 * time)
    return late + exp(-10 * time) * (40 / 30) ** 16 * gamma_cdf(16, 30 * time)


def gamma_cdf(stages: int, x: float) -> float:
    """The distribution function of a sum of so many exponential times of mean 1."""
    return 1 - exp(-x) * sum(x**number / factorial(number) for number in range(stages))


@pytest.mark.parametrize(("servers", "users"), [(2, 3), (2, 5), (3, 9)])
def test_who_finds_all_servers_busy_waits_for_a_departure_and_one_for_each_that_waits(servers: int, users: int):
    model = qnet.loads(ALONE.replace('{ discipline = "DISCIPLINE" }', f"{{ servers = {servers} }}"))
    found = model.set(users=users).metric("wait_p90('cpu')")
    assert gamma_cdf(users - servers, found * servers / 0.1) == pytest.approx(0.9, rel=1e-9)


@pytest.mark.parametrize("servers", [1, 2, 5])
def test_the_work_ahead_is_a_departure_for_everyone_who_waits_and_one_more(servers: int):
    work: Any = getattr(wait_variances, "_work")  # noqa: B009
    station = Station("cpu", False, servers, "fcfs", (Group("cpu", 1, 1.0),))
    for found in range(servers + 4):
        departures = max(found - servers + 1, 0)
        certain = [0.0] * found + [1.0]
        assert work(station, certain) == pytest.approx((departures / servers, departures / servers**2), rel=1e-12)
    # None or two departures, each as often: the variance is that of their number and of their times.
    either = [0.5] + [0.0] * servers + [0.5]
    assert work(station, either) == pytest.approx((1 / servers, 2 / servers**2), rel=1e-12)


def test_many_customers_at_several_servers_wait_for_a_sum_of_exponential_times():
    model = qnet.loads(ALONE.replace('{ discipline = "DISCIPLINE" }', "{ servers = 4 }")).set(users=20)
    for method in ("auto", "bard-schweitzer"):
        (row,) = (row for row in model.solve(metric=["response_p95"], method=method).records() if row["value"])
        # Who arrives waits for 16 departures, 25 ms apart, and is served: within one part in a hundred.
        below, above = (sixteen_departures_and_a_service(factor * row["value"]) for factor in (0.99, 1.01))
        assert below > 0.05 > above
        assert row["exactness"] == "approximate"


@pytest.mark.parametrize("most", [1, 2, 3, 10, 400])
@pytest.mark.parametrize("ratio", [0.01, 0.5, 0.99, 1 - 1e-7, 1.0, 1 + 1e-7, 1.03, 2.0])
def test_the_spread_of_a_geometric_number_is_that_of_its_sums(most: int, ratio: float) -> None:
    weights = [ratio ** (number - most * (ratio > 1)) for number in range(most + 1)]
    whole = sum(weights)
    mean = sum(number * weight for number, weight in enumerate(weights)) / whole
    variance = sum((number - mean) ** 2 * weight for number, weight in enumerate(weights)) / whole
    spread: Any = getattr(wait_variances, "_spread")  # noqa: B009
    assert spread(mean, float(most)) == pytest.approx(variance, rel=1e-6)


@pytest.mark.long
def test_percentiles_without_states_are_near_those_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 60 random networks of two to four classes: numbers without an upper limit were off by 20 % in one of ten."""
    numbers = random.Random(5)
    systems = [_random_system(numbers) for _ in range(60)]
    exact = [system.metric("response_p95") for system in systems]
    monkeypatch.setattr(wait_variances._Moments, "by_states", wait_variances._Moments.of_many)
    near = [system.set({}).metric("response_p95") for system in systems]
    errors = sorted(abs(one / other - 1) for one, other in zip(near, exact, strict=True))
    assert 0 < errors[30] < 0.04
    assert errors[54] < 0.12


def _random_system(numbers: random.Random) -> qnet.System:
    stations = range(numbers.randint(2, 4))
    times = [round(numbers.uniform(1, 20), 3) for _ in stations]
    text = 'qnet = 1\ntitle = "random"\n[stations]\n' + "".join(f"s{number} = {{}}\n" for number in stations)
    for name in "abcd"[: numbers.randint(2, 4)]:
        visited = [number for number in stations if numbers.random() < 0.7] or [0]
        steps = ", ".join(
            f'{{ station = "s{number}", time = "{times[number]} ms", visits = {numbers.randint(1, 3)} }}'
            for number in visited
        )
        text += f"[classes.{name}]\npopulation = {numbers.randint(1, 6)}\n"
        text += f'think_time = "{numbers.choice([1, 20, 100, 400])} ms"\nsteps = [ {steps} ]\n'
    return qnet.loads(text)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The classes of which the states found on arrival are computed, one after the other."""
    classes: list[int] = []
    plain = wait_variances._Moments.by_states

    def counted(self: Any, point: int) -> Any:
        classes.append(self.number)
        return plain(self, point)

    monkeypatch.setattr(wait_variances._Moments, "by_states", counted)
    return classes


def test_what_is_found_on_arrival_is_computed_once_for_all_percentiles(asked: list[int]) -> None:
    system = _random_system(random.Random(5))
    names = [f"response_p{share}" for share in (50, 95, 99)] + ["response_p95('a')", "response_p95('b')"]
    values = [row["value"] for row in system.solve(metric=names).records()]
    assert values[:3] == sorted(values[:3])
    assert len(set(values)) == 5
    assert asked == sorted(set(asked)) != []


def test_what_is_found_on_arrival_is_computed_for_one_copy_of_a_class(asked: list[int]) -> None:
    """The other copies find the same at theirs: eight of them together took more than the operations of a command."""
    system = qnet.load("index-shards")
    assert system.metric("response_p95") > system.metric("response")
    assert asked == [0]
