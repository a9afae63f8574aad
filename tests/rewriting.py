"""Test modules of a fresh checkout, compiled by the runners of `pytest -n` side by side, each of which needs them all.

Without this every runner rewrites the assertions of every module for itself, which takes longer than to collect them.
It uses functions inside pytest; where a version has others, modules are rewritten when they are imported.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import pytest

TESTS = Path(__file__).parent


def rewrite_share(config: pytest.Config, runner: int, runners: int) -> None:
    """Write the modules that were never compiled, one of every `runners` of them, from the `runner`th on."""
    if sys.dont_write_bytecode:
        return
    with suppress(ImportError, AttributeError, TypeError, ValueError, KeyError, OSError, SyntaxError):
        from _pytest.assertion import rewrite

        for source in sorted(TESTS.rglob("test_*.py"))[runner::runners]:
            written = rewrite.get_cache_dir(source) / (source.stem + rewrite.PYC_TAIL)
            if not written.exists():
                known, code = rewrite._rewrite_test(source, config)
                written.parent.mkdir(exist_ok=True)
                rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, known, written)
