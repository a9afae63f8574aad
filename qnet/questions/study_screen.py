"""A study on one screen: at most 40 lines of 100 columns, whatever there is to say."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.questions.study_picture import Picture
from qnet.record import Record
from qnet.reports.report import Report, Style
from qnet.reports.text import clean, fold, pad, width

LINES, COLUMNS = 40, 100
_LABEL = 10
_MOST = {"question": 2, "answer": 3, "source": 2, "stations": 1}
"""The lines that a text may take."""
_FIGURE, _SHARE = 12, 7
_FEWEST_ROWS, _MOST_ROWS = 5, 9
"""Of the drawing, without its axes."""
_SOME = 6
"""The claims that are met which are told even where the drawing has to shrink for them."""
_LEAST = 2
"""The lines that claims have at the least."""


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
    """What the screen tells, in its order."""

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
        below += _labelled("not told", self.cannot_tell, columns, 3, style)
        below += _labelled("terms", terms, columns, 3, style)
        needed = self._needed()
        drawn: list[str] = []
        for rows in range(_MOST_ROWS, _FEWEST_ROWS - 1, -1):
            drawn = self._drawing(columns, rows, style)
            if LINES - len(head) - len(foot) - len(below) - len(drawn) >= needed:
                break
        room = LINES - len(head) - len(foot) - len(below) - len(drawn)
        if room < _LEAST + 1:
            drawn, room = [], room + len(drawn)
        lines = [*head, *self._claims(columns, room, style), *foot, *drawn, *below]
        return "\n".join(line.rstrip() for line in lines[:LINES]) + "\n"

    def _needed(self) -> int:
        """The lines that claims are given before the drawing: all that are missed with their remarks, and some more."""
        marked = sum(2 if line.remark else 1 for line in self.claims if line.mark)
        return 1 + marked + min(_SOME, sum(not line.mark for line in self.claims))

    def _claims(self, columns: int, room: int, style: Style) -> list[str]:
        """The claims as far as there is room, and a line on those for which there is none."""
        name = max(20, columns - _LABEL - 2 * _FIGURE - 2 * _SHARE - 4)
        heading = _row(name, "", self.counted, "measured", "model", "error", "null")
        lines = [heading if width(heading) <= columns else _row(name, "", "predictions", *_HEADS)]
        if width(self.counted) > name:
            lines = (
                [_cut(self.counted, columns), _row(name, "", "", *_HEADS)]
                if room > 4
                else [_cut(self.counted, columns)]
            )
        told = 0
        marked = sum(bool(line.mark and line.remark) for line in self.claims)
        long = 2 if len(lines) + len(self.claims) + 2 * marked <= room else 1
        for index, line in enumerate(self.claims):
            left = len(self.claims) - index
            reserve = 1 if left > 1 else 0
            if len(lines) + 1 + reserve > room:
                break
            cells = (line.stated, line.modelled, line.error, line.null_error)
            lines.append(_row(name, line.mark, clean(line.name, style.ascii), *cells))
            told += 1
            if line.mark and line.remark and len(lines) + 1 + reserve <= room:
                lines += _labelled("", line.remark, columns, long, style)
        if told < len(self.claims):
            rest = self.claims[told:]
            sizes = [abs(line.size) for line in rest if line.size is not None]
            most = f", each within {100 * max(sizes):.1f} %" if sizes else ""
            lines.append(f"{'':{_LABEL}}and {len(rest)} more{most}: qnet validate {self.study}")
        return lines

    def _drawing(self, columns: int, rows: int, style: Style) -> list[str]:
        """The picture: its command, and the drawing or its rows."""
        if self.picture is None:
            return []
        lines = _labelled("picture", self.picture.command, columns, 1, style)
        narrow = style.replace(width=min(columns, style.width or columns))
        shown = Report("", "", self.picture.columns, self.picture.rows)
        if self.picture.plot is None:
            table = shown.text().splitlines()
            body = [line for line in table if line.strip()]
            return lines + [_cut(line, columns) for line in body[: rows + 2]]
        from qnet.reports.chart import plot_of

        plot = self.picture.plot.replace(rows=self.picture.drawn, points=self.points)
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
    """A text behind its label, in so many lines at the most."""
    if not text:
        return []
    folded = fold(clean(text, style.ascii), columns - _LABEL)
    if len(folded) > most:
        folded = [*folded[: most - 1], _cut(" ".join(folded[most - 1 :]), columns - _LABEL)]
    return [f"{label if not index else '':{_LABEL}}{line}" for index, line in enumerate(folded)]


def _cut(text: str, columns: int) -> str:
    """A text cut between words to so many columns."""
    if width(text) <= columns:
        return text
    return f"{fold(text, columns - 4)[0]} ..."


def _joined(lines: list[str], columns: int) -> list[str]:
    """A drawing with the legend of its lines in one line."""
    last = max((place for place, line in enumerate(lines) if "┬" in line or "-+" in line or "└" in line), default=-1)
    if last < 0:
        return [_cut(line, columns) for line in lines]
    body, legend = lines[: last + 3], lines[last + 3 :]
    return [_cut(line, columns) for line in body] + ([_cut("   ".join(legend), columns)] if legend else [])
