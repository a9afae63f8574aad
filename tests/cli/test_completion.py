"""Completion, as bash asks for it with the script of `qnet completion bash`; and the manual page."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli_process import environment
from warm_process import answer_of

from qnet.cli.group import COMMANDS

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
    (result / "qnet").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m qnet "$@"\n')
    (result / "qnet").chmod(0o755)
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


def test_the_manual_page_has_every_command() -> None:
    page = answer_of("completion", "man").out
    assert page.startswith(".TH QNET 1")
    assert [name for name in COMMANDS if name != "catalog" and f"\n.SS qnet {name}" not in page] == []
    assert "\n.SS qnet catalog show" in page


@pytest.mark.skipif(shutil.which("groff") is None, reason="there is no groff")
def test_the_manual_page_is_set_without_a_warning() -> None:
    page = answer_of("completion", "man").out.encode()
    done = subprocess.run(["groff", "-man", "-W", "break", "-Tascii"], input=page, capture_output=True, check=True)
    assert done.stderr == b""
    assert b"Compute throughput, response time and utilization" in done.stdout
