"""Every command has the same label for the same figures: that of the weakest of what it shows or what is asserted."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import qnet
from qnet.questions.bottleneck.report import bottleneck_report
from qnet.questions.compare.compare import compare, compare_report
from qnet.questions.cost.cost import cost
from qnet.questions.cost.report import cost_report
from qnet.questions.envelope.envelope import envelope
from qnet.questions.envelope.question import questions
from qnet.questions.envelope.report import envelope_report
from qnet.questions.formula.formula import formula, formula_report
from qnet.questions.knee.report import knee_report
from qnet.questions.map.map import Mapper
from qnet.questions.sensitivity.sensitivity import sensitivity, sensitivity_report
from qnet.questions.sensitivity.uncertainty import corners, tornado, tornado_report, uncertainty_report
from qnet.questions.solve.solve import solve_report
from qnet.questions.sweep.sweep import sweep, sweep_report
from qnet.questions.why.why import why_report
from qnet.reports.report import Report
from qnet.system import System

USERS = """
qnet = 1
title = "users"
[parameters]
users = 20
think = "5 s"
[stations]
cpu = { discipline = "ps" }
disk = { discipline = "ps" }
[classes.user]
population = "users"
think_time = "think"
steps = [ { station = "cpu", time = "100 ms" }, { station = "disk", time = "150 ms" } ]
[costs.passage]
of = "cpu"
"""
ORDERS = """
qnet = 1
title = "orders"
[parameters]
users = "4/s"
think = "50 ms"
[stations]
check = {}
print = {}
[classes.order]
arrival_rate = "users"
steps = [ { station = "check", time = "100 ms" }, { station = "print", time = "think" } ]
[costs.passage]
of = "check"
"""
UNEVEN = ORDERS.replace('time = "think"', 'time = "think", scv = 3')
HALF = '\n[outputs]\nhalf = { value = "asked / 2", unit = "s" }\n'
CASES = [
    pytest.param(USERS, "response", "exact", id="closed mean"),
    pytest.param(USERS, "response_p95", "approximate", id="closed percentile"),
    pytest.param(ORDERS, "response", "exact", id="open mean"),
    pytest.param(ORDERS, "response_p95", "exact", id="open percentile"),
    pytest.param(UNEVEN, "response", "approximate", id="uneven mean"),
    pytest.param(UNEVEN, "response_p95", "approximate", id="uneven percentile"),
    pytest.param(USERS + HALF.replace("asked", "response_p95"), "half", "approximate", id="output on a percentile"),
    pytest.param(USERS + HALF.replace("asked", "response"), "half", "exact", id="output on a mean"),
]


def column(report: Report) -> set[object]:
    return {row["exactness"] for row in report.records()} - {None}


def of_knee(system: System, figure: str) -> set[object]:
    return column(knee_report(system, "", [f"{figure} <= 2 s"], None, ["service_level"]))


def of_envelope(system: System, figure: str, asserted: tuple[str, ...] = ()) -> Report:
    asked = questions(system, (), "users", [f"{figure} <= 2 s"], ())
    return envelope_report(system, [envelope(item) for item in asked], asserted)


def mapped(system: System, metrics: list[str], asserted: tuple[str, ...] = ()) -> set[object]:
    mapper = Mapper(system, metrics, asserted=asserted)
    (cells,) = mapper.answer([{"think": "60 ms"}])
    return {cells[mapper.names.index("exactness")]}


SHOWN: dict[str, Callable[[System, str], set[object]]] = {
    "sweep": lambda system, figure: column(system.sweep("think=60ms", metric=[figure])),
    "map": lambda system, figure: mapped(system, [figure]),
    "compare": lambda system, figure: column(system.compare(system.set(think="60 ms"), metric=[figure])),
    "sensitivity": lambda system, figure: column(system.sensitivity(metric=[figure], by="think")),
    "envelope": lambda system, figure: column(of_envelope(system, figure)),
    "knee": of_knee,
    "tornado": lambda system, figure: column(system.tornado(metric=[figure], by="think", within="10%")),
    "corners": lambda system, figure: column(system.corners(metric=[figure], by="think", within="10%")),
    "sample": lambda system, figure: column(system.uncertainty(5, metric=[figure], by="think", within="10%")),
}
"""What tells the figure itself, with the labels beside it."""


@pytest.mark.parametrize("command", SHOWN)
@pytest.mark.parametrize(("text", "figure", "expected"), CASES)
def test_a_figure_that_is_shown_has_the_same_label_in_every_command(
    text: str, figure: str, expected: str, command: str, tmp_path: Path
):
    if command == "knee" and figure == "half":
        pytest.skip("no knee is asked for along an output")
    assert SHOWN[command](load(tmp_path, text), figure) == {expected}


ASSERTED: dict[str, Callable[[System, tuple[str, ...]], Report]] = {
    "solve": lambda system, claims: solve_report(system, asserted=claims),
    "sweep": lambda system, claims: sweep_report(sweep(system, ["think=60ms"], ["throughput"]), claims),
    "compare": lambda system, claims: compare_report(
        compare((system, system.set(think="60 ms")), ["throughput"]), claims
    ),
    "envelope": lambda system, claims: of_envelope(system, "response", claims),
    "knee": lambda system, claims: knee_report(
        system, "", ["response <= 2 s"], None, ["service_level"], asserted=claims
    ),
    "why": lambda system, claims: why_report(system, asserted=claims),
    "bottleneck": lambda system, claims: bottleneck_report(system, asserted=claims),
    "cost": lambda system, claims: cost_report(cost(system), asserted=claims),
    "formula": lambda system, claims: formula_report(formula(system, "demand('cpu')"), claims),
    "tornado": lambda system, claims: tornado_report(tornado(system, ["throughput"], ["think"], within="10%"), claims),
    "corners": lambda system, claims: uncertainty_report(
        corners(system, ["throughput"], ["think"], within="10%"), claims
    ),
    "sensitivity": lambda system, claims: sensitivity_report(
        sensitivity(system, ["throughput"], ["think"]), asserted=claims
    ),
}
"""What tells other figures, all of them exact means, and asserts the figure."""


@pytest.mark.parametrize("command", ASSERTED)
@pytest.mark.parametrize(
    ("claim", "expected"), [("response > 0 s", "exact"), ("response_p95 > 0 s", "approximate")]
)  # fmt: skip
def test_an_answer_has_the_label_of_the_weakest_figure_asserted_of_it(
    command: str, claim: str, expected: str, tmp_path: Path
):
    found = ASSERTED[command](load(tmp_path, USERS), (claim,))
    assert not found.broken
    assert found.meta["exactness"] == expected
    assert ("QN609" in {note.code for note in found.notes}) is (expected == "approximate")


def test_why_says_in_words_that_an_asserted_percentile_is_approximate(tmp_path: Path):
    sentence = "The percentiles that are asserted are approximate."
    system = load(tmp_path, USERS)
    assert sentence in why_report(system, asserted=["response_p95 > 0 s"]).text()
    assert sentence not in why_report(system, asserted=["response > 0 s"]).text()


def test_a_row_of_a_map_has_the_label_of_what_is_asserted_of_it(tmp_path: Path):
    assert mapped(load(tmp_path, USERS), ["response"], ("response_p95 > 0 s",)) == {"approximate"}


def test_outputs_of_solve_have_labels_of_their_own(tmp_path: Path):
    outputs = '\n[outputs]\nlate = "response_p95"\nhalf = "response / 2"\n'
    found = load(tmp_path, USERS + outputs).solve()
    told = {row["name"] or row["scope"]: row["exactness"] for row in found.records() if row["exactness"]}
    assert told == {"system": "exact", "late": "approximate", "half": "exact"}
    assert found.meta["exactness"] == "approximate"


def test_an_answer_with_exact_means_and_approximate_percentiles_says_both(tmp_path: Path):
    system = load(tmp_path, USERS)
    for report in (
        system.solve(percentile=[95]),
        solve_report(system, asserted=["response_p95 > 0 s"]),
        compare_report(compare((system, system.set(think="60 ms")), ["response", "response_p95"])),
        why_report(system, asserted=["response_p95 > 0 s"]),
        bottleneck_report(system, asserted=["response_p95 > 0 s"]),
        system.sweep("think=60ms", metric=["response", "response_p95"]),
        system.sensitivity(metric=["response", "response_p95"], by="think"),
        system.corners(metric=["response", "response_p95"], by="think", within="10%"),
        of_envelope(system, "response", ("response_p95 > 0 s",)),
        cost_report(cost(system), asserted=["response_p95 > 0 s"]),
    ):
        assert report.meta["exactness"] == "approximate"
        assert "(means exact; percentiles approximate)" in report.text()


def test_an_answer_of_percentiles_alone_has_one_label(tmp_path: Path):
    system = load(tmp_path, USERS)
    for report in (system.solve(metric=["response_p95"]), system.sweep("think=60ms", metric=["response_p95"])):
        assert "(approximate)" in report.text()


def test_rows_of_exact_means_stay_exact_where_a_percentile_is_asserted(tmp_path: Path):
    system, claims = load(tmp_path, USERS), ("response_p95 > 0 s",)
    for command in ("sweep", "envelope", "cost"):
        assert column(ASSERTED[command](system, claims)) == {"exact"}


def test_a_page_and_a_table_have_the_same_labels(tmp_path: Path):
    page = load(tmp_path, USERS).solve(percentile=[95]).text("html")
    assert "The answer is approximate" not in page
    assert "; the percentiles are approximate." in page


def test_rows_of_solve_have_the_label_of_their_figures(tmp_path: Path):
    found = solve_report(load(tmp_path, USERS), asserted=["response_p95 > 0 s"], percentile=[95])
    told = {row["scope"]: row["exactness"] for row in found.records() if row["exactness"]}
    assert told == {"system": "exact", "metric": "approximate", "assertion": "approximate"}


def test_no_other_module_chooses_the_word():
    """Labels are derived in `labels`; stations of `qnet queue` and published figures have sources of their own."""
    others = {"labels.py", "queue_report.py"}
    folder = Path(qnet.__file__).parent / "questions"
    choosing = [
        path.name
        for path in sorted(folder.glob("*.py"))
        if path.name not in others and re.search(r'"approximate"', path.read_text())
    ]
    assert choosing == []


def load(folder: Path, text: str) -> System:
    path = folder / "model.toml"
    path.write_text(text)
    return qnet.load(str(path))


@pytest.mark.parametrize(
    ("load", "method"), [('arrival_rate = "4/s"', "states"), ('population = 30\nthink_time = "4 s"', "auto")]
)
def test_a_saturation_throughput_beside_a_chain_is_an_approximation_where_waits_are_inside_holds(
    load: str, method: str
) -> None:
    """The chain of one load is exact; at which load the memory is full, it does not say: 5.4414/s is exact."""
    steps = (
        '{ hold = "memory", steps = [ { station = "cpu", time = "120 ms" }, { station = "disk", time = "125 ms" } ] }'
    )
    text = 'qnet = 1\ntitle = "held"\n[stations]\nmemory = { servers = 2 }\ncpu = {}\ndisk = {}\n'
    system = qnet.loads(f"{text}[classes.user]\n{load}\nsteps = [ {steps} ]\n")
    rows = {row["name"]: row for row in system.solve(metric=["max_throughput", "response"], method=method).records()}
    assert rows["response"]["exactness"] == "exact"
    assert rows["max_throughput"]["exactness"] == "approximate"
    assert rows["max_throughput"]["value"] > 5.4414
