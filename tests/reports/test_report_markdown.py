"""Markdown: judged by a parser, so that what is read is what the plain table says."""

from __future__ import annotations

import re

import pytest
from many import many

from qnet.reports.content import Column, Style
from qnet.reports.layout import tables
from qnet.reports.markdown import escaped, fenced
from qnet.reports.render import render
from qnet.reports.report import Report

markdown_it = pytest.importorskip("markdown_it")


def tokens(text: str) -> list[tuple[str, str]]:
    """The kinds of inline tokens and what they show."""
    parser = markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"])
    return [
        (child.type, child.content)
        for token in parser.parse(text)
        if token.type == "inline"
        for child in token.children
        if child.type != "text" or child.content
    ]


def shown(text: str) -> list[str]:
    """The content of each cell, heading, list item and paragraph."""
    parser = markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"])
    return [
        "".join(child.content for child in token.children) for token in parser.parse(text) if token.type == "inline"
    ]


def test_cells_and_headings_are_those_of_the_plain_table(blocks: Report) -> None:
    expected = [
        text
        for table in tables(blocks, Style())
        for text in (table.heading, *table.titles, *(cell for row in table.rows for cell in row))
    ]
    found = shown(render(blocks, "md", Style()))
    assert found[1 : 1 + len(expected)] == expected


def test_no_text_becomes_markup(blocks: Report) -> None:
    kinds = {kind for kind, _ in tokens(render(blocks, "md", Style()))}
    assert kinds <= {"text", "text_special", "em_open", "em_close"}


def test_only_the_last_line_is_in_italics(blocks: Report) -> None:
    text = render(blocks, "md", Style())
    assert [kind for kind, _ in tokens(text)].count("em_open") == 1
    assert text.splitlines()[-1].startswith("*model")


def test_rows_have_as_many_cells_as_the_heading(blocks: Report) -> None:
    rows = [line for line in render(blocks, "md", Style()).splitlines() if line.startswith("|")]
    cells = [len(re.findall(r"(?<!\\)\|", line)) - 1 for line in rows]
    assert cells == [2] * 3 + [6] * 5


def test_numbers_are_right_aligned(blocks: Report) -> None:
    rules = [line for line in render(blocks, "md", Style()).splitlines() if re.fullmatch(r"[|: -]+", line)]
    assert [[cell.strip().endswith(":") for cell in rule.strip("|").split("|")] for rule in rules] == [
        [True, True],
        [False, True, True, True, True, False],
    ]


def test_notes_are_a_list_with_what_to_do(blocks: Report) -> None:
    lines = render(blocks, "md", Style()).splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith("- warning"))
    assert lines[start + 1] == "  - next: use --method mva"
    assert lines[start + 2] == r"- note \[QN001\]: nothing else"


@pytest.mark.parametrize(
    "text",
    ["a|b", "*a*", "_a_", "a_b_c", "`a`", "[a](b)", "<b>a</b>", "~~a~~", "a\\|b", "&lt;", "$a$", "![a](b)", "#a #"],
)
def test_escaped_text_is_shown_as_written(text: str) -> None:
    assert shown(f"## {escaped(text)}") == [text]


def test_a_name_with_underscores_stays_readable() -> None:
    assert escaped("write_fraction") == "write_fraction"


def test_title_cannot_start_a_block() -> None:
    report = Report("qnet/x/1", "a\n\n# b\n- c", (Column("a", "a"),), [(1,)])
    assert render(report, "md", Style()).splitlines()[:3] == [r"## a \# b - c", "", "|   a |"]


def test_plot_stands_in_a_fence(sweep: Report) -> None:
    text = render(sweep, "md", Style(color=True), plot=True)
    fences = [token for token in markdown_it.MarkdownIt("commonmark").parse(text) if token.type == "fence"]
    assert len(fences) == 1
    assert fences[0].content.isascii()
    assert "a share of writes 0\n" in fences[0].content


def test_a_drawing_cannot_leave_its_fence() -> None:
    drawing = "one\n```\ntwo\n````\nthree"
    (fence,) = markdown_it.MarkdownIt("commonmark").parse(fenced(drawing))
    assert fence.content == drawing + "\n"


def test_texts_are_paragraphs_above_the_table_and_the_command_is_fenced(prose):
    assert render(prose, "md", Style()) == (
        "## Why\n\n### first\n\nIt \\*is\\* so.\n\n| number |\n| -----: |\n|      2 |\n\n"
        "### second\n\nTwo sentences.\n\nAnd a paragraph.\n\n```sh\nqnet why 'a  b'\n```\n"
    )


LIVE = [
    "@octocat",
    "see #12",
    "GH-7",
    "https://example.com/a",
    "www.example.com",
    "a@example.com",
    "ftp://h",
    "mailto:a@b.c",
]
LINKS = re.compile(r"(?<![\w\\])@\w|(?<!&)#\d|\bGH-\d|\bwww\.\w|\w://|\w@\w", re.IGNORECASE)
"""What GitHub makes a link of in the text between two pieces of HTML, after Markdown is parsed."""


@many("text", LIVE)
def test_no_text_is_a_mention_or_a_link(text: str) -> None:
    assert LINKS.search(text)
    parser = markdown_it.MarkdownIt("commonmark")
    children = [child for token in parser.parse(escaped(text)) for child in token.children or ()]
    pieces = "".join(child.content if child.type != "html_inline" else "\0" for child in children)
    assert not LINKS.search(pieces)
    assert pieces.replace("\0", "") == text


@pytest.mark.parametrize("text", ["12:30", "a @ b", "100 #", "ratio 1:2", "wwwx"])
def test_text_that_is_no_link_is_left_alone(text: str) -> None:
    assert "<!--" not in escaped(text)
