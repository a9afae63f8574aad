"""Small studies for tests, in a catalog of their own."""

from __future__ import annotations

from collections.abc import Callable

WINDOW = """
qnet = 1
title = "one window"
[parameters]
rate = "0.5/s"
time = "1 s"
half = "time / 2"
share = { value = 0.5, range = [0, 1] }
kind = { value = "slow", options = ["slow", "fast"] }
[stations]
window = {}
[classes.client]
arrival_rate = "rate"
steps = [ { station = "window", time = "where(kind == 'slow', time, half)" } ]
[outputs]
in_minutes = { value = "response", unit = "min" }
"""
"""By M/M/1 the response is 1 s / (1 - rate): 2 s at 0.5/s, 4 s at 0.75/s, 5 s at 0.8/s."""

FAST = WINDOW.replace("one window", "a fast window").replace('"1 s"', '"0.5 s"')
"""The response is 1 s / (2 - rate): 2/3 s at 0.5/s."""

HEAD = """schema = 1
id = "s"
title = "Study s"
system = "window"
source = "book"
"""

MakeCatalog = Callable[..., None]


def claim(id: str, **keys: object) -> str:
    """A claim as it stands in a file: texts are quoted, dictionaries become inline tables; predictions have a null."""
    if keys.get("role") == "predicted" and not {"null", "counts_with"} & set(keys):
        keys["null"] = "none: made up"
    lines = [f"{key} = {_toml(value)}" for key, value in {"id": id, **keys}.items()]
    return "\n".join(["[[claims]]", *lines, ""])


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    return str(value).lower() if isinstance(value, bool) else repr(value) if isinstance(value, float) else f'"{value}"'
