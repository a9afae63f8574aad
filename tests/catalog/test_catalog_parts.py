"""Loading parts: what a good one says, and everything that a bad one is told."""

from __future__ import annotations

import pytest

from qnet import loads
from qnet.catalog.grades import GRADES, worst
from qnet.catalog.parts import load_part
from qnet.errors import InvalidInput, UsageError
from qnet.units import DATA, TIME

MODEL = """qnet = 1
title = "A disk"
uses = { drive = "disk/drive" }
stations = { disk = {} }
classes.reads = { arrival_rate = "1/s", steps = [{ station = "disk", time = "drive.half" }] }
"""


def problems_of(text: str, make_catalog) -> list[str]:
    """What loading a part with this text complains about, one text for each problem, without the folder."""
    folder = make_catalog({"parts/disk/drive.toml": text})
    with pytest.raises(InvalidInput) as caught:
        load_part("disk/drive")
    return [problem.replace(file=problem.file.replace(f"{folder}/", "")).render() for problem in caught.value.problems]


def test_a_part_with_its_provenance():
    part = load_part("storage/ibm-3990-6")
    assert part.title == "IBM 3990-6 storage controller"
    assert len(part.digest) == 12
    overhead = part.parameters["connect_overhead"]
    assert (overhead.name, overhead.amount, overhead.dimension) == ("connect_overhead", 0.00067022, TIME)
    assert (overhead.grade, overhead.fitted_on) == ("fitted", ("3990-6/front-end/4k/conn",))
    assert overhead.sources == ("performance-associates-1996",)
    assert (overhead.low and overhead.low.source, overhead.high and overhead.high.source) == ("0.620 ms", "0.720 ms")


def test_derived_values_are_recomputed_and_come_after_what_they_use():
    part = load_part("dasd/ibm-3390-3")
    assert part.parameters["rotation"].amount == 2 * part.parameters["latency"].amount
    assert part.parameters["capacity"].dimension == DATA
    order = list(part.parameters)
    assert order.index("capacity") > max(order.index(name) for name in part.parameters["capacity"].expression.names)


def test_a_derived_value_is_no_better_than_what_it_rests_on(make_catalog, drive):
    text = drive.replace('grade = "datasheet"', 'grade = "assumed"\nnote = "a guess"')
    text += '\n[parameters.half]\nvalue = "rotation / 2"\ngrade = "derived"\nsource = "book"\n'
    make_catalog({"parts/disk/drive.toml": text})
    assert load_part("disk/drive").parameters["half"].grade == "derived"
    model = loads(MODEL)
    meta = model.solve().meta
    assert [item["name"] for item in meta["inputs"]] == ["drive.latency", "drive.rotation", "drive.half"]
    assert meta["worst_grade"] == "assumed"


def test_values_may_stand_in_any_order(make_catalog, drive):
    head, latency, rotation = drive.split("\n[")
    make_catalog({"parts/disk/drive.toml": "\n[".join([head, rotation, latency])})
    assert list(load_part("disk/drive").parameters) == ["latency", "rotation"]


def test_the_digest_follows_the_file(make_catalog, drive):
    make_catalog({})
    before = load_part("disk/drive").digest
    make_catalog({"parts/disk/drive.toml": drive.replace("4 ms", "4.1 ms")})
    assert load_part("disk/drive").digest != before


def test_several_sources_in_a_list(make_catalog, drive):
    make_catalog({"parts/disk/drive.toml": drive.replace('source = "book"', 'source = ["book", "other"]', 1)})
    assert load_part("disk/drive").parameters["latency"].sources == ("book", "other")


def test_an_unknown_part_is_suggested():
    with pytest.raises(UsageError, match=r'unknown part "dasd/ibm-3390-4"'):
        load_part("dasd/ibm-3390-4")


def test_a_value_without_source_is_refused_with_file_and_line(make_catalog, drive):
    (text,) = problems_of(drive.replace('source = "book"\n', "", 1), make_catalog)
    assert text.startswith(
        "parts/disk/drive.toml:5: parameters.latency: the value has no source; expected source = the key"
    )
    assert "[QN305]" in text


def test_a_value_without_grade_is_refused(make_catalog, drive):
    (text,) = problems_of(drive.replace('grade = "datasheet"\n', ""), make_catalog)
    assert text.startswith(
        "parts/disk/drive.toml:5: parameters.latency: the value has no grade; expected grade = one of measured,"
    )


def test_a_bare_value_is_refused(make_catalog):
    text = 'schema = 1\nid = "disk/drive"\ntitle = "A drive"\n[parameters]\nlatency = "4 ms"\n'
    (problem,) = problems_of(text, make_catalog)
    assert problem.startswith(
        "parts/disk/drive.toml:5: parameters.latency: the value '4 ms' has no grade and no source"
    )


def test_an_expression_fault_has_a_caret_under_the_place(make_catalog, drive):
    (text,) = problems_of(drive.replace('"2 * latency"', '"2 * (latency + 3 sec)"'), make_catalog)
    assert text.splitlines() == [
        'parts/disk/drive.toml:13: parameters.rotation.value: the unit "sec" is ambiguous or unknown [QN101]',
        "    2 * (latency + 3 sec)",
        "                     ^",
        '  help: write "s"',
    ]


def test_an_unknown_name_is_suggested(make_catalog, drive):
    (text,) = problems_of(drive.replace('"2 * latency"', '"2 * latenzy"'), make_catalog)
    assert 'unknown name "latenzy"' in text and 'did you mean "latency"?' in text and "    ^" in text


def test_a_sum_of_unlike_quantities_is_refused(make_catalog, drive):
    (text,) = problems_of(drive.replace('"2 * latency"', '"latency + 4 KiB"'), make_catalog)
    assert "adds or subtracts (+) a time" in text and "an amount of data" in text


def test_a_circle_is_told_once_and_in_order(make_catalog, drive):
    text = drive.replace('"2 * latency"', '"half * 2"')
    text += '[parameters.half]\nvalue = "third"\ngrade = "derived"\nsource = "book"\n'
    text += '[parameters.third]\nvalue = "rotation / 2"\ngrade = "derived"\nsource = "book"\n'
    text += '[parameters.after]\nvalue = "third / 2"\ngrade = "derived"\nsource = "book"\n'
    (problem,) = problems_of(text, make_catalog)
    assert "[QN308]" in problem
    circles = (
        "rotation uses half uses third uses rotation",
        "half uses third uses rotation uses half",
        "third uses rotation uses half uses third",
    )
    assert any(circle in problem for circle in circles)


def test_two_circles_are_both_told(make_catalog, drive):
    for first, second in (("a", "b"), ("e", "f")):
        for name, other in ((first, second), (second, first)):
            drive += f'[parameters.{name}]\nvalue = "{other}"\ngrade = "derived"\nsource = "book"\n'
    assert [text.count("[QN308]") for text in problems_of(drive, make_catalog)] == [1, 1]


def test_a_long_chain_of_values_loads(make_catalog, drive):
    drive += '[parameters.x0]\nvalue = "latency"\ngrade = "derived"\nsource = "book"\n'
    for number in range(1, 2000):
        drive += f'[parameters.x{number}]\nvalue = "x{number - 1}"\ngrade = "derived"\nsource = "book"\n'
    make_catalog({"parts/disk/drive.toml": drive})
    assert load_part("disk/drive").parameters["x1999"].amount == 0.004


@pytest.mark.parametrize("value", ["inf", "nan", "true", "[1]", "1" + "0" * 400, "2024-01-01"])
def test_values_that_are_no_numbers(value, make_catalog, drive):
    (text,) = problems_of(drive.replace('"4 ms"', value), make_catalog)
    assert text.startswith("parts/disk/drive.toml:6: parameters.latency.value: found ")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("1 / 0", "division by zero"),
        ("latency / (latency - latency)", "division by zero"),
        ("1e200 * 1e200 * latency", "finite"),
    ],
)
def test_values_that_do_not_compute(value, said, make_catalog, drive):
    assert any(said in text for text in problems_of(drive.replace("2 * latency", value), make_catalog))


def test_all_errors_of_a_file_at_once_in_the_order_of_lines(make_catalog):
    text = """schema = 2
id = "disk/other"
title = ""
colour = "red"

[parameters.min]
value = "4 ms"
grade = "datasheet"
source = "book"

[parameters.latency]
value = "4 ms"
low = "5 ms"
high = "4 KiB"
grade = "datasheat"
source = "book"

[parameters.rotation]
value = "2 * latency"
grade = "measured"

[parameters.overhead]
value = "1 ms"
grade = "fitted"
source = 3
remark = "solved"

[parameters.rest]
grade = "derived"
source = "book"

[parameters.guess]
value = "1 KB"
grade = "assumed"
source = "book"
"""
    found = problems_of(text, make_catalog)
    places = [line.split(": ")[:2] for line in (problem.splitlines()[0] for problem in found)]
    assert [(place.rpartition(":")[2], key) for place, key in places] == [
        ("1", "schema"),
        ("2", "id"),
        ("3", "title"),
        ("4", "colour"),
        ("6", "parameters.min"),
        ("13", "parameters.latency.low"),
        ("14", "parameters.latency.high"),
        ("15", "parameters.latency.grade"),
        ("18", "parameters.rotation"),
        ("19", "parameters.rotation.value"),
        ("22", "parameters.overhead"),
        ("25", "parameters.overhead.source"),
        ("26", "parameters.overhead.remark"),
        ("28", "parameters.rest"),
        ("32", "parameters.guess"),
        ("33", "parameters.guess.value"),
    ]


def test_a_part_without_parameters_is_refused(make_catalog):
    (text,) = problems_of('schema = 1\nid = "disk/drive"\ntitle = "A drive"\n', make_catalog)
    assert "the part has no parameters" in text


def test_control_characters_are_refused(make_catalog, drive):
    (text,) = problems_of(drive.replace('"A drive"', '"\\u001b[31mred"'), make_catalog)
    assert "without control characters" in text and "\x1b" not in text


def test_grades_from_best_to_worst():
    assert list(GRADES) == ["measured", "datasheet", "derived", "textbook", "fitted", "assumed"]
    assert worst(["datasheet", "fitted", "measured"]) == "fitted"
    assert worst([]) is None
