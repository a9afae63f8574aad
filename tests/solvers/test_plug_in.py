"""A method is one file and one row: a toy is chosen, listed, refused and told without a change anywhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import qnet
from qnet.cli.group import qnet as command
from qnet.errors import NotComputed
from qnet.networks.solvers import table

TOY = '''
"""One class at one server, without think time: the server never rests."""

from qnet.networks.product.figures import figures
from qnet.networks.product.solution import Solution
from qnet.networks.reasons import Reason
from qnet.networks.wanted import Work

CLASSES = "closed"
APPLIES = "one class at one server, without think time"
COST = "one division"
SOURCE = "this test"


def applies(network, wanted):
    if network.shape[1] > 1 or len(used(network)) > 1 or network.delay[used(network)[0]]:
        return Reason("several", "there are several stations or classes, or a delay")
    return Reason("think time", "customers think") if network.think_time[0] > 0 else None


def used(network):
    return [station for station in range(network.shape[0]) if network.demand(station, 0) > 0]


def work(network, wanted):
    return Work(1.0, 8.0)


def solve(network, wanted, solve_part):
    rate = 1.0 / network.demand(used(network)[0], 0)
    rows = [[network.population[0] * network.demand(station, 0)] for station in range(network.shape[0])]
    found = figures(network, [rate], rows)
    return Solution(network, found, "full-server", (), "the server never rests")
'''
ROW = table.MethodRow("full-server", "qnet_toy_full_server", "exact", "demands", frozenset({"closed"}))
ALONE = ("solve", "--station", "disk=500ms", "--population", "3")


@pytest.fixture(autouse=True)
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "qnet_toy_full_server.py").write_text(TOY)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(table, "TABLE", (ROW, *table.TABLE))


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """The exit code, and both streams."""
    with pytest.raises(SystemExit) as end:
        command(list(arguments), prog_name="qnet")
    told = capsys.readouterr()
    return int(end.value.code or 0), told.out, told.err


def test_it_is_chosen_where_a_network_is_given_by_its_demands():
    found = qnet.Network([[0.5]], population=[3]).solve()
    assert (found.method, found.exact, found.why) == ("full-server", True, "the server never rests")
    assert found.throughput.tolist() == [2.0] and found.response.tolist() == [1.5]


def test_it_is_chosen_and_told_where_a_network_is_given_by_its_routes(capsys: pytest.CaptureFixture[str]):
    code, out, _ = run(capsys, *ALONE, "--json")
    report = json.loads(out)
    assert code == 0
    assert (report["method"], report["exactness"]) == ("full-server", "exact")
    assert report["rows"][0]["throughput_per_s"] == pytest.approx(2.0)


def test_it_is_named(capsys: pytest.CaptureFixture[str]):
    assert json.loads(run(capsys, *ALONE, "--method", "full-server", "--json")[1])["method"] == "full-server"
    assert qnet.Network([[0.5]], population=[3]).solve(method="full-server").method == "full-server"


def test_others_are_chosen_where_it_does_not_apply():
    assert qnet.Network([[0.5]], population=[3], think_time=[1.0]).solve().method == "mva"
    assert qnet.Network([[0.5]], arrival_rate=[1.0]).solve().method == "open"


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


def test_it_is_refused_where_a_network_is_given_by_its_demands():
    with pytest.raises(NotComputed, match="full-server does not apply: there are no closed classes; expected auto, op"):
        qnet.Network([[0.5]], arrival_rate=[1.0]).solve(method="full-server")


def test_a_method_that_there_is_not_is_answered_with_it(capsys: pytest.CaptureFixture[str]):
    assert "full-server" in run(capsys, *ALONE, "--method", "full")[2]


def test_its_work_is_held_against_the_budget():
    assert qnet.Network([[0.5]], population=[3]).solve(operations=0.5, method="linearizer").method == "linearizer"
    with pytest.raises(NotComputed, match="full-server takes"):
        qnet.Network([[0.5]], population=[3]).solve(operations=0.5, method="full-server")
