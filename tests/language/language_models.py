"""A sound model to spoil, and what loading says about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from qnet.documents import parse
from qnet.errors import InvalidInput, Problem
from qnet.model.load import build
from qnet.model.model import Model

SOUND = """\
qnet = 1
title = "A server and its disks"

[parameters]
rate = "20/s"
hit = { value = 0.8, range = [0, 1] }
mode = { value = "fast", options = ["fast", "slow"] }
work = "where(mode == 'fast', 10 ms, 20 ms)"
disks = 2

[stations]
server = { servers = 2 }
disk = { copies = "disks" }
path = {}

[classes.io]
arrival_rate = "rate"

[[classes.io.routes]]
name = "hit"
probability = "hit"
steps = [ { station = "server", time = "work" } ]

[[classes.io.routes]]
name = "miss"
probability = "1 - hit"
steps = [
  { delay = "1 ms" },
  { station = "server", time = "work" },
  { hold = "disk", steps = [
    { time = "5 ms" },
    { hold = "path", steps = [
      { time = "2 ms" },
      { phase = 2, keeps = ["disk"], time = "1 ms" },
    ] },
  ] },
]

[limits.buffer]
load = "rate * 4 KiB"
capacity = "1 MiB/s"

[outputs]
data_rate = { value = "throughput * 4 KiB", unit = "MiB/s" }

[envelopes.ten_ms]
vary = "rate"
limit = "response <= 10 ms"
over = "hit = 0:1:0.5"

[costs.per_hit]
of = ["server", "path"]
per = "hit"
routes = "hit"
"""


def model_of(text: str) -> Model:
    """The model that a text says."""
    return build(parse(text.encode(), "model.toml"), "model.toml")


def spoilt(old: str, new: str) -> str:
    """The sound model with one text in place of another, which stands in it once."""
    assert SOUND.count(old) == 1, f"{old!r} stands {SOUND.count(old)} times in the sound model"
    return SOUND.replace(old, new)


def problems_of(text: str) -> list[Problem]:
    """What is wrong with a model, in the order of the file."""
    with pytest.raises(InvalidInput) as caught:
        model_of(text)
    return list(caught.value.problems)


def told(text: str) -> list[str]:
    """The first line of every problem of a model, as it is printed."""
    return [problem.render().splitlines()[0] for problem in problems_of(text)]


def make_catalog(folder: Path, seek: str) -> None:
    """A catalog with one part, `drive`, and its one parameter."""
    (folder / "parts").mkdir(exist_ok=True)
    (folder / "CATALOG.toml").write_text('schema = 1\ntitle = "x"\n')
    (folder / "sources.toml").write_text('[book]\ntitle = "A book"\n')
    value = f'[parameters.seek]\nvalue = "{seek}"\ngrade = "datasheet"\nsource = "book"\n'
    (folder / "parts" / "drive.toml").write_text(f'schema = 1\nid = "drive"\ntitle = "A drive"\n{value}')
