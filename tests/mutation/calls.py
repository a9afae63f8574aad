"""A plugin of pytest: which functions of qnet every test calls, and how long it takes, as JSON.

`python -m pytest -p calls` with QNET_CALLS as the file to write; run without xdist.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

_ROOT = str(Path(os.environ.get("QNET_TREE", Path(__file__).resolve().parents[2])) / "qnet") + os.sep
_calls: dict[str, tuple[float, list[str]]] = {}
_named: dict[CodeType, str] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Trace the calls of one test."""
    seen: set[CodeType] = set()
    add = seen.add

    def trace(frame: FrameType, event: str, argument: Any) -> None:
        add(frame.f_code)

    began = time.process_time()
    sys.settrace(trace)
    try:
        return (yield)
    finally:
        sys.settrace(None)
        _calls[item.nodeid] = time.process_time() - began, [name for code in seen if (name := _name(code))]


def _name(code: CodeType) -> str:
    if code not in _named:
        inside = code.co_filename.startswith(_ROOT) and not code.co_name.startswith("<")
        _named[code] = f"{code.co_filename[len(_ROOT) :]}:{code.co_firstlineno}:{code.co_name}" if inside else ""
    return _named[code]


def pytest_sessionfinish() -> None:
    """Write what was seen."""
    Path(os.environ["QNET_CALLS"]).write_text(json.dumps(_calls))
