"""A tiny network from command-line options: written down in the model language, then read like any other file."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.errors import Problem, UsageError
from qnet.model.model import Model


def inline_model(stations: Sequence[str], delays: Sequence[str], servers: Sequence[str], arrival_rate: str) -> Model:
    """The model of `--station NAME=TIME ... --arrival-rate RATE`: one class that visits each station once.

    Raises `UsageError` for an option of another form, `InvalidInput` for values that the language refuses.
    """
    from qnet.documents import parse
    from qnet.model.load import build

    queues, waits, counts = _pairs("--station", stations), _pairs("--delay", delays), _pairs("--servers", servers)
    if not arrival_rate:
        raise UsageError(Problem("QN006", "there are no arrivals", "--arrival-rate RATE, such as --arrival-rate 3/s"))
    for name in counts:
        if name not in queues:
            raise UsageError(Problem("QN006", f'--servers names "{name}"', "one of the stations: " + ", ".join(queues)))
    lines = ["qnet = 1", 'title = "network from the command line"', "[stations]"]
    lines += [f"{_quoted(name)} = {{ servers = {_quoted(counts.get(name, '1'))} }}" for name in queues]
    lines += [f"{_quoted(name)} = {{ delay = true }}" for name in waits]
    lines += ["[classes.customers]", f"arrival_rate = {_quoted(arrival_rate)}", "steps = ["]
    lines += [f"  {{ station = {_quoted(name)}, time = {_quoted(time)} }}," for name, time in [*queues.items(), *waits.items()]]
    return build(parse("\n".join([*lines, "]", ""]).encode(), "<command line>"), "<command line>")


def _pairs(option: str, texts: Sequence[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in texts:
        name, separator, value = text.partition("=")
        if not separator or not name.strip() or not value.strip() or not name.isprintable():
            raise UsageError(Problem("QN006", f'{option} "{text}" is incomplete', f"{option} NAME=VALUE, such as {option} cpu=120ms"))
        if name.strip() in pairs:
            raise UsageError(Problem("QN006", f'{option} names "{name.strip()}" twice', "a name of its own for each"))
        pairs[name.strip()] = value.strip()
    return pairs


def _quoted(text: str) -> str:
    """A TOML basic string."""
    import json

    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
