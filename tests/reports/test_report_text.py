"""Text from elsewhere: nothing that a screen obeys survives, and what people wrote does."""

from __future__ import annotations

import pytest
from many import many

from qnet.reports.text import clean, fold, pad, visible, width


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain text", "plain text"),
        ("[red]x[/red]", "[red]x[/red]"),
        ("a\x1b[31mb\x1b[0mc", "abc"),
        ("a\x1b[38;5;1mb", "ab"),
        ("a\x9b31mb", "ab"),
        ("a\x1b]0;owned\x07b", "ab"),
        ("a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b", "alinkb"),
        ("a\x1b(Bb", "ab"),
        ("a\x1b\x1b[31m[31mb", "a[31mb"),
        ("a\x1b", "a"),
        ("a\nb\r\nc\td", "a b c d"),
        ("a\x08\x07b", "ab"),
        ("a\u202eb\u2066c", "abc"),
        ("Zürich", "Zürich"),
        ("", ""),
    ],
)
def test_clean(text: str, expected: str) -> None:
    assert clean(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("10 µs", "10 us"), ("64 × 3390", "64 x 3390"), ("Zürich", "Zurich"), ("a ≤ b", "a <= b"), ("日本", "??")],
)
def test_clean_in_ascii(text: str, expected: str) -> None:
    assert clean(text, ascii=True) == expected


@many("code", [*range(0x20), 0x7F, *range(0x80, 0xA0)])
def test_no_control_character_survives(code: int) -> None:
    assert clean(f"a{chr(code)}b").isprintable()


@pytest.mark.parametrize(("text", "columns"), [("abc", 3), ("µ", 1), ("日本", 4), ("e\u0301", 1), ("", 0)])
def test_width(text: str, columns: int) -> None:
    assert width(text) == columns


@pytest.mark.parametrize("text", ["", "ab", "日"])
@pytest.mark.parametrize("right", [False, True])
def test_pad_fills_the_room(text: str, right: bool) -> None:
    assert width(pad(text, 5, right)) == 5


@pytest.mark.parametrize("columns", [1, 3, 7, 80])
def test_fold_keeps_every_letter_within_the_room(columns: int) -> None:
    text = "some words and onelongwordwithoutspaces to fold"
    lines = fold(text, columns)
    assert max(map(len, lines)) <= columns
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_fold_breaks_between_words() -> None:
    assert fold("one two three", 8) == ["one two", "three"]


def test_what_a_screen_obeys_is_spelled_out() -> None:
    assert visible("a\x1b[31m\tb\x07\n\udc9bµ\u202e") == "a\\x1b[31m\tb\\x07\n\\x9bµ\\u202e"
