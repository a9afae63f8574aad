"""Reading expressions: the language, its limits, and everything that Python has and it has not."""

from __future__ import annotations

import sys

import pytest
from many import many

from qnet.expression import ExpressionError, check, evaluate, parse

parsing = sys.modules["qnet.expression.parse"]


def value(text: str) -> float:
    return evaluate(parse(text).root, {})


def refused(text: str) -> ExpressionError:
    with pytest.raises(ExpressionError) as caught:
        check(parse(text).root, {}, {})
    return caught.value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10 ms", 0.01),
        ("10ms + 5 us", 0.010005),
        ("4 KiB / 2 KiB", 2),
        ("600/s", 600),
        ("600 / s", 600),
        ("3 /s/GB * 2 GB", 6),
        ("1 / 2 ms", 500),
        ("2 * 3 + 4 ** 2 // 3", 11),
        ("-2 ** 2", -4),
        ("70 % * 2", 1.4),
        ("2 s^2", 2),
        ("6 B*s / 2 s", 3),
        ("5 ms / min(1, 2)", 0.005),
        ("5 / h", 5 / 3600),
        ("1_000", 1000),
        ("1.5_5", 1.55),
        ("1e1_0", 1e10),
        (".5", 0.5),
        ("where(1 < 2, 3, 4)", 3),
        ("max(1, 2, 3) - min(1, 2)", 2),
        ("interp(1.5, 1, 10, 2, 20)", 15),
        ("interp(9, 1, 10, 2, 20)", 20),
        ("sqrt(16 s^2) / 1 s", 4),
        ("abs(-3) + ceil(1.2) + floor(1.8)", 6),
        ("log(exp(2))", 2),
    ],
)
def test_what_the_language_says(text: str, expected: float):
    assert value(text) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("text", ["(1 +\n 2)", "(1 +\n                    2)", "1 +\n2", "\t1\u00a0+\u20032\n"])
def test_an_expression_may_go_over_several_lines(text: str):
    assert value(text) == 3


def test_names_are_listed_once_in_order():
    names = parse("b + disk.seek * a - b + utilization('cpu') * wait(\"é\")").names
    assert names == ("b", "disk.seek", "a", "utilization('cpu')", "wait('é')")


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("1 + ?", 4),
        ("1 ms + 2 KB", 9),
        ("  1 + foo", 6),
        ("10 ms + bar(2)", 8),
        ("wait('é') + baz(1)", 12),
        ("wait('日本') + 1 ms + baz(1)", 20),
        ("(1 +\n 2 + foo)", 10),
        ("1 + (2 * ", 4),
        ("1_", 1),
        ("1.2.3", 3),
    ],
)
def test_a_fault_has_the_column_of_its_place(text: str, column: int):
    assert refused(text).column == column


@pytest.mark.parametrize("text", ["1 +", "(1 2)", "1 2", "max(1,,2)"])
@pytest.mark.parametrize("space", [" ", "   ", "\t\n "])
def test_space_before_an_expression_moves_the_column_of_its_fault(text: str, space: str):
    assert refused(space + text).column == refused(text).column + len(space)


@pytest.mark.parametrize(
    ("text", "words", "help"),
    [
        ("", "the expression is empty", "write a number"),
        ("1 +", "not complete", "missing operator or operand"),
        ("(1", "not complete", "the parentheses do not match"),
        ("2 ^ 3", "unexpected character '^'", "powers are written **"),
        ("a = b", "unexpected character '='", "compare with =="),
        ("[1]", "unexpected character '['", "lists are not part"),
        ("a % b", "unexpected character '%'", "% follows a number"),
        ("10 KB", 'the unit "KB" is ambiguous or unknown', 'write "kB" for 1000 bytes or "KiB" for 1024'),
        ("2 rate", 'unknown unit "rate"', "units are s ms us"),
        ("50 per second", 'unknown unit "per"', 'write / for per, such as "50/s"'),
        ("50 requests/s", 'unknown unit "requests"', 'leave out "requests"'),
        ("15 milliseconds", 'the unit "milliseconds"', 'write "ms"'),
        ("maxi(1, 2)", 'unknown function "maxi"', 'did you mean "max"?'),
        ("min(1)", "min takes 2 to 20 arguments, not 1", "the smallest argument"),
        ("sqrt(1, 2)", "sqrt takes 1 arguments, not 2", "the square root"),
        ("interp(1, 2, 3, 4)", "interp takes an odd number of 5 to 41 arguments, not 4", "straight lines"),
        ("wait(cpu)", "wait takes one quoted name", "write wait('name')"),
        ("1 < 2 < 3", "comparisons cannot be chained", "split it with where()"),
        ("1e400", "the number is too large", "below 1e300"),
        ("True", "True and False are not values here", "write 1 or 0"),
    ],
)
def test_a_fault_is_told_with_what_to_do(text: str, words: str, help: str):
    fault = refused(text)
    assert words in str(fault)
    assert help in fault.help


@many(
    "text",
    [
        "__import__('os')",
        "().__class__",
        "a.__class__()",
        "'a'.upper()",
        "lambda: 1",
        "lambda x: x",
        "[x for x in y]",
        "(x for x in y)",
        "{1: 2}",
        "f'{a}'",
        "b'a'",
        "r'a'",
        "`a`",
        "a if b else c",
        "a and b",
        "not a",
        "a is b",
        "a in b",
        "a := 1",
        "min(*a)",
        "min(a, key=b)",
        "await a",
        "yield",
        "a[0]",
        "a; b",
        "a @ b",
        "a & b",
        "~a",
        "1j",
        "0x10",
        "None",
        "...",
        "1, 2",
        "()",
        "a\\\nb",
        "eval('1')",
        "open('x')",
        "print",
        "١ + 1",
        "ｘ",
        "1\x00",
    ],
)
def test_nothing_else_of_python_is_understood(text: str):
    assert refused(text).code in ("QN101", "QN110", "QN112")


@pytest.mark.parametrize("text", ["1+" * 149 + "1", "-" * 150 + "150", "(" * 60 + "150" + ")" * 60])
def test_what_is_as_large_as_the_limits_is_read(text: str):
    assert value(text) == 150


def test_six_hundred_parts_are_read_and_one_more_is_not():
    text = "-" + "(1)+" * 149 + "(1)"
    assert value(text) == 148
    assert "more than 600 parts" in str(refused("-" + text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 + " * 2000 + "1", "the expression has 8001 characters"),
        ("1+" * 400 + "1", "more than 600 parts"),
        ("(" * 100 + "1" + ")" * 100, "parentheses nest more than 60 deep"),
        ("(1) + " * 40 + "(" * 61 + "1" + ")" * 61, "parentheses nest more than 60 deep"),
        ("-" * 200 + "1", "more than 150 operations in a row"),
        ("1+" * 200 + "1", "more than 150 operations in a row"),
        ("(" * 10_000 + "1" + ")" * 10_000, "the expression has 20001 characters"),
        ("-" * 10_000 + "1", "the expression has 10001 characters"),
        ("sqrt(" * 3_000 + "1" + ")" * 3_000, "characters"),
    ],
)
def test_size_and_nesting_are_limited_before_anything_is_built(text: str, words: str):
    fault = refused(text)
    assert (fault.code, words in str(fault)) == ("QN111", True)


@pytest.mark.parametrize("text", ["9**9**9", "9**9**9**9", "(2**1000)**1000", "exp(9**9)", "ceil(1e308 * 10)"])
def test_a_power_that_no_float_holds_is_refused_at_once(text: str):
    with pytest.raises(ExpressionError, match="too large"):
        value(text)


def test_a_power_of_whole_numbers_from_outside_is_computed_in_floats():
    root = parse("a ** b ** c").root
    with pytest.raises(ExpressionError, match="too large"):
        evaluate(root, {"a": 9, "b": 9, "c": 9})


PLAIN = ("120ms", " 8.5 ms ", "600/s", "3 /s", "70 %", "1.", "0.25", "4 KiB", "rate", "cu.pend", "12")


@pytest.mark.parametrize("text", PLAIN)
def test_a_number_or_a_name_alone_needs_no_pattern_and_no_tree(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "_plain", lambda _: None)
    expected = parse(text)
    monkeypatch.undo()
    monkeypatch.setattr(parsing, "fold", lambda _: pytest.fail("patterns are asked"))
    assert parse(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "007", "00.5", "1.2.3", "1e3", "5 m", "5 ms/s", "if", "True", "a..b", "a.if", "µs", "\u0663", "1 2", "1s.a", "",
        ".", "9" * 400, "'a'", "5 / s", "3/rate", "1_0", "%", ".5", "-1", "s^2", "2 s^2", "a b",
    ],
)  # fmt: skip
def test_a_text_that_is_no_number_and_no_name_is_read_as_before(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def read() -> object:
        try:
            return parse(text)
        except ExpressionError as error:
            return str(error), error.column, error.code

    now = read()
    monkeypatch.setattr(parsing, "_plain", lambda _: None)
    assert now == read()
