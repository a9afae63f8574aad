"""The answer to `why` in six lines and the command that reproduces them, to be pasted into a ticket."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.questions.why.findings import ANSWER, BEST, FULL, HELP, LAWS, TRUST, Extended, Finding, Shortened
from qnet.record import Record
from qnet.reports.content import Cell, Content, Note, Style
from qnet.reports.layout import command_of, note_lines
from qnet.reports.report import Report
from qnet.reports.text import clean, fold, prose

LINES = 6
"""Lines of a brief answer; a choice of layout."""
_OF_ANSWER = 4
"""Lines of a brief answer for findings of the section "answer"; a choice of layout."""
_COLUMNS = 80
"""Columns of a plain terminal."""


def sentences(findings: Sequence[Finding]) -> list[Finding]:
    """Six findings: four of the answer, on different quantities, a change, and the method; others if some lack."""
    findings = [_brief(item) for item in findings if item.quantity != BEST]
    answers = {item.quantity: item for item in reversed(findings) if item.section == ANSWER}
    # Of several classes the slowest is named: it is the one that is complained about.
    responses = [item for item in findings if item.section == ANSWER and item.quantity == "response"]
    answers |= {"response": max(responses, key=lambda item: item.value or 0.0)} if responses else {}
    best = [item for item in findings if item.section == ANSWER and item is answers[item.quantity]][:_OF_ANSWER]
    best += [next((item for item in findings if item.section == section), None) for section in (HELP, TRUST)]
    selected = [item for item in best if item]
    for section in (FULL, LAWS, HELP, TRUST):
        more = [item for item in findings if item.section == section and not _repeated(item, selected)]
        selected += more[: LINES - len(selected)]
    # The method comes first here, so that no other sentence takes its line.
    kept = fitting([item.text for item in sorted(selected, key=lambda item: item.section != TRUST)])
    ordered = sorted(selected, key=findings.index)
    return [item.replace(section=ANSWER) for item in ordered if item.text in kept]


def _repeated(item: Finding, selected: Sequence[Finding]) -> bool:
    """Whether a finding, or its first sentence, is among those selected."""
    texts = (item.text, item.first) if isinstance(item, Extended) else (item.text,)
    return any(other.text in texts for other in selected)


def _brief(item: Finding) -> Finding:
    return item.replace(text=item.brief or item.text) if isinstance(item, Shortened) else item


def fitting(lines: Sequence[str]) -> list[str]:
    """The first of some sentences that fit into six lines of 80 columns, without repetitions."""
    result: list[str] = []
    for line in dict.fromkeys(lines):
        if sum(len(fold(text, _COLUMNS)) for text in (*result, line)) <= LINES:
            result.append(line)
    return result


class _Lines(Record):
    """A brief answer in the format `table`: its sentences, one a line, then warnings, then the command."""

    lines: tuple[str, ...]
    report: Content

    def __call__(self, style: Style, notes: Sequence[Note]) -> str:
        warnings = [line for note in notes if note.code != "QN751" for line in note_lines(note, style.ascii)]
        parts = ["\n".join(clean(line, style.ascii) for line in self.lines), "\n".join(warnings)]
        if style.width:
            parts = [prose(part, style.width) for part in parts]
        parts.append(command_of(self.report.meta))
        return "\n\n".join(part for part in parts if part) + "\n"


def brief(report: Report, rows: Sequence[tuple[Cell, ...]], lines: Sequence[str]) -> Report:
    """The report of `why` reduced to some rows, whose texts are `lines`."""
    shorter = report.replace(rows=list(rows), notes=report.warnings, plot=None)
    return shorter.replace(screen=_Lines(tuple(lines), shorter))
