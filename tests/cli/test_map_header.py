"""`map --no-header`: answers that are put behind others."""

from __future__ import annotations

from pathlib import Path

from warm_process import Answer, answer_of, run_warm

ROWS = b"rate_per_s,id\n10,a\n20,b\n"


def mapped(folder: Path, *options: str, stdin: bytes = ROWS) -> Answer:
    return run_warm(["map", "one-queue", "--metric", "response", *options], folder, stdin)


def test_the_rows_are_those_below_a_header(tmp_path: Path) -> None:
    full, rows = mapped(tmp_path).out, mapped(tmp_path, "--no-header").out
    assert full.splitlines()[1:] == rows.splitlines()
    assert full.startswith("rate_per_s,id,response_s,")


def test_a_header_alone_gives_the_header_of_the_answers(tmp_path: Path) -> None:
    header = mapped(tmp_path, stdin=ROWS[:14])
    assert (header.out, header.code) == (mapped(tmp_path).out.splitlines(keepends=True)[0], 0)
    nothing = mapped(tmp_path, "--no-header", stdin=ROWS[:14])
    assert (nothing.out, nothing.code) == ("", 0)
    empty = mapped(tmp_path, "--no-header", stdin=b"")
    assert (empty.out, empty.code) == ("", 0)


def test_json_lines_have_no_header() -> None:
    answer = answer_of("map", "one-queue", "--jsonl", "--no-header")
    assert answer.code == 2 and "--no-header applies to CSV" in answer.err


def test_csv_can_be_asked_for_by_name(tmp_path: Path) -> None:
    assert mapped(tmp_path, "--csv").out == mapped(tmp_path).out


def test_objects_instead_of_a_header_name_the_option_that_reads_them(tmp_path: Path) -> None:
    answer = mapped(tmp_path, stdin=b'{"rate":"9/s","id":"a"}\n')
    assert answer.code == 3
    assert "help: rows in JSON are read with --jsonl" in answer.err


def test_an_object_of_one_key_too(tmp_path: Path) -> None:
    assert "help: rows in JSON are read with --jsonl" in mapped(tmp_path, stdin=b'{"rate":"9/s"}\n').err
