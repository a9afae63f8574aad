"""The finite-source chain against birth-death chains in exact arithmetic and against brute-force Markov chains."""

from __future__ import annotations

import time
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from building import close
from many import many

from qnet.expression import FLOATS, arrays
from qnet.queues import finite_source, finite_source_alone, waiting
from qnet.queues.erlang import erlang_c
from qnet.queues.finite_source import MAX_SERVERS, MAX_SOURCES, waiting_probability
from qnet.queues.waiting import Load, holder_wait, open_wait, queue, waits_with_holders


def birth_death(sources: int, servers: int, asking: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """Erlangs served, the share of requests that wait in M/M/c//N, and the services a request waits for on average;
    each idle source asks at rate `asking`."""
    weights = [Fraction(1)]
    for present in range(sources):
        weights.append(weights[-1] * (sources - present) * asking / min(present + 1, servers))
    arriving = [weight * (sources - present) for present, weight in enumerate(weights)]
    served = sum(arriving) * asking / sum(weights)
    ahead = sum(weight * max(present - servers + 1, 0) for present, weight in enumerate(arriving))
    return served, sum(arriving[servers:]) / sum(arriving), ahead / sum(arriving)


@pytest.mark.parametrize("sources", [1, 2, 3, 5, 8, 20])
@pytest.mark.parametrize("servers", [1, 2, 4, 8])
def test_holders_alone_in_exact_arithmetic(sources: int, servers: int) -> None:
    for asking in (Fraction(1, 1000), Fraction(1, 7), Fraction(1), Fraction(9), Fraction(1000)):
        served, wanted, ahead = birth_death(sources, servers, asking)
        found, _, _, met = finite_source.full_probabilities(sources, servers, float(served), 1.0, 0.0)
        assert found[0] == pytest.approx(float(wanted), rel=1e-9, abs=1e-15), asking
        # Near saturation a throughput in floats says little of the rate.
        known = 1e-9 + 1e-15 / max(1e-20, float(1 - served / servers))
        assert met[0] == pytest.approx(float(ahead), rel=known, abs=1e-15), asking


def beside_a_stream(sources: int, servers: int, asking: float, erlangs: float) -> tuple[float, float, float]:
    """Erlangs of the holders, their share of waiting requests, and the services one waits for on average, by the Markov
    chain of both numbers present.

    First come first served with one exponential service time for all: whoever is in service is as likely one as the
    other. The open stream is cut off where its tail is below 1e-13.
    """
    places = 40 + servers
    while (erlangs / servers) ** places > 1e-13 * (1 - erlangs / servers):
        places += 20
    size = (sources + 1) * places
    rates = np.zeros((size, size))
    for held in range(sources + 1):
        for open_ in range(places):
            here, busy = held * places + open_, min(held + open_, servers)
            if held < sources:
                rates[here, here + places] = (sources - held) * asking
            if open_ + 1 < places:
                rates[here, here + 1] = erlangs
            if held:
                rates[here, here - places] = busy * held / (held + open_)
            if open_:
                rates[here, here - 1] = busy * open_ / (held + open_)
    balance = rates.T - np.diag(rates.sum(axis=1))
    balance[0] = 1
    shares = np.linalg.solve(balance, np.eye(size)[0]).reshape(sources + 1, places)
    held, open_ = np.indices(shares.shape)
    arriving = shares * (sources - held)
    ahead = (arriving * np.maximum(held + open_ - servers + 1, 0)).sum() / arriving.sum()
    return asking * arriving.sum(), arriving[held + open_ >= servers].sum() / arriving.sum(), ahead


@many("seed", range(24))
def test_holders_beside_an_open_stream_by_brute_force(seed: int) -> None:
    rng = Random(seed)
    sources, servers = rng.randint(1, 7), rng.randint(1, 4)
    asking, erlangs = 10 ** rng.uniform(-2, 1), servers * rng.uniform(0.05, 0.7)
    served, wanted, ahead = beside_a_stream(sources, servers, asking, erlangs)
    found, _, _, met = finite_source.full_probabilities(sources, servers, served, 1.0, erlangs)
    assert found[0] == pytest.approx(wanted, rel=1e-8)
    spare = 1 - (served + erlangs) / servers
    assert met[0] == pytest.approx(ahead, rel=1e-8 + 1e-13 / spare), spare


def held(rate: float, first: float, second: float, holders: int) -> Load:
    """A stream of holders with exponential phases."""
    square = first**2 + second**2 + (first + second) ** 2
    return Load(rate, first, second, square, 2 * second**2, 0, holders)


@pytest.mark.parametrize("servers", [1, 2, 5])
def test_a_single_holder_meets_the_open_stream_only(servers: int) -> None:
    """And its own second phase, taken as an open stream; exact for one server and exponential times without it."""
    stream = Load(0.4 * servers, 1.0, 0.0, 2.0, 0.0, 0, 0)
    met = queue(servers, [held(0.3, 1.0, 0.0, 1), stream], 1, FLOATS)
    assert close(met.holder_busy, erlang_c(servers, 0.4 * servers))
    wait, _ = holder_wait(met, 0, 0.5, 9.0, FLOATS)
    alone = queue(servers, [stream], 0, FLOATS)
    assert close(wait, open_wait(alone, 0)[0])
    assert close(met.holder_alone, open_wait(alone, 0)[0] * (1 - 0.4))
    second = queue(servers, [held(0.3, 1.0, 0.5, 1)], 1, FLOATS)
    assert close(second.holder_busy, erlang_c(servers, 0.15))
    nobody = queue(servers, [held(0.3, 1.0, 0.0, 1)], 1, FLOATS)
    assert nobody.holder_busy == 0 and holder_wait(nobody, 0, 0.5, 9.0, FLOATS) == (0.0, 0.0)


@pytest.mark.parametrize("servers", [1, 2, 4, 9])
def test_holders_that_all_find_a_server_never_wait(servers: int) -> None:
    for sources in range(1, servers + 1):
        for load in (0.01, 0.5, 0.9):
            assert waiting_probability(sources, servers, load * sources, 1.0, 0.0)[0] == 0
            loads = [held(load * sources, 1.0, 0.0, sources)]
            met = queue(servers, loads, sources, FLOATS)
            assert holder_wait(met, 0, load, 9.0, FLOATS) == (0.0, 0.0)


@pytest.mark.parametrize("servers", [1, 4])
@pytest.mark.parametrize("load", [0.2, 0.7, 0.95])
@pytest.mark.parametrize("stream", [0.0, 0.3])
@pytest.mark.parametrize("share", [1.0, 0.3])
def test_many_holders_are_a_poisson_stream(servers: int, load: float, stream: float, share: float) -> None:
    """The probability rises with the number of holders, to Erlang's."""
    offered, erlangs = load * servers * (1 - stream), load * servers * stream
    counts = [servers + 1, 10, 30, 100, 300, 1000, MAX_SOURCES]
    found = [waiting_probability(count, servers, offered, share, erlangs)[0] for count in counts]
    limit = erlang_c(servers, load * servers)
    assert all(low < high for low, high in pairwise(found))
    assert 0 < limit - found[-1] < 0.04 * limit


@pytest.mark.parametrize("servers", [1, 3])
def test_arrivals_beside_holders_who_wait_as_long_as_they_are_those_of_open_streams(servers: int) -> None:
    """Where the holders of each priority wait as an open stream would, and are so many that they are one."""
    rates = {2: (0.1, 0.2), 1: (0.15, 0.05), 0: (0.2, 0.1)}
    loads = [
        Load(servers * rate, 1.0, 0.0, 3.0, 0.0, priority, holders)
        for priority, pair in rates.items()
        for rate, holders in zip(pair, (0, MAX_SOURCES), strict=True)
    ]
    found = queue(servers, loads, MAX_SOURCES, FLOATS)
    waits = {priority: open_wait(found, priority)[0] for priority in rates}
    beside = waits_with_holders(found, waits)
    for priority, wait in waits.items():
        assert float(beside[priority][0]) == pytest.approx(float(wait), rel=1e-3)
        assert holder_wait(found, priority, 0.0, 1e9, FLOATS)[0] == pytest.approx(float(wait), rel=1e-2)


@many("seed", range(20))
def test_a_probability_for_every_load(seed: int) -> None:
    """Between 0 and 1, rising with the load, up to 1 where the holders can load all servers; a batch is its points."""
    rng = Random(seed)
    sources, servers = rng.choice([2, 3, 10, 64]), rng.choice([1, 2, 4, 30])
    share = rng.choice([0.0, 0.1, 0.5, 0.99])
    erlangs = servers * rng.choice([0.0, 0.2, 0.9])
    shares = 1 - np.geomspace(1, 1e-9, 40)[1:]
    enough = share * (servers - erlangs) < sources
    offered = (servers - erlangs if enough else sources / share) * shares
    found = waiting_probability(sources, servers, offered, np.full(39, share), np.full(39, erlangs))
    assert np.all((found >= 0) & (found <= 1)) and np.all(np.diff(found) >= -1e-12)
    assert found[-1] > 0.999 or not enough
    for point in (0, 17, 38):
        alone = waiting_probability(sources, servers, offered[point], share, erlangs)[0]
        assert found[point] == pytest.approx(alone, rel=1e-10)


def test_more_load_than_the_holders_can_ask_for_is_answered_all_the_same() -> None:
    """An overloaded outer station: the point has no steady state, and must not stop the others of its batch."""
    found = waiting_probability(2, 4, np.array([1.5, 3.0]), np.array([1.0, 1.0]), np.array([0.5, 0.5]))
    assert np.all(np.isfinite(found)) and np.all((found >= 0) & (found <= 1))


def test_large_numbers_take_bounded_time_and_memory() -> None:
    started = time.process_time()
    points = 100
    loads = Load(np.linspace(1.0, 3999.0, points), 1.0, 0.0, 2.0, 0.0, 0, MAX_SOURCES)
    queue(4000, [loads], MAX_SOURCES, arrays())
    few = Load(np.linspace(1.0, 50.0, 3), 1.0, 0.5, 4.0, 0.5, 0, 64)
    assert np.all(queue(MAX_SERVERS, [few], 64, arrays()).holder_busy == 0)
    assert np.all(queue(1_000_000, [few], 64, arrays()).holder_busy == 0)
    assert time.process_time() - started < 20


def test_a_long_chain_is_cut_where_nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths: list[int] = []
    chain: Any = getattr(finite_source, "_chain")  # noqa: B009

    def counted(most: int, *others: Any) -> Any:
        lengths.append(most)
        return chain(most, *others)

    monkeypatch.setattr(finite_source, "_chain", counted)
    loads, shares, others = np.array([[0.3, 1.5, 2.8], [1.0, 0.4, 0.7], [0.05, 0.05, 0.05]])
    short = finite_source.full_probabilities(2000, 3, loads, shares, others)
    assert lengths == [256, 1024]
    monkeypatch.setattr(finite_source, "_SHORT", 5000)
    full = finite_source.full_probabilities(2000, 3, loads, shares, others)
    assert lengths[2:] == [2003]
    for one, other in zip(short, full, strict=True):
        assert one == pytest.approx(other, rel=1e-11)


def test_the_rate_is_found_in_few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds: list[int] = []
    exp = np.exp
    monkeypatch.setattr(np, "exp", lambda values, *others, **more: rounds.append(1) or exp(values, *others, **more))
    finite_source.full_probabilities(64, 4, np.linspace(0.1, 3.9, 20), 1.0, 0.05)
    assert len(rounds) <= 12


@pytest.mark.parametrize("spare", [0.5, 1e-2, 1e-4, 1e-6, 1e-9])
@pytest.mark.parametrize("share", [0.08, 0.6, 1.0])
def test_the_rate_takes_few_steps_at_any_load(monkeypatch: pytest.MonkeyPatch, spare: float, share: float) -> None:
    steps: list[int] = []
    halley = finite_source._halley
    monkeypatch.setattr(finite_source, "_halley", lambda *numbers: steps.append(1) or halley(*numbers))
    finite_source.full_probabilities(64, 4, np.array([(4 - 1.2) * (1 - spare)]), share, 1.2)
    assert len(steps) <= 5


def test_a_point_has_the_same_digits_alone_and_among_others() -> None:
    loads = np.concatenate([np.linspace(0.05, 3.9, 300), [4 * (1 - 1e-9)]])
    shares = np.linspace(0.0, 1.0, len(loads))
    every = np.vstack(finite_source.full_probabilities(64, 4, loads, shares, 0.0))
    for place in (0, 7, 150, 237, 300):
        one = finite_source.full_probabilities(64, 4, loads[place], shares[place], 0.0)
        np.testing.assert_array_equal(np.vstack(one)[:, 0], every[:, place])


def test_states_that_count_for_nothing_at_a_known_rate_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """2000 holders that keep all servers busy: their requests present are some hundreds, whatever their number."""
    loads = np.array([2.0, 2.9, 3.0 - 3e-9])
    asked = 2000, 3, loads, 1.0, 0.0
    known = finite_source.full_probabilities(*asked)
    widths: list[int] = []
    cut = finite_source._cut

    def counted(chain: finite_source._Chain, rate: object) -> int:
        widths.append(cut(chain, rate))
        return widths[-1]

    monkeypatch.setattr(finite_source, "_cut", counted)
    again = finite_source.full_probabilities(*asked, known[2])
    assert widths and max(widths) < 1000
    monkeypatch.setattr(finite_source, "_cut", lambda chain, _: len(chain.count) - 1)
    entire = finite_source.full_probabilities(*asked, known[2])
    for one, other in zip(again, entire, strict=True):
        assert one == pytest.approx(other, rel=1e-11)


def test_a_last_answer_says_where_the_next_search_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    """The step from its rate needs no look at the chain there: one look less than from its rate alone."""
    loads = np.linspace(0.05, 3.9, 40)
    known = finite_source.full_probabilities(64, 4, loads, 1.0, 0.0)[2]
    looks: list[int] = []
    sums = finite_source._sums

    def counted(shares: object, values: object) -> object:
        looks.append(1)
        return sums(shares, values)

    monkeypatch.setattr(finite_source, "_sums", counted)
    spent: list[int] = []
    answers: list[np.ndarray] = []
    for start in (known, known[0]):
        looks.clear()
        answers.append(finite_source.full_probabilities(64, 4, loads * 0.999, 1.0, 0.0, start)[0])
        spent.append(len(looks))
    # A look is one sum over both kinds of states, and two more where a step follows it; the answers are five.
    assert spent == [9, 12]
    assert answers[0] == pytest.approx(answers[1], rel=1e-12)


def test_the_chain_of_the_same_holders_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    chain = finite_source._chain
    monkeypatch.setattr(finite_source, "_chain", lambda most, *rest: made.append(most) or chain(most, *rest))
    chains: finite_source.Chains = {}
    for load in (0.7, 0.8, 0.9):
        finite_source.full_probabilities(37, 2, np.array([load, 1.0]), 1.0, 0.0, chains=chains)
    assert len(made) == 1
    finite_source.full_probabilities(37, 3, np.array([0.7, 1.0]), 1.0, 0.0, chains=chains)
    assert len(made) == 2


def test_both_chains_of_a_station_are_solved_at_once(monkeypatch):
    """As holders find it and as open arrivals do; and each as it would be alone."""
    sizes = []
    full = finite_source.full_probabilities

    def counted(sources, servers, offered, *more):
        sizes.append(np.size(offered))
        return full(sources, servers, offered, *more)

    monkeypatch.setattr(waiting.finite_source, "full_probabilities", counted)
    rates = np.array([10.0, 20.0, 30.0])

    def met(rate, operations):
        held = Load(rate, 0.05, 0.02, 0.02, 0.01, 0, 8)
        others = Load(rate / 2, 0.03, 0.0, 0.002, 0.0, 0, 0)
        return queue(4, [held, others], 8, operations)

    together = met(rates, arrays())
    assert sizes == [6]
    for index, rate in enumerate(rates.tolist()):
        sizes.clear()
        alone = met(rate, FLOATS)
        assert sizes == []  # one point in floats has no arrays
        np.testing.assert_allclose(together.holder_busy[index], alone.holder_busy, rtol=1e-12)
        np.testing.assert_allclose(together.open_busy[index], alone.open_busy, rtol=1e-12)


def test_a_search_that_begins_where_nothing_is_left_of_the_capacity() -> None:
    given = 64, 53, 52.69677979364981, 0.7531945031273456, 0.0
    busy, observed, (rate, *_), services = finite_source.full_probabilities(*given)
    assert finite_source._first_rate(53, 64.0, *given[2:4], 0.0) > rate[0] + 1  # its throughput is that of 53 servers
    alone = finite_source_alone.full_probabilities(*given)
    assert (busy[0], observed[0], services[0]) == pytest.approx(alone, rel=1e-10)


def test_weights_beyond_the_range_of_numbers_are_those_of_their_logarithms() -> None:
    # No rate makes 40 sources keep 41 servers busy.
    given = 40, 60, 41.0, 1.0, 0.5
    both = np.array([0.5, 41.0])
    together = finite_source.full_probabilities(40, 60, both, 1.0, 0.5)
    assert together[2][0, 1] == pytest.approx(50.0, abs=1e-9)
    for found, alone in zip(together[:2], finite_source_alone.full_probabilities(*given)[:2], strict=True):
        assert 0 < found[1] < 1
        assert found[1] == pytest.approx(alone, rel=1e-10)
    assert together[0][0] == finite_source.full_probabilities(40, 60, 0.5, 1.0, 0.5)[0][0]


@pytest.mark.long
def test_one_point_in_floats_is_the_same_as_in_arrays() -> None:
    dice = Random(20)
    for _ in range(400):
        servers, sources = dice.choice([1, 2, 3, 4, 8, 20]), dice.randint(1, 100)
        load = servers * dice.choice([0.01, 0.3, 0.7, 0.95, 0.999, 1 - 1e-9])
        erlangs = load * dice.choice([0.0, 0.0, dice.random(), 0.999])
        share = dice.choice([0.0, 1.0, dice.random()])
        offered = min(load - erlangs, sources * (1 - 1e-6)) if share == 1 else load - erlangs
        given = sources, servers, offered, share, erlangs
        busy, observed, _, met = finite_source.full_probabilities(*given)
        found = finite_source_alone.full_probabilities(*given)
        # Near saturation the rate of an idle holder is known to fewer digits.
        tolerance = 2e-12 + 1e-18 / (1 - load / servers)
        assert found[:2] == pytest.approx([busy[0], observed[0]], rel=tolerance, abs=1e-290), given
        assert found[2] == pytest.approx(met[0], rel=2e-12 + 1e-16 / (1 - load / servers), abs=1e-290), given
