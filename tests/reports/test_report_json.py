"""JSON and JSON lines: the envelope, its order, and what is read back."""

from __future__ import annotations

import json
from typing import Any

import pytest

import qnet
from qnet.reports.content import Column, Style
from qnet.reports.render import render
from qnet.reports.report import Report

UNPRINTABLE = "".join(map(chr, [*range(32), *range(0x7F, 0xA0), 0x2028, 0x2029, 0xD800]))


def envelope(report: Report) -> dict[str, Any]:
    return json.loads(render(report, "json", Style()))


def test_keys_of_the_envelope_in_their_order(blocks: Report) -> None:
    keys = ["schema", "qnet", "model", "method", "exactness", "columns", "rows", "notes"]
    assert list(envelope(blocks)) == keys


def test_envelope_names_schema_and_version(blocks: Report) -> None:
    found = envelope(blocks)
    assert (found["schema"], found["qnet"]) == ("qnet/solution/1", qnet.__version__)


def test_meta_reads_back(blocks: Report) -> None:
    found = envelope(blocks)
    assert {key: found[key] for key in blocks.meta} == blocks.meta


def test_columns_carry_key_unit_and_title(blocks: Report) -> None:
    assert envelope(blocks)["columns"][3] == {"key": "response_s", "unit": "s", "title": "response time"}


def test_rows_read_back_exactly_with_every_key(blocks: Report) -> None:
    found = envelope(blocks)
    keys = [column["key"] for column in found["columns"]]
    assert [list(row) for row in found["rows"]] == [keys] * len(blocks.rows)
    assert [tuple(row.values()) for row in found["rows"]] == blocks.rows


def test_notes_carry_code_severity_text_and_next(blocks: Report) -> None:
    found = envelope(blocks)["notes"]
    assert found == [
        {"code": note.code, "severity": note.severity, "text": note.text, "next": note.next} for note in blocks.notes
    ]


def test_letters_beyond_ascii_are_left_readable(blocks: Report) -> None:
    assert "µ-disk" in render(blocks, "json", Style())


@pytest.mark.parametrize("format", ["json", "jsonl"])
def test_nothing_that_a_screen_obeys_is_written_raw(format: str) -> None:
    written = render(Report("qnet/x/1", "", (Column("x", ""),), [(UNPRINTABLE,)]), format, Style())
    assert all(character == "\n" or character.isprintable() for character in written)


def test_unprintable_text_reads_back() -> None:
    report = Report("qnet/x/1", "", (Column("x", ""),), [(UNPRINTABLE,)])
    assert envelope(report)["rows"] == [{"x": UNPRINTABLE}]


@pytest.mark.parametrize("key", ["schema", "qnet", "columns", "rows", "notes"])
def test_meta_may_not_hide_the_envelope(key: str, blocks: Report) -> None:
    with pytest.raises(ValueError, match=key):
        render(blocks.replace(meta={key: 1}), "json", Style())


def test_meta_may_not_hold_nan(blocks: Report) -> None:
    with pytest.raises(ValueError):
        render(blocks.replace(meta={"residual": float("nan")}), "json", Style())


def test_indent_is_two(blocks: Report) -> None:
    assert render(blocks, "json", Style()).splitlines()[1].startswith('  "schema"')


def test_jsonl_has_one_compact_row_per_line(blocks: Report) -> None:
    lines = render(blocks, "jsonl", Style()).splitlines()
    rows = envelope(blocks)["rows"]
    assert lines == [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows]


def test_jsonl_without_rows_is_empty(blocks: Report) -> None:
    assert render(blocks.replace(rows=[]), "jsonl", Style()) == ""
