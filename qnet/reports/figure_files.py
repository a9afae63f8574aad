"""Figures as files: SVG without any package, PNG and PDF by matplotlib, which is an optional extra."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from qnet.errors import Problem, UsageError
from qnet.lazy import lazy
from qnet.reports.content import Content
from qnet.reports.figure import MOST_LINES, BarFigure, Figure, axis, bar_figures_of, drawable, figures_of
from qnet.reports.svg import COLORS, DASHES, MARKED, document

SUFFIXES = (".svg", ".png", ".pdf")
_PACKAGE = "matplotlib"
_RASTER = lazy("io")
_TICKS = 6
"""Ticks of a logarithmic axis; a choice of layout."""
_WIDE, _HIGH, _BAR = 7.2, 4.2, 0.28
"""Width of a page, heights of a drawing of lines and of a bar; inches, a choice of layout."""
_TOP, _LOWER, _CLOSE = 0.98, 0.5, 0.03
"""The two heights at which labels of vertical lines begin, as shares of that of the drawing; and the distance, as a
share of its width, below which neighbours take different heights; choices of layout."""
_METADATA: dict[str, dict[str, None]] = {".png": {"Software": None}, ".pdf": {"CreationDate": None, "Producer": None}}
"""Metadata left out, because it differs from day to day or from version to version."""


def check_suffix(path: str) -> None:
    """Check the file name of a figure before anything is computed.

    path     ends in .svg, .png or .pdf.
    Raises   `UsageError` QN762 for another suffix, QN761 where the format needs matplotlib and it is missing.
    """
    suffix = suffix_of(path)
    if not suffix:
        text = f"unknown figure format of {path}"
        raise UsageError(Problem("QN762", text, "a file name that ends in .svg, .png or .pdf"))
    if suffix != ".svg" and find_spec(_PACKAGE) is None:
        text = f"a figure as {suffix} needs {_PACKAGE}, which is not installed"
        help = f"write {path.removesuffix(suffix)}.svg, which needs no package; or pip install 'qnet-solver[plot]'"
        raise UsageError(Problem("QN761", text, help=help))


def suffix_of(path: str) -> str:
    """The suffix of a figure file, in lower case; empty for any other name."""
    return next((suffix for suffix in SUFFIXES if path.lower().endswith(suffix)), "")


def figure_file(report: Content, path: str) -> bytes:
    """The figures of a report in the format of a file name.

    path     its suffix decides the format; nothing is written.
    Returns  the contents of the file.
    Raises   `UsageError` where the format is unknown, where matplotlib is needed and missing, and where there is
             nothing to draw.
    """
    check_suffix(path)
    model: dict[str, str] = report.meta.get("model") or {}
    title = model.get("title") or report.title
    lines = [item.replace(title=": ".join(filter(None, (title, item.title)))) for item in figures_of(report)]
    drawn: list[Figure | BarFigure] = [*lines, *(item for item in bar_figures_of(report) if item.bars)]
    nothing = [item.nothing for item in lines if item.nothing]
    if not drawn or len(nothing) == len(drawn):
        text = nothing[0] if nothing else "nothing to draw: this answer has no curve"
        raise UsageError(Problem("QN763", text, "an answer with a curve, such as a sweep or an envelope along a grid"))
    if suffix_of(path) == ".svg":
        return document(drawn).encode()
    return _rendered([item for item in drawn if isinstance(item, BarFigure) or not item.nothing], suffix_of(path))


def _rendered(figures: list[Figure | BarFigure], suffix: str) -> bytes:
    """All figures below each other, drawn by matplotlib without its global state and without a display."""
    maker: Any = import_module("matplotlib.figure").Figure
    heights = [_HIGH if isinstance(item, Figure) else 1.2 + _BAR * len(item.bars) for item in figures]
    page = maker(figsize=(_WIDE, sum(heights)), layout="constrained")
    axes: Any = page.subplots(len(figures), squeeze=False, gridspec_kw={"height_ratios": heights})
    for item, row in zip(figures, axes, strict=True):
        _lines(row[0], item) if isinstance(item, Figure) else _bars(row[0], item)
    page.savefig(stream := _RASTER.BytesIO(), format=suffix[1:], dpi=150, metadata=_METADATA[suffix])
    return stream.getvalue()


def _plain(text: str) -> str:
    """A text that matplotlib does not take for a formula."""
    return text.replace("$", r"\$")


def _lines(axes: Any, figure: Figure) -> None:
    for index, line in enumerate(figure.series[:MOST_LINES]):
        dash = DASHES[index % len(DASHES)]
        style = (0, tuple(float(part) / 2 for part in dash.split())) if dash else "-"
        xs = [point[0] if drawable(point) else float("nan") for point in line.points]
        ys = [point[1] if drawable(point) else float("nan") for point in line.points]
        marker = "o" if sum(map(drawable, line.points)) == 1 else ""
        color = COLORS[index % len(COLORS)]
        axes.plot(xs, ys, color=color, linestyle=style, marker=marker, label=_plain(line.name))
    if figure.measured:
        xs, ys = zip(*figure.measured, strict=True)
        axes.plot(xs, ys, "o", color="black", markerfacecolor="white", label="measured")
    for rule in figure.level:
        axes.axhline(rule.value, color=MARKED, linestyle="--", linewidth=1)
        axes.annotate(_plain(rule.label), (0.01, rule.value), xycoords=("axes fraction", "data"),
                      xytext=(0, 3), textcoords="offset points", color=MARKED, fontsize=8)  # fmt: skip
    _upright(axes, figure)
    points = [point for line in figure.series for point in line.points if drawable(point)]
    for index, name in enumerate("xy"):
        if name in figure.log:
            ticks = axis([point[index] for point in points], _TICKS, outward=False, log=True)
            along: Any = axes.xaxis if name == "x" else axes.yaxis
            (axes.set_xscale if name == "x" else axes.set_yscale)("log")
            along.set_ticks(ticks.ticks, ticks.labels)
            along.set_ticks([], minor=True)
    if "y" not in figure.log and all(
        point[1] >= 0 for line in figure.series for point in line.points if drawable(point)
    ):
        axes.set_ylim(bottom=0)
    axes.set_xlabel(_plain(figure.x_title))
    axes.set_ylabel(_plain(figure.y_title))
    axes.set_title(_plain(figure.title), fontsize=10, loc="left", wrap=True)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.legend(fontsize=8, frameon=False)


def _upright(axes: Any, figure: Figure) -> None:
    """Draw vertical lines with their labels along them; the label of one close to its neighbour begins lower."""
    xs = [point[0] for line in figure.series for point in line.points if drawable(point)]
    reach = _CLOSE * (max(xs) - min(xs))
    last, height = float("-inf"), _TOP
    for rule in sorted(figure.upright, key=lambda rule: rule.value):
        height = _LOWER if rule.value - last < reach and height == _TOP else _TOP
        last = rule.value
        axes.axvline(rule.value, color=MARKED, linestyle="--", linewidth=1)
        axes.annotate(_plain(rule.label), (rule.value, height), xycoords=("data", "axes fraction"), rotation=90,
                      xytext=(-3, 0), textcoords="offset points", ha="right", va="top", color=MARKED, fontsize=8,
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5})  # fmt: skip


def _bars(axes: Any, figure: BarFigure) -> None:
    names = [_plain(bar.name) for bar in figure.bars]
    positions = list(range(len(names)))
    sides = [[bar.low for bar in figure.bars], [bar.high for bar in figure.bars]] if len(figure.names) > 1 else []
    sides = sides or [[bar.high for bar in figure.bars]]
    shades = (COLORS[0], "#e69138")
    for values, name, color in reversed(list(zip(sides, figure.names, shades, strict=False))):
        widths = [value - figure.base for value in values]
        axes.barh(positions, widths, left=figure.base, color=color, label=_plain(name))
    axes.set_yticks(positions, names)
    axes.invert_yaxis()
    axes.axvline(figure.base, color="black", linewidth=0.8)
    if figure.mark:
        axes.axvline(figure.mark.value, color=MARKED, linestyle="--", linewidth=1, label=_plain(figure.mark.label))
    axes.set_title(_plain(figure.title), fontsize=10, loc="left", wrap=True)
    axes.legend(fontsize=8, frameon=False)
