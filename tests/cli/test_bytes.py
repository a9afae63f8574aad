"""Not a byte lost: files are replaced as one, nothing that is read is written over, and rows keep their text."""

import os
import resource
import signal
import subprocess
import sys
import time
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from cli_process import Run, environment

import qnet as package
from qnet.cli.files import Sink, put, replace, streaming
from qnet.errors import UsageError
from qnet.lazy import np

MODEL = """qnet = 1
title = "queue"
[parameters]
rate = "10/s"
[stations]
cpu = {}
[classes.job]
arrival_rate = "rate"
steps = [ { station = "cpu", time = "20 ms" } ]
[outputs]
odd = "log(rate / 1/s - 10) * 1 s"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "m.toml").write_text(MODEL.split("[outputs]")[0])
    (tmp_path / "rows.csv").write_text("rate\n10\n20\n")
    (tmp_path / "link.csv").hardlink_to(tmp_path / "rows.csv")
    return tmp_path


def run(folder: Path, *words: str, **more) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "qnet", *words]
    return subprocess.run(
        command, cwd=folder, env=environment(more.pop("env", None)), capture_output="stdout" not in more,
        timeout=60, check=False, **({"stderr": subprocess.PIPE} if "stdout" in more else {}), **more,
    )  # fmt: skip


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    "line",
    [
        "solve ./m.toml -o m.toml",
        "map ./m.toml rows.csv -o rows.csv",
        "map ./m.toml rows.csv -o link.csv",
        "map ./m.toml rows.csv -o m.toml",
        "compare ./m.toml ./m.toml -o m.toml",
        "calibrate ./m.toml rows.csv --fit rate -o rows.csv",
        "calibrate ./m.toml rows.csv --fit rate --write rows.csv",
        "calibrate ./m.toml rows.csv --fit rate --write new.md -o new.md",
    ],
)
def test_an_output_over_what_is_read_is_refused(line: str, qnet: Run, folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    answer = qnet(*line.split())
    assert answer.code == 2
    assert "QN731" in answer.err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_file_that_is_read_is_called_so(qnet: Run, folder: Path) -> None:
    assert "rows.csv is read as well, and would be" in qnet("map", "./m.toml", "rows.csv", "-o", "rows.csv").err
    assert (folder / "rows.csv").read_text() == "rate\n10\n20\n"
    twice = "calibrate ./m.toml rows.csv --fit rate --write new.md -o new.md"
    assert "new.md is named for two outputs" in qnet(*twice.split()).err


def test_standard_input_and_output_are_not_overwritten(folder: Path) -> None:
    with (folder / "rows.csv").open() as rows:
        answer = run(folder, "map", "./m.toml", "-", "-o", "rows.csv", stdin=rows)
    assert (answer.returncode, (folder / "rows.csv").read_text()) == (2, "rate\n10\n20\n")
    with (folder / "m.toml").open("a") as model:
        answer = run(folder, "solve", "./m.toml", stdout=model)
    assert (answer.returncode, (folder / "m.toml").read_text()) == (2, MODEL.split("[outputs]")[0])


def test_a_file_is_replaced_as_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = folder / "answer.csv"
    target.write_bytes(b"old")
    target.chmod(0o640)

    def full(descriptor: int, data: bytes) -> None:
        os.write(descriptor, data[:2])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("qnet.cli.files.put", full)
        with pytest.raises(UsageError, match="No space left"):
            replace(str(target), b"new text")
    assert target.read_bytes() == b"old"
    replace(str(target), b"new text")
    assert (target.read_bytes(), target.stat().st_mode & 0o777) == (b"new text", 0o640)
    assert names(folder) == ["answer.csv", "link.csv", "m.toml", "rows.csv"]


def test_of_two_writers_the_last_complete_one_wins(tmp_path: Path) -> None:
    one, two = (Sink(str(tmp_path / "x"), "tmp", hidden=True) for _ in range(2))
    one.write(b"1" * 10)
    two.write(b"2" * 5)
    two.commit()
    one.commit()
    assert (tmp_path / "x").read_bytes() == b"1" * 10
    assert names(tmp_path) == ["x"]


def test_an_interrupted_stream_keeps_its_complete_pieces_under_another_name(tmp_path: Path) -> None:
    target = tmp_path / "x.csv"
    target.write_bytes(b"old")
    kept: list[str] = []
    with pytest.raises(KeyboardInterrupt), streaming(str(target), kept.append) as write:
        write(b"a\n")
        raise KeyboardInterrupt
    assert target.read_bytes() == b"old"
    assert Path(kept[0]).read_bytes() == b"a\n"
    assert kept[0].endswith(".partial")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGXCPU])
def test_a_signal_leaves_the_finished_rows(folder: Path, number: int) -> None:
    command = [sys.executable, "-m", "qnet", "map", "./m.toml", "-", "--chunk", "1", "-o", "out.csv"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, env=environment(), stdin=pipe, stderr=pipe) as process:
        assert process.stdin is not None
        process.stdin.write(b"rate\n10\n20\n")
        process.stdin.flush()
        end = time.monotonic() + 30
        while time.monotonic() < end and not any(
            part.read_bytes().count(b"\n") > 2 for part in folder.glob("*.partial")
        ):
            time.sleep(0.02)
        process.send_signal(number)
        assert process.wait(30) == 128 + number
        assert process.stderr is not None and b"not complete; the rows answered so far are in" in process.stderr.read()
    (part,) = folder.glob("*.partial")
    assert [line.split(",")[0] for line in part.read_text().splitlines()] == ["rate", "10", "20"]
    assert not (folder / "out.csv").exists()


def test_a_pipe_that_does_not_block_gets_every_byte() -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    child = subprocess.Popen(["wc", "-c"], stdin=reading, stdout=subprocess.PIPE)
    os.close(reading)
    put(writing, b"x" * 1_000_000)
    os.close(writing)
    assert child.communicate(timeout=30)[0].strip() == b"1000000"


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("line", [("explain",), ("--help",), ("map", "--help")])
def test_a_file_size_limit_is_reported(folder: Path, unbuffered: str, line: tuple[str, ...]) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    with (folder / "out").open("wb") as out:
        answer = run(folder, *line, stdout=out, preexec_fn=limit, env={"PYTHONUNBUFFERED": unbuffered})
    assert answer.returncode == 2
    assert b"QN005" in answer.stderr


def test_a_file_size_limit_leaves_no_file(folder: Path) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    assert run(folder, "solve", "./m.toml", "-o", "out.json", preexec_fn=limit).returncode == 2
    assert names(folder) == ["link.csv", "m.toml", "rows.csv"]


@pytest.mark.parametrize("line", ["--version", "--help", "solve --help", "completion bash"])
def test_a_full_device_is_reported(folder: Path, line: str) -> None:
    with Path("/dev/full").open("wb") as full:
        answer = run(folder, *line.split(), stdout=full)
    assert (answer.returncode, b"Traceback" in answer.stderr) == (2, False)


def test_an_interrupt_while_modules_load_leaves_no_traceback(folder: Path) -> None:
    text = (
        "import sys\nclass Stop:\n    def find_spec(self, name, *more):\n"
        "        if name == 'click': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Stop())\nfrom qnet.__main__ import main\nsys.argv[1:] = ['solve', './m.toml']\nmain()"
    )
    answer = subprocess.run(
        [sys.executable, "-c", text], cwd=folder, env=environment(), capture_output=True, check=False
    )
    assert (answer.returncode, answer.stderr) == (130, b"qnet: interrupted\n")


def test_rows_keep_their_text_and_are_counted(qnet: Run, folder: Path) -> None:
    (folder / "bad.csv").write_text('rate,note\n10,a\n20,"b\n30,c\n40,d,e\n50\n5,"two\nlines"\n')
    answer = qnet("map", "./m.toml", "bad.csv", "--metric", "throughput")
    assert [row.rsplit(",", 1)[0] for row in answer.out.split("\n")[1:]][:3] == [
        "10,a,10.0,open,exact",
        '"20,""b",,,,',
        "30,c,30.0,open,exact",
    ]
    assert '\n40,"d,e",,,,' in answer.out
    assert '\n5,"two\nlines",5.0,' in answer.out
    assert answer.err.splitlines()[-1] == "qnet: rows: 3 answered, 3 not"
    (folder / "strict.csv").write_text('rate\n10\n"20\n30\n')
    strict = qnet("map", "./m.toml", "strict.csv", "--strict", "--metric", "throughput")
    assert (strict.code, len(strict.out.splitlines())) == (3, 2)
    assert strict.err.splitlines()[-1] == "qnet: rows: 1 answered, 1 not"


def test_bad_lines_of_json_keep_their_text(qnet: Run, folder: Path) -> None:
    (folder / "bad.jsonl").write_text('{"rate": 1}\nrate = "2"\n')
    answer = qnet("map", "./m.toml", "bad.jsonl", "--jsonl")
    assert '{"line":"rate = \\"2\\"",' in answer.out


def test_an_undefined_metric_is_not_ok_and_asserts_nothing(qnet: Run, tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text(MODEL.replace("log(rate / 1/s - 10) * 1 s", "0.0 * exp(rate * 1 s * 1e3)"))
    (tmp_path / "rows.csv").write_text("rate\n10\n")
    answer = qnet("map", "./m.toml", "rows.csv", "--metric", "odd")
    assert ",ok" not in answer.out
    asserted = qnet("map", "./m.toml", "rows.csv", "--metric", "odd", "--assert", "odd >= 0")
    assert asserted.code == 6
    assert "the figure is undefined" in asserted.err


def test_numbers_of_python() -> None:
    system = package.load("ibm-3990-6")
    given = [600, np.int64(600), np.float32(600), Decimal(600), Fraction(600)]
    found = [row["response_s"] for row in system.map_rows([{"rate": item} for item in given], "response")]
    assert found == [found[0]] * 5
    assert system.set(rate=np.int64(600)).parameters == system.set(rate=Fraction(600)).set(rate=600.0).parameters
    with pytest.raises(UsageError, match="chunk is 0"):
        system.map_rows([{"rate": 1}], chunk=0)
