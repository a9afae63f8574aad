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


def answer(arguments: list[str], folder: Path, pieces: list[bytes], blocking: bool) -> Answer:
    """Run qnet, with pauses before and between the pieces of its input."""
    ours, theirs = os.pipe()[::-1]
    if not blocking:
        fcntl.fcntl(theirs, fcntl.F_SETFL, fcntl.fcntl(theirs, fcntl.F_GETFL) | os.O_NONBLOCK)
    with subprocess.Popen(
        [sys.executable, "-m", "qnet", *arguments],
        stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, env=environment(),
    ) as process:  # fmt: skip
        os.close(theirs)
        for piece in pieces:
            if not blocking:
                time.sleep(0.6)
            os.write(ours, piece)
        os.close(ours)
        out, err = process.communicate(timeout=120)
    return Answer(out.decode(), err.decode(), process.returncode)


@pytest.mark.parametrize("door", DOORS)
def test_input_in_pieces_is_read_to_its_end(door: str, tmp_path: Path):
    (tmp_path / "m.toml").write_text(MODEL)
    arguments, text = DOORS[door]
    data = text.encode()
    half = len(data) // 2
    whole = answer(arguments, tmp_path, [data], blocking=True)
    assert whole.code == 0, whole.err
    assert answer(arguments, tmp_path, [data[:half], data[half:]], blocking=False) == whole


def test_standard_input_is_read_in_one_place():
    folder = Path(qnet.__file__).parent
    readers = [
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if re.search(r"stdin\.(buffer|read|detach)|fdopen\(0|open\(0", path.read_text())
    ]
    assert readers == ["opened.py"]
