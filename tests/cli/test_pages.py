"""What can be sent: HTML of every command that answers a question, figures in files, formulas in LaTeX."""

from __future__ import annotations

import html
import inspect
import re
import shlex
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest
from click.testing import CliRunner, Result

from qnet.cli.group import qnet

ROOT = Path(__file__).resolve().parents[2]
USERS = str(ROOT / "examples" / "interactive-users.toml")
SMALL = "--station cpu=120ms --station disk=50ms --arrival-rate 3/s"
LINES = {
    "solve": f"solve {SMALL}",
    "why": f"why {SMALL}",
    "knee": f"knee {SMALL} --limit 'response <= 0.5 s'",
    "envelope": f"envelope {SMALL} --limit 'response <= 0.5 s' --over demand_cpu=60ms:120ms:20ms",
    "sweep": f"sweep {SMALL} --vary arrival_rate=1/s:8/s:1/s --assert 'response < 9 s'",
    "compare": f"compare {SMALL} --with demand_cpu=60ms",
    "study": "study paging",
}
APART = {"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner).parameters else {}


def run(line: str) -> Result:
    return CliRunner(**APART).invoke(qnet, shlex.split(line))


def page(line: str) -> str:
    result = run(f"{line} --html")
    assert result.exit_code == 0, result.stderr
    return result.stdout


def section(text: str, name: str) -> str:
    """The text of a section of a page, without its tags."""
    (found,) = re.findall(rf"<section[^>]*>\n<h2>{name}</h2>(.*?)</section>", text, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", "", found)).strip()


@pytest.mark.parametrize("command", LINES)
def test_a_page_has_question_answer_tables_figure_model_digest_and_command(command: str) -> None:
    text = page(LINES[command])
    assert section(text, "question").endswith("?")
    assert re.search(r"\d", section(text, "answer"))
    assert re.search(r"<td", text)
    assert "<svg" in text
    digest = re.search(r"digests?(?: A)? ([0-9a-f]{12})", text)
    assert digest and f"<code>{digest[1]}</code>" in text
    assert "[stations]" in section(text, "models" if command == "compare" else "model")
    assert section(text, "command") == shlex.join(["qnet", *shlex.split(LINES[command]), "--html"])


@pytest.mark.parametrize("command", LINES)
def test_a_page_is_the_same_each_time(command: str) -> None:
    assert page(LINES[command]) == page(LINES[command])


def test_the_suffix_of_a_file_makes_a_page(tmp_path: Path) -> None:
    result = run(f"solve {SMALL} -o {tmp_path / 'report.html'}")
    assert (result.exit_code, result.stdout) == (0, "")
    text = (tmp_path / "report.html").read_text()
    assert text.startswith("<!DOCTYPE html>")
    assert section(text, "command").endswith("report.html")


def test_a_hostile_model_stays_text(tmp_path: Path) -> None:
    hostile = "</script><img src=x onerror=alert(1)>"
    model = (ROOT / "examples" / "one-queue.toml").read_text()
    model = re.sub(r"^title = .*$", f'title = "{hostile}"', model, flags=re.MULTILINE)
    (tmp_path / "model.toml").write_text(model)
    for command in ("solve", "why", "knee"):
        text = page(f"{command} {tmp_path / 'model.toml'}")
        assert "<img" not in text and "</script" not in text
        assert html.escape(hostile) in text


def test_a_false_assertion_is_in_the_answer_and_in_the_exit_code() -> None:
    result = run(f"solve {SMALL} --assert 'response < 1 ms' --html")
    assert result.exit_code == 6
    assert "An assertion is false" in section(result.stdout, "answer")


def test_knees_and_limits_are_lines_with_labels() -> None:
    text = page(LINES["knee"])
    assert ">response &lt;= 0.5 s</text>" in text
    assert re.search(r">saturation [\d.]+/s</text>", text)


def test_a_figure_in_a_file_and_the_table_on_the_screen(tmp_path: Path) -> None:
    result = run(f"{LINES['sweep']} --plot {tmp_path / 'figure.svg'}")
    assert result.exit_code == 0
    assert result.stdout == run(LINES["sweep"]).stdout
    import_module("xml.etree.ElementTree").fromstring((tmp_path / "figure.svg").read_bytes())


def test_plot_takes_no_system_for_a_file(tmp_path: Path) -> None:
    result = run(f"knee --plot {USERS} --limit 'response <= 1 s'")
    assert result.exit_code == 0
    assert result.stdout == run(f"knee {USERS} --limit 'response <= 1 s' --plot").stdout
    assert "population" in result.stdout.splitlines()[-2]


@pytest.mark.parametrize("name", ["knee", "envelope", "sweep"])
def test_plot_draws_a_chart_with_a_title(name: str) -> None:
    plain, drawn = run(LINES[name]).stdout, run(f"{LINES[name]} --plot").stdout
    assert drawn.startswith(plain)
    chart = drawn.removeprefix(plain).strip("\n").split("\n\n")[0].splitlines()
    assert max(map(len, chart)) <= 80
    assert len(chart) <= 23


def test_a_logarithmic_axis_has_ticks_at_1_2_5() -> None:
    shown = run(f"{LINES['sweep']} --metric response --plot --log y --ascii").stdout
    ticks = re.findall(r"^ *([\d.]+) \+", shown, flags=re.MULTILINE)
    assert {tick.strip("0.") for tick in ticks} <= {"1", "2", "5"}
    assert len(ticks) >= 3


def test_a_logarithmic_axis_without_a_chart_is_pointed_out() -> None:
    assert "[QN606]" in run(f"{LINES['sweep']} --log y").stderr


@pytest.mark.parametrize(
    ("file", "code"), [("figure.gif", "QN762"), ("figure", "QN762"), ("missing/figure.svg", "QN005")]
)
def test_a_figure_that_cannot_be_written_is_refused_before_the_work(file: str, code: str, tmp_path: Path) -> None:
    result = run(f"{LINES['sweep']} --plot={tmp_path / file}")
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"[{code}]" in result.stderr


def test_without_a_curve_there_is_no_figure(tmp_path: Path) -> None:
    result = run(f"envelope {SMALL} --limit 'response <= 0.5 s' --plot {tmp_path / 'figure.svg'}")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "[QN763]" in result.stderr
    assert not (tmp_path / "figure.svg").exists()


@pytest.mark.parametrize("suffix", ["png", "pdf"])
def test_without_matplotlib_the_error_names_the_ways_out(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qnet.reports.figure_files.find_spec", lambda name: None)
    result = run(f"{LINES['sweep']} --plot {tmp_path / 'figure'}.{suffix}")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "[QN761]" in result.stderr
    assert "figure.svg" in result.stderr and "qnet-solver[plot]" in result.stderr


class Stub:
    """Takes every call and attribute of a drawing, and remembers the calls by their names."""

    calls: ClassVar[list[tuple[str, tuple[Any, ...], dict[str, Any]]]] = []

    def __init__(self, **options: Any) -> None:
        self.calls.append(("Figure", (), options))

    def subplots(self, rows: int, **options: Any) -> list[list[Stub]]:
        return [[self] for _ in range(rows)]

    def savefig(self, stream: Any, **options: Any) -> None:
        self.calls.append(("savefig", (), options))
        stream.write(b"drawn")

    def __getattr__(self, name: str) -> Any:
        if name in ("xaxis", "yaxis"):
            return self
        return lambda *values, **options: self.calls.append((name, values, options))


@pytest.fixture
def matplotlib(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[Any, ...], dict[str, Any]]]:
    module = ModuleType("matplotlib.figure")
    module.Figure = Stub  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "matplotlib", ModuleType("matplotlib"))
    monkeypatch.setitem(sys.modules, "matplotlib.figure", module)
    monkeypatch.setattr("qnet.reports.figure_files.find_spec", lambda name: object())
    Stub.calls.clear()
    return Stub.calls


@pytest.mark.parametrize("suffix", ["png", "pdf"])
def test_matplotlib_draws_lines_limits_and_knees(suffix: str, tmp_path: Path, matplotlib: Any) -> None:
    result = run(f"{LINES['knee']} --log y --plot {tmp_path / 'figure'}.{suffix}")
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / f"figure.{suffix}").read_bytes() == b"drawn"
    names = [name for name, _, _ in matplotlib]
    assert {"plot", "axhline", "axvline", "set_yscale", "set_title", "savefig"} <= set(names)
    assert next(values[0] for name, values, _ in matplotlib if name == "annotate") == "response <= 0.5 s"
    assert next(options for name, _, options in matplotlib if name == "savefig")["format"] == suffix


def test_matplotlib_sees_no_formula_in_a_title(tmp_path: Path, matplotlib: Any) -> None:
    model = (ROOT / "examples" / "one-queue.toml").read_text()
    (tmp_path / "model.toml").write_text(re.sub(r"^title = .*$", 'title = "5 $x$"', model, flags=re.MULTILINE))
    assert run(f"knee {tmp_path / 'model.toml'} --plot {tmp_path / 'figure.png'}").exit_code == 0
    (title,) = [values[0] for name, values, _ in matplotlib if name == "set_title"]
    assert title.startswith(r"5 \$x\$: ")


def test_matplotlib_draws_bars(tmp_path: Path, matplotlib: Any) -> None:
    assert run(f"sensitivity {SMALL} --plot {tmp_path / 'figure.png'}").exit_code == 0
    assert "barh" in [name for name, _, _ in matplotlib]


def test_formulas_in_latex_with_readable_names() -> None:
    result = run(f"formula {ROOT / 'examples' / 'one-queue.toml'} --of response --latex")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith("% ")
    assert lines.count(r"\begin{align*}") == lines.count(r"\end{align*}") >= 1
    assert any(r"\mathrm{response} &= " in line and r"\frac" in line for line in lines)


def test_latex_of_several_formulas_is_balanced_and_comments_are_the_rest() -> None:
    text = run("formula ibm-3990-6 --latex").stdout
    assert r"\mathrm{cu.path~rate}" in text
    assert text.count("{") == text.count("}")
    inside = False
    for line in text.splitlines():
        inside = inside and line != r"\end{align*}"
        assert inside or line.startswith(("%", r"\begin{align*}", r"\end{align*}"))
        inside = inside or line == r"\begin{align*}"


def test_latex_goes_into_a_file_of_any_suffix(tmp_path: Path) -> None:
    result = run(f"formula {USERS} --latex -o {tmp_path / 'formulas.tex'}")
    assert (result.exit_code, result.stdout) == (0, "")
    assert r"\begin{align*}" in (tmp_path / "formulas.tex").read_text()
