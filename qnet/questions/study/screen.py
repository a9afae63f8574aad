"""A study on one screen: at most 40 lines of 100 columns, whatever there is to say."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.questions.study.picture import Picture
from qnet.record import Record
from qnet.reports.chart import plot_of
from qnet.reports.content import Style
from qnet.reports.report import Report
from qnet.reports.text import clean, fold, pad, width

LINES, COLUMNS = 40, 100
_LABEL = 10
_MOST = {"question": 2, "answer": 3, "source": 2, "stations": 1}
"""The lines that a text may take."""
_FIGURE, _SHARE = 12, 7
_FEWEST_ROWS, _MOST_ROWS = 4, 10
"""Of the drawing, without its axes."""
_SOME = 6
"""The number of reproduced claims that are shown even where the drawing has to shrink for them."""
_HEADING = 2
"""The lines above the claims."""


class Line(Record):
    """A claim: how it fares, what it is about, and its figures in words."""

    mark: str
    name: str
    stated: str
    modelled: str
    error: str
    null_error: str
    remark: str
    size: float | None
    """The error as a number."""


class Screen(Record):
    """What the screen shows, in its order."""

    title: str
    texts: tuple[tuple[str, str], ...]
    counted: str
    claims: tuple[Line, ...]
    skill: str
    picture: Picture | None
    points: Sequence[tuple[float, float]]
    what_ifs: tuple[str, ...]
    cannot_tell: str
    glossary: dict[str, str]
    study: str

    def text(self, style: Style) -> str:
        """The screen; the claims take what the rest leaves, the drawing shrinks where they are many."""
        columns = min(COLUMNS, style.width or COLUMNS)
        head = fold(clean(self.title, style.ascii), columns)[:1]
        for label, text in self.texts:
            head += _labelled(label, text, columns, _MOST.get(label, 2), style)
        foot = _labelled("skill", self.skill, columns, 2, style)
        terms = "; ".join(f"{term}: {text}" for term, text in self.glossary.items())
        below: list[str] = []
        for text in self.what_ifs[:2]:
            below += _labelled("what if", text, columns, 2, style)
        below += _labelled("not shown", self.cannot_tell, columns, 3, style)
        below += _labelled("terms", terms, columns, 3, style)
        rest = LINES - len(head) - len(foot) - len(below)
        drawn: list[str] = []
        for rows in range(_MOST_ROWS, _FEWEST_ROWS - 1, -1):
            drawn = self._drawing(columns, rows, style)
            if rest - len(drawn) >= self._wanted():
                break
        if rest - len(drawn) < self._least():
            drawn = []
        lines = [*head, *self._claims(columns, rest - len(drawn), style), *foot, *drawn, *below]
        return "\n".join(line.rstrip() for line in lines[:LINES]) + "\n"

    def _marked(self) -> list[Line]:
        """The claims that are missed, always shown; those that fail for the same reason stand together,
        above the remark of the first of them."""
        groups: dict[str, list[Line]] = {}
        for index, line in enumerate(self.claims):
            if line.mark:
                groups.setdefault(line.remark.split(":")[0] or str(index), []).append(line)
        return [
            line.replace(remark=lines[0].remark if line is lines[-1] else "")
            for lines in groups.values()
            for line in lines
        ]

    def _least(self) -> int:
        marked = len(self._marked())
        return _HEADING + marked + (len(self.claims) > marked)

    def _wanted(self) -> int:
        """The lines that claims are given before the drawing: all that are missed with their remarks, and some more."""
        marked = self._marked()
        remarks = sum(bool(line.remark) for line in marked)
        return self._least() + remarks + min(_SOME, len(self.claims) - len(marked))

    def _claims(self, columns: int, room: int, style: Style) -> list[str]:
        """The claims as far as there is room, and a line on those for which there is none."""
        name = max(20, columns - _LABEL - 2 * _FIGURE - 2 * _SHARE - 4)
        lines = [_cut(self.counted, columns), _row(name, "", "", *_HEADS)]
        marked = self._marked()
        others = [line for line in self.claims if not line.mark]
        shown = marked[: max(0, room - _HEADING)]
        extra = room - _HEADING - len(shown) - bool(others)
        remarks = dict.fromkeys([at for at, line in enumerate(shown) if line.remark][: max(0, extra)], 1)
        extra -= len(remarks)
        count = len(others) if extra + 1 >= len(others) else max(0, extra)
        extra += bool(others) - len(others) if count == len(others) else -count
        for index, line in enumerate(shown):
            if index in remarks and extra > 0:
                remarks[index], extra = 2, extra - 1
            lines.append(self._rendered(line, name, style))
            lines += _labelled("", line.remark, columns, remarks[index], style) if index in remarks else []
        lines += [self._rendered(line, name, style) for line in others[:count]]
        rest = [*marked[len(shown) :], *others[count:]]
        if rest:
            sizes = [abs(line.size) for line in rest if line.size is not None]
            most = f", each within {100 * max(sizes):.1f} %" if sizes else ""
            lines.append(f"{'':{_LABEL}}and {len(rest)} more{most}: qnet validate {self.study}")
        return lines

    def _rendered(self, line: Line, name: int, style: Style) -> str:
        cells = (line.stated, line.modelled, line.error, line.null_error)
        return _row(name, line.mark, clean(line.name, style.ascii), *cells)

    def _drawing(self, columns: int, rows: int, style: Style) -> list[str]:
        """The picture: its command, and the drawing or its rows."""
        if self.picture is None:
            return []
        lines = _labelled("picture", self.picture.command, columns, 1, style)
        narrow = style.replace(width=min(columns, style.width or columns))
        shown = Report(schema="", title="", columns=self.picture.columns, rows=self.picture.rows)
        if self.picture.plot is None:
            table = shown.text().splitlines()
            body = [line for line in table if line.strip()]
            return lines + [_cut(line, columns) for line in body[: rows + 2]]

        plot = self.picture.plot.replace(rows=self.picture.drawn, points=self.points, title="")
        if self.picture.drawn:
            shown = shown.replace(rows=())
        text = plot_of(shown.replace(plot=plot), narrow, rows)
        return lines + _joined(text.splitlines(), columns)


_HEADS = ("measured", "model", "error", "null")


def _row(name: int, mark: str, text: str, stated: str, modelled: str, error: str, null: str) -> str:
    cells = [pad(cell, size, right=True) for cell, size in
             ((stated, _FIGURE), (modelled, _FIGURE), (error, _SHARE), (null, _SHARE))]  # fmt: skip
    return f"{mark:{_LABEL}}{pad(_cut(text, name), name)} {' '.join(cells)}"


def _labelled(label: str, text: str, columns: int, most: int, style: Style) -> list[str]:
    """A text after its label, in a limited number of lines."""
    if not text:
        return []
    folded = fold(clean(text, style.ascii), columns - _LABEL)
    if len(folded) > most:
        folded = [*folded[: most - 1], _cut(" ".join(folded[most - 1 :]), columns - _LABEL)]
    return [f"{label if not index else '':{_LABEL}}{line}" for index, line in enumerate(folded)]


def _cut(text: str, columns: int) -> str:
    """A text cut between words to a number of columns."""
    if width(text) <= columns:
        return text
    return f"{fold(text, columns - 4)[0]} ..."


def _joined(lines: list[str], columns: int) -> list[str]:
    """A drawing with its titles and the legend of its lines in one line below."""
    first = next((index for index, line in enumerate(lines) if "┤" in line or "│" in line or "|" in line), -1)
    last = max((index for index, line in enumerate(lines) if "└" in line or "+-" in line), default=-1)
    if first < 0 or last < 0:
        return [_cut(line, columns) for line in lines]
    titles, body, across, legend = lines[:first], lines[first : last + 2], lines[last + 2 : last + 3], lines[last + 3 :]
    listed = [f"up: {' '.join(titles)}", *(f"across: {line.strip()}" for line in across), *legend]
    return [*(_cut(line, columns) for line in body), _cut("; ".join(listed), columns)]
