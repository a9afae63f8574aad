"""Closed classes that others leave little of a station: exactly where the chain of states fits, else refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import qnet
from qnet.errors import NotComputed

sys.path.append(str(Path(__file__).parents[1]))

from oracle import load, solve

CLASS = """
[classes.NAME]
population = PEOPLE
think_time = "1 s"
priority = RANK
steps = [{ station = "s", time = "0.4 s" }, { station = "d", time = "0.1 s" }]
"""


def text(people: int) -> str:
    head = 'qnet = 1\ntitle = "ranks"\n[stations]\ns = { discipline = "priority" }\nd = {}\n'
    classes = (CLASS.replace("NAME", name).replace("RANK", str(rank)) for name, rank in (("a", 2), ("b", 1), ("c", 0)))
    return head + "".join(classes).replace("PEOPLE", str(people))


def solved(path: Path, people: int) -> list[dict[str, object]]:
    file = path / "m.toml"
    file.write_text(text(people))
    return qnet.load(str(file)).solve().records()


@pytest.mark.long
def test_a_chain_that_fits_answers_what_the_estimate_cannot(tmp_path: Path) -> None:
    rows = solved(tmp_path, 3)
    assert (rows[0]["method"], rows[0]["exactness"]) == ("states", "exact")
    exact = solve(load(text(3)), seconds=60.0)
    assert exact.kind == "chain"
    found = {row["name"]: row["throughput_per_s"] for row in rows if row["scope"] == "class"}
    assert found == pytest.approx(exact.throughput, rel=1e-8)


def test_a_refusal_does_not_tell_that_the_class_hardly_matters(tmp_path: Path) -> None:
    with pytest.raises(NotComputed, match="QN589") as caught:
        solved(tmp_path, 8)
    help = caught.value.problems[0].help
    assert "fewer customers" in help and "more servers" in help and "hardly" not in help
