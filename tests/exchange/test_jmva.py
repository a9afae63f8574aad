"""JMVA files: results that JMT printed, elements one by one, and what is listed."""

from __future__ import annotations

from typing import Any

import pytest
from many import many

import qnet
from qnet.errors import QnetError
from qnet.exchange import jmva
from qnet.exchange.imported import Converted, Reading


def station(name: str, times: tuple[Any, ...], visits: tuple[float, ...], kind: str = "listation", servers: int = 1,
            inner: str = "servicetime") -> str:  # fmt: skip
    """A station with service times and visits of classes A, B, ..."""
    services = "".join(f'<{inner} customerclass="{"ABC"[n]}">{time}</{inner}>' for n, time in enumerate(times))
    numbers = "".join(f'<visit customerclass="{"ABC"[n]}">{visit}</visit>' for n, visit in enumerate(visits))
    head = f'<{kind} name="{name}" servers="{servers}">'
    return f"{head}<servicetimes>{services}</servicetimes><visits>{numbers}</visits></{kind}>"


def file(classes: str, *stations: str, after: str = "", reference: str = "") -> bytes:
    """A file with its parameters, and elements after them."""
    inside = f"<classes>{classes}</classes><stations>{''.join(stations)}</stations>{reference}"
    return f'<?xml version="1.0"?><model><parameters>{inside}</parameters>{after}</model>'.encode()


def read(data: bytes, unit: str = "s") -> Converted:
    return jmva.read(data, Reading(name="model.jmva", time_unit=unit))


def figures(converted: Converted, **settings: str) -> dict[str, Any]:
    """The rows of a solution by name, that of the system under ""."""
    rows = qnet.loads(converted.text).set(**settings).solve().records()
    return {row["name"] or "": row for row in rows}


def texts(converted: Converted) -> str:
    return "\n".join(f"{item.where}: {item.text}" for item in converted.items)


CLOSED = '<closedclass name="A" population="20" priority="0"/>'
TWO = '<closedclass name="A" population="20"/><closedclass name="B" population="16"/>'
THREE = (
    station("S1", (4.25, 2.7), (1, 1), "delaystation"),
    station("S2", (1.4337208155246364, 0.028623955142878223), (1, 1)),
    station("S3", (0.8882342152904023, 5.25), (1, 1)),
)


# Results that JMT printed (its examples 1cl_2stat_loaddep and 2cl_3stat_whatif_servtime)


def test_a_load_dependent_station_has_the_results_of_jmt() -> None:
    data = file('<closedclass name="A" population="5"/>', station("LI", (1.5,), (1,)),
                station("LD", ("1.0;1.5;1.9;2.6;3.1",), (1,), "ldstation", inner="servicetimes"))  # fmt: skip
    rows = figures(read(data))
    assert rows[""]["throughput_per_s"] == pytest.approx(0.4036174845084575, rel=1e-12)
    assert rows["LI"]["queue_length"] == pytest.approx(1.6721203766924755, rel=1e-10)
    assert rows["LD"]["residence_s"] == pytest.approx(8.245132460900095, rel=1e-10)


PRINTED = {
    4.25: (0.5436374298137756, 0.09849954935749905, 5.041383141939758),
    4.694444444444445: (0.5404098087484006, 0.0990456223983101, 4.967768506526558),
    5.138888888888889: (0.5371707966097228, 0.09959362266598906, 4.89611818330575),
    6.472222222222222: (0.5273987569016033, 0.10124692933683253, None),
}
"""Service time of class 1 -> throughput of both classes, residence time of class 1 at the second station."""


@many("time", PRINTED)
def test_a_what_if_analysis_has_the_results_of_jmt(time: float) -> None:
    values = ";".join(map(repr, PRINTED))
    analysis = f'<whatIf className="A" stationName="S1" type="Service Demands" values="{values}"/>'
    converted = read(file(TWO, *THREE, after=analysis))
    assert "qnet sweep ./FILE --over what_if_demand=4.25s,4.694444444444445s" in converted.text
    rows = qnet.loads(converted.text).set(what_if_demand=f"{time} s").solve().records()
    classes = {row["name"]: row["throughput_per_s"] for row in rows if row["scope"] == "class"}
    assert (classes["A"], classes["B"]) == pytest.approx(PRINTED[time][:2], rel=1e-9)
    if PRINTED[time][2]:
        residence = [row["residence_s"] for row in rows if row.get("class") == "A" and row["name"] == "S2"]
        assert not residence or residence[0] == pytest.approx(PRINTED[time][2], rel=1e-9)


# Elements


def test_open_and_closed_classes_share_stations() -> None:
    """Reiser and Kobayashi 1975: to the closed class an open load takes its share of every server."""
    both = '<closedclass name="A" population="5"/><openclass name="B" rate="0.05"/>'
    mixed = figures(read(file(both, station("S1", (5, 0), (1, 0), "delaystation"), station("S2", (1.0, 1.1), (1, 1)))))
    slower = figures(read(file('<closedclass name="A" population="5"/>', station("S1", (5,), (1,), "delaystation"),
                               station("S2", (1.0 / (1 - 0.055),), (1,)))))  # fmt: skip
    assert mixed["A"]["throughput_per_s"] == pytest.approx(slower[""]["throughput_per_s"], rel=1e-9)


def test_a_delay_at_which_a_class_is_counted_is_its_think_time() -> None:
    reference = '<ReferenceStation number="1"><Class name="A" refStation="Think"/></ReferenceStation>'
    data = file(
        CLOSED, station("Think", (5,), (1,), "delaystation"), station("CPU", (0.08,), (1,)), reference=reference
    )
    rows = figures(read(data))
    assert rows[""]["think_time_s"] == 5 or rows["A"]["think_time_s"] == 5
    without = figures(read(data.replace(b"ReferenceStation", b"Elsewhere")))
    assert without[""]["throughput_per_s"] == pytest.approx(rows[""]["throughput_per_s"], rel=1e-12)
    assert without[""]["response_s"] == pytest.approx(rows[""]["response_s"] + 5, rel=1e-12)


def test_servers_visits_and_priorities() -> None:
    text = read(file('<openclass name="A" rate="3" priority="2"/><openclass name="B" rate="1"/>',
                     station("CPU", (0.1, 0.2), (2, 0.5), "prsstation", servers=2))).text  # fmt: skip
    assert 'CPU = { discipline = "preemptive", servers = 2 }' in text
    assert "priority = 2" in text
    assert "visits = 0.5" in text


def test_times_have_the_unit_that_is_stated() -> None:
    text = read(file('<openclass name="A" rate="0.02"/>', station("CPU", (10,), (1,))), "ms").text
    assert (qnet.loads(text).solve().columns["response_s"][0]) == pytest.approx(0.01 / (1 - 0.2))


def test_attributes_of_qnsolver() -> None:
    data = file('<closedclass name="A" population="4" thinktime="3"/>', station("CPU", (1,), (1,), "ldstation", 2))
    text = read(data).text
    assert 'think_time = "3 s"' in text
    assert "servers = 2" in text


@pytest.mark.parametrize(
    ("analysis", "parameter", "classes"),
    [
        ('className="A" type="Number of Customers" values="1;5;20"', "what_if_customers=1,5,20", TWO),
        ('type="Number of Customers" values="0.5;1"', "what_if_factor=0.5,1", TWO),
        ('className="A" type="Population Mix" values="0;0.5;1"', "what_if_share=0,0.5,1", TWO),
        ('stationName="S2" type="Service Demands" values="1;1.5"', "what_if_factor=1,1.5", TWO),
        ('className="B" type="Arrival Rates" values="0.1;0.2"', "what_if_rate=0.1/s,0.2/s",
         '<openclass name="A" rate="0.05"/><openclass name="B" rate="0.1"/>'),
        ('type="Arrival Rates" values="1;2"', "what_if_factor=1,2",
         '<openclass name="A" rate="0.02"/><openclass name="B" rate="0.03"/>'),
    ],
)  # fmt: skip
def test_a_what_if_analysis_becomes_a_parameter(analysis: str, parameter: str, classes: str) -> None:
    converted = read(file(classes, *THREE, after=f"<whatIf {analysis}/>"))
    assert f"--over {parameter}" in converted.text.split("qnet = 1")[0]
    name, _, values = parameter.partition("=")
    rows = qnet.loads(converted.text).sweep(parameter).records()
    assert len({row[key] for row in rows for key in row if key.startswith(name)}) == values.count(",") + 1
    assert name in texts(converted)


def test_a_population_mix_keeps_the_number_of_customers() -> None:
    analysis = '<whatIf className="B" type="Population Mix" values="0.25;0.5"/>'
    for share, populations in (("0.25", (27, 9)), ("0.125", (31, 5))):  # 4.5 customers are rounded once
        rows = figures(read(file(TWO, *THREE, after=analysis)), what_if_share=share)
        assert (rows["A"]["population"], rows["B"]["population"]) == populations


# What is listed, and what is refused


def test_what_a_model_has_no_place_for_is_listed_by_line() -> None:
    after = (
        '<algParams><algType name="Linearizer" tolerance="1E-7"/><compareAlgs value="true"/></algParams>\n'
        '<whatIf type="Sizes" values="1"/><blockingRegion name="R"/>\n<solutions ok="true"><algorithm/></solutions>'
    )
    listed = texts(read(file(CLOSED, station("CPU", (1,), (1,)), after=after)))
    for text in ("--method linearizer", "comparison of algorithms", '"Sizes" is left out', "<blockingRegion>"):
        assert text in listed
    assert "model.jmva:3: <solutions> is left out" in listed
    assert "<algorithm>" not in listed


def test_service_times_that_grow_differently_are_refused() -> None:
    lists = station("LD", ("1;1;1", "1;2;3"), (1, 1), "ldstation", inner="servicetimes")
    with pytest.raises(QnetError, match="grow differently by class"):
        read(file('<closedclass name="A" population="2"/><closedclass name="B" population="1"/>', lists))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (file(CLOSED), "no classes or no stations"),
        (file(CLOSED, station("CPU", (1, 2), (1, 1))), "2 service times and 2 visits of 1 classes"),
        (file(CLOSED, station("CPU", ("$x",), (1,))), "variables of other programs"),
        (file(CLOSED, station("CPU", ("1_0",), (1,))), "a number from 0"),
        (file(CLOSED, station("CPU", ("nan",), (1,))), "a number from 0"),
        (file(CLOSED, station("CPU", (-1,), (1,))), "a number from 0"),
        (file(CLOSED.replace("20", "2.5"), station("CPU", (1,), (1,))), "an integer"),
        (file(CLOSED, *[station("CPU", (1,), (1,))] * 2), "is repeated"),
        (file(CLOSED, station("LD", ("1;2",), (1,), "ldstation", inner="servicetimes")), "too short"),
        (file(TWO, station("CPU", (1, 2), (1, 1)).replace('"A"', '"B"', 1)), "another order"),
        (b"<html/>", "<model> of JMVA"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_its_line(data: bytes, message: str) -> None:
    with pytest.raises(QnetError, match=message.replace("$", r"\$")) as caught:
        read(data)
    assert "QN760" in str(caught.value)


def test_names_are_escaped() -> None:
    model = qnet.loads("qnet = 1\ntitle = '<&>'\n[stations]\n'a<\"b' = {}\n[classes.'x&y']\npopulation = 1\n"
                       "steps = [{ station = 'a<\"b', time = '1 s' }]")  # fmt: skip
    back = read(jmva.write(model).text.encode()).text
    assert "x&y" in back
    assert "<&>" in back


# What-if analyses that are written

VARIED = """
qnet = 1
title = "x"
[parameters]
users = 6
batch = 2
load = 1
mix = 0.75
think = "5 s"
service = "80 ms"
speed = 1
[stations]
cpu = { discipline = "ps" }
disk = {}
[classes.a]
population = "POPULATION"
think_time = "think"
steps = [{ station = "cpu", time = "service / speed" }, { station = "disk", visits = 2, time = "10 ms" }]
[classes.b]
population = "OTHER"
steps = [{ station = "cpu", time = "200 ms / speed" }, { station = "disk", time = "10 ms" }]
"""


@pytest.mark.parametrize(
    ("over", "populations", "element"),
    [
        ("users=1,5,20", ("users", "batch"), 'className="a" type="Number of Customers" values="1;5;20"'),
        ("load=1,2", ("load * 6", "load * 2"), 'type="Number of Customers" values="1;2"'),
        ("mix=0.25,0.5", ("8 * mix", "8 - 8 * mix"), 'className="a" type="Population Mix" values="0.25;0.5"'),
        ("think=1s,2s", ("6", "2"), 'className="a" stationName="think" type="Service Demands" values="1;2"'),
        ("service=50ms,1s", ("6", "2"), 'className="a" stationName="cpu" type="Service Demands" values="0.05;1"'),
        ("speed=0.5,1", ("6", "2"), 'stationName="cpu" type="Service Demands" values="2;1"'),
    ],
)
def test_values_of_a_parameter_become_an_analysis_and_come_back(
    over: str, populations: tuple[str, str], element: str
) -> None:
    model = qnet.loads(VARIED.replace("POPULATION", populations[0]).replace("OTHER", populations[1]))
    converted = jmva.write(model, (over,))
    assert f"<whatIf {element}/>" in converted.text
    back = read(converted.text.encode())
    command = next(line for line in back.text.split("\n") if "qnet sweep" in line).rpartition(" ")[2]
    before = [row["throughput_per_s"] for row in model.sweep(over).records()]
    after = [row["throughput_per_s"] for row in qnet.loads(back.text).sweep(command).records()]
    assert after == pytest.approx(before, rel=1e-9)


def test_what_no_analysis_varies_is_refused() -> None:
    model = qnet.loads(VARIED.replace("POPULATION", "6").replace("OTHER", "2").replace("10 ms", "10 ms / speed"))
    with pytest.raises(QnetError, match="no what-if analysis of the numbers"):
        jmva.write(model, ("speed=1,2",))


def test_elements_may_be_spelled_in_capitals() -> None:
    data = file(CLOSED, station("CPU", (1,), (1,))).replace(b"listation", b"LIStation").replace(b"visits", b"Visits")
    assert "CPU = {}" in read(data).text


@pytest.mark.parametrize("place", ["customerclass", "reference"])
def test_a_class_that_there_is_not_is_named(place: str) -> None:
    reference = '<ReferenceStation><Class name="Q" refStation="s"/></ReferenceStation>'
    data = file('<closedclass name="A" population="3"/>', station("s", (1,), (1,)),
                reference=reference if place == "reference" else "")  # fmt: skip
    if place == "customerclass":
        data = data.replace(b'customerclass="A"', b'customerclass="Q"', 1)
    with pytest.raises(QnetError, match='there is no class "Q"'):
        read(data)
