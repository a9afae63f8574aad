"""The README tells the truth: every console block is run again and must print what it shows.

A command of qnet is run by a process that has its modules loaded, all else by a shell.

`python tests/house/test_readme.py` writes the present output into the README, for review.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests"), str(ROOT / "tests" / "cli")]

from forked_process import program  # noqa: E402
from warm_process import warm_process  # noqa: E402

README = ROOT / "README.md"
SHELL = "|<>&;$*\\`"
"""What makes a line more than one command."""
BLOCK = re.compile(r"```console\n\$ (?P<command>(?:[^\n]*(?:\\|\|)\n)*[^\n]+)\n(?P<output>.*?)```", re.DOTALL)
WIDTH = "80"
"""Columns of the screens that are shown."""


def run(command: str) -> str:
    """What a reader sees: both streams, with `qnet` being this tree's."""
    command = re.sub(r"\\?\n    ", "", command)
    if command.startswith("qnet ") and not set(command) & set(SHELL):
        return warm_process().run(shlex.split(command)[1:], ROOT, together=True, changes={"QNET_WIDTH": WIDTH}).out
    first, _, rest = command.partition(" | ")
    if first.startswith("qnet ") and rest and not set(first) & set(SHELL):
        answer = warm_process().run(shlex.split(first)[1:], ROOT, changes={"QNET_WIDTH": WIDTH})
        done = subprocess.run(["bash", "-c", rest], input=answer.out.encode(), stdout=subprocess.PIPE, check=False)
        return answer.err + done.stdout.decode()
    environment = {
        **os.environ,
        "PATH": f"{program().parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "NO_COLOR": "1",
        "QNET_WIDTH": WIDTH,
    }
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.stdout.decode()


NUMBER = re.compile(r"\d+\.\d+(?:e-?\d+)?")


def same(shown: str, printed: str) -> bool:
    """Equal texts; digits beyond the ninth may differ between builds of the arithmetic."""
    if NUMBER.sub("#", shown) != NUMBER.sub("#", printed):
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed), strict=True)
    return all(abs(float(one) - float(other)) <= 1e-9 * abs(float(one)) for one, other in pairs)


@pytest.mark.parametrize("match", list(BLOCK.finditer(README.read_text())), ids=lambda match: match["command"][:50])
def test_example_prints_what_the_readme_shows(match: re.Match[str]):
    printed = run(match["command"])
    assert same(match["output"], printed), printed


@pytest.mark.parametrize("match", list(BLOCK.finditer(README.read_text())), ids=lambda match: match["command"][:50])
def test_a_screen_of_the_readme_fits_eighty_columns(match: re.Match[str]):
    lines = [line for line in match[0].splitlines() if not line.startswith("qnet: ")]  # an error is one line
    assert not [line for line in lines if len(line) > int(WIDTH)]


def test_the_readme_is_short():
    assert len(README.read_text().splitlines()) <= 250


def test_there_are_at_least_five_examples():
    assert len(BLOCK.findall(README.read_text())) >= 5


def test_the_model_of_the_readme_is_valid(tmp_path: Path):
    text = README.read_text().partition("```toml\n")[2].partition("```")[0]
    (tmp_path / "model.toml").write_text(text)
    assert "valid" in run(f"qnet check {tmp_path / 'model.toml'}")


def test_the_python_of_the_readme_runs(tmp_path: Path):
    text = README.read_text().partition("```python\n")[2].partition("```")[0]
    (tmp_path / "front_door.py").write_text(text)
    assert run(f"{sys.executable} {tmp_path / 'front_door.py'}") == ""


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.toml")), ids=lambda path: path.stem)
def test_every_example_is_solved(path: Path):
    assert '"schema": "qnet/solution/1"' in run(f"qnet solve {path} --json")


def test_every_room_of_the_map_exists():
    house = README.read_text().partition("## The house")[2]
    for name in re.findall(r"`((?:qnet|catalog|examples|tests)/[^`]*|\.ci/run)`", house):
        assert (ROOT / name).exists(), name


if __name__ == "__main__":
    text = README.read_text()
    README.write_text(BLOCK.sub(lambda match: f"```console\n$ {match[1]}\n{run(match[1])}```", text))
