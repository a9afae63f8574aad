"""Reading files that nobody vouches for: what is refused, how fast, and with what words."""

from __future__ import annotations

import os
import time
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from qnet.documents import Document, parse, read
from qnet.errors import InvalidInput, Problem, QnetError, UsageError


def told(raw: bytes) -> str:
    """What is wrong with the bytes of a file, on one line."""
    with pytest.raises(InvalidInput) as caught:
        parse(raw, "m.toml")
    return str(caught.value).splitlines()[0]


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "m.toml: the file is empty; expected a model in TOML [QN103]"),
        (b" \n\t\n", "m.toml: the file is empty; expected a model in TOML [QN103]"),
        (b"\x7fELF\0\0\1", "m.toml: this is a binary file; expected a model in TOML, which is text [QN103]"),
        (b"a = 1\nb = '\xff'\n", "m.toml:2: this is not UTF-8 text; expected a model in TOML, which is UTF-8 [QN103]"),
        ("a = 1".encode("utf-16"), "m.toml: this is UTF-16 text; expected a model in TOML, which is UTF-8 [QN103]"),
        (b"a = 1\nb = = 2\n", "m.toml:2: not valid TOML: "),
        (b"a = 1\na = 2\n", "m.toml:2: not valid TOML: "),
        (b"a = 1\n\nb = [1,\n\n\n", "m.toml:3: not valid TOML: "),
        (b"a = '''\n\n", "m.toml:1: not valid TOML: "),
        (b"a = 1\rb = 2", "m.toml:1: not valid TOML: "),
        (b"a = " + b"[" * 60 + b"]" * 60, "m.toml: values nest more than 40 deep; expected fewer levels [QN103]"),
        (
            b"a = " + b"[" * 10_000 + b"]" * 10_000,
            "m.toml: values nest too deeply or are out of range; expected at most 40 levels [QN103]",
        ),
        (b"\n[" + b"a." * 300_000 + b"a]", "m.toml:2: a key has more than 16 parts; expected fewer levels [QN103]"),
        (b"'a' . " * 100_000 + b"a = 1", "m.toml:1: a key has more than 16 parts; expected fewer levels [QN103]"),
        (
            b"a = [" + b"0," * 200_000 + b"]",
            "m.toml: the file has more than 100000 values; expected a smaller model [QN103]",
        ),
        (
            b"a = 0x" + b"f" * 10_000,
            "m.toml: an integer has more than 4096 bits; expected a smaller number [QN103]",
        ),
        (
            b"#" * ((1 << 20) + 1),
            "m.toml: the file is larger than 1 MiB; expected a model of at most that size [QN103]",
        ),
    ],
)
def test_what_is_no_model_file_is_refused_with_its_reason(raw: bytes, words: str):
    assert told(raw).startswith(words)


def test_a_syntax_error_has_a_caret():
    with pytest.raises(InvalidInput) as caught:
        parse(b"[a]\nb = 1 2\n", "m.toml")
    assert caught.value.problems[0].excerpt == "b = 1 2\n      ^"


def test_line_separators_of_unicode_are_no_line_ends():
    assert told("# a\u2028b\x85c\nb = = 2\n".encode()).startswith("m.toml:2: ")


def test_a_byte_order_mark_and_windows_line_ends_are_read():
    document = parse(b"\xef\xbb\xbfa = 1\r\nb = '''x\r\ny'''\r\nc = 2\r\n", "m.toml")
    assert document.data == {"a": 1, "b": "x\ny", "c": 2}
    assert document.line(("c",)) == 4


def test_a_file_of_100_mb_is_refused_without_reading_it(tmp_path: Path):
    path = tmp_path / "model.toml"
    with path.open("wb") as stream:
        stream.truncate(100_000_000)
    start = time.perf_counter()
    with pytest.raises(InvalidInput, match="larger than 1 MiB"):
        read(str(path))
    assert time.perf_counter() - start < 1


def test_an_endless_file_is_refused():
    if not os.path.exists("/dev/zero"):
        pytest.skip("this system has no /dev/zero")
    with pytest.raises(InvalidInput, match="larger than 1 MiB"):
        read("/dev/zero")


def test_a_pipe_is_read(tmp_path: Path):
    reading, writing = os.pipe()
    os.write(writing, b"a = 1\n")
    os.close(writing)
    try:
        assert read(f"/dev/fd/{reading}").data == {"a": 1}
    finally:
        os.close(reading)


@pytest.mark.parametrize("name", ["missing.toml", ".", "missing/model.toml", "a\0b"])
def test_what_cannot_be_read_is_a_usage_error(tmp_path: Path, name: str):
    with pytest.raises(UsageError) as caught:
        read(f"{tmp_path}/{name}")
    assert caught.value.problems[0].code == "QN002"
    assert caught.value.exit_code == 2


def test_standard_input_is_read_for_a_hyphen(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(b"a = 1\n")))
    document = read("-")
    assert (document.name, document.data) == ("<stdin>", {"a": 1})


def test_a_closed_standard_input_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(UsageError, match="standard input is closed"):
        read("-")


@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_000_000,
        '"' * 1_000_000,
        "." * 1_000_000,
        "a." * 500_000,
        "'a." * 300_000,
        "a = " + "[" * 1_000_000,
        "a = " + "[{a=" * 200_000,
        "a = " + "1_" * 500_000,
        "a = '" + "." * 1_000_000,
        "a = 1" + " " * 1_000_000 + "b",
        "\n".join("a.b.c.d" for _ in range(100_000)),
    ],
    ids=lambda text: text[:12],
)
def test_hostile_text_is_refused_in_bounded_time(text: str):
    start = time.perf_counter()
    with pytest.raises(QnetError):
        parse(text.encode(), "m.toml")
    assert time.perf_counter() - start < 2


def test_the_digest_follows_the_text():
    digests = {parse(raw, "m.toml").digest for raw in (b"a = 1", b"a = 2", b"a = 1")}
    assert len(digests) == 2
    assert all(len(digest) == 12 for digest in digests)


def test_a_problem_is_placed_on_the_line_of_its_key():
    document = parse(b"\n[a]\nb = 1\n", "m.toml")
    placed = document.located(Problem("QN204", "x", path=("a", "b")))
    assert (placed.file, placed.line) == ("m.toml", 3)


def test_a_problem_of_another_file_keeps_its_place():
    document = parse(b"a = 1\n", "m.toml")
    problem = Problem("QN305", "x", path=("a",), file="part.toml", line=7)
    assert document.located(problem) == problem


def test_a_missing_key_has_the_line_of_its_table():
    document = Document("m.toml", "\n\n[a.b]\nc = 1\n", {})
    assert document.line(("a", "b", "missing", 3)) == 3


def test_a_key_that_stands_nowhere_has_no_line():
    assert Document("m.toml", "a = 1\n", {}).line(("b",)) == 0
