"""The commands seen from inside: their help, their codes, and odd arguments that no shell passes lightly."""

from __future__ import annotations

import inspect
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

import click
import pytest
from click.testing import CliRunner, Result
from many import many

import qnet as package
from qnet.cli.commands import COMMANDS, QUESTION, RUN_BY
from qnet.cli.group import qnet
from qnet.explanations import EXPLANATIONS, FAMILIES
from qnet.signatures import rows

SOURCE = Path(package.__file__).parent
GOLDEN = Path(__file__).parent / "golden"


# click below 8.2 mixes the streams where it is not asked to keep them apart, later versions cannot be asked.
APART = {"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner).parameters else {}


def invoke(*arguments: str) -> Result:
    return CliRunner(**APART).invoke(qnet, list(arguments))


def commands(command: click.Command = qnet, name: str = "qnet") -> Iterator[tuple[str, click.Command]]:
    """Every command with its full name, the groups included."""
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=name)
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found, inner
            yield from commands(found, f"{name} {inner}")


ALL = dict(commands())


# Help


@many("name", list(COMMANDS))
def test_the_table_has_the_first_line_of_the_help(name: str) -> None:
    found = ALL[f"qnet {name}"]
    assert found.name == name
    assert found.help and found.help.splitlines()[0] == COMMANDS[name][1]


@many("name", list(ALL))
def test_everything_has_help_for_eighty_columns_of_ascii(name: str) -> None:
    command = ALL[name]
    context = click.Context(command, info_name=name, terminal_width=80)
    assert command.help and command.help.splitlines()[0].endswith(".")
    for parameter in command.get_params(context):
        if isinstance(parameter, click.Option):
            assert parameter.help and parameter.help.endswith("."), parameter.opts
    shown = command.get_help(context)
    assert shown.isascii()
    assert "..." not in shown.partition("\nCommands:")[2], "a line of the list of commands is cut off"
    prose = [line for line in shown.splitlines() if not (line.startswith("    ") and "qnet " in line)]
    assert max(map(len, prose)) <= 90


STATED = {name: row for name, row in rows().items() if COMMANDS.get(name, ("",))[0] == QUESTION}


def test_what_questions_say_of_options_names_options() -> None:
    assert len(STATED) > 10 and set(RUN_BY) < set(STATED)
    for name, row in STATED.items():
        words = row.command()
        options = {item.name for item in ALL[f"qnet {name}"].params}
        named = {item.name for item in words.options} | {item.needs for item in words.options if item.needs}
        assert named | {other for group in words.excluding for other in group} <= options, name
        assert {*words.also} <= rows().keys() and {*words.derived} <= row.parameters.keys(), name
        assert {*words.given} <= {"network", "curve", "only"}, name


NO_QUESTIONS = {
    "qnet", "catalog", "check", "completion", "convert", "example", "explain", "help", "measured", "methods", "new",
    "schema",
}  # fmt: skip
"""Commands that compute nothing."""


@many("name", sorted(set(COMMANDS) - NO_QUESTIONS))
def test_the_help_of_a_question_names_a_source_with_its_year(name: str) -> None:
    assert re.search(r"\b(19|20)\d\d\b", ALL[f"qnet {name}"].help or ""), "a definition without a source"


def test_a_group_without_a_command_tells_its_help_as_a_failure() -> None:
    for words in ((), ("catalog",)):
        result = invoke(*words)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith("Usage: qnet") and "Commands:" in result.stderr


# Odd arguments

LONG = "9" * 400


@pytest.mark.parametrize(
    "arguments",
    [
        ("",),
        ("solve", ""),
        ("solve", " "),
        ("solve", "a\0b.toml"),
        ("solve", "./a\0b.toml"),
        ("solve", "x" * 100_000),
        ("solve", "./" + "x" * 100_000),
        ("solve", "../" * 50 + "etc/passwd"),
        ("solve", "\udcff.toml"),
        ("solve", "ibm-3990-6", "-o", ""),
        ("solve", "ibm-3990-6", "-o", "a\0b.csv"),
        ("solve", "ibm-3990-6", "-o", "x" * 5000 + ".csv"),
        ("solve", "ibm-3990-6", "-p", ""),
        ("solve", "ibm-3990-6", "-p", "="),
        ("solve", "ibm-3990-6", "-p", "rate\0=3/s"),
        ("solve", "ibm-3990-6", "-p", "rate=\0"),
        ("solve", "ibm-3990-6", "-p", "rate=\ud800"),
        ("solve", "ibm-3990-6", "-p", "rate=1e400/s"),
        ("solve", "ibm-3990-6", "-p", f"rate={LONG}/s"),
        ("solve", "ibm-3990-6", "-p", "rate=9**9**9*1/s"),
        ("solve", "ibm-3990-6", "-p", "rate=" + "-" * 590 + "1/s"),
        ("solve", "ibm-3990-6", "-p", "rate=" + "(" * 5000 + "1/s" + ")" * 5000),
        ("solve", "ibm-3990-6", "-p", "rate=nan/s"),
        ("solve", "ibm-3990-6", "-p", "rate=inf"),
        ("solve", "ibm-3990-6", "-p", "rate=__import__('os')"),
        ("solve", "ibm-3990-6", "-p", "block=1e300 B"),
        ("solve", "ibm-3990-6", "-p", "volumes=1e9"),
        ("solve", "ibm-3990-6", "-p", "volumes=0"),
        ("solve", "ibm-3990-6", "-p", "cu.miss_remainder=1 s/0"),
        ("solve", "--station", "=", "--arrival-rate", "1/s"),
        ("solve", "--station", "a\nb=1s", "--arrival-rate", "1/s"),
        ("solve", "--station", "a=1e400s", "--arrival-rate", "1/s"),
        ("solve", "--station", "a=1s", "--arrival-rate", ""),
        ("solve", "--station", "a=1s", "--arrival-rate", "1e400/s"),
        ("solve", "--station", "a=1s", "--servers", "a=1e400", "--arrival-rate", "1/s"),
        ("envelope", "ibm-3990-6", "--limit", ""),
        ("envelope", "ibm-3990-6", "--limit", "\0"),
        ("envelope", "ibm-3990-6", "--limit", "response <= 1e400 s"),
        ("envelope", "ibm-3990-6", "--vary", ""),
        ("envelope", "ibm-3990-6", "--route", ""),
        ("envelope", "ibm-3990-6", "--envelope", ""),
        ("envelope", "ibm-3990-6", "--over", ""),
        ("envelope", "ibm-3990-6", "--over", "="),
        ("envelope", "ibm-3990-6", "--over", "write_fraction=0:1e9:1e-9"),
        ("envelope", "ibm-3990-6", "--over", "write_fraction=0:1:1e-320"),
        ("envelope", "ibm-3990-6", "--over", "write_fraction=0:1e400:1"),
        ("envelope", "ibm-3990-6", "--over", "write_fraction=log(0.1, 1, 1e400)"),
        ("envelope", "ibm-3990-6", "--over", "write_fraction=0:1:0.001", "--over", "read_hit=0:1:0.001"),
        ("catalog", "show", ""),
        ("catalog", "show", "a\0b"),
        ("catalog", "show", "../" * 20 + "etc/passwd"),
        ("validate", ""),
        ("validate", "a\0b"),
        ("explain", ""),
        ("explain", "\0"),
        ("explain", "²"),
        ("schema", ""),
        ("completion", "\0"),
    ],
    ids=lambda value: ascii(" ".join(value))[:70],
)
def test_odd_arguments_are_answered_in_words(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = invoke(*arguments)
    assert isinstance(result.exception, SystemExit)
    assert result.exit_code in (2, 3, 4, 5), result.stderr
    assert result.stdout == ""
    assert result.stderr.startswith("qnet: ") and len(result.stderr) < 5000
    assert all(line.isprintable() for line in result.stderr.splitlines())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("queue", "M/M/1", "--arrival-rate", "1/s", "--arrival-rate", "2/s", "--service-time", "1ms"),
            "--arrival-rate",
        ),
        (("envelope", "ibm-3990-6", "--vary", "rate", "--vary", "block"), "--vary"),
        (("why", "ibm-3990-6", "--faster", "2", "--faster", "3"), "--faster"),
        (("catalog", "list", "--kind", "part", "--kind", "system"), "--kind"),
        (("solve", "--station", "a=1ms", "--population", "2", "--population", "3"), "--population"),
        (("solve", "ibm-3990-6", "-p", "rate=1/s", "-p", "rate=2/s"), '"rate" is set twice'),
        (("compare", "ibm-3990-6", "--with", "rate=1/s & rate=2/s"), '"rate" is set twice'),
    ],
)
def test_nothing_that_is_said_twice_is_lost(arguments: tuple[str, ...], words: str) -> None:
    result = invoke(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (
            RuntimeError("some\x1b[31m thing\nbroke"),
            1,
            "qnet: internal error: RuntimeError: some\\x1b[31m thing\\nbroke\n",
        ),
        (ZeroDivisionError("float division"), 1, "qnet: internal error: ZeroDivisionError: float division\n"),
        (
            OverflowError("too large"),
            5,
            "qnet: a number is too large to compute with; expected numbers below 1e300 [QN502]\n",
        ),
        (MemoryError(), 5, "qnet: the answer does not fit into memory [QN503]\n"),
        (OSError(5, "Input/output error"), 2, "qnet: standard output: Input/output error [QN005]\n"),
        (OSError(13, "Permission denied", "x"), 2, "qnet: x: Permission denied [QN005]\n"),
        (KeyboardInterrupt(), 130, "qnet: interrupted\n"),
        (BrokenPipeError(), 0, ""),
    ],
)
def test_whatever_happens_has_its_exit_code(
    error: BaseException, code: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object, **options: object) -> None:
        raise error

    monkeypatch.setattr("qnet.questions.solve.solve.solve_report", broken)
    monkeypatch.setattr("qnet.cli.failures._forget", lambda stream: None)
    result = invoke("solve", "--station", "a=1ms", "--arrival-rate", "1/s")
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr.startswith(words)
    assert code != 1 or "help: run qnet --debug" in result.stderr


def test_debug_shows_the_traceback_of_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object, **options: object) -> None:
        raise RuntimeError("broke")

    monkeypatch.setattr("qnet.questions.solve.solve.solve_report", broken)
    result = invoke("--debug", "solve", "--station", "a=1ms", "--arrival-rate", "1/s")
    assert isinstance(result.exception, RuntimeError)
    assert invoke("--debug", "solve", "nope").exit_code == 2


# Codes


def texts(code: CodeType | tuple[object, ...] | frozenset[object]) -> Iterator[str]:
    """The constant texts of compiled code and of all that is defined in it."""
    for item in code.co_consts if isinstance(code, CodeType) else code:
        if isinstance(item, str):
            yield item
        elif isinstance(item, CodeType | tuple | frozenset):
            yield from texts(item)


def codes(folder: Path) -> set[str]:
    """The codes in the texts of the source, without those in docstrings, which are examples."""
    found: set[str] = set()
    for path in folder.rglob("*.py"):
        text = path.read_text()
        if path.parent.name != "explanations" and "QN" in text:
            without_docstrings = compile(text, str(path), "exec", dont_inherit=True, optimize=2)
            found |= {code for item in texts(without_docstrings) for code in re.findall(r"\bQN\d{3}\b", item)}
    return found


AHEAD = {"QN050", "QN102", "QN230", "QN403", "QN513", "QN514", "QN515", "QN550", "QN650", "QN651"}
"""Codes of rooms that are being built, which may be explained before they are printed."""


def test_every_code_of_the_source_is_explained_and_no_other() -> None:
    found = codes(SOURCE)
    assert found - set(EXPLANATIONS) == set()
    assert set(EXPLANATIONS) - found <= AHEAD


def sound(code: str) -> bool:
    """Whether an explanation has what it needs, and is printed so."""
    item = EXPLANATIONS[code]
    shown = invoke("explain", code.lower()).stdout
    return (
        code[:3] in FAMILIES
        and len(item.title) <= 72
        and not item.title.endswith(".")
        and item.means.endswith(".")
        and (item.action.endswith(".") or not item.action)
        and shown.startswith(f"{code}: {item.title}\n\n")
        and ("What to do: " in shown) == bool(item.action)
        and shown.isascii()
        and max(map(len, shown.splitlines())) <= 80
    )


def test_an_explanation_says_what_it_means_and_what_to_do() -> None:
    assert [code for code in EXPLANATIONS if not sound(code)] == []


def test_all_codes_are_listed_by_family() -> None:
    shown = invoke("explain").stdout
    assert re.findall(r"^  (QN\d{3})  ", shown, re.MULTILINE) == list(EXPLANATIONS)
    assert [heading for heading in shown.splitlines() if heading in FAMILIES.values()] == list(FAMILIES.values())


def test_codes_stand_in_order_and_titles_are_their_own() -> None:
    assert list(EXPLANATIONS) == sorted(EXPLANATIONS)
    assert len({item.title for item in EXPLANATIONS.values()}) == len(EXPLANATIONS)


# Completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_is_one(shell: str) -> None:
    script = invoke("completion", shell).stdout
    assert "_QNET_COMPLETE" in script
    if shell == "bash":
        assert script.startswith("_qnet_completion() {")
        assert subprocess.run(["bash", "-n"], input=script.encode(), check=False).returncode == 0


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("qnet ", set(COMMANDS)),
        ("qnet sol", {"solve"}),
        ("qnet catalog ", {"list", "show", "lint"}),
        ("qnet solve ibm-39", {"ibm-3990-6", "ibm-3990-6-burn-through"}),
        ("qnet solve --arr", {"--arrival-rate"}),
        ("qnet schema so", {"solution"}),
        ("qnet explain qn401", {"QN401"}),
        ("qnet solve ibm-3990-6 -f j", {"json", "jsonl"}),
    ],
)
def test_a_shell_is_offered_what_fits(words: str, offered: set[str]) -> None:
    from click.shell_completion import BashComplete

    *before, incomplete = words.split(" ")[1:]
    found = BashComplete(qnet, {}, "qnet", "_QNET_COMPLETE").get_completions(before, incomplete)
    assert {item.value for item in found if item.type == "plain"} == offered
