"""A method is one file and one row, whatever it takes: a toy of each kind is chosen, listed, refused and told without a
change anywhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import qnet
from qnet.cli.group import qnet as command
from qnet.errors import NotComputed
from qnet.networks.solvers import table

HEAD = '''
"""One class at one server, without think time: the server never rests."""

from qnet.networks.reasons import Reason
from qnet.networks.wanted import Work

CLASSES = "closed"
APPLIES = "one class at one server, without think time"
COST = "one division"
SOURCE = "this test"


def work(network, wanted):
    return Work(1.0, 8.0)
'''
TAKES_DEMANDS = """
from qnet.networks.product.figures import figures
from qnet.networks.product.solution import Solution


def applies(network, wanted):
    if network.shape[1] > 1 or len(used(network)) > 1 or network.delay[used(network)[0]]:
        return Reason("several", "there are several stations or classes, or a delay")
    return Reason("think time", "customers think") if network.think_time[0] > 0 else None


def used(network):
    return [station for station in range(network.shape[0]) if network.demand(station, 0) > 0]


def solve(network, wanted, solve_part):
    rate = 1.0 / network.demand(used(network)[0], 0)
    rows = [[network.population[0] * network.demand(station, 0)] for station in range(network.shape[0])]
    found = figures(network, [rate], rows)
    return Solution(network, found, "full-server", (), "the server never rests")
"""
TAKES_CLOSED = """
from qnet.networks.closed.problem import ClosedFigures


def applies(network, wanted):
    if network.size is not None or network.classes > 1 or len(used(network)) > 1 or network.delay[used(network)[0]]:
        return Reason("several", "there are several stations or classes, or a delay")
    return Reason("think time", "customers think") if network.think_time[0] > 0 else None


def used(network):
    return [station for station, row in enumerate(network.demands) if row[0] > 0]


def solve(network, wanted, solve_part):
    rate = 1.0 / network.demands[used(network)[0]][0]
    rows = tuple((network.population[0] * row[0],) for row in network.demands)
    return ClosedFigures(throughput=(rate,), residence=rows)
"""
"""Its figures name no method."""
TAKES_ROUTES = """
from qnet.networks.closed_networks import solve as by_demands
from qnet.networks.product.figures import figures
from qnet.networks.product.solution import Solution


def applies(network, wanted):
    if len(network.classes) > 1 or len(network.stations) > 1 or network.stations[0].delay:
        return Reason("several", "there are several stations or classes, or a delay")
    return Reason("think time", "customers think") if network.classes[0].think_time > 0 else None


def solve(network, wanted, solve_part):
    def of_demands(part, wanted):
        demands = [part.demand(station, 0) for station in range(part.shape[0])]
        found = figures(part, [1.0 / max(demands)], [[part.population[0] * demand] for demand in demands])
        return Solution(part, found, "full-server", (), "the server never rests")

    return by_demands(network, wanted, of_demands)
"""
TOYS = {"demands": TAKES_DEMANDS, "closed": TAKES_CLOSED, "routes": TAKES_ROUTES}
WHY = {"demands": "the server never rests", "closed": "the cheapest exact method for product form"}
"""Of the answers to networks of demands; closed classes have one choice among exact methods."""
ALONE = ("solve", "--station", "disk=500ms", "--population", "3")
OTHERS = table.TABLE


@pytest.fixture(params=TOYS, autouse=True)
def takes(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the toy takes: a module of its own, and a row before all others."""
    module = f"qnet_toy_of_{request.param}"
    (tmp_path / f"{module}.py").write_text(HEAD + TOYS[request.param])
    monkeypatch.syspath_prepend(str(tmp_path))
    row = table.MethodRow("full-server", module, "exact", request.param, frozenset({"closed", "one closed class"}))
    monkeypatch.setattr(table, "TABLE", (row, *OTHERS))
    return request.param


of_demands = pytest.mark.parametrize("takes", ["demands", "closed"], indirect=True)
"""The toys that a network of demands can be given to, which has no routes."""


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """The exit code, and both streams."""
    with pytest.raises(SystemExit) as end:
        command(list(arguments), prog_name="qnet")
    told = capsys.readouterr()
    return int(end.value.code or 0), told.out, told.err


@of_demands
def test_it_is_chosen_where_a_network_is_given_by_its_demands(takes: str):
    found = qnet.Network([[0.5]], population=[3]).solve()
    assert (found.method, found.exact, found.why) == ("full-server", True, WHY[takes])
    assert found.throughput.tolist() == [2.0] and found.response.tolist() == [1.5]


def test_it_is_chosen_and_told_where_a_network_is_given_by_its_routes(capsys: pytest.CaptureFixture[str]):
    code, out, _ = run(capsys, *ALONE, "--json")
    report = json.loads(out)
    assert code == 0
    assert (report["method"], report["exactness"]) == ("full-server", "exact")
    assert report["rows"][0]["throughput_per_s"] == pytest.approx(2.0)


def test_it_is_chosen_where_no_other_applies(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    unable = tuple(row.replace(supports=frozenset[str]()) for row in OTHERS)
    monkeypatch.setattr(table, "TABLE", (*unable, table.TABLE[0]))
    code, out, _ = run(capsys, *ALONE, "--json")
    assert (code, json.loads(out)["method"]) == (0, "full-server")
    code, _, err = run(capsys, *ALONE, "--method", "convolution")
    assert code == 5 and "convolution does not apply: there are closed classes" in err


def test_it_is_named(capsys: pytest.CaptureFixture[str]):
    assert json.loads(run(capsys, *ALONE, "--method", "full-server", "--json")[1])["method"] == "full-server"


@of_demands
def test_it_is_named_for_a_network_of_demands():
    assert qnet.Network([[0.5]], population=[3]).solve(method="full-server").method == "full-server"


def test_others_are_chosen_where_it_does_not_apply(capsys: pytest.CaptureFixture[str]):
    assert qnet.Network([[0.5]], population=[3], think_time=[1.0]).solve().method == "mva"
    assert qnet.Network([[0.5]], arrival_rate=[1.0]).solve().method == "open"
    assert json.loads(run(capsys, *ALONE, "--think-time", "1s", "--json")[1])["method"] == "mva"


@of_demands
def test_others_are_chosen_where_its_row_does_not_support_what_its_module_does_not_look_at():
    found = qnet.Network([[0.5]], population=[2], servers=[2]).solve()
    assert found.method == "mva" and found.throughput.tolist() == [4.0]
    varied = qnet.Network([[[0.5]], [[0.25]]], population=[2], servers=[2]).solve()
    assert varied.throughput.tolist() == [[4.0], [8.0]]


@pytest.mark.parametrize("takes", ["closed"], indirect=True)
def test_several_points_are_solved_where_it_takes_one():
    found = qnet.Network([[[0.5]], [[0.25]]], population=[3]).solve()
    assert found.method == "mva" and found.throughput.tolist() == [[2.0], [4.0]]


def test_it_is_listed(capsys: pytest.CaptureFixture[str]):
    rows = json.loads(run(capsys, "methods", "--json")[1])["rows"]
    assert rows[0]["name"] == "full-server" and rows[0]["applies"] == "one class at one server, without think time"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (("--population", "3", "--think-time", "5s"), "full-server does not apply: customers think"),
        (("--arrival-rate", "1/s"), "full-server does not apply: there are no closed classes"),
    ],
)
def test_it_is_refused_with_its_reason_and_a_way_out(
    changes: tuple[str, ...], reason: str, capsys: pytest.CaptureFixture[str]
):
    code, _, err = run(capsys, "solve", "--station", "disk=500ms", *changes, "--method", "full-server")
    assert code == 5 and reason in err and "[QN513]" in err


def test_it_is_refused_where_a_network_is_given_by_its_demands(takes: str):
    reason = "there are no closed classes; expected auto, op" if takes != "routes" else ".*; expected auto"
    with pytest.raises(NotComputed, match=f"full-server does not apply: {reason}"):
        qnet.Network([[0.5]], arrival_rate=[1.0]).solve(method="full-server")


def test_a_method_that_there_is_not_is_answered_with_it(capsys: pytest.CaptureFixture[str]):
    assert "full-server" in run(capsys, *ALONE, "--method", "full")[2]


@of_demands
def test_its_work_is_held_against_the_budget():
    assert qnet.Network([[0.5]], population=[3]).solve(operations=0.5, method="linearizer").method == "linearizer"
    with pytest.raises(NotComputed, match="full-server takes"):
        qnet.Network([[0.5]], population=[3]).solve(operations=0.5, method="full-server")
