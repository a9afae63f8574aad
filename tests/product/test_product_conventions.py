"""What the figures of the front door mean, and what a caller can rely on."""

from __future__ import annotations

import importlib
import subprocess
import sys
from typing import Any

import pytest

import qnet
from qnet.errors import NotComputed

np: Any = importlib.import_module("numpy")


def test_the_network_of_the_design():
    network = qnet.Network(
        demands=[[0.12, 0.30], [0.05, 0.02]],
        visits=None,
        kinds=["queue", "delay"],
        disciplines=["ps", "ps"],
        servers=[2, 1],
        rates=[None, None],
        population=[20, None],
        think_time=[5.0, 0.0],
        arrival_rate=[None, 3.0],
    )
    found = network.solve(method="auto")
    assert found.throughput.shape == found.response.shape == (2,)
    assert found.residence.shape == found.queue_length.shape == found.utilization.shape == (2, 2)
    assert found.exact and found.method
    bounds = network.bounds(kind="balanced")
    assert (bounds.throughput_lower <= found.throughput).all() and (found.throughput <= bounds.throughput_upper).all()
    assert (bounds.response_lower <= found.response).all() and (found.response <= bounds.response_upper).all()


def test_what_is_left_out_has_its_default():
    plain = qnet.Network([[0.2, 0.3], [0.5, 0.1]], population=[2, 3], disciplines="ps")
    told = qnet.Network(
        [[0.2, 0.3], [0.5, 0.1]],
        visits=[[1, 1], [1, 1]],
        kinds=["queue", "queue"],
        disciplines=["ps", "ps"],
        servers=[1, 1],
        rates=[None, None],
        population=[2, 3],
        think_time=[0, 0],
        arrival_rate=[None, None],
    )
    assert plain.solve().figures == told.solve().figures


def test_utilization_is_throughput_times_demand_over_the_servers():
    found = qnet.Network([[0.6]], servers=[3], arrival_rate=[2.0]).solve()
    assert found.utilization[0, 0] == pytest.approx(0.4)
    assert found.busy_servers[0, 0] == pytest.approx(1.2)


def test_utilization_is_throughput_times_demand_over_the_largest_rate():
    found = qnet.Network([[0.6]], rates=[[1.0, 4.0, 2.0]], arrival_rate=[2.0]).solve()
    assert found.utilization[0, 0] == pytest.approx(0.3)


def test_a_delay_has_no_utilization_but_busy_servers():
    found = qnet.Network([[3.0]], kinds=["delay"], arrival_rate=[2.0]).solve()
    assert found.utilization[0, 0] == 0
    assert found.busy_servers[0, 0] == found.queue_length[0, 0] == 6


def test_busy_probability_is_not_utilization():
    # One customer at one of two servers: busy one third of the time, half the capacity of it in use.
    found = qnet.Network([[1.0]], servers=[2], population=[1], think_time=[2.0]).solve(state_probabilities=True)
    assert found.busy_probability[0] == pytest.approx(1 / 3)
    assert found.utilization[0, 0] == pytest.approx(1 / 6)


def test_a_probability_far_below_one_keeps_its_digits():
    found = qnet.Network([[1e-20]], population=[1], think_time=[1.0]).solve(state_probabilities=True)
    assert found.busy_probability[0] == pytest.approx(1e-20, rel=1e-12)


def test_states_and_busy_probability_are_only_given_when_asked_for():
    found = qnet.Network([[1.0]], population=[1]).solve()
    assert found.state_probabilities is None and found.busy_probability is None


def test_the_queue_length_counts_those_in_service():
    found = qnet.Network([[1.0]], population=[1], think_time=[1.0]).solve()
    assert found.queue_length[0, 0] == pytest.approx(0.5)


def test_the_response_leaves_the_think_time_out_and_has_the_delays_in():
    found = qnet.Network([[1.0], [0.5]], kinds=["queue", "delay"], population=[1], think_time=[10.0]).solve()
    assert found.response[0] == pytest.approx(1.5)
    assert found.throughput[0] == pytest.approx(1 / 11.5)


def test_residence_is_of_all_visits_and_the_response_per_visit_of_one():
    found = qnet.Network([[0.5], [0.4]], visits=[[5], [1]], arrival_rate=[1.0]).solve()
    assert found.residence[0, 0] == pytest.approx(1.0)
    assert found.response_per_visit[0, 0] == pytest.approx(0.2)
    assert found.response[0] == pytest.approx(found.residence[:, 0].sum())


def test_a_station_that_nobody_visits_has_no_response_per_visit():
    found = qnet.Network([[0.5], [0.0]], population=[2]).solve()
    assert found.response_per_visit[1, 0] == 0


def test_visits_change_the_response_per_visit_only():
    demands = [[0.5, 0.2], [0.4, 0.9]]
    one = qnet.Network(demands, population=[2, 3], disciplines="ps").solve()
    two = qnet.Network(demands, visits=[[5, 2], [3, 0.5]], population=[2, 3], disciplines="ps").solve()
    np.testing.assert_array_equal(one.residence, two.residence)
    np.testing.assert_allclose(two.response_per_visit, one.residence / [[5, 2], [3, 0.5]])


def test_a_demand_is_stated_at_rate_1():
    twice = qnet.Network([[1.0]], rates=[[2.0]], arrival_rate=[1.0]).solve()
    assert twice.residence[0, 0] == pytest.approx(1.0)


def test_the_last_rate_repeats():
    short = qnet.Network([[1.0], [0.3]], rates=[[1.0, 1.5], None], population=[6]).solve()
    long = qnet.Network([[1.0], [0.3]], rates=[[1.0, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5], None], population=[6]).solve()
    np.testing.assert_allclose(short.residence, long.residence, rtol=1e-12)


def test_rates_1_2_3_are_three_servers():
    rates = qnet.Network([[1.0, 0.4], [0.3, 0.2]], rates=[[1, 2, 3], None], population=[5, 4], disciplines="ps").solve()
    servers = qnet.Network([[1.0, 0.4], [0.3, 0.2]], servers=[3, 1], population=[5, 4], disciplines="ps").solve()
    np.testing.assert_allclose(rates.residence, servers.residence, rtol=1e-12)
    np.testing.assert_allclose(rates.utilization, servers.utilization, rtol=1e-12)


def test_first_come_first_served_with_equal_times_per_visit_is_exact():
    network = qnet.Network([[0.6, 0.2]], visits=[[3, 1]], disciplines=["fcfs"], population=[2, 3])
    shared = qnet.Network([[0.6, 0.2]], visits=[[3, 1]], population=[2, 3], disciplines="ps")
    assert network.solve().exact
    assert network.solve().figures == shared.solve().figures


CLOSED, OPEN = {"population": [2, 3], "think_time": [1.0, 1.0]}, {"arrival_rate": [0.5, 0.4]}


@pytest.mark.parametrize(
    ("sort", "disciplines", "servers", "reason"),
    [
        (CLOSED, "fcfs", 1, "service times that differ between classes"),
        (OPEN, "fcfs", 1, "service times differ between its visits"),
        (CLOSED, "lcfs-pr", 2, "last come first served with several servers"),
        (OPEN, "lcfs-pr", 2, "solved like processor sharing"),
    ],
)
def test_what_has_no_product_form_is_not_called_exact(
    sort: dict[str, Any], disciplines: str, servers: int, reason: str
):
    found = qnet.Network(
        [[0.6, 0.3], [0.2, 0.2]], visits=[[1, 1], [1, 1]], disciplines=disciplines, servers=[servers, 1], **sort
    ).solve()
    assert not found.exact
    assert any(reason in str(text) for text in found.reasons), found.reasons


def test_one_single_server_that_all_open_customers_visit_once_is_exact():
    """In the order of arrival as well: it is an M/G/1 queue."""
    assert qnet.Network([[0.6, 0.3]], visits=[[1, 1]], **OPEN).solve().exact


def test_disciplines_of_delays_do_not_matter():
    network = qnet.Network(
        [[0.6, 0.3], [0.1, 0.2]], kinds=["delay", "queue"], disciplines=["fcfs", "ps"], population=[2, 3]
    )
    assert network.solve().exact


def test_the_constants_of_open_networks_are_not_told():
    assert qnet.Network([[0.5]], arrival_rate=[1.0]).solve().log_constant is None


def test_the_throughput_is_the_ratio_of_two_constants():
    constants = [qnet.Network([[0.5], [0.2]], population=[count]).solve().log_constant for count in (7, 8)]
    found = qnet.Network([[0.5], [0.2]], population=[8]).solve()
    assert found.throughput[0] == pytest.approx(np.exp(constants[0] - constants[1]), rel=1e-12)


@pytest.mark.parametrize(
    ("network", "method"),
    [
        ({"demands": [[0.5]], "arrival_rate": [1.0]}, "open"),
        ({"demands": [[0.5]], "population": [4]}, "mva"),
        ({"demands": [[0.5], [0.3]], "servers": [2, 1], "population": [4]}, "convolution"),
    ],
)
def test_auto_says_which_method_it_took_and_why(network: dict[str, Any], method: str):
    found = qnet.Network(**network).solve()
    assert found.method == method and found.why and found.exact


@pytest.mark.parametrize(("method", "name"), [("mva", "lattice-mva"), ("convolution", "lattice-convolution")])
def test_a_method_stands_for_its_form_over_several_classes(method: str, name: str):
    network = qnet.Network([[0.5, 0.1], [0.3, 0.4]], population=[4, 3], disciplines="ps")
    found = network.solve(method=method)
    assert found.method == name
    np.testing.assert_allclose(found.residence, network.solve(method="station-states").residence, rtol=1e-11)


def test_all_exact_methods_agree_beside_open_classes():
    network = qnet.Network(
        [[0.5, 0.1, 0.2], [0.3, 0.4, 0.9]],
        servers=[1, 3],
        population=[4, 3, None],
        arrival_rate=[None, None, 1.5],
        disciplines="ps",
    )
    one, two = network.solve(method="convolution"), network.solve(method="station-states")
    np.testing.assert_allclose(one.residence, two.residence, rtol=1e-11)


def test_a_point_needs_no_numpy():
    code = (
        "import sys, qnet\n"
        "qnet.Network([[0.5], [0.2]], arrival_rate=[1.0]).solve()\n"
        "qnet.Network([[0.5], [0.2]], servers=[2, 1], population=[9], think_time=[1.0]).solve()\n"
        "network = qnet.Network([[0.5, 0.1]], servers=[2], population=[9, None], arrival_rate=[None, 1.0],"
        " disciplines='ps')\n"
        "network.solve(), network.bounds(), repr(network.solve())\n"
        "assert 'numpy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(sys.path)})


def test_a_network_describes_itself():
    network = qnet.Network([[0.5, 0.1], [0.2, 0.2]], population=[9, None], arrival_rate=[None, 1.0], disciplines="ps")
    assert repr(network) == "Network(2 stations, 2 classes: 1 open, 1 closed)"
    assert "exact" in repr(network.solve())


def test_approximations_give_no_state_probabilities():
    with pytest.raises(NotComputed, match="probabilities"):
        qnet.Network([[0.5]], population=[3]).solve(method="linearizer", state_probabilities=True)
