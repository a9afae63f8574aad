"""Where percentiles of response are refused, where they are warned of, and where they are trusted."""

from __future__ import annotations

import numpy as np
import pytest

import qnet
from qnet.errors import NotComputed
from qnet.expression import FLOATS
from qnet.model.load import load
from qnet.networks.percentiles.trust import exact
from qnet.networks.percentiles.wait_variances import shared_variance
from qnet.networks.routed import Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time
from qnet.questions.solve.solve import solve_report

HEAD = 'qnet = 1\ntitle = "t"\n'
ONE = HEAD + '[stations]\na = {}\nb = {}\n[classes.io]\narrival_rate = "3/s"\nsteps = ['
CALM = ONE + '{ station = "a", time = "0.1 s", scv = 2 }, { station = "b", time = "0.1 s" } ]\n'
CLOSED = '[classes.io]\npopulation = 4\nthink_time = "1 s"\n'


@pytest.fixture
def noted(tmp_path):
    """The codes of the notes of a model that is asked for a percentile, and what the warning of it says."""

    def ask(text):
        path = tmp_path / "model.toml"
        path.write_text(text + '[outputs]\nlate = "response_p95"\n')
        notes = solve_report(load(str(path))).notes
        return {note.code: note.text for note in notes}

    return ask


def test_several_visits_in_a_row_are_warned_of(noted):
    """They meet the same long queue again and again."""
    open_ones = CALM.replace('station = "b", time = "0.1 s"', 'station = "b", visits = 5, time = "0.02 s"')
    assert open_ones != CALM
    closed = HEAD + "[stations]\na = {}\n" + CLOSED + 'steps = [ { station = "a", visits = 5, time = "0.1 s" } ]\n'
    for text in (open_ones, closed):
        assert "several times in a row" in noted(text)["QN663"]


@pytest.mark.parametrize("steps", [", visits = 5", ""], ids=["in a row", "one by one"])
def test_visits_to_one_queue_depend_on_each_other(steps):
    """Five visits of 2 ms at a load of 0.8 have a p95 of 140 ms by simulation, and of 91 ms as independent times."""
    each = f'{{ station = "a", time = "2 ms"{steps} }}'
    model = qnet.loads(
        HEAD + '[stations]\na = {}\n[classes.io]\narrival_rate = "80/s"\n'
        f"steps = [{', '.join([each] * (1 if steps else 5))}]\n"
    )
    assert model.metric("response_p95") == pytest.approx(0.14, rel=0.05)


def test_a_delay_that_varies_much_is_hyperexponential():
    """As gamma time, its 90th percentile was 53 % too long."""
    model = qnet.loads(
        HEAD + '[stations]\na = {}\n[classes.io]\narrival_rate = "1/s"\nsteps = [ { delay = "1 s", scv = 4 } ]\n'
    )
    share = 0.5 * (1 + 0.6**0.5)
    for percent in (50, 90, 99):
        time = model.metric(f"response_p{percent}")
        longer = share * np.exp(-2 * share * time) + (1 - share) * np.exp(-2 * (1 - share) * time)
        assert longer == pytest.approx(1 - percent / 100, rel=1e-6)


@pytest.mark.parametrize(
    "text",
    [
        CALM,
        HEAD + "[stations]\na = {}\n" + CLOSED + 'steps = [ { station = "a", visits = 2, time = "0.1 s" } ]\n',
        CALM.replace(", scv = 2", "")
        + CLOSED.replace("classes.io", "classes.jobs")
        + 'steps = [ { station = "b", time = "0.1 s" } ]\n',
    ],
    ids=["open", "closed", "both"],
)
def test_what_was_measured_as_good_is_not_warned_of(noted, text):
    codes = noted(text)
    assert "QN609" in codes
    assert "QN663" not in codes


RETURNS = """[stations]
a = {}
[chains.io]
arrival_rate = "3/s"
[chains.io.classes]
all = { service = { a = "0.1 s" } }
[chains.io.routing]
outside = { all.a = 1 }
all.a = { all.a = 0.5, outside = 0.5 }
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            CALM.replace("a = {}", 'a = { discipline = "ps" }'),
            "a is processor sharing, with times that are not exponential",
        ),
        (CALM.replace("b = {}", 'b = { discipline = "ps", servers = 2 }'), "b shares its several servers"),
        (CALM.replace("a = {}", 'a = { discipline = "lcfs-pr" }'), "a is last come first served"),
        (CALM.replace("scv = 2", "scv = 3"), "service times at a have an scv above 2"),
        (CALM.replace('"3/s"', '"3/s"\narrival_scv = 2'), "arrivals of io are not Poisson"),
        (CALM.replace("b = {}", "b = { capacity = 4 }"), "b has a finite capacity"),
        (CALM.replace("b = {}", 'b = { discipline = "priority" }'), "b serves some customers before others"),
        (ONE + '{ hold = "a", steps = [ { station = "b", time = "0.1 s" } ] } ]\n', "a is held while another"),
        (
            CALM + CLOSED.replace("classes.io", "classes.jobs") + 'steps = [ { station = "b", time = "0.1 s" } ]\n',
            "with open and closed",
        ),
        (
            ONE + '{ parallel = [ { steps = [ { station = "a", time = "0.1 s" } ] }, '
            '{ steps = [ { station = "b", time = "0.1 s" } ] } ] } ]\n',
            "steps are parallel",
        ),
        (HEAD + RETURNS, "io returns to a at random"),
    ],
)
def test_what_is_beyond_is_named(noted, text, said):
    assert said in noted(text)["QN663"]


@pytest.mark.parametrize("load", [0.2, 0.7])
def test_the_variance_of_a_shared_service(load):
    """M/M/1 with processor sharing, by the moments of the chain that follows one customer."""
    most = 150
    rates = np.zeros((most + 1, most + 1))
    for others in range(most + 1):
        rates[others, others] = -(load * (others < most) + 1.0)
        if others < most:
            rates[others, others + 1] = load
        if others:
            rates[others, others - 1] = others / (others + 1)
    first = (1 - load) * load ** np.arange(most + 1)
    once = np.linalg.solve(-rates, np.ones(most + 1))
    square = first @ np.linalg.solve(-rates, 2 * once)
    whole = first @ once
    assert shared_variance(whole - 1, 1.0, load) + 1 == pytest.approx(square - whole**2, rel=1e-9)


MEMORY = HEAD + "[stations]\nm = { servers = 2 }\na = {}\nb = {}\n" + CLOSED
HELD = 'steps = [ { hold = "m", steps = [ { station = "a", time = "0.1 s" }, { station = "b", time = "0.2 s" } ] } ]\n'
RANKED = HEAD + '[stations]\na = { discipline = "priority" }\n' + CLOSED
RANKED += 'steps = [ { station = "a", time = "0.1 s" } ]\n'
RANKED += RANKED[RANKED.index("[classes") :].replace("classes.io", "classes.first") + "priority = 1\n"


OPEN_POOL = HEAD + "[stations]\nm = { servers = 2 }\na = {}\nb = {}\n[classes.io]\narrival_rate = '2/s'\n"
OTHERS = '[classes.other]\narrival_rate = "1/s"\nsteps = [ { station = "a", time = "0.2 s" } ]\n'
NESTED = OPEN_POOL.replace("a = {}", "a = { servers = 2 }\nc = {}") + HELD.replace(
    '{ station = "a", time = "0.1 s" }',
    '{ hold = "a", steps = [ { station = "c", time = "0.1 s" }, { time = "1 ms" } ] }',
)


@pytest.mark.parametrize(
    "text",
    [MEMORY + HELD, RANKED, OPEN_POOL + HELD + OTHERS, NESTED],
    ids=["held", "priorities", "others inside", "a limit inside"],
)
def test_methods_of_means_refuse_percentiles(tmp_path, text):
    path = tmp_path / "model.toml"
    path.write_text(text)
    model = qnet.load(str(path))
    assert model.metric("response") > 0
    with pytest.raises(NotComputed) as refused:
        model.metric("response_p95")
    problem = refused.value.problems[0]
    assert problem.code == "QN516"
    assert "means" in problem.expected


@pytest.mark.parametrize(
    ("population", "second", "warned"),
    [(64, "20 ms", True), (16, "18 ms", True), (8, "20 ms", False), (64, "10 ms", False), (4, "20 ms", False)],
    ids=["crowded", "nearly as full", "before the asymptotes meet", "one is full", "few"],
)
def test_customers_between_two_stations_that_are_full_alike_are_warned_of(noted, population, second, warned):
    """Of 64 customers the 95th percentile is told 43 % too long: the two queues are never long at once."""
    steps = f'[ {{ station = "a", time = "20 ms" }}, {{ station = "b", time = "{second}" }} ]'
    text = CLOSED.replace("population = 4", f"population = {population}").replace('"1 s"', '"0.2 s"')
    assert ("QN663" in noted(HEAD + "[stations]\na = {}\nb = {}\n" + text + f"steps = {steps}\n")) is warned


@pytest.mark.parametrize("at_a_station", [False, True])
@pytest.mark.parametrize(
    ("delay", "known"),
    [
        (Time(0.3, 1.0), True),
        (Time(0.3, 0.0), True),
        (Time(0.3, 0.5), False),
        (Time(0.3, 1.0, visits=2.0), False),
        (Time(0.0, 0.5), True),
    ],
)
def test_percentiles_are_exact_where_the_distribution_of_every_delay_is_known(
    delay: Time, known: bool, at_a_station: bool
):
    stations = tuple(Station(name, name == "d", 1, "fcfs", (Group(name, 1, 1.0),)) for name in "ad")
    steps = (Hold("a", (Time(0.1),)), Hold("d", (delay,)) if at_a_station else delay)
    network = RoutedNetwork(stations, (OpenClass("io", 3.0, (Route("io", 1.0, steps),)),))
    assert exact(network, FLOATS) is known


@pytest.mark.parametrize(("number", "warned"), [(10, True), (49, True), (50, False), (99.9, False), (99.99, True)])
def test_percentiles_beyond_those_that_were_measured_are_warned_of(tmp_path, number, warned):
    """The lowest tenth of M/D/1 at a load of 0.3 was given as 0.62 s with a service of 1 s, without a warning."""
    path = tmp_path / "model.toml"
    name = "response_p" + f"{number:g}".replace(".", "_")
    for scv in (0, 1):
        text = ONE.replace("3/s", "0.3/s") + f'{{ station = "a", time = "1 s", scv = {scv} }} ]\n'
        path.write_text(text + f'[outputs]\nlate = "{name}"\n')
        notes = {note.code: note.text for note in solve_report(load(str(path))).notes}
        assert ("QN663" in notes) is (warned and scv == 0)
        assert scv or not warned or "below the 50th or above the 99.9th" in notes["QN663"]


def test_visits_that_are_no_integer_are_warned_of_inside_holds(noted):
    """Outside they make separate routes; inside, passages with long and short times are taken together."""
    one = '{ station = "a", time = "1 s" }'
    whole = HEAD + f'[stations]\na = {{}}\nb = {{}}\n[classes.io]\narrival_rate = "0.2/s"\nsteps = [ {one} ]\n'
    inside = '{{ hold = "b", steps = [ {{ station = "a", time = "1 s", visits = {visits} }} ] }}'
    assert "some passages leave a out" in noted(whole.replace(one, inside.format(visits=0.1)))["QN663"]
    assert "leave a out" not in noted(whole.replace(one, inside.format(visits=1))).get("QN663", "")
    assert "QN663" not in noted(whole.replace('time = "1 s"', 'time = "1 s", visits = 0.1'))
    assert "QN663" not in noted(whole.replace(one, f'{{ delay = "2 s", visits = 1.5 }}, {one}'))
    assert "QN663" not in noted(whole)
