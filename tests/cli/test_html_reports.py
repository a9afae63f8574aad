"""How the pages of commands are built: well formed, nothing is loaded, nothing in a drawing leaves it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path

import pytest
from warm_process import answer_of

COMMANDS = {
    "solve": ("solve", "ibm-3990-6"),
    "why": ("why", "web-tier"),
    "knee": ("knee", "paging-users", "--limit", "response <= 1 s"),
    "envelope": ("envelope", "ibm-3990-6", "--envelope", "ten_ms", "--over", "skew=1,2,4"),
    "sweep": ("sweep", "web-tier", "--over", "rate=100/s:1100/s:200/s", "--over", "cache_hit=0,0.5"),
    "compare": ("compare", "paging-users", "--with", "memory=128 MiB", "--with", "users=250"),
    "study": ("study", "paging"),
}
VOID = {"meta", "br", "wbr"}
GLYPH = {"12": 6.0, "13": 7.5}
"""The mean width of a letter, by the size of the font; bold ones are wider."""


class Page(HTMLParser):
    """The tags of a page, which close in order, and its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder: Path = tmp_path_factory.mktemp("pages")
    for name, arguments in COMMANDS.items():
        done = answer_of(*arguments, "-o", str(folder / f"{name}.html"))
        assert done.code == 0, done.err
    return {name: (folder / f"{name}.html").read_text() for name in COMMANDS}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_is_well_formed_and_loads_nothing(name: str, pages: dict[str, str]) -> None:
    page = Page(pages[name])
    assert not page.tags & {"script", "link", "img", "iframe", "object", "embed", "base", "a", "form", "image", "use"}
    assert not {item for item in page.attributes if item.startswith("on") or item in ("src", "href", "style", "action")}
    assert not re.search(r"https?:|url\(|@import", re.sub(r"<pre>.*?</pre>", "", pages[name], flags=re.DOTALL))
    assert pages[name].isprintable() or set(filter(lambda item: not item.isprintable(), pages[name])) == {"\n"}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_section_has_a_heading_and_the_page_one_title(name: str, pages: dict[str, str]) -> None:
    headings = re.findall(r"<h2>(.*?)</h2>", pages[name])
    assert all(headings) and headings[:2] == ["question", "answer"] and headings[-1] == "command"
    assert re.findall(r"<h1>(.*?)</h1>", pages[name]) == re.findall(r"<title>(.*?)</title>", pages[name])[:1]


@pytest.mark.parametrize("name", COMMANDS)
def test_names_are_not_broken(name: str, pages: dict[str, str]) -> None:
    for table in re.findall(r"<tbody>(.*?)</tbody>", pages[name], re.DOTALL):
        first = re.findall(r"<tr><td([^>]*)>(.*?)</td>", table)
        assert all(
            "number" in kind or "short" in kind for kind, cell in first if max(map(len, [c for _, c in first])) < 20
        )


@pytest.mark.parametrize("name", COMMANDS)
def test_every_text_of_a_figure_is_inside_it(name: str, pages: dict[str, str]) -> None:
    figures = re.findall(r"<svg.*?</svg>", pages[name], re.DOTALL)
    assert figures
    for figure in figures:
        root = import_module("xml.etree.ElementTree").fromstring(figure)
        assert root.get("role") == "img" and (root.findtext("title") or "").strip()
        left, top, wide, high = map(float, str(root.get("viewBox")).split())
        for item in root.iter("text"):
            x, y, text = float(item.attrib["x"]), float(item.attrib["y"]), item.text or ""
            size = GLYPH[item.get("font-size", "12")] * len(text)
            start = x - {"start": 0.0, "middle": size / 2, "end": size}[item.attrib["text-anchor"]]
            assert left <= start and start + size <= left + wide, text
            assert top + 9 <= y <= top + high - 2, text
        for item in root.iter("rect"):
            start, size = float(item.attrib["x"]), float(item.attrib["width"])
            assert left <= start and start + size <= left + wide


def test_a_page_is_dark_where_the_reader_is_and_light_on_paper(pages: dict[str, str]) -> None:
    style = re.findall(r"<style>(.*?)</style>", pages["solve"], re.DOTALL)[0]
    assert "@media screen and (prefers-color-scheme: dark)" in style and "@media print" in style
    assert style.count("{") == style.count("}")


def test_a_knee_is_told_in_a_sentence() -> None:
    done = answer_of("knee", "interactive-users", "--limit", "response <= 1 s", "--html", "-q")
    text = re.sub(r"<[^>]+>", "", done.out)
    assert "response &lt;= 1 s holds up to users=" in text
    assert "N*, where the asymptotic bounds cross, is 90.97, next to users=90, with a response time of 1.229 s" in text


def test_no_line_ends_between_a_number_and_its_unit(pages: dict[str, str]) -> None:
    page = re.sub(
        r'<td class="(number|short)">.*?</td>|<svg.*?</svg>|<pre>.*?</pre>', "", pages["why"], flags=re.DOTALL
    )
    assert re.findall(r".{20}\d (?:%|ms)\b(?!</span>)", page) == []
    assert re.search(r'<span class="together">[0-9.]+ %</span>', page) and ".together { white-space: nowrap; }" in page


def test_an_empty_row_is_not_continued(pages: dict[str, str]) -> None:
    for table in re.findall(r"<tbody>(.*?)</tbody>", pages["study"], re.DOTALL):
        for row in re.findall(r"<tr>(.*?)</tr>", table):
            cells = re.findall(r"<td[^>]*>(.*?)</td>", row)
            assert len(cells) < 2 or any(cell.strip() for cell in cells[1:])


@pytest.mark.parametrize(
    ("more", "sentences"),
    [
        ([], ["What is the largest rate of",
              "pool: the largest rate is between 242/s (connections = 2) and 447/s (connections = 8)."]),
        (["--vary", "workers", "--limit", "response <= 25 ms"], ["The smallest number of workers is 6."]),
        (["--envelope", "pool", "--crossings"], ["What is every rate of",
              "The limit holds for rate from 1/s to 242/s (connections = 2)."]),
    ],
)  # fmt: skip
def test_an_envelope_is_told_in_sentences(more: list[str], sentences: list[str]) -> None:
    text = re.sub(r"<[^>]+>", "", answer_of("envelope", "web-pool", *more, "--html", "-q").out).replace("\u00a0", " ")
    assert [sentence for sentence in sentences if sentence not in re.sub(r"\s+", " ", text)] == []
