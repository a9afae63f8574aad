"""Ctrl-C: what is finished is written, said to be incomplete, and the exit code is 130."""

import csv
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli_process import environment

from qnet.cli.progress import finishing

MODEL = """qnet = 1
title = "queue"
[parameters]
rate = { value = "10/s", range = ["1/s", "100/s"] }
service = { value = "20 ms", range = ["1 ms", "1 s"] }
[stations]
cpu = {}
[classes.job]
arrival_rate = "rate"
steps = [ { station = "cpu", time = "service" } ]
"""
COUNTED = """
import os, signal, sys
import {module} as module
calls, plain = 0, module.{name}
def counted(*args, **options):
    global calls
    calls += 1
    if calls == {number}:
        os.kill(os.getpid(), signal.SIGINT)
    return plain(*args, **options)
module.{name} = counted
from qnet.__main__ import main
main()
"""
"""Runs qnet and interrupts it at a certain call of one of its functions."""


def interrupted(folder: Path, module: str, name: str, number: int, *words: str) -> subprocess.CompletedProcess[bytes]:
    (folder / "m.toml").write_text(MODEL)
    text = COUNTED.format(module=module, name=name, number=number)
    command = [sys.executable, "-c", text, *words]
    return subprocess.run(command, cwd=folder, env=environment(), capture_output=True, timeout=120, check=False)


def swept(folder: Path, *words: str, name: str = "solve_points", number: int = 3) -> subprocess.CompletedProcess[bytes]:
    module = {"solve_points": "qnet.questions.points.answers", "sweep_report": "qnet.questions.sweep.sweep"}[name]
    asked = ("sweep", "./m.toml", "--over", "rate=1/s:40/s:0.01/s", "--metric", "response", *words)
    return interrupted(folder, module, name, number, *asked)


def test_csv_of_a_sweep_has_the_points_that_are_finished(tmp_path: Path) -> None:
    answer = swept(tmp_path, "--csv")
    table = list(csv.reader(answer.stdout.decode().splitlines()))
    assert (answer.returncode, table[0][0]) == (130, "rate_per_s")
    # Chunks begin with 64 points and grow eightfold.
    assert [float(row[0]) for row in table[1:]] == pytest.approx([1 + 0.01 * index for index in range(64 + 512)])
    for row in table[1:]:
        assert float(row[1]) == pytest.approx(0.02 / (1 - 0.02 * float(row[0])))
    assert answer.stderr.decode().splitlines() == [
        "qnet: warning: interrupted: 576 of 3901 points are finished, the others are left out [QN734]",
        "qnet: interrupted",
    ]


def test_json_lines_of_a_sweep_are_complete(tmp_path: Path) -> None:
    answer = swept(tmp_path, "--jsonl")
    assert (answer.returncode, len([json.loads(line) for line in answer.stdout.splitlines()])) == (130, 576)


def test_a_table_of_a_sweep_says_that_it_is_not_complete(tmp_path: Path) -> None:
    answer = swept(tmp_path)
    assert answer.returncode == 130
    assert b"interrupted: 576 of 3901 points are finished" in answer.stdout
    assert len(answer.stdout.splitlines()) > 576


def test_a_sweep_without_any_point_says_nothing(tmp_path: Path) -> None:
    answer = swept(tmp_path, "--csv", number=1)
    assert (answer.returncode, answer.stdout, answer.stderr) == (130, b"", b"qnet: interrupted\n")


def test_a_file_keeps_its_text_and_the_points_have_another_name(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("old\n")
    answer = swept(tmp_path, "-o", "a.csv")
    (partial,) = tmp_path.glob("a.csv.*.partial")
    assert (answer.returncode, answer.stdout, (tmp_path / "a.csv").read_text()) == (130, b"", "old\n")
    assert len(partial.read_text().splitlines()) == 577
    assert f"the finished part is in {partial.name} [QN732]" in answer.stderr.decode().replace(f"{tmp_path}/", "")


def test_what_is_being_written_is_written_to_its_end(tmp_path: Path) -> None:
    answer = swept(tmp_path, "--csv", name="sweep_report", number=1)
    assert (answer.returncode, answer.stderr) == (130, b"qnet: interrupted\n")
    assert len(answer.stdout.splitlines()) == 3902


def test_a_second_interrupt_ends_at_once() -> None:
    with pytest.raises(KeyboardInterrupt), finishing():
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_best_values_so_far_of_a_fit_are_written(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("rate,response\n10/s,29 ms\n20/s,41 ms\n30/s,70 ms\n")
    asked = ("calibrate", "./m.toml", "rows.csv", "--fit", "service", "--csv", "--write", "fitted.toml")
    answer = interrupted(tmp_path, "qnet.questions.points.answers", "solve_points", 5, *asked)
    table = list(csv.DictReader(answer.stdout.decode().splitlines()))
    assert (answer.returncode, table[0]["status"]) == (130, "best so far")
    assert float(table[0]["value"]) > 0
    assert "QN736" in answer.stderr.decode()
    assert answer.stderr.decode().splitlines()[-1] == "qnet: interrupted"
    assert not (tmp_path / "fitted.toml").exists()
