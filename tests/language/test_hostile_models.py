"""A real model, spoilt at random: it loads or is refused in words, and never takes long."""

from __future__ import annotations

import random
import re
import time
from pathlib import Path

from language_models import SOUND
from many import many

from qnet.catalog.find import system_path
from qnet.documents import parse
from qnet.errors import InvalidInput, NotComputed, UsageError
from qnet.model.bind import bind
from qnet.model.load import build
from qnet.model.scope import station_figures
from qnet.model.values import Values

VALUES = [
    "0",
    "-1",
    "inf",
    "nan",
    "true",
    '""',
    "[]",
    "{}",
    "{ a = 1 }",
    "[[1]]",
    '"x"',
    '"10 KB"',
    '"5"',
    '"5 ms"',
    '"4 KiB"',
    '"rate * 2"',
    '"1 / 0"',
    '"9**9**9"',
    "\"utilization('volume')\"",
    '"where(1 < 2, 3, 4)"',
    "1979-05-27",
    "0xffffffffffffffffffffffffffffffffffffffff",
    '"\\u001b[31m"',
    '"é"',
    '"a\\nb"',
    "'''x'''''",
    '"sqrt(-1)"',
    "99999999999",
    "1e-320",
    "1e300",
    "\"__import__('os')\"",
    '"lambda: 1"',
    '"volume"',
    '"staging"',
    "[0.5, 0.5]",
    '"' + "(" * 200 + '"',
    '"' + "-" * 700 + '1"',
    "0x" + "f" * 2000,
]
CHARACTERS = "\"'[]{}=.,#\n\t \\09azAZ_-+*/()<>%^é\u202e\x1b\x00\u2028"


def spoil(seed: random.Random, text: str) -> str:
    """The text with one thing or a few changed."""
    for _ in range(seed.choice([1, 1, 2, 4])):
        lines = text.split("\n")
        place = seed.randrange(len(lines))
        form = seed.randrange(7)
        if form == 0:
            at = seed.randrange(len(text) + 1)
            text = text[:at] + seed.choice(CHARACTERS) + text[at:]
        elif form == 1:
            at = seed.randrange(len(text))
            text = text[:at] + text[at + seed.randrange(1, 5) :]
        elif form == 2:
            text = "\n".join(lines[:place] + lines[place + 1 :])
        elif form == 3:
            text = "\n".join([*lines[:place], lines[seed.randrange(len(lines))], *lines[place:]])
        elif form in (4, 5) and "=" in text:
            match = seed.choice(list(re.finditer(r"=[^,}\n]*", text)))
            text = f"{text[: match.start()]}= {seed.choice(VALUES)}{text[match.end() :]}"
        else:
            words = list(re.finditer(r"\w+", text)) or [re.match("", text)]
            old, new = seed.choice(words), seed.choice(words)
            assert old is not None
            assert new is not None
            text = text[: old.start()] + new[0] + text[old.end() :]
    return text


@many("number", range(12))
def test_a_spoilt_model_is_loaded_or_refused_in_words(number: int):
    seed = random.Random(number)
    sound = SOUND if number % 2 else Path(system_path("ibm-3990-6")).read_text()
    for _ in range(20):
        text = spoil(seed, sound)
        start = time.perf_counter()
        try:
            model = build(parse(text.encode(), "model.toml"), "model.toml")
            bind(model, Values(model, {}, None, dict.fromkeys(station_figures(model), 0.0)))
        except (InvalidInput, UsageError, NotComputed) as failure:
            assert all(line.isprintable() for line in str(failure).split("\n")), text
        assert time.perf_counter() - start < 1, text
