"""The Python front door: `qnet.load` gives what the commands give."""

import ast
import inspect
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[1] / "cli"))

from warm_process import run_warm

import qnet
import qnet.errors
from qnet import signatures
from qnet.cli.group import qnet as group
from qnet.questions.points.points import solve_points
from qnet.questions.solve import solve

TINY = """
qnet = 1
title = "tiny"
[parameters]
rate = "10/s"
service = "50 ms"
staging = { value = "track", options = ["track", "record"] }
[stations]
cpu = {}
[classes.job]
arrival_rate = "rate"
steps = [ { station = "cpu", time = "service" } ]
[outputs]
double = { value = "2 * response", unit = "ms" }
"""


@pytest.fixture
def tiny(tmp_path):
    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
    return qnet.load(str(path))


def test_a_metric_is_a_number_in_base_units(tiny):
    assert tiny.metric("response") == pytest.approx(0.1, rel=1e-14)
    assert tiny.metric("double") == pytest.approx(0.2, rel=1e-14)
    assert tiny.metric("utilization('cpu') * response") == pytest.approx(0.05, rel=1e-14)


def test_numbers_are_set_in_base_units_and_texts_with_their_own(tiny):
    assert tiny.set(rate=16).metric("response") == pytest.approx(0.25, rel=1e-14)
    assert tiny.set(service="20 ms", staging="record").metric("response") == pytest.approx(0.025, rel=1e-14)
    assert tiny.set({"rate": 1e-9}).metric("response") == pytest.approx(0.05, rel=1e-6)


def test_a_system_is_solved_once_for_all_its_figures(tiny, monkeypatch):
    solved: list[int] = []

    def counted(*arguments: Any, **options: Any) -> Any:
        solved.append(1)
        return solve_points(*arguments, **options)

    monkeypatch.setattr(solve, "solve_points", counted)
    names = ("response", "throughput", "utilization('cpu')")
    once = [tiny.metric(name) for name in names]
    assert len(solved) == 1
    assert once == [qnet.loads(TINY).metric(name) for name in names]
    assert tiny.set(rate=1.0).metric("response") < tiny.metric("response")
    assert len(solved) == 5


def test_setting_leaves_the_system_as_it_was(tiny):
    tiny.set(rate=16)
    assert tiny.metric("response") == pytest.approx(0.1, rel=1e-14)


def test_what_is_not_there_is_refused_by_name(tiny):
    with pytest.raises(qnet.errors.UsageError, match="unknown parameter"):
        tiny.set(ratte=3)
    with pytest.raises(qnet.errors.UsageError, match="respons"):
        tiny.metric("respons")
    with pytest.raises(qnet.errors.NoAnswer):
        tiny.set(rate=21).metric("response")


def test_reports_are_those_of_the_command_line(tiny):
    told = json.loads(run_warm(["solve", tiny.name, "--json"], Path.cwd()).out)
    assert tiny.solve().records() == told["rows"]


def test_a_report_reads_as_table_and_shows_in_notebooks(tiny):
    report = tiny.envelope(limit="response <= 200 ms", vary="rate")
    assert "binding constraint" in str(report)
    assert report._repr_markdown_().startswith("## tiny")
    assert report.records()[0]["rate_per_s"] == pytest.approx(15.0, rel=1e-12)
    assert report.text("csv").splitlines()[0].startswith("envelope,")


def test_costs_and_sensitivities_are_told_as_by_the_commands(tiny):
    (total,) = tiny.cost(of="cpu", unit="ms").records()
    assert total["value"] == pytest.approx(50)
    (row,) = tiny.sensitivity(by=["service"]).records()
    assert row["elasticity"] == pytest.approx(2)
    (ends,) = tiny.tornado(range="service=40ms:60ms").records()
    assert ends["at_low"] == pytest.approx(0.04 / (1 - 0.4))
    (figures,) = tiny.uncertainty(sample=50, range=["service=40ms:60ms"]).records()
    assert figures["answered"] == 50


def test_a_system_is_compared_with_itself_under_other_settings(tiny):
    (total,) = tiny.cost(of=["cpu"], against=tiny.set(service="25 ms")).records()
    assert total["ratio"] == pytest.approx(2)


def commands_of_the_shell(tiny):
    """Every question of Python, and the words of its command."""
    return [
        (tiny.sweep("rate=1/s:9/s:2/s", metric="response"),
         ["sweep", "--vary", "rate=1/s:9/s:2/s", "--metric", "response"]),
        (tiny.compare(tiny.set(rate=12)), ["compare", "--with", "rate=12/s"]),
        (tiny.formula("max_rate"), ["formula", "--of", "max_rate"]),
        (tiny.knee(), ["knee"]),
        (tiny.bottleneck(), ["bottleneck"]),
        (tiny.why(), ["why"]),
        (tiny.sensitivity(), ["sensitivity"]),
        (tiny.tornado(within="10%"), ["sensitivity", "--tornado", "--within", "10%"]),
        (tiny.corners(within="10%"), ["sensitivity", "--corners", "--within", "10%"]),
        (tiny.cost(of="cpu"), ["cost", "--of", "cpu"]),
        (tiny.envelope(limit="response <= 200 ms"), ["envelope", "--limit", "response <= 200 ms"]),
    ]  # fmt: skip


def test_every_question_answers_as_its_command(tiny):
    for report, words in commands_of_the_shell(tiny):
        told = json.loads(run_warm([words[0], tiny.name, *words[1:], "--json"], Path.cwd()).out)["rows"]
        if words[0] == "compare":
            assert [row["metric"] for row in report.records()] == [row["metric"] for row in told]
        else:
            assert report.records() == told, words


CLOSED = """
qnet = 1
title = "closed"
[parameters]
users = 20
[stations]
cpu = {}
disk = {}
[classes.user]
population = "users"
think_time = "1 s"
steps = [ { station = "cpu", time = "50 ms" }, { station = "disk", time = "40 ms" } ]
"""


@pytest.fixture
def closed(tmp_path):
    path = tmp_path / "closed.toml"
    path.write_text(CLOSED)
    return qnet.load(str(path))


@pytest.mark.parametrize(
    ("question", "argument", "text"),
    [
        ("envelope", "limit", "response <= 1 s"),
        ("knee", "limit", "response <= 1 s"),
        ("knee", "definition", "n_star"),
        ("cost", "of", "cpu"),
        ("sensitivity", "of", "response"),
        ("sensitivity", "by", "users"),
        ("tornado", "range", "users=10:30"),
        ("corners", "range", "users=10:30"),
        ("uncertainty", "range", "users=10:30"),
    ],
)
def test_one_text_is_as_good_as_a_sequence(closed, question, argument, text):
    ask = getattr(closed, question)
    assert ask(**{argument: text}).records() == ask(**{argument: [text]}).records()


def test_one_grid_and_one_metric_are_texts(closed, tiny):
    assert (
        closed.sweep("users=1:3", metric="response").records()
        == closed.sweep("users=1:3", metric=["response"]).records()
    )
    assert tiny.cost(of="cpu", over="rate=1/s,2/s").records() == tiny.cost(of=["cpu"], over=["rate=1/s,2/s"]).records()
    rows = [row["metric"] for row in closed.compare(closed.set(users=30), metric="response").records()]
    assert rows == ["response"]


@pytest.mark.parametrize(
    "question", ["solve", "envelope", "sensitivity", "tornado", "corners", "knee", "bottleneck", "why"]
)
def test_every_question_takes_a_method(closed, question):
    more = {"envelope": {"limit": "response <= 1 s"}, "tornado": {"within": "5%"}, "corners": {"within": "5%"}}
    report = getattr(closed, question)(method="bard-schweitzer", **more.get(question, {}))
    assert "bard-schweitzer" in report.text("json")
    with pytest.raises(qnet.errors.QnetError, match="nonsense"):
        getattr(closed, question)(method="nonsense", **more.get(question, {}))


def test_methods_of_grids_and_sides(closed):
    assert closed.sweep("users=1:2", method="linearizer").records()[0]["method"] == "linearizer"
    assert closed.compare(closed, method="linearizer").meta["method"] == "linearizer"


def test_rows_are_answered_as_they_come(closed):
    rows = ({"users": users, "day": "monday"} for users in (1, 2))
    first = next(closed.map_rows(rows, metric="response"))
    assert first["day"] == "monday"
    assert first["response_s"] == pytest.approx(0.09, rel=1e-14)
    assert next(rows)["users"] == 2


def test_a_calibration_takes_one_name(closed):
    rows = [{"users": n, "response_s": closed.set(users=n).metric("response")} for n in (5, 20)]
    with pytest.raises(qnet.errors.UsageError, match="nobody"):
        closed.calibrate(rows, "nobody")


def test_a_study_is_told():
    assert {row["section"] for row in qnet.study("paging").records()} > {"question", "answer", "predictions"}


def test_a_study_is_validated():
    report = qnet.validate("paging")
    assert not report.broken
    assert report.records()[0]["study"] == "paging"


def test_the_front_door_is_all_that_it_says():
    errors = {"AssertionFailed", "InvalidInput", "NoAnswer", "NotComputed", "QnetError", "UsageError"}
    assert set(qnet.__all__) - errors == {
        "Network",
        "Note",
        "Report",
        "Solution",
        "System",
        "__version__",
        "load",
        "loads",
        "queue",
        "study",
        "validate",
    }
    assert all(getattr(qnet, name) for name in qnet.__all__)


def test_arguments_are_named_as_the_options_of_the_command():
    """Beside what is positional there or is no option, and `class_name`, which is `--class`."""
    shell = {"tornado": "sensitivity", "corners": "sensitivity", "uncertainty": "sensitivity", "demands": "calibrate",
             "map_rows": "map"}  # fmt: skip
    apart = {"class_name", "find", "self", "names", "others", "rows", "table", "measured"}
    asked = [name for name in vars(signatures.Questions) if not name.startswith("_")]
    assert len(asked) == 17
    for name in asked:
        command = group.get_command(None, shell.get(name, name))
        assert command is not None
        options = {word.lstrip("-").replace("-", "_") for item in command.params for word in item.opts}
        assert set(inspect.signature(getattr(qnet.System, name)).parameters) - apart <= options, name


@pytest.mark.parametrize("question", ["bottleneck", "why"])
def test_an_operation_limit_without_a_name_comes_behind_the_method(closed, question: str):
    ask = getattr(closed, question)
    assert ask(1.5, "auto", 1e9).text("csv") == ask(faster=1.5, method="auto", operations=1e9).text("csv")


def test_options_have_the_defaults_of_the_signatures():
    """Also where an option that was not given must be told from one with the default of the question."""
    shared = 0
    for name in ("envelope", "cost", "knee", "bottleneck", "why", "formula", "map"):
        command = group.get_command(None, name)
        assert command is not None
        options = [item for item in command.params if item.opts[0][0] == "-" and item.default is not None]
        defaults = {item.name: item.default for item in options if item.name != "metric"}
        parameters = inspect.signature(getattr(qnet.System, {"map": "map_rows"}.get(name, name))).parameters
        for key in defaults.keys() & parameters.keys() - signatures.METHOD_FIELDS.keys():
            stated = parameters[key].default
            assert defaults[key] == (() if stated is inspect.Parameter.empty else stated), (name, key)
            shared += 1
    assert shared > 20


def test_a_signature_is_the_one_that_is_stated_and_its_answer_takes_every_argument():
    """The signature of a method is read from its source; the answer is bound to all of its arguments, by name."""
    stated = ast.parse(inspect.getsource(signatures))
    (table,) = (item for item in stated.body if isinstance(item, ast.ClassDef) and item.name == "Questions")
    for item in table.body:
        if not isinstance(item, ast.FunctionDef):
            continue
        shown = inspect.signature(getattr(qnet.System, item.name))
        rows = [*item.args.args, *filter(None, [item.args.vararg]), *item.args.kwonlyargs]
        assert [one.arg for one in rows] == list(shown.parameters)
        assert [one.annotation and ast.unparse(one.annotation) for one in rows[1:]] == [
            one.annotation for one in list(shown.parameters.values())[1:]
        ]
        (decorator,) = item.decorator_list
        module, function = ast.literal_eval(decorator.args[0]).split(":")
        answer = getattr(import_module(f"qnet.questions.{module}"), function)
        names = [name for name in shown.parameters if name not in ("self", *signatures.METHOD_FIELDS)]
        names += ["wanted"] if "operations" in shown.parameters else []
        inspect.signature(answer).bind(None, **dict.fromkeys(names))


@pytest.mark.parametrize(
    ("asked", "same"),
    [
        (lambda web: web.sweep(over="workers=6:7"), lambda web: web.sweep("workers=6:7")),
        (lambda web: web.sweep(over=["workers=6:7", "hit=0.5"]), lambda web: web.sweep("workers=6:7", "hit=0.5")),
        (lambda web: web.formula(metric="max_rate"), lambda web: web.formula("max_rate")),
        (lambda web: web.sensitivity(metric="response"), lambda web: web.sensitivity("response")),
        (lambda web: web.sensitivity(of="response"), lambda web: web.sensitivity("response")),
    ],
)
def test_arguments_have_the_names_of_the_options(asked: Any, same: Any):
    web = qnet.load("web-pool")
    assert asked(web).records() == same(web).records()
