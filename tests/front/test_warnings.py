"""What warns, and what is named, in answers of Python: the same as on the command line."""

from __future__ import annotations

import numpy as np
import pytest

import qnet
from qnet.errors import NoAnswer

FILE = """
qnet = 1
title = "{title}"
[stations]
cpu = {{ discipline = "{discipline}" }}
disk = {{ discipline = "ps" }}
[classes.a]
population = {first}
think_time = "1 s"
{priority}
steps = [ {{ station = "cpu", time = "20 ms" }}, {{ station = "disk", time = "{disk} s" }} ]
[classes.b]
population = {second}
think_time = "1 s"
steps = [ {{ station = "cpu", time = "{time}" }}, {{ station = "disk", time = "{disk} s" }} ]
"""


@pytest.fixture
def both(tmp_path):
    """The same network by a file and by its demands, solved."""

    def made(discipline="fcfs", time=0.5, first=30, second=20, disk=0.1):
        path, rank = tmp_path / "model.toml", "priority = 1" if discipline == "priority" else ""
        path.write_text(
            FILE.format(
                title="t", discipline=discipline, time=f"{time} s", first=first, second=second, priority=rank, disk=disk
            )
        )
        network = qnet.Network(
            [[0.02, time], [disk, disk]], disciplines=[discipline, "ps"], population=[first, second],
            think_time=[1.0, 1.0], priority=[1, 0] if discipline == "priority" else None,
        )  # fmt: skip
        return qnet.load(str(path)).solve(), network.solve()

    return made


@pytest.mark.parametrize(
    ("options", "code"),
    [({"time": 0.5}, "QN638"), ({"discipline": "priority", "first": 60, "disk": 0.001}, "QN646"), ({"time": 0.03}, "")],
    ids=["order of arrival", "priorities", "none"],
)
def test_a_network_of_demands_is_warned_of_like_that_of_a_file(both, options, code):
    report, solution = both(**options)
    told = [note.code for note in report.warnings]
    assert [text.rpartition("[")[2].rstrip("]") for text in solution.warnings] == told == ([code] if code else [])
    assert all(note.severity == "warning" for note in report.warnings)


def test_an_exact_answer_has_no_warnings():
    assert qnet.Network([[0.1, 0.2]], population=[3, 4]).solve().warnings == ()


def test_a_batch_has_the_warnings_of_its_variants():
    network = qnet.Network([[0.02, 0.5], [0.1, 0.1]], disciplines=["fcfs", "ps"], population=[[30, 3], [20, 2]],
                           think_time=[1.0, 1.0])  # fmt: skip
    (text,) = network.solve().warnings
    assert "station 0" in text and "[QN638]" in text


def test_the_station_with_the_largest_load_is_named():
    """Asked for 1.2, 3 and 2 times what they can do."""
    with pytest.raises(NoAnswer, match=r"station 1 would be 300 % utilized[\s\S]*less than 0\.333333"):
        qnet.Network([[0.12], [0.6], [0.2]], servers=[1, 2, 1], arrival_rate=[10.0]).solve()


def test_in_a_batch_it_is_that_of_the_first_variant_without_a_steady_state():
    rates = np.array([1.0, 9.0, 20.0])
    with pytest.raises(NoAnswer, match=r"station 1 would be 180 % utilized in variant 1"):
        qnet.Network([[0.12], [0.2]], arrival_rate=[rates]).solve()


@pytest.mark.parametrize("discipline", ["fcfs", "ps", "priority"])
@pytest.mark.parametrize("first", [0, 4])
def test_a_class_without_customers_has_the_response_of_its_demands_in_both_doors(both, discipline, first):
    report, solution = both(discipline=discipline, time=0.02, first=first, second=0)
    rows = {row["name"]: row["response_s"] for row in report.records() if row["scope"] == "class"}
    assert rows["b"] == solution.response[1] == pytest.approx(0.12)
    assert solution.residence[:, 1] == pytest.approx([0.02, 0.1])
    assert solution.throughput[1] == solution.queue_length[:, 1].sum() == 0
    assert rows["a"] == pytest.approx(solution.response[0])
    assert ["b" in note.text for note in report.notes if note.code == "QN702"] == [True]


def test_in_a_batch_only_the_variants_without_customers_have_it():
    populations = np.array([0.0, 1.0, 4.0])
    found = qnet.Network([[0.3], [0.1]], population=[populations], rates=[[0.5, 1.0], None]).solve()
    assert found.response[:2, 0] == pytest.approx([0.7, 0.7])
    assert found.response[2, 0] > 0.7
