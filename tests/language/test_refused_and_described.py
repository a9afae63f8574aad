"""What a model is refused for, and how values, names and tables are written."""

from __future__ import annotations

from typing import Any

import pytest

import qnet
from qnet.errors import QnetError, UsageError
from qnet.expression import FLOATS, ExpressionError, arrays, check, operations_for, parse
from qnet.model.reader import describe
from qnet.units import TIME

TWO: dict[str, Any] = {
    "title": "two",
    "stations": {"cpu": {"discipline": "priority"}, "disk": {}},
    "classes": {
        "x": {
            "arrival_rate": "1/s",
            "steps": [{"station": "cpu", "time": "10 ms"}, {"station": "disk", "time": "20 ms"}],
        }
    },
}
STORE = """qnet = 1
title = "store"
[stations]
disk = {}
[buffers]
nvs = { places = 4 }
[classes.x]
arrival_rate = "1/s"
steps = [ { fill = "nvs" }, { STEP } ]
"""


def refused(model: Any) -> list[Any]:
    with pytest.raises(QnetError) as caught:
        qnet.loads(model)
    return list(caught.value.problems)


def of_class(**keys: Any) -> dict[str, Any]:
    return {**TWO, "classes": {"x": {**TWO["classes"]["x"], **keys}}}


def test_one_station_with_priorities_is_enough():
    assert qnet.loads(of_class(priority=1)).solve().records()
    without = {**of_class(priority=1), "stations": {"cpu": {}, "disk": {}}}
    assert "QN217" in {problem.code for problem in refused(without)}


def test_copies_of_an_unknown_station_are_refused():
    keys = {**TWO["classes"]["x"], "per_copy_of": "disc", "population": 2}
    del keys["arrival_rate"]
    (problem,) = refused({**TWO, "classes": {"x": keys}})
    assert problem.code == "QN212" and '"disc"' in problem.found and "disk" in problem.help


@pytest.mark.parametrize(
    ("step", "right"),
    [
        ('phase = 2, station = "disk", time = "5 ms", drains = "nvs"', True),
        ('station = "disk", time = "5 ms", drains = "nvs"', False),
        ('hold = "disk", steps = [ { time = "1 ms" }, { phase = 2, time = "1 ms", drains = "nvs" } ]', False),
    ],
)
def test_places_are_freed_in_the_second_phase_outside_of_holds(step: str, right: bool):
    text = STORE.replace("STEP", step)
    if right:
        assert qnet.loads(text).solve().records()
    else:
        assert refused(text)


def test_what_a_cost_is_per_is_read_as_an_expression():
    system = qnet.load("one-queue")
    with pytest.raises(UsageError, match="--per"):
        system.cost(of="server", per="rate +")


@pytest.mark.parametrize(("length", "shown"), [(39, 39), (40, 40), (41, 37)])
def test_texts_of_up_to_forty_characters_are_shown_in_full(length: int, shown: int):
    assert describe("x" * length) == repr("x" * shown + ("..." if shown < length else ""))


def test_the_percentile_of_a_wait_is_written_with_its_station():
    with pytest.raises(ExpressionError) as caught:
        check(parse("wait_p90 + 1 s").root, {"wait('cpu')": TIME}, {})
    assert caught.value.help == "write wait_p90('cpu')"


def test_plain_numbers_are_computed_with_plain_operations():
    import numpy as np

    assert operations_for(1.0, 2) is FLOATS
    assert operations_for(1.0, np.ones(2)) is arrays()


def test_stations_of_which_one_holds_a_table_have_a_header_each():
    stations = {"cpu": {}, "disk": {"copies": 4, "split": {"hot": 1, "share": 0.5}}}
    text = qnet.loads({**TWO, "stations": stations}).document.text
    assert "[stations.cpu]" in text and "[stations.disk]" in text
    assert "[stations.cpu]" not in qnet.loads(TWO).document.text


def test_a_variation_below_zero_is_refused_where_a_chain_states_it():
    text = qnet.load("web-shop").document.text.replace("[parameters]", "[parameters]\nspread = -1")
    text = text.replace('database = "10 ms" }', 'database = { time = "10 ms", scv = "spread" } }')
    text = text.replace('database = { discipline = "ps" }', "database = {}")
    with pytest.raises(QnetError) as caught:
        qnet.loads(text).solve()
    (problem,) = caught.value.problems
    assert problem.path == ("chains", "session", "classes", "looking", "service", "database", "scv")
    assert problem.line


def test_a_word_where_a_number_belongs_is_answered_by_what_to_write():
    """Not by a list of figures of the solution, which no number of servers may depend on."""
    text = {"title": "words", "parameters": {"crew": 3, "pause": "2 s", "mode": "fast"}, "stations": {"cpu": {}}}
    steps = [{"station": "cpu", "time": "quick", "scv": "one"}]
    model: dict[str, Any] = {**text, "classes": {"x": {"population": "ten", "think_time": "1 s", "steps": steps}}}
    model["stations"] = {"cpu": {"servers": "two"}}
    helps = {problem.path[-1]: problem.help for problem in refused(model) if problem.code == "QN112"}
    number = "write a number, such as 2, or the name of a parameter: crew"
    assert helps == {
        "servers": number,
        "population": number,
        "scv": number,
        "time": 'write a number, such as "5 ms", or the name of a parameter: pause',
        "mode": "write a number, such as 2, or an expression over other parameters; of a choice of words, "
        'state options = ["...", "..."]',
    }


def test_a_word_near_a_name_is_a_name_misspelt():
    model = {**of_class(), "parameters": {"crew": 3}, "stations": {"cpu": {"servers": "crow"}, "disk": {}}}
    assert [problem.help for problem in refused(model)] == ['did you mean "crew"?']
