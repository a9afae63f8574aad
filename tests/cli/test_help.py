"""The help: its layout, the examples of every command, run from an empty folder, and the topics with all their code."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
from cli_process import Answer, Run
from forked_process import run_forked
from many import many
from test_commands import ALL
from warm_process import answer_of, run_warm

from qnet.cli.group import qnet as command_line
from qnet.cli.layout import EXAMPLES, MAX_LINES, described, help_text
from qnet.cli.options import MethodOption, ModelOption, OutputOption, RareOption, Renamed
from qnet.cli.screen import command_lines
from qnet.cli.topics import TOPICS, plain, topic_text
from qnet.model.fields import SOLUTION_DIMENSIONS, TABLES
from qnet.questions.tables.reference import FIGURES

COMMANDS = {name: command for name, command in ALL.items() if not isinstance(command, click.Group)}
HELP_EXAMPLES = sorted({line for command in COMMANDS.values() for line in described(command).examples})
TEXTS = Path(topic_text.__code__.co_filename).parents[1] / "topics"


def context(name: str) -> click.Context:
    return click.Context(COMMANDS[name], info_name=name, terminal_width=80)


# Layout


@many("name", list(COMMANDS))
def test_help_fits_one_screen(name: str) -> None:
    lines = help_text(context(name)).splitlines()
    assert len(lines) <= MAX_LINES
    assert max(map(len, lines)) <= 80


@many("name", list(COMMANDS))
def test_complete_help_is_no_wider_than_a_screen(name: str) -> None:
    lines = help_text(context(name), full=True).splitlines()
    assert [line for line in lines if len(line) > 80 and not line.lstrip().startswith(("printf ", "Paired "))] == []


@pytest.mark.parametrize("topic", [topic for topic in TOPICS if topic != "language"])
def test_topics_are_no_wider_than_a_screen(topic: str) -> None:
    assert [
        line for line in plain(topic_text(topic, command_line)).splitlines() if len(line) > 80 and "qnet" in line
    ] == []


@many("line", HELP_EXAMPLES)
def test_a_folded_command_is_the_same_command(line: str) -> None:
    shown = command_lines(line, 60)
    if "\n" not in line:
        assert shlex.split(shown.replace("\\\n", " ")) == shlex.split(line)


@many("name", list(COMMANDS))
def test_examples_come_first_and_options_follow_by_group(name: str) -> None:
    text = help_text(context(name))
    wanted = [title for title in ("Example", "Options:", *(each.section.partition(" (")[0] for each in
              (ModelOption, MethodOption, OutputOption))) if f"\n{title}" in text]  # fmt: skip
    assert [text.index(f"\n{title}") for title in wanted] == sorted(text.index(f"\n{title}") for title in wanted)
    assert sum(line.startswith("  qnet ") for line in text.splitlines()) <= EXAMPLES


@many("name", list(COMMANDS))
def test_every_option_is_listed(name: str) -> None:
    text = help_text(context(name), full=True)
    options = [item for item in COMMANDS[name].params if isinstance(item, click.Option)]
    assert [item.opts for item in options if item.opts[0 if isinstance(item, Renamed) else -1] not in text] == []


@many("name", list(COMMANDS))
def test_help_leaves_out_what_is_rare_and_earlier_names(name: str) -> None:
    text = help_text(context(name))
    options = [item for item in COMMANDS[name].params if isinstance(item, click.Option)]
    left = {word for item in options if isinstance(item, RareOption) for word in item.opts}
    left |= {word for item in options if isinstance(item, Renamed) for word in item.opts[1:]}
    assert left.isdisjoint(text.split())
    usual = [item for item in options if not isinstance(item, RareOption)]
    assert [item.opts for item in usual if item.opts[0 if isinstance(item, Renamed) else -1] not in text] == []


@many("name", list(COMMANDS))
def test_what_does_not_fit_is_in_the_complete_help(name: str) -> None:
    short, full = help_text(context(name)), help_text(context(name), full=True)
    words = set(described(COMMANDS[name]).paragraphs)
    flat = " ".join(full.split())
    assert all(" ".join(paragraph.replace("\b", "").split()) in flat for paragraph in words)
    assert ("Details and more examples" in short) == (len(full) > len(short) or "Details" in short)


def test_the_option_and_the_command_print_the_help() -> None:
    assert answer_of("solve", "--help").out.startswith("Usage: qnet solve [OPTIONS] [SYSTEM]\n")
    assert "Little 1961" in " ".join(answer_of("help", "solve").out.split())
    assert answer_of("help", "catalog", "show").out.startswith("Usage: qnet catalog show")
    assert answer_of("help", "catalog").code == 0


def test_an_unknown_topic_is_refused_with_the_nearest() -> None:
    answer = answer_of("help", "metricz")
    assert (answer.code, answer.out) == (2, "")
    assert 'did you mean "metrics"?' in answer.err


# Examples of commands


def test_there_are_examples() -> None:
    without = [name for name, command in COMMANDS.items() if not described(command).examples]
    assert sorted(without) == ["qnet catalog lint", "qnet catalog list"]


@pytest.mark.parametrize("line", HELP_EXAMPLES)
def test_the_examples_of_the_help_run_from_any_folder(line: str, tmp_path: Path) -> None:
    words = shlex.split(line)
    answer = (
        run_forked(line, tmp_path) if set(words) & {"|", ">"} or words[0] != "qnet" else run_warm(words[1:], tmp_path)
    )
    assert answer.code == 0, answer.err


# Topics


ON_DEMAND = "cluster"
"""Blocks of code that need more than qnet and a shell: `tests/clusters.py` runs them."""


def blocks(name: str, language: str) -> list[tuple[str, str]]:
    """The blocks of code of a topic in one language, each with what stands behind the name of the language."""
    return re.findall(rf"^```{language}\b *([^\n]*)\n(.*?)^```$", (TEXTS / f"{name}.md").read_text(), re.M | re.S)


def all_blocks(language: str) -> list[tuple[str, str, str]]:
    return [(name, *block) for name in TOPICS for block in blocks(name, language) if block[0] != ON_DEMAND]


def run_lines(text: str, folder: Path) -> list[Answer]:
    answers: list[Answer] = []
    for line in text.replace("\\\n", "").splitlines():
        words = shlex.split(line)
        plain_command = words[0] == "qnet" and not set(words) & {"|", ">"}
        answers.append(run_warm(words[1:], folder) if plain_command else run_forked(line, folder))
    return answers


@pytest.mark.parametrize(("name", "options", "text"), all_blocks("sh"))
def test_commands_of_topics_run(name: str, options: str, text: str, tmp_path: Path) -> None:
    wanted = int(options.removeprefix("exit=") or "0")
    answers = run_lines(text, tmp_path)
    assert [answer.code for answer in answers] == [wanted] * len(answers), [answer.err for answer in answers]


@pytest.mark.parametrize(("name", "options", "text"), all_blocks("toml"))
def test_models_of_topics_are_solved(name: str, options: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "model.toml").write_text(text)
    answer = run_warm(["solve", "./model.toml"], tmp_path)
    assert answer.code == 0, answer.err


@pytest.mark.parametrize(("name", "options", "text"), all_blocks("python"))
def test_python_of_topics_runs(
    name: str, options: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(text, f"{name}.md", "exec", dont_inherit=True), {"__name__": "__main__"})


def test_every_block_of_code_is_run() -> None:
    for name in TOPICS:
        languages = re.findall(r"^```(\w+)", (TEXTS / f"{name}.md").read_text(), re.M)
        assert set(languages) <= {"sh", "toml", "python", "text"}


def test_topics_and_texts_are_the_same() -> None:
    assert sorted(path.stem for path in TEXTS.glob("*.md")) == sorted(TOPICS)
    listed = answer_of("help").out
    assert all(f"  {name} " in listed for name in TOPICS)


@many("name", list(TOPICS))
def test_a_topic_fits_eighty_columns(name: str) -> None:
    text = plain(topic_text(name, command_line))
    assert "<!--" not in text and "`" not in text
    assert [line for line in text.splitlines() if len(line) > 80 and not line.startswith("  qnet ")] == []
    assert answer_of("help", name).out == text + "\n"


def test_every_metric_is_defined() -> None:
    assert set(FIGURES) == set(SOLUTION_DIMENSIONS)
    text = topic_text("metrics", command_line)
    assert [name for name in SOLUTION_DIMENSIONS if f"\n{name}('NAME')" not in text] == []


def test_every_key_of_the_language_is_listed() -> None:
    text = topic_text("language", command_line)
    missing = [key for fields in TABLES.values() for key in fields if f"\n  {key} " not in text]
    assert missing == []


def test_exit_codes_are_those_of_the_overview() -> None:
    from qnet.cli.group import EPILOG

    text = topic_text("exit-codes", command_line)
    for code in (0, 1, 2, 3, 4, 5, 6, 130):
        assert re.search(rf"^ *{code}  ", text, re.M)
        assert re.search(rf"\b{code}  ", EPILOG)


# Example and new


def test_an_example_is_printed_as_it_is_in_its_file(shell: Run) -> None:
    assert (
        shell("qnet example one-queue > a.toml && qnet solve ./a.toml --csv").out
        == answer_of("solve", "one-queue", "--csv").out
    )


def test_names_of_examples_and_systems_differ() -> None:
    from qnet.catalog.find import entries, examples

    assert not {entry.id for entry in entries()} & {entry.id for entry in examples()}


def test_an_unknown_example_is_refused_with_the_nearest() -> None:
    answer = answer_of("example", "web-teir")
    assert (answer.code, answer.out) == (2, "")
    assert "web-tier" in answer.err


@pytest.mark.parametrize("kind", ["open", "closed", "web", "storage", "memory"])
def test_a_starter_is_solved_as_it_is_and_by_its_own_remarks(kind: str, tmp_path: Path) -> None:
    text = answer_of("new", kind).out
    (tmp_path / "m.toml").write_text(text)
    commands = ["qnet solve FILE", *re.findall(r"^#   (qnet .*?)(?:   .*)?$", text, re.M)]
    assert len(commands) >= 3
    for line in commands:
        answer = run_warm(shlex.split(line.replace("FILE", "./m.toml"))[1:], tmp_path)
        assert answer.code == 0, (line, answer.err)


def test_a_model_from_options_answers_as_the_options_do(tmp_path: Path) -> None:
    options = ("--station", "cpu=12ms", "--delay", "net=3ms", "--servers", "cpu=2", "--arrival-rate", "30/s")
    (tmp_path / "m.toml").write_text(answer_of("new", *options).out)
    assert run_warm(["solve", "./m.toml", "--csv"], tmp_path).out == answer_of("solve", *options, "--csv").out


@pytest.mark.parametrize("words", [("new",), ("new", "web", "--station", "cpu=1ms"), ("new", "--station", "cpu=20")])
def test_new_refuses_nothing_both_and_what_is_no_model(words: tuple[str, ...]) -> None:
    answer = answer_of(*words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("qnet: ") and "[QN" in answer.err
