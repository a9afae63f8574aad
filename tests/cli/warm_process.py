"""One process that answers command after command, with all modules loaded: most of the time of a short command.

Each command finds new streams, the folder it is run in and the environment as it was; warnings are errors. The
claims and the fits of a study of the catalog are computed once in a run, however many commands print them and tests
look at them; a model is read once by a process, as in a session of Python, and the answer to a question is rendered
anew for each command that asks for it in another form.
What is about the start or the end of a process, or about its streams, takes a new interpreter: `cli_process.run_qnet`
and `run_shell`.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import once
from cli_process import Answer, environment, run_qnet

SEEN_LATER = {
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "TERM",
    "QNET_ASCII",
    "QNET_CATALOG",
    "QNET_WIDTH",
}
"""Names of the environment that are looked at when a command runs, not when the interpreter starts."""

LOADED = """
import gc, importlib, json, os, pickle, pkgutil, sys, traceback, warnings
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import click, numpy, rich.console, rich.table, sympy
import qnet
for module in pkgutil.walk_packages(qnet.__path__, "qnet."):
    importlib.import_module(module.name)
from qnet.__main__ import main
from qnet.networks.wanted import Wanted
from qnet.questions.study.fits_report import freedom
from qnet.questions.study.validate import validate

sys.path.append(sys.argv[1])
import once
from asked_once import keep_models, kept

for module in list(sys.modules.values()):
    if module.__name__.startswith("qnet.questions."):
        for function, shared in ((validate, once.validated), (freedom, once.refitted)):
            if getattr(module, function.__name__, None) is function:
                shared.__wrapped__ = function
                setattr(module, function.__name__, shared)

keep_models()

def told(item):
    return item.replace(announce=None, solved=None) if isinstance(item, Wanted) else item

def asked(*given, **named):
    return pickle.dumps(([told(item) for item in given], {name: told(item) for name, item in named.items()}))

for question in ("envelope.ask.ask_envelope", "knee.report.knee_report", "why.why.why_report", "sweep.sweep.sweep",
                 "study.report.study_report", "solve.solve.solve_report", "sensitivity.sensitivity.ask_sensitivity",
                 "bottleneck.report.bottleneck_report"):
    name, _, function = question.rpartition(".")
    module = sys.modules["qnet.questions." + name]
    setattr(module, function, kept(getattr(module, function), asked))

def code_of(arguments):
    sys.argv = ["qnet", *arguments]
    try:
        return main() or 0
    except SystemExit as end:
        return end.code or 0
    except BaseException:
        traceback.print_exc()
        return 1

gc.collect()
gc.freeze()
"""
"""All modules of qnet, the claims and fits of studies as `once` keeps them, models that are read and questions that are
answered once, and the exit code of a command."""

SERVER = (
    LOADED
    + """
questions, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
errors = os.dup(2)
unchanged = dict(os.environ)

def stream(descriptor, mode):
    return open(descriptor, mode, encoding="utf-8", closefd=False)

for line in questions:
    asked = json.loads(line)
    place = asked["streams"]
    os.chdir(asked["folder"])
    os.environ.update(asked["changes"])
    for descriptor, name, flags in (
        (0, "in", os.O_RDONLY), (1, "out", os.O_WRONLY | os.O_APPEND), (2, "err", os.O_WRONLY | os.O_APPEND)
    ):
        opened = os.open(os.path.join(place, "out" if name == "err" and asked["together"] else name), flags)
        os.dup2(opened, descriptor)
        os.close(opened)
    sys.stdin, sys.stdout, sys.stderr = stream(0, "r"), stream(1, "w"), stream(2, "w")
    warnings.resetwarnings()
    warnings.simplefilter("error")
    code = code_of(asked["arguments"])
    for each in (sys.stdout, sys.stderr):
        each.flush()
    os.dup2(errors, 2)
    os.chdir("/")
    for name in set(os.environ) | set(unchanged):
        if name in unchanged:
            os.environ[name] = unchanged[name]
        else:
            del os.environ[name]
    print(code, file=answers, flush=True)
"""
)


class WarmProcess:
    """One command at a time, all answered by one process."""

    def __init__(self) -> None:
        self.streams = tempfile.mkdtemp(prefix="qnet-streams-")
        """The folder of the files that are the streams of a command."""
        self.server = subprocess.Popen(
            [sys.executable, "-c", SERVER, str(Path(once.__file__).parent)],
            env=environment({once.FOLDER: os.environ.get(once.FOLDER, "")}),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
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
        places = {name: Path(self.streams, name) for name in ("in", "out", "err")}
        for name, place in places.items():
            place.write_bytes(stdin if name == "in" else b"")
        asked = {
            "arguments": list(arguments), "folder": str(folder), "streams": self.streams,
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
        shutil.rmtree(self.streams, ignore_errors=True)


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
