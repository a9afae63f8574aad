"""`qnet check --format`: spaces change, and nothing else."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from cli_process import Run
from many import many
from test_model_schema import MODELS

from qnet.model.tidy import tidy

UNTIDY = """\n\n# First remark\nqnet=1
title   =  "One, two = # three"   # of the title
[ parameters ]
rate="80/s"     # a column
a_list = [1,2 ,3, ]


  # of the stations
[stations]
server={servers=2,discipline="ps"}
other = { }
[classes.request]
arrival_rate = "rate"
note = "it's"
steps = [
{station="server",time="10 ms"},   # one
      # between
  {hold="other",steps=[{time='1 ms'},
  {station="server", time = "1 ms"}]},

]   \n\n\n"""
TIDY = """# First remark
qnet = 1
title = "One, two = # three"      # of the title

[parameters]
rate = "80/s"   # a column
a_list = [1, 2, 3, ]

# of the stations
[stations]
server = { servers = 2, discipline = "ps" }
other = {}

[classes.request]
arrival_rate = "rate"
note = "it's"
steps = [
  { station = "server", time = "10 ms" },  # one
  # between
  { hold = "other", steps = [ { time = '1 ms' },
    { station = "server", time = "1 ms" } ] },

]
"""


def test_spaces_are_tidied() -> None:
    assert tidy(UNTIDY, "a") == TIDY


@many("name", sorted(MODELS))
def test_a_shipped_model_keeps_its_data_and_comments(name: str) -> None:
    text = Path(MODELS[name]).read_text()
    # What a careless editor leaves.
    for rough in (
        text,
        text.replace(" = ", "="),
        re.sub(r"^ +", "\t", text, flags=re.M),
        text.replace("\n\n", "\n\n\n"),
    ):
        done = tidy(rough, name)
        assert tomllib.loads(done) == tomllib.loads(rough)
        assert remarks(done) == remarks(rough)
        assert tidy(done, name) == done


def remarks(text: str) -> list[str]:
    return [line.rpartition("# ")[2].rstrip() for line in text.splitlines() if "# " in line]


@many("name", sorted(MODELS))
def test_indentation_and_blank_lines_of_shipped_models_come_back(name: str) -> None:
    done = tidy(Path(MODELS[name]).read_text(), name)
    flat = re.sub(r"^[ ]+", "", done, flags=re.M)
    # Comments keep their columns, which were those of lines without indentation.
    assert re.sub(" +#", " #", tidy(flat, name)) == re.sub(" +#", " #", done)


def test_strings_of_several_lines_remain() -> None:
    text = 'qnet = 1\nnote = """\n  two   spaces  \n[no header]\n# no comment\n"""\n'
    assert tidy(text, "a") == text


def test_a_file_is_rewritten_once(qnet: Run, tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    path.write_text(qnet("new", "web").out.replace(" = ", "="))
    before = path.read_text()
    shown = qnet("check", "./m.toml", "--format", "--diff")
    assert (shown.code, path.read_text()) == (6, before)
    assert shown.out.startswith("--- ./m.toml\n") and "QN757" in shown.err
    assert qnet("check", "./m.toml", "--format").out == "./m.toml: rewritten\n"
    assert path.read_text() != before
    assert qnet("check", "./m.toml", "--format").out == "./m.toml: already formatted\n"
    assert qnet("check", "./m.toml", "--format", "--diff").code == 0


def test_standard_input_is_printed_tidily(qnet: Run) -> None:
    text = qnet("example", "one-queue").out
    assert qnet("check", "-", "--format", stdin=re.sub(r"^(\w+) = ", r"\1=", text, flags=re.M).encode()).out == text


@pytest.mark.parametrize("words", [("one-queue", "--format"), ("one-queue", "--diff")])
def test_what_is_no_file_is_not_rewritten(words: tuple[str, ...], qnet: Run) -> None:
    answer = qnet("check", *words)
    assert (answer.code, answer.out) == (2, "")


def test_an_invalid_model_is_not_rewritten(qnet: Run, tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text('qnet=1\ntitle="a"\n')
    assert qnet("check", "./m.toml", "--format").code == 3
    assert (tmp_path / "m.toml").read_text() == 'qnet=1\ntitle="a"\n'
