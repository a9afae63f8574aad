"""The table that times other solvers, proven with programs that stand in for them."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import others
import pytest
import run

SMALL = others.Case(20, [[0.1, 0.2], [0.3, 0.1]], [3, 2], [1.0, 2.0], [1, 1])


@pytest.fixture
def bin_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all of PATH, without any solver, and no LINE anywhere."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("LINE_PATH", raising=False)
    monkeypatch.setattr(others.importlib.util, "find_spec", lambda name: None)  # pyright: ignore[reportUnknownLambdaType]
    return tmp_path


def stand_in(folder: Path, text: str) -> None:
    """An `octave-cli` that keeps the last program it is given and runs some Python on it."""
    path = folder / "octave-cli"
    path.write_text(
        f"#!{sys.executable}\nimport sys\nopen({str(folder / 'asked')!r}, 'w').write(sys.argv[2])\n{text}\n"
    )
    path.chmod(path.stat().st_mode | stat.S_IEXEC)


def test_nothing_is_installed(bin_only: Path, capsys: pytest.CaptureFixture[str]):
    run.table({"small": SMALL}, 1)
    row = capsys.readouterr().out.splitlines()[-1]
    assert row.startswith("small ")
    assert row.count("not installed") == 2


def test_octave_without_the_package(bin_only: Path):
    stand_in(bin_only, "sys.exit(1)")
    assert others.queueing() is None


def test_both_in_octave(bin_only: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    stand_in(bin_only, "print('loaded' if 'loaded' in sys.argv[2] else 12.34 if 'qncmmva' in sys.argv[2] else 5.67)")
    monkeypatch.setenv("LINE_PATH", str(bin_only))
    run.table({"small": SMALL}, 3)
    assert capsys.readouterr().out.splitlines()[-1].split()[-3:] == ["20", "12.3", "5.7"]
    asked = (bin_only / "asked").read_text()
    assert "L = [0.1 0.2; 0.3 0.1]; N = [3, 2]; Z = [1.0, 2.0];" in asked
    assert "for i = 1:4, tic; pfqn_mva(L, N, Z);" in asked


def test_a_solver_without_the_method_a_failure_and_a_slow_one(bin_only: Path, monkeypatch: pytest.MonkeyPatch):
    stand_in(bin_only, "import time\nprint('loaded') if 'loaded' in sys.argv[2] else time.sleep(30)")
    found = others.queueing()
    assert others.timing(found, SMALL._replace(method="linearizer"), 1) == others.NONE
    monkeypatch.setattr(others, "LIMIT", 0.2)
    assert others.timing(found, SMALL, 1) == "> 0 s"
    stand_in(bin_only, "sys.exit(3)")
    assert others.timing(found, SMALL, 1) == "failed"


def test_line_in_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    place = tmp_path / "line_solver" / "api"
    place.mkdir(parents=True)
    for folder in (place.parent, place):
        (folder / "__init__.py").write_text("")
    (place / "pfqn.py").write_text("def pfqn_mva(L, N, Z):\n    assert L.shape == (2, 2) and list(N) == [3, 2]\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    assert float(others.timing(others.line(), SMALL, 2)) < 1000


def test_every_case_of_the_table_is_a_program():
    for case in run.cases().values():
        for solver in (others.Solver("queueing", ("octave", "--eval")), others.Solver("LINE", ("python", "-c"), True)):
            call = (others._line_call if solver.python else others._queueing_call)(case)
            if call and solver.python:
                compile(others._python("", case, call, 1), "program", "exec")
            assert not call or call.count("(") == call.count(")")
