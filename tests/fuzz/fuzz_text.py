"""Changing texts at random: characters, tokens and lines, with values that programs have stumbled over."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

TOKEN = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|[A-Za-z_][\w]*|\d[\d._]*(?:[eE][+-]?\d+)?|\s+|.", re.DOTALL)

CHARACTERS = "\"'[]{}=.,#\n\r\t \\09azAZ_-+*/()<>%:;&|é\u202e\x1b\x00\x7f\u2028\ufeff\udc80µ∞"

NUMBERS = (
    "0", "1", "-1", "2", "3", "0.5", "1e-300", "1e300", "1e308", "1e-320", "1e9", "1e5", "99999999999", "0.9999999999",
    "1.0000000001", "1e-12", "-0.0", "100", "1000", "7", "0.1", "64", "1e400", "00", "1_000", "0x10", "1e22", "1e17",
)  # fmt: skip

UNITS = (
    "ms", "s", "us", "/s", "/min", "B", "KiB", "MiB", "MB/s", "%", "KB", "m", "h", "ms/KiB", "1/s", "s/MB", "kB", "x",
    "rpm", "ms*ms", "/ms", "day", "GiB/s", "Mbit/s",
)  # fmt: skip

FUNCTIONS = (
    "min(a, b)", "max(1, 2)", "1/0", "log(0)", "sqrt(-1)", "exp(1000)", "9**9**9", "0**-1", "where(1 < 2, 3, 4)",
    "interp(1, 0, 1, 2, 3)", "floor(1e300)", "utilization('cpu')", "wait('cpu')", "queue_length('disk')", "response",
    "response_p95", "throughput", "response_p99_9", "1 // 0", "-1 ** 0.5", "cache_miss(1, 2, 0.5, 1)",
    "missed_revolutions(0.9, 4, 16)", "lifetime_s(1, 2, 3)", "inside('cpu')", "max_throughput", "users * 2",
    "__import__('os')", "lambda: 1", "1 if 2 else 3", "(1).real", "a.b.c.d", "[1]", "f'{1}'", "1j", "True", "None",
    "'text'", "\\u001b[31m", "(" * 100, "-" * 300 + "1", "1 + " * 200 + "1", "x" * 500, "0" * 300,
)  # fmt: skip


def number(rng: Random) -> str:
    """A number, mostly an extreme one."""
    return rng.choice(NUMBERS) if rng.random() < 0.8 else f"{rng.choice('-+ ')}{10 ** rng.uniform(-9, 9):.6g}".strip()


def value(rng: Random, words: Sequence[str] = ()) -> str:
    """A value as expressions have them."""
    form = rng.random()
    if form < 0.35:
        return number(rng)
    if form < 0.65:
        return f"{number(rng)} {rng.choice(UNITS)}"
    if form < 0.8 and words:
        word = rng.choice(words)
        return word if rng.random() < 0.5 else f"{word} {rng.choice('+-*/')} {number(rng)}"
    return rng.choice(FUNCTIONS)


def mutated(rng: Random, text: str, other: str = "", changes: int = 0) -> str:
    """The text with a few changes; `other` is where pieces may come from."""
    for _ in range(changes or rng.choice((1, 1, 1, 2, 3, 6))):
        text = _changed(rng, text, other or text)
    return text


def _changed(rng: Random, text: str, other: str) -> str:
    form = rng.randrange(12)
    if form < 2:
        at = rng.randrange(len(text) + 1)
        return text[:at] + rng.choice(CHARACTERS) + text[at:]
    if form == 2 and text:
        at = rng.randrange(len(text))
        return text[:at] + text[at + rng.choice((1, 1, 2, 5, 30)) :]
    if form < 6:
        return _lines_changed(rng, text, other)
    tokens = TOKEN.findall(text)
    if not tokens:
        return value(rng)
    at = rng.randrange(len(tokens))
    if form == 6:
        tokens[at] = rng.choice(TOKEN.findall(other) or [""])
    elif form == 7:
        del tokens[at : at + rng.choice((1, 1, 2, 4))]
    elif form == 8:
        tokens.insert(at, rng.choice(TOKEN.findall(other) or [""]))
    else:
        numbers = [index for index, token in enumerate(tokens) if token[:1].isdigit()] or [at]
        tokens[rng.choice(numbers)] = number(rng)
    return "".join(tokens)


def _lines_changed(rng: Random, text: str, other: str) -> str:
    lines, pieces = text.split("\n"), other.split("\n")
    at, size = rng.randrange(len(lines)), rng.choice((1, 1, 2, 5))
    form = rng.randrange(4)
    if form == 0:
        del lines[at : at + size]
    elif form == 1:
        start = rng.randrange(len(pieces))
        lines[at:at] = pieces[start : start + size]
    elif form == 2:
        target = rng.randrange(len(lines))
        lines[at], lines[target] = lines[target], lines[at]
    else:
        lines[at] = rng.choice(pieces)
    return "\n".join(lines)
