"""Processes for commands that find all modules loaded, of which loading is most of the time of a short command.

Each command still is a process of its own, forked where modules are loaded and nothing else has been done. What is
about the start of a process, or about its streams, takes a new interpreter: `cli_process.run_qnet` and `run_shell`.
"""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from cli_process import Answer, environment, run_qnet

SEEN_LATER = {"NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS", "TERM", "QNET_ASCII", "QNET_CATALOG"}
"""Names of the environment that are looked at when a command runs, not when the interpreter starts."""

SERVER = """
import gc, importlib, json, os, pkgutil, sys, traceback
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import click, numpy, rich.console, rich.table, sympy
import qnet
for module in pkgutil.walk_packages(qnet.__path__, "qnet."):
    importlib.import_module(module.name)
from qnet.__main__ import main
gc.collect()
gc.freeze()
for line in sys.stdin:
    asked = json.loads(line)
    child = os.fork()
    if child == 0:
        os.chdir(asked["folder"])
        os.environ.update(asked["changes"])
        place = asked["streams"]
        os.dup2(os.open(os.path.join(place, "in"), os.O_RDONLY), 0)
        os.dup2(os.open(os.path.join(place, "out"), os.O_WRONLY | os.O_APPEND), 1)
        os.dup2(1 if asked["together"] else os.open(os.path.join(place, "err"), os.O_WRONLY), 2)
        sys.argv = ["qnet", *asked["arguments"]]
        code = 1
        try:
            code = main() or 0
        except SystemExit as end:
            code = end.code or 0
        except BaseException:
            traceback.print_exc()
        finally:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class WarmProcess:
    """One command at a time, each forked from a process that waits with all modules loaded."""

    def __init__(self) -> None:
        self.server = subprocess.Popen(
            [sys.executable, "-c", SERVER],
            env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def run(
        self,
        arguments: Sequence[str],
        folder: Path,
        stdin: bytes = b"",
        changes: Mapping[str, str] | None = None,
        together: bool = False,
    ) -> Answer:
        """Run `qnet ARGUMENTS` in a folder and wait for its end.

        changes    of the environment; names of `SEEN_LATER` only.
        together   write both streams as one, which is then standard output.
        """
        assert self.server.stdin and self.server.stdout
        assert set(changes or ()) <= SEEN_LATER
        with tempfile.TemporaryDirectory() as streams:
            places = {name: Path(streams, name) for name in ("in", "out", "err")}
            for name, place in places.items():
                place.write_bytes(stdin if name == "in" else b"")
            asked = {
                "arguments": list(arguments), "folder": str(folder), "streams": streams,
                "changes": dict(changes or {}), "together": together,
            }  # fmt: skip
            self.server.stdin.write(json.dumps(asked) + "\n")
            self.server.stdin.flush()
            code = int(self.server.stdout.readline())
            return Answer(places["out"].read_bytes().decode(), places["err"].read_bytes().decode(), code)

    def close(self) -> None:
        """End the process that waits."""
        assert self.server.stdin and self.server.stdout
        self.server.stdin.close()
        self.server.wait()
        self.server.stdout.close()


@cache
def warm_process() -> WarmProcess:
    """The one of this session of tests."""
    process = WarmProcess()
    atexit.register(process.close)
    return process


def run_warm(
    arguments: Sequence[str], folder: Path, stdin: bytes = b"", changes: Mapping[str, str] | None = None
) -> Answer:
    """As `run_qnet`, where it does not matter how the process starts; else by that."""
    if set(changes or ()) <= SEEN_LATER and all("\0" not in word for word in arguments):
        return warm_process().run(arguments, folder, stdin, changes)
    return run_qnet(arguments, folder, stdin, changes)


@cache
def answer_of(*arguments: str) -> Answer:
    """The answer of a command that reads no files of its caller; asked once, however many tests look at it."""
    return run_warm(arguments, Path(__file__).parent)
