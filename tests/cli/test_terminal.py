"""What a terminal changes: colour, rules and width, and nothing else. A pseudo-terminal plays the screen."""

from __future__ import annotations

import os
import pty
import re
import select
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_process import Run, environment
from warm_process import answer_of

from qnet.cli.screen import message

INLINE = ("solve", "--station", "cpu=120ms", "--station", "disk=50ms", "--arrival-rate", "3/s")

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(folder: Path, *arguments: str, changes: dict[str, str] | None = None) -> str:
    """What stands on the screen after a run, with the line ends that were written."""
    master, slave = pty.openpty()
    given = {**environment(), "NO_COLOR": "", "TERM": "xterm-256color", **(changes or {})}
    process = subprocess.Popen(
        [sys.executable, "-m", "qnet", *arguments],
        cwd=folder, env=given, stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(slave)
    shown = read_all(master)
    os.close(master)
    assert process.wait(timeout=60) == 0
    return shown.decode().replace("\r\n", "\n")


def read_some(terminal: int) -> bytes:
    """What has been written since; nothing at the end."""
    try:
        return os.read(terminal, 65536)
    except OSError:  # how Linux says that nobody writes any more
        return b""


def read_all(terminal: int) -> bytes:
    return b"".join(iter(lambda: read_some(terminal), b""))


@pytest.mark.parametrize("form", ["csv", "json", "jsonl", "md"])
def test_a_form_is_the_same_on_a_terminal(form: str, tmp_path: Path) -> None:
    assert on_terminal(tmp_path, *INLINE, "-f", form) == answer_of(*INLINE, "-f", form).out


def test_a_table_stays_a_table(tmp_path: Path) -> None:
    shown = ESCAPE.sub("", on_terminal(tmp_path, *INLINE, changes={"COLUMNS": "300"}))
    piped = answer_of(*INLINE).out
    assert "│" in shown and "│" not in piped

    def words(text: str) -> list[str]:
        return [word for word in re.split(r"[\s│─┼┌┐└┘├┤┬┴╷╵-]+", text) if word]

    assert words(shown) == words(piped)


ROWS = b"rate,note\n50/s,\x1b[31mred\x9b\x07\n"


@pytest.mark.parametrize("jsonl", [False, True])
def test_control_characters_of_rows_are_spelled_out_on_a_terminal_only(jsonl: bool, tmp_path: Path, qnet: Run) -> None:
    rows = ROWS if not jsonl else b'{"rate": "50/s", "note": "\xc2\x9b\x7f"}\n'
    (tmp_path / "rows").write_bytes(rows)
    words = ("map", "one-queue", "rows", "--metric", "response", *(("--jsonl",) if jsonl else ()))
    shown = on_terminal(tmp_path, *words)
    assert ("\\x9b\\x7f" if jsonl else "\\x1b[31mred\\x9b\\x07") in shown
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", shown)
    assert qnet(*words, "-o", "answers").code == 0
    assert (b"\xc2\x9b\x7f" if jsonl else b"\x1b[31mred\x9b\x07") in (tmp_path / "answers").read_bytes()


def test_a_narrow_terminal_loses_no_digit(tmp_path: Path) -> None:
    shown = ESCAPE.sub("", on_terminal(tmp_path, *INLINE, changes={"COLUMNS": "50"}))
    assert max(map(len, shown.splitlines())) <= 50
    for digits in ("187.5", "58.82", "0.5625", "0.1765"):
        assert digits in shown


@pytest.mark.parametrize(
    ("options", "changes", "colored"),
    [
        ((), {}, True),
        ((), {"NO_COLOR": "1"}, False),
        ((), {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ((), {"TERM": "dumb"}, False),
        ((), {"TERM": "dumb", "FORCE_COLOR": "1"}, True),
        (("--color", "never"), {"FORCE_COLOR": "1"}, False),
        (("--color", "always"), {"NO_COLOR": "1"}, True),
        (("--color", "auto"), {"NO_COLOR": "1"}, False),
    ],
)
def test_colour_on_a_terminal(options: tuple[str, ...], changes: dict[str, str], colored: bool, tmp_path: Path) -> None:
    assert bool(ESCAPE.search(on_terminal(tmp_path, *INLINE, *options, changes=changes))) == colored


@pytest.mark.parametrize(
    ("options", "changes", "colored"),
    [
        ((), {}, False),
        ((), {"FORCE_COLOR": "1"}, True),
        ((), {"CLICOLOR_FORCE": "1"}, True),
        ((), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (("--color", "never"), {"FORCE_COLOR": "1"}, False),
        (("--color", "always"), {"NO_COLOR": "1"}, True),
        (("--color", "always", "--csv"), {}, False),
        (("--color", "always", "--json"), {}, False),
        (("--color", "always", "--md"), {}, False),
    ],
)
def test_colour_in_a_pipe(options: tuple[str, ...], changes: dict[str, str], colored: bool, qnet: Run) -> None:
    shown = qnet(*INLINE, *options, changes={"NO_COLOR": "", "COLUMNS": "40", **changes}).out
    assert bool(ESCAPE.search(shown)) == colored
    if colored:
        heading = [line for line in ESCAPE.sub("", shown).splitlines() if "residence" in line]
        assert any("queue length" in line for line in heading), "a pipe has no width"


def test_a_file_is_coloured_by_the_flag_alone(qnet: Run, tmp_path: Path) -> None:
    for options, colored in (((), False), (("--color", "always"), True)):
        assert qnet(*INLINE, "-o", "x.txt", *options, changes={"NO_COLOR": "", "FORCE_COLOR": "1"}).code == 0
        assert bool(ESCAPE.search((tmp_path / "x.txt").read_text())) == colored


def test_a_study_is_drawn_on_a_terminal_of_80_columns_as_in_a_pipe(tmp_path: Path) -> None:
    """Colours take no room: rows of the chart are neither shortened nor collapsed, and the command can be copied."""
    screen = {"COLUMNS": "80", "LINES": "24"}
    shown = on_terminal(tmp_path, "study", "paging", changes=screen)
    assert ESCAPE.search(shown)
    lines = ESCAPE.sub("", shown).splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    start = next(index for index, line in enumerate(lines) if line.startswith("picture"))
    end = next(index for index, line in enumerate(lines) if line.startswith("up: "))
    command = " ".join(line[10:] for line in lines[start:end] if line.endswith("\\") or "--metric" in line)
    words = shlex.split(command.replace("\\", ""))
    assert words[:2] == ["qnet", "sweep"]
    assert words[-2:] == ["--metric", "throughput"]
    drawn = [line for line in lines[start:end] if re.match(r"[ \d]+ [┤│]", line)]
    assert len(drawn) >= 4
    assert len({re.search("[┤│]", line).start() for line in drawn}) == 1
    assert not [line for line in lines[start:end] if "..." in line]


MODEL = b"""qnet = 1
title = "typed"
[stations]
server = {}
[classes.requests]
arrival_rate = "80/s"
steps = [ { station = "server", time = "10 ms" } ]
"""


def from_terminal(folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """`qnet solve - --csv` that waits for what is typed; returns when it has said so."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "qnet", "solve", "-", "--csv"],
        cwd=folder, env=environment(), stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    os.close(slave)
    assert process.stderr
    assert select.select([process.stderr], [], [], 60)[0]
    assert process.stderr.readline() == b"qnet: reading a model from the terminal; end it with Ctrl-D\n"
    return process, master


def test_a_model_can_be_typed_and_the_terminal_says_how(tmp_path: Path) -> None:
    process, master = from_terminal(tmp_path)
    os.write(master, MODEL + b"\x04")
    out, err = process.communicate(timeout=60)
    os.close(master)
    assert (process.returncode, err) == (0, b"")
    assert out.startswith(b"scope,name,class")


def test_an_interrupt_is_no_traceback(tmp_path: Path) -> None:
    process, master = from_terminal(tmp_path)
    time.sleep(0.1)  # from the hint to the read
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    os.close(master)
    assert (process.returncode, out, err) == (130, b"", b"qnet: interrupted\n")


@pytest.fixture
def many_ways(tmp_path: Path) -> str:
    """Five classes of 20 customers at eight stations: four million populations, each of them cheap."""
    steps = ", ".join(f'{{ station = "s{number}", time = "{1 + number} ms" }}' for number in range(8))
    text = 'qnet = 1\ntitle = "many ways"\n[stations]\n' + "".join(f"s{number} = {{}}\n" for number in range(8))
    for name in "abcde":
        text += f'[classes.{name}]\npopulation = 20\nthink_time = "1 s"\nsteps = [ {steps} ]\n'
    file = tmp_path / "ways.toml"
    file.write_text(text)
    return str(file)


def test_long_work_is_announced_where_somebody_waits(many_ways: str) -> None:
    command = [sys.executable, "-m", "qnet", "solve", many_ways, "--csv"]
    master, slave = pty.openpty()
    with subprocess.Popen(command, env=environment(), stdin=slave, stdout=subprocess.DEVNULL, stderr=slave) as process:
        os.close(slave)
        shown = ""
        while "answers at once" not in " ".join(shown.split()) and (more := read_some(master)):
            shown += more.decode()
        assert process.poll() is None, "the work is announced before it is done"
        process.kill()
    os.close(master)
    assert shown.startswith("qnet: solving exactly by lattice-mva, about")
    assert "--method linearizer answers at once" in " ".join(shown.split())


@pytest.mark.long
def test_long_work_is_done_quietly_where_nobody_waits(many_ways: str) -> None:
    assert answer_of("solve", many_ways, "--csv").err == ""


@pytest.mark.parametrize("words", [("example",), ("help",), ("example", "--help"), ("help", "sweep")])
def test_lists_and_help_are_no_wider_than_a_terminal(words: tuple[str, ...], tmp_path: Path) -> None:
    lines = on_terminal(tmp_path, *words).splitlines()
    assert [line for line in lines if len(line) > 80 and "Paired grids" not in line] == []


def test_a_pipe_has_one_line_for_each_example(qnet: Run) -> None:
    names = {line.split()[0] for line in qnet("example").out.splitlines() if line.startswith("  ")}
    assert "web-tier" in names
    assert all(len(name) > 2 and name.replace("-", "").isalnum() for name in names)


def test_a_message_is_folded_and_its_excerpt_is_not() -> None:
    excerpt = "    " + "x" * 90
    text = f"qnet: {'word ' * 30}\n{excerpt}\n    {'':>40}^\n  help: {'word ' * 20}"
    lines = message(text, 80).splitlines()
    assert {line for line in lines if len(line) > 80} == {excerpt}
    assert [word for line in lines for word in line.split()] == text.split()
    assert message(text, None) == text
