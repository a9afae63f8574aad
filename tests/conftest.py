"""A folder in which the processes of a run of tests keep what they share (`once`), what the collector skips, and what
the runners tell the process that started them.

The tests themselves, thousands of items and hundreds of modules, live as long as the process: a collector of garbage
that looks through them again and again takes a tenth of the time. Models are read once (`asked_once`).
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile

import pytest
from _pytest.runner import runtestprotocol
from asked_once import keep_models
from full import FULL, LONGEST
from once import FOLDER
from rewriting import rewrite_share

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
"""Small matrices only: threads of the linear algebra would fight for the processors of the other workers."""
LONG = "a long proof"
"""Why a test is skipped outside of the full mode."""
gc.disable()
"""Until the tests are collected: what a module makes when it is imported stays."""


def pytest_configure(config: pytest.Config) -> None:
    """Make the folder, in the process that starts the others; and let interrupts through in all of them.

    What a shell starts in the background ignores interrupts, and so would every command that a test starts.
    """
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGQUIT, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)
    # Files in their order, which ends with many short ones: the one with the fewest tests may take longest.
    config.option.loadscopereorder = False
    if FOLDER not in os.environ:
        os.environ[FOLDER] = tempfile.mkdtemp(prefix="qnet-tests-")
        config.add_cleanup(lambda: shutil.rmtree(os.environ.pop(FOLDER), ignore_errors=True))
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(_FewReports())
        runner = int(config.workerinput["workerid"].removeprefix("gw"))
        rewrite_share(config, runner, config.workerinput["workercount"])


class _FewReports:
    """A runner of `pytest -n` tells how each test ended, and of the fixtures only what failed or took time.

    Each report is packed, sent and unpacked, which takes longer than a short test.
    """

    SHORT = 0.005
    """Seconds that `--durations` leaves out as well."""

    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Run a test with its fixtures; True, since nobody else is to."""
        for report in runtestprotocol(item, log=False, nextitem=nextitem):
            if report.when == "call" or not report.passed or report.duration >= self.SHORT:
                item.ihook.pytest_runtest_logreport(report=report)
        return True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip long proofs outside of the full mode; in it, begin with the longest files."""
    if FULL:
        items.sort(key=lambda item: item.path.name not in LONGEST)
        return
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(pytest.mark.skip(reason=LONG))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was left out, and how to run it."""
    left = sum(LONG in str(report.longrepr) for report in terminalreporter.stats.get("skipped", []))
    if left:
        terminalreporter.line(f"{left} long proofs are left out: with QNET_FULL=1 they run too, as in .ci/run")


def pytest_collection_finish() -> None:
    """Read every model once; leave what was collected out of every later search for garbage, and search seldom."""
    keep_models()
    gc.freeze()
    gc.set_threshold(1_000_000, 10, 10)
    gc.enable()
