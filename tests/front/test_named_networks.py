"""Names of the stations and classes of a network, and the notes of its solution."""

from __future__ import annotations

from typing import Any

import pytest

import qnet
from qnet.explanations import EXPLANATIONS

FILE = """qnet = 1
title = "two stations"
[stations]
cpu = {{ discipline = "{discipline}" }}
disk = {{ discipline = "ps" }}
[classes.a]
population = 30
think_time = "1 s"
steps = [ {{ station = "cpu", time = "20 ms" }}, {{ station = "disk", time = "0.1 s" }} ]
[classes.b]
population = {second}
think_time = "1 s"
steps = [ {{ station = "cpu", time = "{time} ms" }}, {{ station = "disk", time = "0.1 s" }} ]
"""
NAMES = {"names": ["cpu", "disk"], "class_names": ["a", "b"]}


PAIRS = [["cpu", "a"], ["cpu", "b"], ["disk", "a"], ["disk", "b"]]


def shown(solution: Any) -> list[list[str]]:
    """The first words of the rows by station."""
    rows = [line.split()[:2] for line in str(solution).splitlines()]
    return [row for row in rows if row and row[0] in NAMES["names"]]


def network(discipline: str = "fcfs", time: float = 500, second: int = 20, **more: Any) -> Any:
    """The network of the file by its demands."""
    return qnet.Network([[0.02, time / 1000], [0.1, 0.1]], disciplines=[discipline, "ps"], population=[30, second],
                        think_time=[1.0, 1.0], **more)  # fmt: skip


@pytest.mark.parametrize(
    ("discipline", "time", "second", "codes"),
    [
        ("fcfs", 500, 20, {"QN601", "QN607", "QN638"}),
        ("fcfs", 30, 20, {"QN601", "QN607", "QN741"}),
        ("fcfs", 500, 0, {"QN702"}),
        ("ps", 500, 20, set()),
    ],
    ids=["beyond what was measured", "approximate", "no customers", "exact"],
)
def test_notes_are_those_of_the_command_line(discipline: str, time: float, second: int, codes: set[str]):
    report = qnet.loads(FILE.format(discipline=discipline, time=time, second=second)).solve()
    solution = network(discipline, time, second, **NAMES).solve()
    wanted = [str(note) for note in report.notes]
    assert [str(note).replace(": class b: without", ": b: without") for note in solution.notes] == wanted
    assert {note.code for note in solution.notes} == codes


def test_a_note_says_its_severity_and_its_code():
    (warning,) = [note for note in network().solve().notes if note.severity == "warning"]
    assert str(warning).startswith("warning [QN638]: the order of arrival at station 0 is corrected")
    assert warning.code in EXPLANATIONS


def test_warnings_stand_below_the_tables():
    solution = network().solve()
    for text in (str(solution), solution._repr_markdown_()):
        assert text.endswith(str(next(note for note in solution.notes if note.severity == "warning")))


def test_unstated_visits_are_a_note():
    solution = qnet.Network([[0.5, 0.0]], population=[2, 2], think_time=[1, 1], **{**NAMES, "names": ["cpu"]}).solve()
    assert [note.code for note in solution.notes] == ["QN739"]
    assert "class b has no demand at cpu" in solution.notes[0].text


# Names


def test_tables_have_the_names():
    assert shown(network(**NAMES).solve()) == PAIRS
    assert "| disk | b |" in network(**NAMES).solve()._repr_markdown_()


def test_names_change_no_figure():
    plain, named = network().solve(), network(**NAMES).solve()
    assert named.figures == plain.figures
    assert [text.replace("station 0", "cpu") for text in plain.reasons] == list(named.reasons)
    assert [text.replace("station 0", "cpu") for text in plain.warnings] == list(named.warnings)


def test_errors_have_the_names():
    with pytest.raises(qnet.NoAnswer, match="no steady state: disk would be 200 % utilized"):
        qnet.Network([[1.0], [2.0]], arrival_rate=[1.0], names=["cpu", "disk"]).solve()
    with pytest.raises(qnet.NoAnswer, match="class idle has customers and neither demand nor think time"):
        qnet.Network([[1.0, 0.0]], population=[1, 1], class_names=["busy", "idle"]).solve("bard-schweitzer")


def test_the_points_of_a_batch_have_the_names():
    batch = qnet.Network([[0.1], [0.2]], population=[[1, 2]], names=["cpu", "disk"])
    assert "disk     0      0.2 to" in str(batch.solve())
    assert batch.point(1).names == ("cpu", "disk")


def test_classes_of_a_chain_have_their_names_and_a_chain_has_all_of_them():
    routing = [[[[0, 0], [1, 0]], [[0, 0], [0, 1]]], [[[0, 1], [0, 0]], [[1, 0], [0, 0]]]]
    network = qnet.Network.from_routing([[0.1, 0.1], [0.2, 0.2]], routing, population=[3, 0], **NAMES)
    solution = network.solve()
    assert "\na+b    " in str(solution)
    assert shown(solution) == PAIRS


def test_a_state_that_customers_never_leave_is_named():
    routing = [[[[0, 0], [0, 1]], [[0, 0], [1, 0]]], [[[0, 1], [0, 0]], [[1, 0], [0, 0]]]]
    with pytest.raises(qnet.InvalidInput, match='either in "cpu class a", "disk class b" or in "cpu class b"'):
        qnet.Network.from_routing([[0.1, 0.1], [0.2, 0.2]], routing, population=[3, 0], **NAMES)
    with pytest.raises(qnet.InvalidInput, match="class_names has 1 entries; expected one entry per class: 2"):
        qnet.Network.from_routing([[0.1, 0.1], [0.2, 0.2]], routing, population=[3, 0], class_names=["a"])


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ({"names": ["cpu"]}, "names has 1 entries; expected one entry per station: 2"),
        ({"names": ["cpu", "cpu"]}, r'names\[1\] is "cpu", as is an entry before it; expected distinct names'),
        ({"names": "ab"}, "names is 'ab'; expected one entry per station"),
        ({"names": ["cpu", 2]}, r"names\[1\] is 2; expected a text of one line"),
        ({"names": ["cpu", "a\nb"]}, r"names\[1\] is 'a\\nb'; expected a text of one line"),
        ({"names": ["cpu", "x" * 81]}, r"names\[1\] is 'xxx.*; expected a text of one line"),
        ({"class_names": ["a", " "]}, r"class_names\[1\] is ' '; expected a text of one line"),
    ],
)
def test_what_is_no_name_is_refused(names: dict[str, Any], words: str):
    with pytest.raises(qnet.InvalidInput, match=words):
        network(**names)
