"""Completion, as bash, zsh and fish ask for it with the scripts of `qnet completion`; and the manual page.

Bash runs its script. Zsh and fish, which not every machine has, are asked by the protocol of their scripts: what these
were given was inserted as it should be when it was tried in both shells.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from cli_process import environment
from click.shell_completion import split_arg_string
from forked_process import program
from warm_process import answer_of

from qnet.cli.commands import COMMANDS

CLASSES = ("page", "upload")
CASES = [
    ("qnet solve web-t", ["web-tier"]),
    ("qnet solve ibm-3990-6-", ["ibm-3990-6-burn-through"]),
    ("qnet compare one-queue web-t", ["web-tier"]),
    ("qnet solve web-tier -p c", ["cache_hit="]),
    ("qnet solve ./m.toml -p r", ["rate="]),
    ("qnet solve ibm-3990-6 -p staging = ", ["track", "record", "bypass"]),
    ("qnet solve ibm-3990-6 -p staging = r", ["record"]),
    ("qnet solve web-tier -p rate = 100/s --ass", ["--assert"]),
    ("qnet solve --station cpu = 1ms --arrival-rate 3/s -p d", ["demand_cpu="]),
    ("qnet sweep web-tier --vary up", ["upload_rate="]),
    ("qnet envelope web-tier --vary up", ["upload_rate"]),
    ("qnet envelope web-tier --over c", ["cache_hit="]),
    ("qnet envelope web-tier --envelope q", ["quarter_second"]),
    ("qnet knee interactive-users --vary u", ["users"]),
    (
        "qnet sweep web-tier --metric resp",
        ["response", "response_p95", "\"response('page')\"", "\"response('upload')\""],
    ),
    ("qnet sweep web-tier --metric dat", ["database_load"]),
    ("qnet solve no-such-system -p r", []),
    ("qnet compare web-tier --with up", ["upload_rate="]),
    ("qnet calibrate web-tier rows.csv --fit up", ["upload_rate"]),
    ("qnet calibrate web-tier rows.csv --fit rate,up", ["rate,upload_rate"]),
    ("qnet envelope web-tier --limit dat", ["database_load"]),
    ("qnet knee web-tier --limit dat", ["database_load"]),
    ("qnet solve web-tier --assert dat", ["database_load"]),
    ("qnet queue M/M/1 --limit wait", ["wait", "wait_p95"]),
    ("qnet queue M/M/1 --metric wait_", ["wait_p95"]),
    ("qnet solve web-tier --units Ki", ["KiB"]),
    ("qnet solve web-tier --units ms,Ki", ["ms,KiB"]),
    ("qnet catalog show dasd/ibm-3390-3", ["dasd/ibm-3390-3"]),
    ("qnet example web-t", ["web-tier"]),
    ("qnet help uni", ["units"]),
    ("qnet new sto", ["storage"]),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the script, a model that is not finished, and a command `qnet`."""
    result = tmp_path_factory.mktemp("completion")
    (result / "script").write_text(answer_of("completion", "bash").out)
    (result / "m.toml").write_text('[parameters]\nrate = "3/s"\n')
    shutil.copy(program(), result / "qnet")
    return result


@pytest.mark.parametrize(("line", "offered"), CASES)
def test_bash_is_offered_what_fits(line: str, offered: list[str], folder: Path) -> None:
    # As bash splits words: "=" is one of its own.
    words = " ".join(shlex.quote(word) for word in line.split(" "))
    script = f"""source ./script; COMP_WORDS=({words}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
    compopt() {{ :; }}; _qnet_completion ./qnet; printf '%s\\n' "${{COMPREPLY[@]}}" """
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == offered, done.stderr


WHOLE = [
    ("qnet sol", ["solve"]),
    ("qnet solve web-t", ["web-tier"]),
    ("qnet compare one-queue web-t", ["web-tier"]),
    ("qnet example web-t", ["web-tier"]),
    ("qnet solve web-tier -p c", ["cache_hit="]),
    ("qnet solve ./m.toml -p r", ["rate="]),
    ("qnet solve ibm-3990-6 -p staging=", ["staging=track", "staging=record", "staging=bypass"]),
    ("qnet solve ibm-3990-6 -p staging=r", ["staging=record"]),
    ("qnet solve web-tier -p 'rate = 100/s' --ass", ["--assert"]),
    ("qnet sweep web-tier --over up", ["upload_rate="]),
    ("qnet envelope web-tier --vary up", ["upload_rate"]),
    ("qnet envelope web-tier --envelope q", ["quarter_second"]),
    ("qnet sweep web-tier --metric resp", ["response", "response_p95", "response('page')", "response('upload')"]),
    ("qnet sweep web-tier --metric=dat", ["database_load"]),
    ("qnet sweep web-tier --metric \"response('p", ["response('page')"]),
    ("qnet formula web-tier --metric resp", ["response", "response_p95", "response('page')", "response('upload')"]),
    ("qnet formula web-tier --solve-for up", ["upload_rate"]),
    ("qnet catalog show dasd/ibm-3390-3", ["dasd/ibm-3390-3"]),
    ("qnet solve no-such-system -p r", []),
    ("qnet compare web-tier --with up", ["upload_rate="]),
    ("qnet calibrate web-tier rows.csv --fit up", ["upload_rate"]),
    ("qnet calibrate web-tier rows.csv --fit rate,up", ["rate,upload_rate"]),
    ("qnet envelope web-tier --limit dat", ["database_load"]),
    ("qnet knee web-tier --limit dat", ["database_load"]),
    ("qnet solve web-tier --assert dat", ["database_load"]),
    ("qnet queue M/M/1 --limit wait", ["wait", "wait_p95"]),
    ("qnet queue M/M/1 --metric wait_", ["wait_p95"]),
    ("qnet solve web-tier --units Ki", ["KiB"]),
    ("qnet solve web-tier --units ms,Ki", ["ms,KiB"]),
]
"""Lines as zsh and fish split them: "=" is part of a word, and quotes are as they were typed."""


def asked(line: str, folder: Path, **given: str) -> str:
    done = subprocess.run(
        ["./qnet"],
        cwd=folder,
        env=environment({**given, "COMP_WORDS": line}),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize(("line", "offered"), WHOLE)
def test_zsh_is_offered_what_fits(line: str, offered: list[str], folder: Path) -> None:
    last = len(split_arg_string(line)) - 1
    lines = asked(line, folder, _QNET_COMPLETE="zsh_complete", COMP_CWORD=str(last)).splitlines()
    lines = [item for item in lines if item]  # where nothing is offered
    assert len(lines) % 3 == 0
    assert set(lines[::3]) <= {"plain", "file"}
    assert [value for kind, value in zip(lines[::3], lines[1::3], strict=True) if kind == "plain"] == offered


@pytest.mark.parametrize(("line", "offered"), WHOLE)
def test_fish_is_offered_what_fits(line: str, offered: list[str], folder: Path) -> None:
    answer = asked(line, folder, _QNET_COMPLETE="fish_complete", COMP_CWORD=line.rpartition(" ")[2])
    kinds = [item.partition(",") for item in answer.splitlines()]
    assert {kind for kind, _, _ in kinds} <= {"plain", "file", ""}
    assert [value.partition("\t")[0] for kind, _, value in kinds if kind == "plain"] == offered


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_what_is_offered_is_explained(shell: str, folder: Path) -> None:
    line = "qnet envelope ibm-3990-6 --envelope ten"
    answer = asked(line, folder, _QNET_COMPLETE=f"{shell}_complete", COMP_CWORD="4" if shell == "zsh" else "ten")
    assert answer == {
        "zsh": "plain\nten_ms\nuniform 4 KiB at 10 ms\n", "fish": "plain,ten_ms\tuniform 4 KiB at 10 ms\n",
    }[shell]  # fmt: skip


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_asks_by_the_protocol_of_its_shell_and_is_accepted_by_it(shell: str, tmp_path: Path) -> None:
    script = answer_of("completion", shell).out
    assert f"_QNET_COMPLETE={shell}_complete" in script
    assert {"COMP_WORDS", "COMP_CWORD"} <= set(script.replace("=", " ").split())
    assert script.count("{") == script.count("}") and script.count("(") - script.count(")") in (0, -3)
    (tmp_path / "script").write_text(script)
    if found := shutil.which(shell):
        done = subprocess.run([found, "-n", str(tmp_path / "script")], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_script_of_zsh_adds_no_space_after_an_equals_sign() -> None:
    script = answer_of("completion", "zsh").out
    assert script.startswith("#compdef qnet\n")
    assert "[[ ${value%%:*} == *= ]] && open+=" in script and "_describe -V unsorted open -S ''" in script


def test_the_manual_page_has_every_command() -> None:
    page = answer_of("completion", "man").out
    assert page.startswith(".TH QNET 1")
    assert [name for name in COMMANDS if name != "catalog" and f"\n.SS qnet {name}" not in page] == []
    assert "\n.SS qnet catalog show" in page
    assert "\n  debug" not in page and "\f" not in page


@pytest.mark.skipif(shutil.which("groff") is None, reason="there is no groff")
def test_the_manual_page_is_set_without_a_warning() -> None:
    page = answer_of("completion", "man").out.encode()
    done = subprocess.run(["groff", "-man", "-W", "break", "-Tascii"], input=page, capture_output=True, check=True)
    assert done.stderr == b""
    assert b"Compute throughput, response time and utilization" in done.stdout
