"""The text of `qnet study` on a terminal: at most 40 lines of 100 columns, for every study."""

from __future__ import annotations

import re
from collections.abc import Sequence

from qnet.questions.study.picture import Picture
from qnet.record import Record
from qnet.reports.chart import plot_of
from qnet.reports.content import Style
from qnet.reports.report import Report
from qnet.reports.text import clean, fold, pad, width

LINES, COLUMNS = 40, 100
"""The size of the screen in characters; a choice of layout."""
_LABEL = 10
"""The width of the label of a line; the longest label fits."""
_MOST = {"question": 2, "answer": 3, "source": 2, "stations": 1}
"""The largest number of lines of a text, by its label; one more on a narrower screen."""
_BETWEEN = 2
"""The number of spaces between figures."""
_FEWEST_ROWS, _MOST_ROWS = 4, 10
"""The range of the height of the drawing in lines, without its axes."""
_SOME = 4
"""The number of reproduced claims for which the drawing shrinks."""
_WORD = re.compile(r"(?:--\S+ )?(?:'[^']*'|\S)+")
"""A word of a command, which may have spaces in quotes, or an option with its value."""
_AXIS = re.compile(r"[-\d.eE ]* [┤│|+]")
"""The beginning of a row of a drawing: a label and the vertical axis."""
_COLOR = re.compile(r"\x1b\[\d*m")


class ClaimLine(Record):
    """The texts of a claim on the screen."""

    mark: str
    """`failed`, `missed`, or empty."""
    name: str
    stated: str
    modelled: str
    error: str
    null_error: str
    remark: str
    size: float | None
    """The relative error as a number."""

    @property
    def figures(self) -> tuple[str, str, str, str]:
        """The cells under the headings `_HEADS`."""
        return self.stated, self.modelled, self.error, self.null_error


class Screen(Record):
    """The content of the screen, in its order."""

    title: str
    texts: tuple[tuple[str, str], ...]
    """Labels and texts above the claims."""
    counted: str
    """The sentence on the number of predictions."""
    claims: tuple[ClaimLine, ...]
    skill: str
    picture: Picture | None
    points: Sequence[tuple[float, float]]
    """The measured points of the picture, in the units of its axes."""
    what_ifs: tuple[str, ...]
    cannot_tell: str
    """The limits of the study."""
    glossary: dict[str, str]
    study: str
    """The name of the study, for the command that lists all claims."""

    def text(self, style: Style) -> str:
        """The text of the screen.

        The claims have the lines that the other texts leave. The drawing shrinks for missed claims and a few others,
        and is left out if the missed claims do not fit otherwise.
        """
        columns = min(COLUMNS, style.width or COLUMNS)
        head = fold(clean(self.title, style.ascii), columns)[: 1 + (columns < COLUMNS)]
        for label, text in self.texts:
            head += _labelled(label, text, columns, _MOST.get(label, 2) + (columns < COLUMNS), style)
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
            if rest - len(drawn) >= self._wanted(columns, style):
                break
        if rest - len(drawn) < self._least(columns):
            drawn = []
        lines = [*head, *self._claims(columns, rest - len(drawn), style), *foot, *drawn, *below]
        return "\n".join(line.rstrip() for line in lines[:LINES]) + "\n"

    def _ordered(self) -> tuple[list[ClaimLine], list[ClaimLine]]:
        """The marked claims, and the others.

        Marked claims with the same remark are adjacent, and the last of them has it.
        """
        groups: dict[str, list[ClaimLine]] = {}
        for index, line in enumerate(self.claims):
            if line.mark:
                groups.setdefault(line.remark or str(index), []).append(line)
        marked = [
            line.replace(remark=line.remark if line is lines[-1] else "") for lines in groups.values() for line in lines
        ]
        return marked, [line for line in self.claims if not line.mark]

    def _least(self, columns: int) -> int:
        """The lines of the marked claims without remarks, the heading, and a line for the others."""
        marked, others = self._ordered()
        return self._heading(columns) + len(marked) + bool(others)

    def _heading(self, columns: int) -> int:
        """The number of lines above the claims."""
        return len(fold(self.counted, columns)) + 1

    def _wanted(self, columns: int, style: Style) -> int:
        """The number of lines of the claims for which the drawing shrinks, with their remarks."""
        marked, others = self._ordered()
        shown = [*marked, *others[:_SOME]]
        lines = sum(1 + len(_remark_of(line, columns, style)) for line in shown)
        return self._heading(columns) + lines + (len(others) > _SOME)

    def _claims(self, columns: int, available: int, style: Style) -> list[str]:
        """The claims with their remarks in the available lines, and a line on the claims that do not fit."""
        sizes = _Sizes(columns, self.claims)
        lines = [*fold(self.counted, columns), sizes.row("", "", *_HEADS)]
        available -= len(lines)
        marked, others = self._ordered()
        shown = marked[: max(0, available)]
        left = available - len(shown) - bool(others or len(shown) < len(marked))
        for line in shown:
            lines.append(self._rendered(line, sizes, style))
            remark = _remark_of(line, columns, style)
            if len(remark) <= left:
                lines += remark
                left -= len(remark)
        left = max(0, left + bool(others))
        rest = [*marked[len(shown) :], *others]
        for line in others:
            remark = _remark_of(line, columns, style)
            if 1 + len(remark) + (len(rest) > 1) > left:
                break
            lines += [self._rendered(line, sizes, style), *remark]
            left -= 1 + len(remark)
            rest.remove(line)
        if rest:
            errors = [abs(line.size) for line in rest if line.size is not None]
            within = f", each within {100 * max(errors):.1f} %" if errors else ""
            lines.append(f"{'':{_LABEL}}and {len(rest)} more{within}: qnet validate {self.study}")
        return lines

    def _rendered(self, line: ClaimLine, sizes: _Sizes, style: Style) -> str:
        """The line of a claim without its remark."""
        return sizes.row(line.mark, clean(line.name, style.ascii), *line.figures)

    def _drawing(self, columns: int, rows: int, style: Style) -> list[str]:
        """The lines of the picture: its command, and the drawing of some rows, or its table."""
        if self.picture is None:
            return []
        lines = _commanded(self.picture.command, columns)
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


class _Sizes:
    """The widths of the columns of claims: those of the figures fit the longest, that of the names is the remainder."""

    def __init__(self, columns: int, claims: Sequence[ClaimLine]) -> None:
        cells = [_HEADS, *(line.figures for line in claims)]
        self.figures = [max(width(row[index]) for row in cells) for index in range(len(_HEADS))]
        self.name = max(20, columns - _LABEL - sum(self.figures) - _BETWEEN * len(_HEADS))

    def row(self, mark: str, name: str, *figures: str) -> str:
        """A line of the table of claims."""
        cells = (pad(text, size, right=True) for text, size in zip(figures, self.figures, strict=True))
        return (" " * _BETWEEN).join([f"{mark:{_LABEL}}{pad(_cut(name, self.name), self.name)}", *cells])


def _remark_of(line: ClaimLine, columns: int, style: Style) -> list[str]:
    """The lines of the remark on a claim, at most two."""
    return _labelled("", line.remark, columns, 2, style)


def _commanded(command: str, columns: int) -> list[str]:
    """The lines of the command of the picture, broken between words so that a shell reads them as one command."""
    lines = [f"{'picture':{_LABEL}}"]
    for word in _WORD.findall(command):
        if len(lines[-1]) > _LABEL and width(lines[-1]) + 1 + width(word) > columns - 2:
            lines[-1] += " \\"
            lines.append(" " * _LABEL)
        lines[-1] += word if len(lines[-1]) == _LABEL else f" {word}"
    return lines


def _labelled(label: str, text: str, columns: int, most: int, style: Style) -> list[str]:
    """A text after its label in at most `most` lines; the last is cut if the text is longer."""
    if not text:
        return []
    folded = fold(clean(text, style.ascii), columns - _LABEL)
    if len(folded) > most:
        folded = [*folded[: most - 1], _cut(" ".join(folded[most - 1 :]), columns - _LABEL)]
    return [f"{label if not index else '':{_LABEL}}{line}" for index, line in enumerate(folded)]


def _cut(text: str, columns: int) -> str:
    """A text cut between words to a number of columns, with ` ...` if it is longer."""
    if width(text) <= columns:
        return text
    return f"{fold(text, columns - 4)[0]} ..."


def _joined(lines: list[str], columns: int) -> list[str]:
    """The lines of a drawing, with the titles of its axes and the legend moved below it and joined into few lines."""
    first = next((index for index, line in enumerate(lines) if _AXIS.match(line)), -1)
    last = max((index for index, line in enumerate(lines) if "└" in line or "+-" in line), default=-1)
    if first < 0 or last < 0:
        return [_cut(line, columns) for line in lines]
    titles, body, across, legend = lines[:first], lines[first : last + 2], lines[last + 2 : last + 3], lines[last + 3 :]
    packed: list[str] = []
    for text in [f"up: {' '.join(titles)}", *(f"across: {line.strip()}" for line in across), *legend]:
        longer = f"{packed[-1]}; {text}" if packed else text
        if packed and width(_COLOR.sub("", longer)) <= columns:
            packed[-1] = longer
        else:
            packed.append(text)
    return [*body, *packed]
