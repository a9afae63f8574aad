"""Standard input that comes in pieces, through a pipe that does not block: every byte is read, at every door of `-`."""

import fcntl
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_process import Answer, environment
from warm_process import run_warm

import qnet

MODEL = """qnet = 1
title = "one station"
[parameters]
rate = "50/s"
service_time = "10 ms"
[stations]
a = {}
[classes.c]
arrival_rate = "rate"
steps = [ { station = "a", time = "service_time" } ]
"""
JMVA = (
    '<model><parameters><classes number="1"><openclass name="c" rate="1.0"/></classes>'
    '<stations number="1"><listation name="a" servers="1"><servicetimes><servicetime customerclass="c">0.5'
    '</servicetime></servicetimes><visits><visit customerclass="c">1.0</visit></visits></listation></stations>'
    "</parameters></model>"
)
VMSTAT = " r b id wa\n 1 0 90 0\n 1 0 80 0\n 1 0 70 0\n"

DOORS = {
    "model": (["solve", "-", "--csv"], MODEL),
    "check": (["check", "-"], MODEL),
    "rows": (["map", "m.toml", "-", "--metric", "response"], "rate\n10/s\n20/s\n30/s\n40/s\n"),
    "rows as JSON": (["map", "m.toml", "-", "--jsonl"], '{"rate": "10/s"}\n{"rate": "20/s"}\n{"rate": "30/s"}\n'),
    "rows of an envelope": (
        ["envelope", "m.toml", "--vary", "rate", "--limit", "response <= 50 ms", "--rows", "-", "--csv"],
        "service_time\n1 ms\n2 ms\n3 ms\n",
    ),
    "measurements": (
        ["calibrate", "m.toml", "-", "--fit", "service_time", "--csv"],
        "rate,response\n80/s,50 ms\n70/s,33 ms\n60/s,25 ms\n50/s,20 ms\n",
    ),
    "a model of another tool": (["convert", "-", "--from", "jmva"], JMVA),
    "a file of a monitoring tool": (["measured", "-"], VMSTAT),
}


def started(arguments: list[str], folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """Start qnet; the process, and the end of the pipe that is its standard input."""
    ours, theirs = os.pipe()[::-1]
    fcntl.fcntl(theirs, fcntl.F_SETFL, fcntl.fcntl(theirs, fcntl.F_GETFL) | os.O_NONBLOCK)
    process = subprocess.Popen(
        [sys.executable, "-m", "qnet", *arguments],
        stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, env=environment(),
    )  # fmt: skip
    os.close(theirs)
    return process, ours


def answers(folder: Path, pieces: int) -> dict[str, Answer]:
    """What every door answers to its input in so many pieces, all of them at once, with a pause before each piece."""
    running = {door: started(arguments, folder) for door, (arguments, _) in DOORS.items()}
    for piece in range(pieces):
        time.sleep(0.6)
        for door, (_, ours) in running.items():
            data = DOORS[door][1].encode()
            os.write(ours, data[piece * len(data) // pieces : (piece + 1) * len(data) // pieces])
    result: dict[str, Answer] = {}
    for door, (process, ours) in running.items():
        os.close(ours)
        with process:
            out, err = process.communicate(timeout=120)
        result[door] = Answer(out.decode(), err.decode(), process.returncode)
    return result


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("slow")
    (path / "m.toml").write_text(MODEL)
    return path


@pytest.fixture(scope="module")
def at_once(folder: Path) -> dict[str, Answer]:
    """From a file: how the process starts does not matter then."""
    return {door: run_warm(arguments, folder, text.encode()) for door, (arguments, text) in DOORS.items()}


@pytest.fixture(scope="module")
def in_pieces(folder: Path) -> dict[str, Answer]:
    return answers(folder, 2)


@pytest.mark.parametrize("door", DOORS)
def test_input_in_pieces_is_read_to_its_end(door: str, at_once: dict[str, Answer], in_pieces: dict[str, Answer]):
    assert at_once[door].code == 0, at_once[door].err
    assert in_pieces[door] == at_once[door]


def test_standard_input_is_read_in_one_place():
    folder = Path(qnet.__file__).parent
    readers = [
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if re.search(r"stdin\.(buffer|read|detach)|fdopen\(0|open\(0", path.read_text())
    ]
    assert readers == ["opened.py"]
