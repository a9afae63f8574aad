"""Small inputs that took minutes or gigabytes: each is answered or refused within the budget, by what it counts.

Operations are counted, not timed. Memory is what becomes resident in the process; where the system does not tell the
peak of that, what tracemalloc sees, which makes what is measured several times slower.
"""

import ctypes
import gc
import tracemalloc
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from full import long_but

import qnet
from qnet import budget
from qnet.budget import Account, OverBudget
from qnet.errors import NotComputed
from qnet.expression import symbols
from qnet.lazy import np
from qnet.networks.fixed_point import fixed_points
from qnet.networks.reasons import Beyond, Reason, approximate_notes
from qnet.networks.states.chain import TooLarge, stationary, walk
from qnet.networks.states.machine import Machine
from qnet.questions.formula.algebra import terms
from qnet.system import System

HOLD = """qnet = 1
title = "hold"
[parameters]
users = 100_000_000
[stations]
cpu = {}
disk = {}
[classes.a]
population = "users"
think_time = "1 s"
steps = [ { hold = "disk", steps = [ { time = "1 ms" }, { station = "cpu", time = "1 ms" } ] } ]
"""
BEFORE_LINES = """qnet = 1
title = "lines"
[parameters]
users = 1000
[stations]
a = { servers = 2 }
b = {}
[classes.c]
population = "users"
steps = [ STEP ]
"""
IN_A_HOLD = '{ hold = "a", steps = [ { station = "b", time = "1 ms" } ] }'
IN_PARALLEL = (
    '{ parallel = [ { steps = [ { station = "a", time = "1 ms" } ] }, '
    '{ steps = [ { station = "b", time = "1 ms" } ] } ] }'
)
WITH_WORK_AFTER = '{ hold = "a", steps = [ { station = "b", time = "1 ms" }, { phase = 2, time = "1 ms" } ] }'
MEGABYTES = 1e6


@contextmanager
def within(size: float) -> Generator[None]:
    """At most so many bytes more at any time."""
    if peak_begins_again():
        before = resident("VmHWM")
        yield
        assert resident("VmHWM") - before < size
        return
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < size
    finally:
        tracemalloc.stop()


def peak_begins_again() -> bool:
    """Begin a new peak of the memory of this process; whether the system can."""
    gc.collect(1)  # What is older is mostly in use, and takes a tenth of a second to look through.
    # What is free but was kept is not to be taken unseen.
    getattr(ctypes.CDLL(None), "malloc_trim", int)(0)
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def resident(name: str) -> float:
    """A figure of the memory of this process, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * float(next(line.split()[1] for line in lines if line.startswith(name)))


def test_memory_that_is_taken_and_given_back_is_seen():
    with pytest.raises(AssertionError), within(20 * MEGABYTES):
        assert b"1" * 30_000_000
    with within(20 * MEGABYTES):
        assert b"1" * 10_000_000


def model(path: Path, text: str) -> System:
    file = path / "m.toml"
    file.write_text(text)
    return qnet.load(str(file))


def waiting(stations: int) -> str:
    """Stations whose times depend on the wait at the next."""
    names = "".join(f"s{place} = {{}}\n" for place in range(stations))
    steps = "".join(
        f'{{ station = "s{place}", time = "10 ms + 0.1 * wait(\'s{(place + 1) % stations}\')" }},\n'
        for place in range(stations)
    )
    return f'qnet = 1\ntitle = "waits"\n[stations]\n{names}[classes.a]\narrival_rate = "1/s"\nsteps = [\n{steps}]\n'


def test_a_hold_of_very_many_customers_is_refused_before_its_tables_are_made(tmp_path: Path):
    with within(50 * MEGABYTES), pytest.raises(NotComputed, match="QN515") as caught:
        model(tmp_path, HOLD).solve()
    assert "--memory" in caught.value.problems[0].help


def test_a_hold_of_fewer_customers_is_answered(tmp_path: Path):
    assert model(tmp_path, HOLD).set(users=1000).solve().records()


@pytest.mark.long
def test_a_knee_beyond_millions_of_customers_stops_within_the_memory():
    with within(300 * MEGABYTES), pytest.raises(NotComputed, match="QN515"), budget.opened(Account(1e9, 1e8)):
        qnet.load("examples/memory-limit.toml").knee(limit="response <= 1e6 s")


def test_the_knee_of_the_example_is_found_with_little():
    with budget.opened(Account(memory=1e8)) as account:
        assert qnet.load("examples/memory-limit.toml").knee().records()
    assert account.spent < 2e9


@pytest.mark.long
@pytest.mark.parametrize("servers", [1, 100])
def test_sources_whose_likely_states_are_far_from_none_keep_only_those(servers: int):
    with within(20 * MEGABYTES):
        found = qnet.queue("M/M/c/K/N", source_rate=1e-3, service_time=1.0, servers=servers, sources=10**7)
    assert found.throughput == pytest.approx(servers)
    # Those who wait are all but the ones idle, N = X (R + 1 / g).
    assert found.response == pytest.approx(1e7 / servers - 1e3, rel=1e-9)
    assert found.response_percentile is not None
    assert found.response_percentile(0.5) == pytest.approx(found.response, rel=1e-3)


def test_sources_with_very_many_likely_states_are_refused():
    with budget.opened(Account(memory=1e7)), pytest.raises(NotComputed, match="finite source would take"):
        qnet.queue("M/M/c/K/N", source_rate=1e-10, service_time=1.0, servers=1, sources=10**10)


def test_bounds_of_open_classes_do_not_count_servers():
    network = qnet.Network([[0.1], [0.2]], servers=[10**9] * 2, arrival_rate=[10.0])
    assert network.bounds("asymptotic").response_lower == pytest.approx([0.3])


@pytest.mark.long
def test_times_that_use_waits_leave_half_of_the_budget_to_the_answer(tmp_path: Path):
    with budget.opened(Account(1e9)) as account:
        report = model(tmp_path, waiting(20)).solve()
    assert account.spent <= 1e9
    assert "QN747" in {note.code for note in report.notes}
    # The response is that of the fixed point: w = 1/s s^2 / (1 - s), s = 10 ms + w / 10, at all stations alike.
    time = 0.01
    for _ in range(60):
        time = 0.01 + 0.1 * time**2 / (1.0 - time)
    assert report.records()[0]["response_s"] == pytest.approx(20 * time / (1.0 - time), rel=1e-9)


@pytest.mark.long
def test_few_stations_whose_times_use_waits_have_their_largest_load(tmp_path: Path):
    assert "QN747" not in {note.code for note in model(tmp_path, waiting(1)).solve().notes}


def test_very_many_classes_are_answered_by_the_approximation_that_fits():
    rng = np.random.default_rng(17)
    demands = rng.random((3, 300))
    with budget.opened(Account()) as account:
        found = qnet.Network(demands.tolist(), population=[2] * 300, think_time=[1.0] * 300, disciplines="ps").solve()
    assert found.method == "bard-schweitzer" and "linearizer" in found.why
    assert account.spent < 5e9
    rates = np.array(found.throughput)
    assert (rates * (1.0 + np.array(found.response))) == pytest.approx(np.full(300, 2.0), rel=1e-8)
    assert (demands @ rates <= 1.0 + 1e-9).all()


@pytest.mark.long
def test_very_many_classes_in_order_of_arrival_are_answered_with_a_warning(tmp_path: Path):
    classes = "".join(
        f'[classes.c{kind}]\npopulation = 10\nthink_time = "1 s"\n'
        f'steps = [{{ station = "cpu", time = "{1 + kind} ms" }}, {{ station = "disk", time = "2 ms" }}]\n'
        for kind in range(400)
    )
    system = model(tmp_path, f'qnet = 1\ntitle = "many"\n[stations]\ncpu = {{}}\ndisk = {{}}\n{classes}')
    with budget.opened(Account()) as account:
        report = system.solve()
    assert account.spent < 5e9
    notes = {note.code: note.text for note in report.notes}
    assert "the method ignores the order of arrival at cpu" in notes["QN727"]
    assert "residual-service: takes" in notes["QN607"] and "inf" not in notes["QN607"]


def test_very_many_reasons_are_counted():
    reasons = [Reason("odd", f"s{place} is odd") for place in range(2000)]
    first, *warnings = approximate_notes(Beyond(reason, "QN716", f"s{place}") for place, reason in enumerate(reasons))
    assert first.text.endswith("; s4 is odd; and 1995 more like these")
    assert [note.text for note in warnings] == ["s0; s1; s2; s3; s4; and 1995 more like these"]
    assert "more like these" not in approximate_notes(f"reason {place}" for place in range(12))[0].text


def test_a_batch_is_exact_or_refused_and_never_worse_for_its_size():
    demands = np.random.default_rng(3).random((200_000, 3, 1))
    network = qnet.Network(demands, population=[3000], think_time=[1.0])
    with pytest.raises(NotComputed, match=r"solve at most \d+ points at once"):
        network.solve(operations=2e9)
    some = qnet.Network(demands[:100], population=[3000], think_time=[1.0]).solve()
    assert some.exact


def test_a_batch_of_one_class_is_as_cheap_as_its_recursion():
    demands = np.random.default_rng(3).random((20_000, 3, 1))
    with budget.opened(Account()) as account:
        assert qnet.Network(demands, population=[20], think_time=[1.0]).solve().exact
    assert account.spent < 1e9


@pytest.mark.long
def test_an_approximation_that_goes_on_is_stopped():
    def maps(chosen: np.ndarray):
        def image(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return values * 1.001 + 1.0, np.ones(len(values))

        return image

    with pytest.raises(OverBudget), budget.opened(Account(1.0)):
        fixed_points(maps, np.ones((10, 40)), patience=10_000)


@pytest.mark.parametrize("users", [10_000, 100_000])
def test_a_line_of_very_many_customers_is_filled_at_once(tmp_path: Path, users: int):
    with within(60 * MEGABYTES), budget.opened(Account()) as account:
        report = model(tmp_path, BEFORE_LINES.replace("STEP", IN_A_HOLD)).set(users=users).solve()
    assert account.spent < 1e9
    # The only server of "b" is always busy.
    assert report.records()[0]["throughput_per_s"] == pytest.approx(1000, rel=1e-9)


# The server of "b" is always busy; with work after that, one of two customers inside is there, or both: 1 + 1 of 2.5.
@pytest.mark.parametrize(("step", "rate"), [(IN_PARALLEL, 1000), (WITH_WORK_AFTER, 800)])
@pytest.mark.parametrize("users", long_but([2000, 200_000, 10**9], 200_000))
def test_a_chain_of_very_many_customers_is_left_to_other_methods(tmp_path: Path, step: str, rate: float, users: int):
    system = model(tmp_path, BEFORE_LINES.replace("STEP", step)).set(users=users)
    with within(100 * MEGABYTES), budget.opened(Account()) as account:
        if users < 10**9:
            assert system.solve().records()[0]["throughput_per_s"] == pytest.approx(rate, rel=5e-3)
        else:
            try:
                system.solve()
            except NotComputed as error:
                assert error.problems[0].help
    assert account.spent < 3e9


def test_a_chain_that_is_asked_for_by_name_refuses_very_many_customers(tmp_path: Path):
    system = model(tmp_path, BEFORE_LINES.replace("STEP", IN_PARALLEL)).set(users=10**9)
    with within(50 * MEGABYTES), pytest.raises(NotComputed, match="Markov chain of the network has more"):
        system.solve(method="states")


@pytest.mark.parametrize("step", [IN_A_HOLD, WITH_WORK_AFTER])
def test_a_line_that_is_filled_at_once_has_the_states_of_one_by_one(
    tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch
):
    system = model(tmp_path, BEFORE_LINES.replace("STEP", step)).set(users=30)
    at_once = system.solve(method="states").records()
    monkeypatch.setattr(Machine, "longer", lambda *_: None)
    assert system.solve(method="states").records() == at_once


def test_states_are_as_large_as_their_lines():
    def moves(state: int) -> list[tuple[float, int, tuple[int, ...]]]:
        return [(1.0, state + 1, ())]

    with pytest.raises(TooLarge), budget.opened(Account(memory=1e6)):
        walk(0, moves, 10**9, lambda _: 1000.0)


def test_the_states_of_a_chain_are_counted():
    def moves(state: int) -> list[tuple[float, int, tuple[int, ...]]]:
        return [(1.0, state + 1, ()), (1.0, max(state - 1, 0), ())]

    with pytest.raises(OverBudget, match="Markov chain"), budget.opened(Account(1.0)):
        walk(0, moves, 10**9)


def test_a_small_chain_is_solved_within_what_it_is_charged():
    found = walk(0, lambda state: [(1.0, (state + 1) % 5, ())], 10)
    with budget.opened(Account()) as account:
        assert stationary(found, 1e10) == pytest.approx(np.full(5, 0.2))
    assert account.spent < 1e6


def test_a_chain_of_many_small_levels_is_charged_for_each():
    states = 2000
    ways = [[(1.0, (at + step) % states, ()) for step in (-1, 1)] for at in range(states)]
    found = walk(0, ways.__getitem__, states)
    with budget.opened(Account()) as account:
        assert stationary(found, 1e10) == pytest.approx(np.full(states, 1 / states))
    # On a ring there are two states at every distance.
    assert account.spent > states / 2 * budget.CALL


def test_a_question_of_many_solutions_stops_with_the_account_of_them_all():
    system = qnet.load("examples/thrashing.toml")
    with budget.opened(Account()) as account:
        system.solve()
        once = account.spent
        system.sweep(f"{next(iter(system.parameters))}=1:40")
        assert once < account.spent < 1e10
        account.spent = 1e10
        with pytest.raises(OverBudget):
            system.solve()
        account.over, account.spent = None, 0.0


def fractions(sympy: Any, count: int) -> Any:
    """p0 / (1 - rate p0) + p1 / (1 - rate p1) + ..."""
    rate = sympy.Symbol("rate")
    return sum(item / (1 - rate * item) for item in sympy.symbols(f"p:{count}"))


@pytest.mark.parametrize("count", [2, 3, 5])
def test_terms_of_a_sum_of_fractions_are_counted_as_they_are(count: int):
    sympy = symbols().sympy
    formula = fractions(sympy, count)
    top = sympy.fraction(sympy.together(formula))[0]
    assert len(sympy.Add.make_args(sympy.expand(top))) <= terms(formula) <= count * 2**count


def test_an_equation_of_very_many_terms_is_refused_before_it_is_expanded(tmp_path: Path):
    names = "".join(f"s{place} = {{}}\n" for place in range(12))
    parameters = "".join(f'p{place} = "{place + 1} ms"\n' for place in range(12))
    steps = "".join(f'{{ station = "s{place}", time = "p{place}" }},\n' for place in range(12))
    text = f'qnet = 1\ntitle = "f"\n[parameters]\nrate = "1/s"\n{parameters}[stations]\n{names}'
    system = model(tmp_path, text + f'[classes.a]\narrival_rate = "rate"\nsteps = [\n{steps}]\n')
    with pytest.raises(NotComputed, match="terms over one denominator"):
        system.formula("response", solve_for="rate", expand=True)
    assert system.formula("response").records()


MANY_COPIES = """qnet = 1
title = "copies"
[parameters]
pause = "1 s"
[stations]
disk = { copies = 1_000_000 }
[classes.a]
population = 5000
think_time = "pause"
steps = [ { station = "disk", time = "100 ms" } ]
"""


# Rows were tried one by one for a reason of all of them, and each kept a list of all copies.
def test_variants_of_very_many_copies_are_refused_together(tmp_path: Path):
    system = model(tmp_path, MANY_COPIES)
    with within(200e6), pytest.raises(NotComputed, match="1000000 copies"):
        system.sweep("pause=1s:400s:1s")


@pytest.mark.long
def test_second_phases_that_pile_up_saturate_their_station_within_some_rounds():
    system = qnet.load("examples/search-fan-out.toml").set(users=20, logging="10000 s")
    with budget.opened(Account()) as account:
        (row,) = (row for row in system.solve().records() if row.get("name") == "page")
    # The station does nothing else: 20 ms and 10,000 s for each page.
    assert row["throughput_per_s"] == pytest.approx(1 / 10_000.02, rel=1e-5)
    assert account.spent < 2e9
