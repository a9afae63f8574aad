"""HTML: one well-formed file in which nothing runs and nothing is loaded, whatever the texts of a model are."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from qnet.reports.content import Bars, Column, Content, Grounds, Note, Statement, Summary
from qnet.reports.report import Report

HOSTILE = "</script><img src=x onerror=alert(1)>\x1b[31m & 'quotes' \"quotes\""
VOID = {"meta", "br", "wbr", "rect", "line", "circle", "polyline"}
TAGS = {
    "html", "head", "title", "style", "body", "main", "header", "section", "footer", "h1", "h2", "h3", "p", "div",
    "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "code", "pre", "figure", "svg", "text", *VOID,
}  # fmt: skip


class Page(HTMLParser):
    """What a page has: tags that close in order, attributes, and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.names: set[str] = set()
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.names |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.names |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


class Stated(Grounds):
    """A `meta` with one model."""

    def __init__(self, text: str) -> None:
        self.known: dict[str, object] = {
            "model": {"title": HOSTILE, "digest": "12ab34"},
            "method": HOSTILE,
            "exactness": "exact",
            "inputs": [{"name": HOSTILE, "value": HOSTILE, "grade": HOSTILE, "sources": [HOSTILE]}],
        }
        self.stated = text

    @property
    def statements(self) -> tuple[Statement, ...]:
        return (Statement(HOSTILE, HOSTILE, "12ab34", self.stated, {HOSTILE: HOSTILE}),)

    def __getitem__(self, key: str) -> object:
        return self.known[key]

    def __iter__(self):
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)


def asked(report: Content) -> Summary:
    return Summary(f"Why {HOSTILE}?", (f"Because {HOSTILE}.",))


@pytest.fixture
def hostile() -> Report:
    return Report(
        schema=f"qnet/{HOSTILE}/1",
        title=HOSTILE,
        columns=(Column("scope", HOSTILE), Column("name", HOSTILE), Column("value", HOSTILE, "s")),
        rows=[(HOSTILE, HOSTILE, 1.0), (HOSTILE, "other", 2.0)],
        notes=(Note(HOSTILE, HOSTILE, "warning", HOSTILE),),
        meta=Stated(f'title = "{HOSTILE}"\n# second line'),
        group="scope",
        plot=Bars("name", ("value",), "scope"),
        command=f"qnet solve '{HOSTILE}'",
        summary=asked,
    )


def test_hostile_texts_stay_texts(hostile: Report) -> None:
    text = hostile.text("html")
    page = Page(text)
    assert set(page.tags) <= TAGS
    assert not {name for name in page.names if name.startswith("on") or name in ("src", "href", "srcset", "action")}
    assert page.text.count("<img src=x onerror=alert(1)>") >= 15
    assert "\x1b" not in text


@pytest.mark.parametrize("fixture", ["hostile", "blocks", "sweep", "prose"])
def test_nothing_runs_and_nothing_is_loaded(fixture: str, request: pytest.FixtureRequest) -> None:
    text = request.getfixturevalue(fixture).text("html")
    page = Page(text)
    assert not {"script", "link", "img", "iframe", "object", "base", "a"} & set(page.tags)
    assert not re.search(r"https?:|url\(|@import|javascript:", re.sub(r"<pre>.*?</pre>", "", text, flags=re.DOTALL))
    assert "default-src 'none'" in text


def test_it_has_question_answer_figure_tables_notes_model_and_command_in_this_order(hostile: Report) -> None:
    headings = re.findall(r"<h2>(.*?)</h2>|(<figure>)", hostile.text("html"))
    named = [first or "figure" for first, _ in headings]
    assert named == ["question", "answer", "figure", "results", "notes", "model", "provenance", "command"]


def test_the_model_is_there_to_the_letter_and_with_its_digest(hostile: Report) -> None:
    page = Page(hostile.text("html"))
    assert any("# second line" in text for text in page.texts)
    assert "digest 12ab34" in page.text


def test_the_command_is_there(hostile: Report) -> None:
    assert hostile.replace(command="qnet  solve 'a  b'").text("html").count("qnet  solve &#39;a  b&#39;") == 1


def test_question_and_answer_among_the_rows_stand_first() -> None:
    columns = (Column("section", "section"), Column("text", "text"), Column("n", "n"))
    rows = [("question", "Why?", None), ("answer", "So.", None), ("more", "Text.", None), ("more", None, 3)]
    text = Report("qnet/why/1", "title", columns, rows, group="section", prose="text").text("html")
    assert re.findall(r"<h2>(.*?)</h2>", text) == ["question", "answer", "more"]


def test_numbers_are_aligned_at_their_points(sweep: Report) -> None:
    text = sweep.replace(plot=None).text("html")
    cells = re.findall(r'<td class="number">([^<]*)</td>', text)
    column = [cell for cell in cells[2::4] if cell.strip()]
    assert len({len(cell) for cell in column}) == 1
    assert len({cell.find(".") for cell in column if "." in cell}) == 1


def test_a_table_wider_than_a_page_continues_below_with_its_names() -> None:
    columns = (Column("name", "name"), *(Column(f"m{n}", f"measurement {n}", "s") for n in range(30)))
    text = Report("qnet/x/1", "x", columns, [("cpu", *(float(n) for n in range(30)))] * 2).text("html")
    tables = re.findall(r"<table>.*?</table>", text, flags=re.DOTALL)
    assert len(tables) > 1
    assert all(table.count('<td class="short">cpu</td>') == 2 for table in tables)
    assert sum(table.count("measurement") for table in tables) == 30


def test_an_empty_report_says_so() -> None:
    assert "(no rows)" in Report("qnet/x/1", "x", (Column("a", "a"),), []).text("html")


def test_the_page_is_made_for_print_too(blocks: Report) -> None:
    assert "@media print" in blocks.text("html")
