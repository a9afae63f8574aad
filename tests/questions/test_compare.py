"""Comparisons: figures matched by name, differences and ratios to the first side."""

import pytest

import qnet
from qnet.errors import NoAnswer, UsageError
from qnet.model.settings import with_settings
from qnet.questions.compare.compare import COLUMNS, compare, compare_report, variants

KEYS = [column.key for column in COLUMNS]


def queue(folder, name, service, station="cpu"):
    path = folder / f"{name}.toml"
    path.write_text(
        f'qnet = 1\ntitle = "{name}"\n[parameters]\nrate = "10/s"\n[stations]\n{station} = {{}}\n'
        f'[classes.job]\narrival_rate = "rate"\nsteps = [ {{ station = "{station}", time = "{service}" }} ]\n'
    )
    return qnet.load(str(path))


def told(found, asserted=()):
    report = compare_report(found, asserted)
    return [dict(zip(KEYS, row, strict=True)) for row in report.rows], report


def test_two_queues_by_their_closed_form(tmp_path):
    rows, _ = told(compare([queue(tmp_path, "a", "20 ms"), queue(tmp_path, "b", "50 ms")], ["response"]))
    slow, fast = 0.05 / 0.5, 0.02 / 0.8
    (row,) = rows
    assert row["base"] == pytest.approx(fast)
    assert row["value"] == pytest.approx(slow)
    assert row["difference"] == pytest.approx(slow - fast)
    assert row["ratio"] == pytest.approx(4)
    assert row["percent"] == pytest.approx(300)
    assert (row["base_exactness"], row["exactness"], row["unit"]) == ("exact", "exact", "s")


def test_what_one_side_lacks_is_empty(tmp_path):
    rows, _ = told(compare([queue(tmp_path, "a", "20 ms"), queue(tmp_path, "b", "20 ms", "disk")]))
    found = {row["metric"]: (row["base"], row["value"], row["ratio"]) for row in rows}
    assert found["utilization('cpu')"] == (pytest.approx(0.2), None, None)
    assert found["utilization('disk')"] == (None, pytest.approx(0.2), None)
    assert found["throughput"] == (10, 10, 1)


def test_three_sides_are_each_held_against_the_first(tmp_path):
    first = queue(tmp_path, "a", "20 ms")
    changed = [with_settings(first, {"rate": f"{rate}/s"}) for rate in (20, 30)]
    rows, report = told(compare([first, *changed], ["throughput"]))
    assert [(row["side"][0], row["ratio"]) for row in rows] == [("B", pytest.approx(2)), ("C", pytest.approx(3))]
    assert rows[0]["side"].endswith("a.toml, rate=20/s")
    assert [side["side"] for side in report.meta["sides"]] == ["A", "B", "C"]


def test_nothing_is_divided_by_zero(tmp_path):
    first = queue(tmp_path, "a", "20 ms")
    (row,), _ = told(compare([with_settings(first, {"rate": "0/s"}), first], ["throughput"]))
    assert (row["base"], row["difference"], row["ratio"], row["percent"]) == (0, 10, None, None)


def test_a_side_without_an_answer_is_told_and_breaks_assertions(tmp_path):
    first = queue(tmp_path, "a", "20 ms")
    rows, report = told(compare([first, with_settings(first, {"rate": "60/s"})], ["response"]), ["response < 1 min"])
    assert rows[0]["value"] is rows[0]["exactness"] is None
    assert [note.code for note in report.notes] == ["QN613"]
    assert [problem.found for problem in report.broken] == ["B: asserted response < 1 min, but there is no answer"]


def test_no_answer_on_any_side_is_refused(tmp_path):
    model = with_settings(queue(tmp_path, "a", "20 ms"), {"rate": "60/s"})
    with pytest.raises(NoAnswer):
        compare([model, model])


def test_it_is_told_which_side_is_approximate():
    first = qnet.load("ibm-3990-6")
    _, report = told(compare([first, with_settings(first, {"rate": "700/s"})], ["response"]))
    assert [note.text.partition(" are ")[0] for note in report.notes if note.code == "QN612"] == ["A and B"]


def test_a_side_beyond_what_was_measured_is_warned_of():
    """The reasons were listed, and the warning that solve prints was lost."""
    first = qnet.load("ibm-3990-6")
    second = first.set(rate="930/s")
    (warning,) = [note for note in second.solve().notes if note.severity == "warning"]
    report = first.compare(second)
    assert [note.text for note in report.notes if note.code == warning.code] == [f"B: {warning.text}"]


def test_what_cannot_be_compared(tmp_path):
    model = queue(tmp_path, "a", "20 ms")
    with pytest.raises(UsageError, match="2 to"):
        compare([model])
    with pytest.raises(UsageError, match="unknown name"):
        compare([model, model], ["respons"])


def test_a_what_if_that_touches_nothing_names_what_it_does_not_enter():
    first = qnet.load("ibm-3990-6")
    changed = [with_settings(first, {"cu.nvs": "64 MiB"}), with_settings(first, {"cu.nvs": "64 MiB", "rate": "700/s"})]
    report = compare_report(compare([first, *changed], ["response"]))
    assert "B, C: cu.nvs does not enter response" in [note.text for note in report.warnings]
    assert report.warnings == tuple(note for note in report.warnings if "rate" not in note.text)


def test_a_what_if_with_an_effect_says_nothing():
    first = qnet.load("ibm-3990-6")
    report = compare_report(compare([first, with_settings(first, {"write_fraction": "0.3"})], ["response"]))
    assert not report.warnings


def test_tables_have_one_row_per_metric_with_a_column_for_every_side(tmp_path):
    first = queue(tmp_path, "a", "20 ms")
    changed = [with_settings(first, {"rate": f"{rate}/s"}) for rate in (20, 40)]
    lines = compare_report(compare([first, *changed], ["throughput", "response"])).text().splitlines()
    (head,) = [line for line in lines if line.startswith("metric")]
    assert head.split() == ["metric", "unit", "A", "B", "C", "change", "B", "(%)", "change", "C", "(%)"]
    rows = {line.split()[0]: line.split()[1:] for line in lines if line.startswith(("throughput", "response"))}
    assert rows["throughput"] == ["/s", "10", "20", "40", "100", "300"]
    assert rows["response"] == ["ms", "25", "33.33", "100", "33.33", "300"]  # S / (1 - rate S)
    assert [line[:2] for line in lines if line.startswith(("A:", "B:", "C:"))] == ["A:", "B:", "C:"]


def test_csv_keeps_a_row_per_metric_and_side(tmp_path):
    first = queue(tmp_path, "a", "20 ms")
    report = compare_report(compare([first, with_settings(first, {"rate": "20/s"})], ["response"]))
    assert report.text("csv").splitlines()[0].startswith("side,metric,unit,base,value,difference,ratio,percent")


def test_a_side_out_of_range_is_refused_before_any_side_is_solved(monkeypatch: pytest.MonkeyPatch):
    first = qnet.load("examples/many-tenants.toml")
    monkeypatch.setattr("qnet.questions.compare.compare._solved", lambda *_: pytest.fail("a side was solved"))
    with pytest.raises(UsageError, match="sessions is 1e"):
        compare([first, with_settings(first, {"sessions": "1e300"})])


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("workers=6", [["workers=6"]]),
        ("workers = 6, 8 & connections = 3, 4", [["workers=6", "connections=3"], ["workers=8", "connections=4"]]),
        ("workers=6:8 & connections=3", [[f"workers={n}", "connections=3"] for n in (6, 7, 8)]),
        ("rate=100/s, 2/s", [["rate=100/s"], ["rate=2/s"]]),
        ("workers=max(6, 8)", [["workers=max(6, 8)"]]),
        ("none=6, 8", [["none=6, 8"]]),
    ],
)
def test_settings_with_several_values_are_a_side_for_each(text, sides):
    assert variants(text, qnet.load("web-pool")) == sides


def test_the_values_of_a_side_are_paired():
    with pytest.raises(UsageError, match="paired"):
        variants("workers=6, 8, 9 & connections=3, 4", qnet.load("web-pool"))


def test_a_side_of_a_grid_is_named_as_it_was_written():
    model = qnet.load("one-queue")
    assert variants("rate = 50/s, 60/s & service_time = 8 ms, 7.12345678 ms", model) == [
        ["rate=50/s", "service_time=8 ms"],
        ["rate=60/s", "service_time=0.00712345678 s"],
    ]


POOL = """
qnet = 1
title = "a pool around a station that is also visited before it"
[parameters]
rate = "0.8/s"
time = "150 ms"
[stations]
cpu = { discipline = "lcfs-pr" }
pool = {}
[classes.job]
arrival_rate = "rate"
steps = [
  { station = "cpu", time = "time", visits = 0.8 },
  { hold = "pool", steps = [
    { time = "80 ms" }, { station = "cpu", time = "20 ms" }, { station = "cpu", time = "150 ms" } ] },
]
"""


def test_sides_are_what_solve_answers_where_a_chain_takes_the_place_of_a_method_that_warns():
    base = qnet.loads(POOL)
    other = base.set(time="120 ms")
    rows = base.compare(other, metric="response").records()
    for side, system in (("base", base), ("value", other)):
        (alone,) = system.solve(metric="response").records()
        assert rows[0][side] == pytest.approx(alone["value"], rel=1e-9)
        assert alone["exactness"] == "exact"
        assert rows[0]["exactness" if side == "value" else "base_exactness"] == alone["exactness"]
