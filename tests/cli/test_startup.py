"""What a command loads: start-up is paid at every run of every pipeline.

Did one of these break? Nearly always the cause is an import at the top of a module that is loaded on the way: a type
annotation that wants numpy or a solver's class (put it under `if TYPE_CHECKING:`), a helper that is needed in one
branch only (import it in that branch), or a new name in a package's `__init__`. Run

    python -X importtime -m qnet ARGUMENTS 2>&1 >/dev/null | less

and look for the first line of the package that should not be there: the lines indented below it are what it loads,
and the qnet module a few lines further down is what imported it. Times are measured in tests/perf; here only modules
count, because they are the same on every machine.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from cli_process import environment

INLINE = ("solve", "--station", "cpu=120ms", "--station", "disk=50ms", "--arrival-rate", "3/s")
CLOSED = (
    "solve", "--station", "cpu=120ms", "--station", "disk=50ms", "--station", "tape=80ms", "--population", "20",
    "--think-time", "5s",
)  # fmt: skip
MODEL = """qnet = 1
title = "One queue"
[stations]
server = {}
[classes.requests]
arrival_rate = "80/s"
steps = [ { station = "server", time = "work" } ]
[parameters]
work = "10 ms"
"""

LIGHT = ("numpy", "rich", "sympy")
NO_SOLVER = (*LIGHT, "tomllib", "json", "qnet.networks", "qnet.queues", "qnet.model", "qnet.questions", "qnet.reports")
NOT_ASKED = (
    *LIGHT, "tomllib", "json", "signal", "locale", "bisect", "encodings.utf_8_sig", "hashlib", "difflib",
    "qnet.cli.methods", "qnet.cli.system", "qnet.catalog.find", "qnet.catalog.parts", "qnet.model.settings",
    "qnet.model.grids",
    "qnet.model.check_envelopes", "qnet.queues.roots", "qnet.queues.finite_source", "qnet.networks.fixed_point",
    "qnet.networks.product.bounds", "qnet.networks.closed.convolution", "qnet.networks.closed.lattice_mva",
    "qnet.networks.closed.approximate", "qnet.questions.search.search", "qnet.reports.json_", "qnet.reports.text_table",
    "qnet.networks.solvers.protocol", "qnet.model.column_names", "qnet.networks.parallel", "qnet.networks.layers",
    "qnet.networks.second_phase", "qnet.networks.degenerate_classes", "qnet.networks.product.first_come",
    "qnet.networks.product.arrays", "qnet.cli.usage",
    "qnet.model.costs", "qnet.model.metrics", "qnet.model.other_words", "qnet.cli.complete",
)  # fmt: skip
"""What neither of the two small networks has a use for, on its way to CSV: each was loaded once, or easily could be."""
EVERYWHERE = ("dataclasses", "importlib.metadata", "importlib.resources", "xml.etree", "asyncio", "unittest", "doctest")
"""What no command has a use for."""


def imports(folder: Path, words: tuple[str, ...], changes: dict[str, str]) -> set[str]:
    """All modules that an interpreter imports."""
    command = [sys.executable, "-X", "importtime", *words]
    given = environment(changes)
    done = subprocess.run(command, cwd=folder, env=given, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    lines = done.stderr.decode().splitlines()
    return {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")}


def loaded(folder: Path, *arguments: str, **changes: str) -> set[str]:
    """The modules that a fresh interpreter loads for a command, beyond those that it needs itself."""
    (folder / "model.toml").write_text(MODEL)
    return imports(folder, ("-m", "qnet", *arguments), changes) - needed_by_python()


@cache
def needed_by_python() -> set[str]:
    """The modules that a fresh interpreter needs itself."""
    return imports(Path(__file__).parent, ("-c", "import runpy"), {})


def used(modules: set[str], names: tuple[str, ...]) -> set[str]:
    """Which of the packages were loaded."""
    return {name for name in names if any(module == name or module.startswith(f"{name}.") for module in modules)}


CASES = [
    (("--version",), ("click", "numpy", "re", "typing", "signal", "enum")),
    (("-V",), ("click", "numpy", "re", "typing", "signal", "enum")),
    (("--help",), NO_SOLVER),
    (("solve", "--help"), NO_SOLVER),
    (("envelope", "--help"), NO_SOLVER),
    (("sweep", "--help"), NO_SOLVER),
    (("map", "--help"), NO_SOLVER),
    (("compare", "--help"), NO_SOLVER),
    (("cost", "--help"), NO_SOLVER),
    (("sensitivity", "--help"), NO_SOLVER),
    (("calibrate", "--help"), NO_SOLVER),
    (("sensitivity", "./model.toml", "--csv", "--by", "work"), ("rich", "sympy")),
    # An open network has no demands and no layers.
    (
        ("why", "./model.toml"),
        (
            "sympy",
            "qnet.networks.reduction",
            "qnet.networks.layers",
            "qnet.networks.product",
            "qnet.networks.measured_errors",
        ),
    ),
    (("cost", "./model.toml", "--of", "server", "--csv"), (*LIGHT, "qnet.networks.open.solve")),
    (("completion", "bash"), (*LIGHT, "qnet.networks", "qnet.model")),
    (("explain", "QN401"), (*LIGHT, "qnet.networks", "qnet.model")),
    (("check", "ibm-3990-6"), LIGHT),
    (("catalog", "list", "--csv"), (*LIGHT, "qnet.networks.open.solve")),
    (("catalog", "show", "dasd/ibm-3390-3"), LIGHT),
    (("schema", "model"), (*LIGHT, "qnet.networks.open.solve")),
    (("example",), (*LIGHT, "qnet.networks", "qnet.model")),
    (("example", "web-tier"), (*LIGHT, "qnet.networks", "qnet.model")),
    (("new", "web"), (*LIGHT, "tomllib", "qnet.networks", "qnet.model", "qnet.questions")),
    (("help",), (*LIGHT, "tomllib", "qnet.networks", "qnet.model", "qnet.questions")),
    (("help", "units"), (*LIGHT, "qnet.networks.open.solve")),
    (("help", "solve"), (*LIGHT, "tomllib", "qnet.networks", "qnet.model", "qnet.questions")),
    (("schema", "envelope"), (*LIGHT, "qnet.networks.open.solve")),
    (
        (*INLINE, "--csv"),
        (
            *NOT_ASKED,
            "qnet.networks.closed_networks",
            "qnet.networks.product",
            "qnet.networks.closed",
            "qnet.networks.near",
            "qnet.networks.solvers.states",
        ),
    ),
    (
        (*CLOSED, "--csv"),
        (
            *NOT_ASKED,
            "csv",
            "qnet.networks.open.solve",
            "qnet.queues.waiting",
            "qnet.queues.erlang",
            "qnet.networks.measured_errors",
            "qnet.plain_tables",
        ),
    ),
    ((*INLINE, "--json"), LIGHT),
    (INLINE, LIGHT),
    (("solve", "./model.toml", "--csv"), LIGHT),
    # No digest is shown, and hashlib loads OpenSSL; one point of a chain needs no arrays.
    (("solve", "ibm-3990-6", "--csv"), (*LIGHT, "hashlib")),
    (("solve", "disk-array", "--csv"), LIGHT),
    (
        ("envelope", "ibm-3990-6", "--csv"),
        (
            "rich",
            "sympy",
            "numpy.ma",
            "hashlib",
            "qnet.questions.map",
            "qnet.networks.memory.classes",
            "qnet.networks.aggregation",
            "qnet.networks.reduction",
        ),
    ),
    # A chain that is too large is not made, and nothing is held.
    (
        ("bottleneck", "search-fan-out", "--csv"),
        ("rich", "sympy", "qnet.networks.states.chain", "qnet.networks.layers", "qnet.networks.capacity"),
    ),
    # Along customers no rate is searched for, and nothing is uncertain without a calibration.
    (
        ("knee", "million-users", "--csv"),
        (
            "qnet.questions.knee.open",
            "qnet.questions.search.search",
            "qnet.questions.uncertainty",
            "qnet.questions.envelope",
        ),
    ),
    (("knee", "web-tier", "--csv"), ("qnet.questions.knee.closed", "qnet.questions.uncertainty")),
    (("envelope", "p390", "--csv"), ("rich", "sympy", "numpy.ma")),
    (("envelope", "ibm-3990-6", "--envelope", "ten_ms"), ("rich", "sympy")),
]


@pytest.mark.parametrize(
    ("arguments", "forbidden"),
    CASES,
    ids=lambda value: " ".join(value[:6]) if isinstance(value, tuple) else str(value),
)
def test_a_command_loads_only_what_it_needs(
    arguments: tuple[str, ...], forbidden: tuple[str, ...], tmp_path: Path
) -> None:
    modules = loaded(tmp_path, *arguments)
    assert "qnet" in modules
    assert not used(modules, (*forbidden, *EVERYWHERE))


WORDS = """
import sys
from qnet.cli.group import qnet
qnet([sys.argv[1], "--help"], prog_name="qnet", standalone_mode=False)
print(*(name for name in sys.modules if name.startswith(("qnet.questions", "qnet.reports", "qnet.networks"))))
"""


@pytest.mark.parametrize("name", ["solve", "cost", "why", "knee", "sensitivity", "compare", "sweep", "calibrate"])
def test_help_of_a_question_loads_only_its_words(name: str) -> None:
    """The data of its command, by name: what `-X importtime` does not list."""
    done = subprocess.run(
        [sys.executable, "-c", WORDS, name], env=environment({}), capture_output=True, check=True, text=True
    )
    loaded = set(done.stdout.splitlines()[-1].split())
    words = {"qnet.questions.bottleneck", "qnet.questions.bottleneck.command"} if name == "why" else set[str]()
    assert loaded == {"qnet.questions", f"qnet.questions.{name}", f"qnet.questions.{name}.command", *words}


def test_modules_that_must_not_be_loaded_exist() -> None:
    named = {*NO_SOLVER, *NOT_ASKED, *EVERYWHERE, *(name for _, names in CASES for name in names)}
    assert sorted(name for name in named if importlib.util.find_spec(name) is None) == []


@pytest.mark.parametrize("words", ["qnet s", "qnet solve ibm"])
@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_completion_loads_no_solver(shell: str, words: str, tmp_path: Path) -> None:
    modules = loaded(tmp_path, _QNET_COMPLETE=f"{shell}_complete", COMP_WORDS=words, COMP_CWORD=str(words.count(" ")))
    assert not used(modules, (*LIGHT, "tomllib", "qnet.networks", "qnet.model"))


def test_completion_of_formats_loads_no_renderer(tmp_path: Path) -> None:
    modules = loaded(tmp_path, _QNET_COMPLETE="zsh_complete", COMP_WORDS="qnet solve -f t", COMP_CWORD="3")
    assert "qnet.formats" in modules
    assert not used(modules, NO_SOLVER)


@pytest.mark.parametrize(
    "words",
    ["qnet solve ./model.toml -p w", "qnet sweep ./model.toml --metric r", "qnet envelope ./model.toml --over w"],
)
def test_completion_by_a_model_only_reads_it(words: str, tmp_path: Path) -> None:
    modules = loaded(tmp_path, _QNET_COMPLETE="zsh_complete", COMP_WORDS=words, COMP_CWORD=str(words.count(" ")))
    assert "tomllib" in modules
    assert not used(modules, (*LIGHT, "qnet.networks", "qnet.questions", "qnet.reports"))


def test_the_table_of_a_terminal_is_where_rich_is_loaded(tmp_path: Path) -> None:
    assert used(loaded(tmp_path, *INLINE, "--color", "always"), LIGHT) == {"rich"}


ENDED = """
import atexit, os, sys
import qnet.__main__
class Kept:
    def __del__(self, write=os.write):
        write(2, b"taken down")
kept = Kept()
atexit.register(os.write, 2, b"at exit ")
{watched}
sys.argv = ["qnet", *sys.argv[1:]]
qnet.__main__.run()
"""


@pytest.mark.parametrize(
    ("words", "watched", "code", "end"),
    [
        (("--version",), "", 0, "at exit "),
        (("--version",), "sys.setprofile(lambda *event: None)", 0, "at exit taken down"),
        (("solve", "./none.toml"), "", 2, "at exit "),
    ],
)
def test_a_process_ends_at_once_unless_it_is_watched(words: tuple[str, ...], watched: str, code: int, end: str) -> None:
    command = [sys.executable, "-c", ENDED.format(watched=watched), *words]
    done = subprocess.run(command, env=environment({}), capture_output=True, check=False)
    lines = done.stderr.decode().splitlines()
    assert (done.returncode, lines[-1], bool(done.stdout)) == (code, end, not code)
