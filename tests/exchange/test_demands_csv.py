"""Tables of demands: loads in columns and in options, names of PDQ, and what is refused."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

import qnet
from qnet.errors import QnetError
from qnet.exchange import demands_csv
from qnet.exchange.formats import read_format, write_format
from qnet.exchange.imported import Item, Reading, notes_of


def read(text: str, **given: Any) -> dict[str, Any]:
    return tomllib.loads(demands_csv.read(text.encode(), Reading(name="demands.csv", **given)).text)


PLAIN = "station,class,demand\ncpu,web,0.1\ndisk,web,0.3\n"


def test_loads_are_given_as_options() -> None:
    model = read(PLAIN, populations={"web": "20"}, think_times={"": "5 s"})
    assert model["classes"]["web"]["population"] == 20
    assert model["classes"]["web"]["think_time"] == "5 s"
    assert read(PLAIN, arrival_rates={"": "120/min"})["classes"]["web"]["arrival_rate"] == "2/s"


def test_loads_stand_in_columns() -> None:
    text = "station,class,demand,population,think_time,arrival_rate\ncpu,a,0.1,4,2,\ncpu,b,0.2,,,1.5\n"
    classes = read(text)["classes"]
    assert (classes["a"]["population"], classes["a"]["think_time"]) == (4, "2 s")
    assert classes["b"]["arrival_rate"] == "1.5/s"


def test_a_closed_network_has_the_throughput_of_mean_value_analysis() -> None:
    """Reiser and Lavenberg 1980, the recursion."""
    queues, throughput = [0.0, 0.0], 0.0
    for number in range(1, 21):
        residence = [demand * (1 + queue) for demand, queue in zip((0.1, 0.3), queues, strict=True)]
        throughput = number / (5 + sum(residence))
        queues = [throughput * time for time in residence]
    text = demands_csv.read(PLAIN.encode(), Reading("x", populations={"": "20"}, think_times={"": "5"})).text
    assert qnet.loads(text).metric("throughput") == pytest.approx(throughput, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("station,class,demand_ms\ncpu,web,100\n", "time", "0.1 s"),
        ("station;class;demand\ncpu;web;0.1\n", "time", "0.1 s"),
        ("station\tclass\tdemand\ncpu\tweb\t0.1\n", "time", "0.1 s"),
        ("# a, comment\nstation;class;demand\ncpu;web;0.1\n", "time", "0.1 s"),
        ('station,class,demand\n"#1",web,0.1\n# 2,web,0.1\n', "station", "#1"),
        ("# comment\nStation,Class,Demand\ncpu,web,0.1\n", "time", "0.1 s"),
        ("station,class,demand,visits\ncpu,web,0.5,5\n", "visits", 5),
        ("station,demand\ncpu,0.1\n", "station", "cpu"),
    ],
)
def test_ways_to_write_a_table(text: str, key: str, value: object) -> None:
    (customers,) = read(text, populations={"": "3"})["classes"].values()
    assert customers["steps"][0][key] == value


def test_nodes_of_pdq_are_disciplines() -> None:
    text = "station,class,demand,servers,discipline\na,w,1,1,DLY\nb,w,1,2,PSHR\nc,w,1,1,CEN\n"
    assert read(text, populations={"": "3"})["stations"] == {
        "a": {"delay": True}, "b": {"discipline": "ps", "servers": 2}, "c": {},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "given", "message"),
    [
        (PLAIN, {}, "has no load"),
        (PLAIN, {"populations": {"wob": "3"}}, 'no class "wob"'),
        (PLAIN, {"populations": {"": "3"}, "arrival_rates": {"": "1"}}, "a population and an arrival rate"),
        (PLAIN, {"populations": {"": "2.5"}}, "an integer"),
        (PLAIN, {"populations": {"": "2"}, "think_times": {"": "5 KiB"}}, "another unit"),
        (PLAIN + "cpu,web,0.2\n", {"populations": {"": "2"}}, "is repeated"),
        (PLAIN + "tape,web\n", {}, "2 cells"),
        (PLAIN + "tape,web,-1\n", {}, "a number from 0"),
        ("class,demand\nweb,1\n", {}, "no column station"),
        ("station,class,demand\n", {}, "no row"),
        ("station,class,demand,servers\ncpu,a,1,1\ncpu,b,1,2\n", {}, "differ from an earlier row"),
        ("station,class,demand,discipline\ncpu,a,1,lifo\n", {}, "one of delay, fcfs"),
        ("", {}, "is empty"),
        ("\xff\x00", {}, "binary"),
    ],
)
def test_what_is_wrong_is_refused(text: str, given: dict[str, Any], message: str) -> None:
    with pytest.raises(QnetError, match=message):
        read(text, **given)


def test_unknown_columns_are_listed() -> None:
    converted = demands_csv.read(PLAIN.replace("demand", "demand,color").replace("0.1", "0.1,x").replace("0.3", "0.3,x")
                                 .encode(), Reading("d.csv", populations={"": "2"}))  # fmt: skip
    assert 'd.csv:1: the column "color" is left out' in str([note.text for note in notes_of(converted.items)])


def test_what_is_the_same_at_several_places_is_one_note() -> None:
    items = [Item("stations.a", "is left out"), Item("", "one server"), Item("stations.b", "is left out")]
    assert [note.text for note in notes_of(items)] == ["stations.a, stations.b: is left out", "one server"]
    assert len(notes_of([items[0], items[2].replace(changes=True)])) == 2


@pytest.mark.parametrize("format", ["csv", "jmva"])
def test_priorities_below_0_keep_their_order(format: str) -> None:
    """JMVA had 0 for both classes without a note, and tables had numbers that cannot be read again."""
    model = qnet.loads("""
qnet = 1
title = "t"
[stations]
"#cpu" = { discipline = "preemptive" }
[classes.a]
population = 2
priority = -3
steps = [{ station = "#cpu", time = "1 s" }]
[classes.b]
population = 2
think_time = "9 s"
priority = -1
steps = [{ station = "#cpu", time = "1 s" }]
""")
    written = write_format(format, model)
    assert "all priorities are 3 higher" in "".join(item.text for item in written.items)
    again = qnet.loads(read_format(format, written.text.encode(), Reading(name="x")).text)
    assert again.metric("response('a')") == pytest.approx(model.metric("response('a')"), rel=1e-9)


def test_priorities_above_those_of_the_language_keep_their_order() -> None:
    text = "station,class,demand,population,priority,discipline\ncpu,a,1,2,300,priority\ncpu,b,1,2,101,priority\n"
    assert [item["priority"] for item in read(text)["classes"].values()] == [2, 1]


def test_the_think_time_of_an_open_class_is_listed() -> None:
    text = "station,class,demand,arrival_rate,think_time\ncpu,a,0.1,2,5\n"
    (item,) = demands_csv.read(text.encode(), Reading(name="x")).items
    assert (item.where, item.text) == ("x:2", 'the think time of "a" is left out, which is an open class')
