"""What every command owes its callers: streams, exit codes, forms, colours, files, and the same bytes every time."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import os
import re
import shlex
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_process import Run
from warm_process import answer_of

GOLDEN = Path(__file__).parent / "golden"
FAILURES = sorted(
    str(path.parent.relative_to(GOLDEN)) for path in GOLDEN.rglob("rc") if path.read_text().strip() not in ("0", "6")
)
INLINE = ("solve", "--station", "cpu=120ms", "--station", "disk=50ms", "--arrival-rate", "3/s")
ESCAPE = "\x1b["
NOTE = re.compile(r"qnet: (note|warning): .* \[QN[67]\d\d\]|  next: .*")

MODEL = """qnet = 1
title = "µ-service in Zürich"

[parameters]
rate = { value = "80/s", unit = "/s" }
time = "10 ms"

[stations]
"µ" = {}

[classes.requests]
arrival_rate = "rate"
steps = [ { station = "µ", time = "time" } ]

[envelopes.fifty]
vary = "rate"
limit = "response <= 50 ms"
over = "time = 5 ms, 10 ms, 20 ms"
"""


# Failures


def in_words(case: str) -> bool:
    """Whether a failure prints nothing but its reasons, each with its code."""
    error = (GOLDEN / case / "err").read_text()
    lines = [line for line in error.splitlines() if line.startswith("qnet: ") and not line.startswith("qnet: rows: ")]
    # A filter has printed its rows, each with its status, before it knows that none is answered.
    silent = (GOLDEN / case / "out").read_text() == "" or case.startswith("map/")
    sound = error.startswith("qnet: ") and error.endswith("\n")
    sound &= "Traceback" not in error and "internal error" not in error
    return silent and sound and all(re.search(r" \[QN\d{3}\]$", line) for line in lines)


def test_a_failure_leaves_standard_output_empty_and_tells_why() -> None:
    assert len(FAILURES) > 100
    assert [case for case in FAILURES if not in_words(case)] == []


@pytest.mark.parametrize(
    ("case", "meant"),
    [
        ("unknown-command", "solve"),
        ("unknown-option", "--format"),
        ("unknown-system", "ibm-3990-6"),
        ("unknown-parameter", "write_fraction"),
        ("unknown-varied", "rate"),
        ("unknown-route", "read miss"),
        ("unknown-envelope", "ten_ms"),
        ("unknown-station", "server"),
        ("unknown-station-in-limit", "utilization('back_end')"),
        ("unknown-metric", "response"),
        ("unknown-key", "servers"),
        ("unknown-name", "service_time"),
        ("unknown-function", "max"),
        ("setting-choice", "record"),
        ("servers-of-nobody", "cpu"),
    ],
)
def test_a_misspelt_name_is_answered_with_the_one_that_is_meant(case: str, meant: str) -> None:
    assert f'help: did you mean "{meant}"' in (GOLDEN / "wrong" / case / "err").read_text()


@pytest.mark.parametrize("line", ["qnet -V >&-", "qnet --version | true"])
def test_the_version_is_told_as_quietly(line: str, shell: Run) -> None:
    answer = shell(line)
    assert (answer.code, answer.err) == (0, "")


# Pipes


@pytest.mark.parametrize(
    "line",
    [
        "qnet envelope ibm-3990-6 --csv | head -1",
        "qnet solve ibm-3990-6 | true",
        "qnet catalog show dasd/ibm-3390-3 --why | head -1",
        "qnet --help | head -1",
        "qnet --help | true",
        "qnet solve --help | true",
        "qnet catalog --help | true",
        "qnet catalog list | true",
        "qnet check ibm-3990-6 | true",
        "qnet schema solution | true",
        "qnet completion bash | true",
        "qnet explain | head -1",
        "qnet solve --station cpu=1ms --arrival-rate 1/s -o /dev/stdout | true",
    ],
)
def test_a_reader_who_has_seen_enough_is_no_failure(line: str, shell: Run) -> None:
    answer = shell(line)
    assert answer.code == 0
    assert all(NOTE.fullmatch(told) for told in answer.err.splitlines())


@pytest.mark.parametrize(
    "line",
    ["qnet solve nope", "qnet slove", "qnet solve --station cpu=1s", "qnet solve ibm-3990-6 -p rate=1e9/s"],
)
def test_the_exit_code_holds_where_nobody_reads_the_message(line: str, shell: Run) -> None:
    wanted = answer_of(*shlex.split(line)[1:]).code
    assert wanted in (2, 4)
    assert shell(f"{line} 2>&1 | true").code == wanted
    assert shell(f"{line} 2>&-").code == wanted


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
@pytest.mark.parametrize("command", ["solve ibm-3990-6", "--help", "explain", "schema solution"])
def test_a_full_disk_is_told(command: str, shell: Run) -> None:
    answer = shell(f"qnet {command} > /dev/full")
    assert answer.code == 2
    assert answer.err == "qnet: standard output: No space left on device [QN005]\n"


def test_closed_streams_are_told(shell: Run) -> None:
    assert shell("qnet solve ibm-3990-6 >&-")[1:] == ("qnet: standard output is closed; expected -o FILE [QN005]\n", 2)
    assert shell("qnet solve - <&-")[1:] == ("qnet: <stdin>: standard input is closed; expected a model [QN002]\n", 2)


# The same bytes


@pytest.mark.parametrize(
    ("command", "seed", "threads"),
    [("envelope", "0", "1"), ("envelope", "1", "2"), ("solve", "1", "2")],
)
def test_two_runs_are_the_same_to_the_byte(command: str, seed: str, threads: str, qnet: Run) -> None:
    changes = {"PYTHONHASHSEED": seed, "OPENBLAS_NUM_THREADS": threads}
    answer = qnet(command, "ibm-3990-6", "--json", changes=changes)
    assert answer.code == 0
    assert answer == answer_of(command, "ibm-3990-6", "--json")


def test_the_digest_tells_what_was_set(qnet: Run, tmp_path: Path) -> None:
    (tmp_path / "model.toml").write_text(MODEL)

    def digest(*settings: str) -> str:
        return json.loads(qnet("solve", "./model.toml", "--json", *settings).out)["model"]["digest"]

    assert len({digest(), digest("-p", "rate=70/s"), digest("-p", "rate=60/s")}) == 3
    assert digest("-p", "rate=70/s") == digest("-p", "rate=70/s")


# Forms

UNITS = r"(_(s|ms|B|MiB|percent))?(_per_(s|B|GB))*"
NAME = re.compile(rf"[a-z][a-z_0-9]*?{UNITS}")
WITH_UNITS = {
    "envelope": {
        "rate_per_s",
        "maximum_rate_per_s",
        "response_s",
        "access_density_per_s_per_GB",
        "data_rate_MiB_per_s",
    },
    "solve": {"throughput_per_s", "response_s", "residence_s", "wait_s", "holding_s", "maximum_throughput_per_s"},
}


@pytest.mark.parametrize("command", list(WITH_UNITS))
def test_csv_and_json_say_the_same_in_numbers_that_read_back(command: str) -> None:
    text = answer_of(command, "ibm-3990-6", "--csv").out
    report = json.loads(answer_of(command, "ibm-3990-6", "--json").out)
    assert "\r" not in text and text.endswith("\n")
    head, *rows = list(csv.reader(io.StringIO(text)))
    assert set(head) >= WITH_UNITS[command]
    assert all(NAME.fullmatch(name) for name in head)
    assert {len(row) for row in rows} == {len(head)}
    assert head == [column["key"] for column in report["columns"]] == list(report["rows"][0])
    assert [[as_text(cell) for cell in row.values()] for row in report["rows"]] == rows
    numbers = [cell for row in report["rows"] for cell in row.values() if isinstance(cell, float)]
    assert numbers and all(float(repr(number)) == number for number in numbers)


def as_text(cell: Any) -> str:
    return "" if cell is None else repr(cell) if isinstance(cell, float) else str(cell)


def test_json_lines_are_the_rows() -> None:
    lines = answer_of("envelope", "ibm-3990-6", "--jsonl").out.splitlines()
    assert [json.loads(line) for line in lines] == json.loads(answer_of("envelope", "ibm-3990-6", "--json").out)["rows"]


MEASURED = str(Path(__file__).parents[2] / "examples" / "measured")
SCHEMAS = [
    ("solution", ("solve", "ibm-3990-6")),
    ("solution", INLINE),
    ("envelope", ("envelope", "ibm-3990-6")),
    ("validation", ("validate", "ibm-3990-6")),
    ("account", ("validate",)),
    ("fits", ("validate", "paging", "--fits")),
    ("study", ("study", "ibm-3990-6")),
    ("studies", ("study",)),
    ("methods", ("methods",)),
    ("errors", ("methods", "--error")),
    ("formula", ("formula", *INLINE[1:])),
    ("bottleneck", ("bottleneck", "ibm-3990-6")),
    ("why", ("why", "ibm-3990-6")),
    ("sweep", ("sweep", *INLINE[1:], "--vary", "arrival_rate=1/s:5/s:1/s")),
    ("comparison", ("compare", "ibm-3990-6", "--with", "rate=700/s")),
    ("cost", ("cost", "ibm-3990-6", "--of", "all")),
    ("knee", ("knee", *INLINE[1:])),
    ("sensitivity", ("sensitivity", *INLINE[1:])),
    ("tornado", ("sensitivity", *INLINE[1:], "--within", "10%")),
    ("calibration", ("calibrate", "ibm-3990-6", f"{MEASURED}-3990-6.csv", "--fit", "cu.miss_remainder")),
    ("candidates", ("calibrate", "ibm-3990-6", "ibm-3990-6", f"{MEASURED}-3990-6.csv", "--fit", "cu.miss_remainder")),
    ("demands", ("calibrate", "--demands", f"{MEASURED}-intervals.csv")),
    ("uncertainty", ("sensitivity", *INLINE[1:], "--sample", "10", "--within", "10%")),
    ("queue", ("queue", "M/M/1", "--arrival-rate", "80/s", "--service-time", "10ms")),
    ("catalog", ("catalog", "list")),
    ("part", ("catalog", "show", "dasd/ibm-3390-3")),
    ("part", ("catalog", "show", "dasd/ibm-3390-3", "--why")),
    ("system", ("catalog", "show", "ibm-3990-6")),
    ("system", ("catalog", "show", "ibm-3990-6", "--why")),
]


@pytest.mark.parametrize(("name", "command"), SCHEMAS, ids=lambda value: value if isinstance(value, str) else value[0])
def test_json_is_what_the_schema_says(name: str, command: tuple[str, ...]) -> None:
    schema = json.loads(answer_of("schema", name).out)
    assert schema["title"] == f"qnet/{name}/1"
    case = {("ibm-3990-6",): "json", (): "account-json" if name == "account" else None}.get(command[1:])
    # A golden output is compared with the present answer by its own test.
    text = (GOLDEN / command[0] / case / "out").read_text() if case else answer_of(*command, "--json").out
    assert list(faults(json.loads(text), schema)) == []


def test_every_schema_that_is_written_can_be_printed() -> None:
    import qnet
    from qnet.cli.schema import ANSWERS

    package = Path(qnet.__file__).parent
    written = {name for path in package.rglob("*.py") for name in re.findall(r'"qnet/(\w+)/1"', path.read_text())}
    assert written == set(ANSWERS)
    assert {name for name, _ in SCHEMAS} == set(ANSWERS)
    assert [line.split()[0] for line in answer_of("schema").out.splitlines()] == [*ANSWERS, "model"]


def faults(value: Any, schema: dict[str, Any]) -> Iterator[str]:
    """The small validator beside the tests of the reports."""
    path = Path(__file__).parents[1] / "reports" / "test_report_schema.py"
    spec = importlib.util.spec_from_file_location("schema_validator", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield from module.faults(value, schema)


def without_command(text: str) -> str:
    """Markdown without the command that made it."""
    return re.sub(r"^```sh\nqnet .*\n```$", "", text, flags=re.MULTILINE)


def test_the_last_form_wins(qnet: Run) -> None:
    assert qnet(*INLINE, "--json", "--csv") == answer_of(*INLINE, "--csv")
    assert without_command(qnet(*INLINE, "-f", "csv", "--md").out) == without_command(answer_of(*INLINE, "--md").out)


# Files


@pytest.mark.parametrize("name", ["x.csv", "x.json", "x.jsonl", "x.md", "x.txt", "X.CSV", "x", "folder.csv/x"])
def test_a_file_gets_the_form_of_its_suffix(name: str, qnet: Run, tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    form = {"x.csv": "csv", "X.CSV": "csv", "x.json": "json", "x.jsonl": "jsonl", "x.md": "md"}.get(name, "table")
    (tmp_path / name).write_text("what was there before, and was longer" * 1000)
    assert qnet(*INLINE, "-o", name) == ("", "", 0)
    written = (tmp_path / name).read_bytes().decode()
    assert without_command(written) == without_command(answer_of(*INLINE, "-f", form).out)


def test_a_form_that_is_named_wins_over_the_suffix(qnet: Run, tmp_path: Path) -> None:
    assert qnet(*INLINE, "-o", "x.data", "--csv").code == 0
    assert (tmp_path / "x.data").read_text() == answer_of(*INLINE, "--csv", "-o", "-").out


def test_a_failure_leaves_no_file_and_no_file_changed(qnet: Run, tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_text("as it was\n")
    (tmp_path / "link.csv").symlink_to("target.csv")
    for name in ("new.csv", "old.csv", "link.csv", "new.xlsx"):
        for command in (("solve", "nope"), ("solve", "--station", "a=1s", "--arrival-rate", "1/s")):
            assert qnet(*command, "-o", name).code in (2, 4)
    assert {path.name for path in tmp_path.iterdir()} == {"old.csv", "link.csv"}
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "old.csv").read_text() == "as it was\n"


def test_a_file_that_cannot_be_written_is_told_before_the_work(qnet: Run, tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    answer = qnet("solve", "nope", "-o", "folder.csv")
    assert answer == (
        "",
        "qnet: cannot write folder.csv: Is a directory; expected a writable file [QN005]\n",
        2,
    )
    if os.getuid():
        (tmp_path / "locked.csv").touch(stat.S_IRUSR)
        assert "cannot write locked.csv: Permission denied" in qnet("solve", "nope", "-o", "locked.csv").err


def test_a_pipe_with_a_name_is_opened_once(shell: Run) -> None:
    line = "mkfifo pipe.csv; head -1 pipe.csv & qnet solve --station a=1ms --arrival-rate 1/s -o pipe.csv; wait"
    answer = shell(line)
    assert answer.out.startswith("scope,name,class") and answer.err == "" and answer.code == 0


# Machines that speak ASCII only


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve", "./model.toml"),
        ("solve", "./model.toml", "--csv"),
        ("solve", "./model.toml", "--json"),
        ("solve", "./model.toml", "--md"),
        ("solve", "./model.toml", "--color", "always"),
        ("envelope", "./model.toml", "--plot"),
        ("check", "./model.toml"),
        ("check", "./µ.toml"),
        ("solve", "./model.toml", "-p", "µ=3"),
        ("solve", "µ"),
        ("solve", "--station", "µ=1ms", "--arrival-rate", "1/s"),
        ("--help",),
        ("catalog", "show", "dasd/ibm-3390-3", "--why"),
    ],
    ids=lambda value: ascii(" ".join(value)),
)
@pytest.mark.parametrize(
    "changes", [{"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "", "LC_ALL": "C", "PYTHONUTF8": "0"}]
)
def test_an_ascii_world_is_no_failure(
    arguments: tuple[str, ...], changes: dict[str, str], qnet: Run, tmp_path: Path
) -> None:
    for name in ("model.toml", "µ.toml"):
        (tmp_path / name).write_text(MODEL, encoding="utf-8")
    answer = qnet(*arguments, changes=changes)
    assert "Traceback" not in answer.err and "internal error" not in answer.err
    assert answer.err.isascii()
    assert answer.code in (0, 2)
    machine = {"--csv", "--json", "--md"} & set(arguments)  # these are UTF-8 by definition
    assert machine or answer.out.isascii() or changes["PYTHONIOENCODING"] == ""


@pytest.mark.parametrize("how", [{"QNET_ASCII": "1"}, {"--ascii": ""}])
def test_ascii_can_be_asked_for(how: dict[str, str], qnet: Run, tmp_path: Path) -> None:
    (tmp_path / "model.toml").write_text(MODEL, encoding="utf-8")
    options = [name for name in how if name.startswith("-")]
    answer = qnet("envelope", "./model.toml", "--plot", *options, changes={k: v for k, v in how.items() if v})
    assert answer.out.isascii() and "u-service in Zurich" in answer.out
    assert not qnet("envelope", "./model.toml", "--plot", changes={"QNET_ASCII": "0"}).out.isascii()


def test_a_chart_has_no_place_in_forms_for_machines(qnet: Run, tmp_path: Path) -> None:
    (tmp_path / "model.toml").write_text(MODEL, encoding="utf-8")
    told = qnet("envelope", "./model.toml", "--csv", "--plot")
    assert told.out == qnet("envelope", "./model.toml", "--csv").out
    assert told.err == "qnet: note: --plot applies to tables, Markdown and HTML, not to csv [QN606]\n"
