"""SVG: well-formed, self-contained, and drawn where the axes say."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

import pytest

from qnet.reports.content import Bars, Cell, Column, Mark, Style
from qnet.reports.figure import Bar, BarFigure, Figure, Point, Rule, bar_figures_of, figures_of, made
from qnet.reports.render import render
from qnet.reports.report import Report
from qnet.reports.svg import COLORS, MARKED, document, drawing

HOSTILE = """</script><img src=x onerror=alert(1)> "quoted' & \x1b[31m]]>"""
LINE: list[Point] = [(float(x), float(x * x)) for x in range(11)]
SPACE = "{http://www.w3.org/2000/svg}"


def tree(figures: list[Figure | BarFigure]) -> Any:
    return import_module("xml.etree.ElementTree").fromstring(document(figures).encode())


def texts(root: Any) -> list[str]:
    return [item.text or "" for item in root.iter(f"{SPACE}text")]


def simple(**more: Any) -> Figure:
    return made([("line", LINE)], "x", "y", **more)


@pytest.mark.parametrize("log", ["", "x", "y", "xy"])
def test_titles_ticks_and_labels_are_texts(log: str) -> None:
    figure = simple(title="title", upright=[Rule(5.0, "knee")], level=[Rule(50.0, "limit")], log=log)
    shown = texts(tree([figure]))
    assert {"title", "x", "y", "knee", "limit", "line"} <= set(shown)
    assert "100" in shown


def test_hostile_texts_are_escaped() -> None:
    figure = made([(HOSTILE, LINE)], HOSTILE, HOSTILE, title=HOSTILE, upright=[Rule(5.0, HOSTILE)])
    bars = BarFigure(HOSTILE, (HOSTILE,), (Bar(HOSTILE, 0.0, 1.0),))
    text = document([figure, bars])
    assert "<img" not in text and "</script" not in text and "\x1b" not in text
    assert {item.tag.removeprefix(SPACE) for item in tree([figure, bars]).iter()} <= {
        "svg", "title", "rect", "text", "line", "polyline", "circle",
    }  # fmt: skip


def test_nothing_is_loaded_from_outside() -> None:
    text = document([simple()])
    assert re.findall(r"https?://[^\"\s]+", text) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"href|url\(|style=|class=", text)


def test_a_straight_line_is_straight_and_rises() -> None:
    figure = made([("line", [(0.0, 0.0), (5.0, 5.0), (10.0, 10.0)])], "x", "y")
    (line,) = tree([figure]).iter(f"{SPACE}polyline")
    (x0, y0), (x1, y1), (x2, y2) = (tuple(map(float, pair.split(","))) for pair in line.get("points").split())
    assert x0 < x1 < x2 and y0 > y1 > y2
    assert (x1, y1) == pytest.approx(((x0 + x2) / 2, (y0 + y2) / 2), abs=0.1)


def test_a_limit_stands_at_the_height_of_its_value() -> None:
    root = tree([made([("line", LINE)], "x", "y", level=[Rule(100.0, "limit")])])
    (line,) = root.iter(f"{SPACE}polyline")
    highest = min(float(pair.split(",")[1]) for pair in line.get("points").split())
    (rule,) = [item for item in root.iter(f"{SPACE}line") if item.get("stroke") == MARKED]
    assert float(rule.get("y1")) == float(rule.get("y2")) == pytest.approx(highest, abs=0.1)


def test_a_gap_parts_a_line() -> None:
    root = tree([made([("line", [(0.0, 0.0), (1.0, 1.0), (2.0, None), (3.0, 1.0), (4.0, 2.0)])], "x", "y")])
    assert len(list(root.iter(f"{SPACE}polyline"))) == 2


def test_lines_differ_without_colour(sweep: Report) -> None:
    figure = figures_of(sweep)[0]
    drawn = list(tree([figure]).iter(f"{SPACE}polyline"))
    assert len({item.get("stroke-dasharray") for item in drawn}) == len(figure.series) == 3
    assert {"a", "b", "c"} <= set(texts(tree([figure])))


def luminance(color: str) -> float:
    parts = [int(color[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("color", [*COLORS, MARKED])
def test_colours_have_contrast_enough_for_text_on_white(color: str) -> None:
    assert 1.05 / (luminance(color) + 0.05) >= 4.5


def test_figures_stand_below_each_other(sweep: Report) -> None:
    inner = tree([*figures_of(sweep)]).findall(f"{SPACE}svg")
    assert [float(item.get("y")) for item in inner] == [0.0, float(inner[0].get("height"))]


def test_all_texts_stay_inside_the_drawing() -> None:
    rules = [Rule(float(at), f"a knee with a long name {at}") for at in range(0, 11, 2)]
    root = tree([simple(title="title " * 60, upright=rules, level=[Rule(50.0, "limit " * 5)])])
    height = float(root.get("height"))
    for item in root.iter(f"{SPACE}text"):
        x, y, size = float(item.get("x")), float(item.get("y")), 6.7 * len(item.text)
        left = x - {"start": 0, "middle": size / 2, "end": size}[item.get("text-anchor")]
        assert left >= -10 and left + size <= 735, item.text
        assert 0 < y < height


def test_a_sentence_where_there_is_nothing_to_draw() -> None:
    assert "nothing to draw: no row has a number for both x and y" in drawing(made([("line", [])], "x", "y"))


def test_bars_have_the_length_of_their_values() -> None:
    root = tree([BarFigure("title", ("change",), (Bar("one", 1.0, 1.0), Bar("two", -2.0, -2.0)))])
    bars = [item for item in root.iter(f"{SPACE}rect") if item.get("fill") == COLORS[0]]
    first, second = (float(item.get("width")) for item in bars)
    assert second == pytest.approx(2 * first, abs=0.2)
    assert {"one", "two", "1", "-2", "title", "change"} <= set(texts(root))


def test_a_report_without_bars_has_no_blocks(sweep: Report) -> None:
    assert bar_figures_of(sweep) == []


def test_what_has_no_room_is_counted() -> None:
    lines = made([(f"line {n}", [(0.0, float(n)), (1.0, float(n))]) for n in range(60)], "x", "y")
    columns = (Column("name", "name"), Column("by", "by"), Column("value", "value"))
    bars = Report(
        "qnet/x/1", "x", columns, [(f"n{n}", "all", float(n)) for n in range(45)], plot=Bars("name", ("value",), "by")
    )
    shown = texts(tree([lines, *bar_figures_of(bars)]))
    assert {"and 8 more lines, not drawn", "and 5 more, not drawn"} <= set(shown)


def test_only_blocks_that_are_asked_for_are_drawn() -> None:
    columns = (Column("name", "name"), Column("by", "by"), Column("value", "value", "s"))
    rows = [("cpu", "station", 0.002), ("cpu", "class at station", 0.001), ("disk", "station", None)]
    report = Report("qnet/x/1", "x", columns, rows, plot=Bars("name", ("value",), "by", only=("station",)))
    (figure,) = bar_figures_of(report)
    assert (figure.title, figure.names, figure.bars) == ("station", ("value (ms)",), (Bar("cpu", 2.0, 2.0),))


def test_a_bar_without_waiting_has_the_colour_of_service() -> None:
    bars = Bars("name", ("service", "residence"), "section", names=("service", "waiting"), stacked=True)
    columns = (Column("section", ""), Column("name", ""), Column("service", "", "s"), Column("residence", "", "s"))
    rows: list[tuple[Cell, ...]] = [("time", "disk", 2.0, 2.0), ("time", "cpu", 1.0, 3.0)]
    (figure,) = bar_figures_of(Report("qnet/x/1", "title", columns, rows, plot=bars))
    assert figure.names == ("service (s)", "waiting (s)")
    text = drawing(figure)
    heights = [line.partition('fill="')[2] for line in text.splitlines() if 'height="14"' in line]
    assert len(set(heights)) == 2
    assert heights[1] == heights[3]  # service lies on top
    assert "1, 2" in text


def test_a_capacity_is_marked_across_bars() -> None:
    bars = Bars("name", ("load",), "section", mark=Mark("load", 1.0, "capacity"))
    columns = (Column("section", ""), Column("name", ""), Column("load", "load"))
    rows: list[tuple[Cell, ...]] = [("time", "disk", 1.8)]
    report = Report("qnet/x/1", "title", columns, rows, plot=bars)
    (figure,) = bar_figures_of(report)
    assert "capacity" in drawing(figure)
    assert figure.mark is not None
    assert figure.mark.value == 1.0
    assert render(report, "table", Style(), plot=True).count("│") == 2
