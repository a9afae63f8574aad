"""What answers show by themselves: text in a session, Markdown tables in a notebook."""

import pytest

import qnet


def cells(markdown: str) -> list[list[str]]:
    """The rows of the tables, without headings and rules."""
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]


@pytest.fixture
def solution():
    return qnet.Network(
        [[0.12, 0.3], [0.05, 0.0]], population=[1, None], arrival_rate=[None, 1.0], disciplines="ps"
    ).solve()


def test_a_solution_shows_its_classes_and_its_stations_at_every_class(solution):
    rows = cells(solution._repr_markdown_())
    assert ["class", "throughput (/s)", "response (s)"] in rows
    assert [row[0:2] for row in rows if len(row) == 5][2:] == [["0", "0"], ["0", "1"], ["1", "0"], ["1", "1"]]
    assert solution._repr_markdown_().startswith("### Solution by ")


def test_a_solution_reads_as_text(solution):
    lines = str(solution).splitlines()
    assert lines[0].startswith("Solution by ") and lines[0].endswith("(exact)")
    assert "1      1                " in str(solution)


def test_a_batch_shows_from_where_to_where():
    text = str(qnet.Network([[0.1]], population=[[1, 2]], think_time=[0.9]).solve())
    assert "at 2 points" in text
    assert "0.1 to 0.11" in text


def test_a_station_shows_its_figures_with_units():
    answer = qnet.queue("M/M/1", arrival_rate=1, service_time=0.5)
    rows = cells(answer._repr_markdown_())
    assert ["response", "1", "s"] in rows
    assert ["throughput", "1", "/s"] in rows
    assert ["variance of response", "1", "s^2"] in rows
    assert ["queue length", "1", ""] in [[*row, ""][:3] for row in rows]
    assert "source: Kleinrock" in str(answer)
    assert str(answer).startswith("M/M/1 (exact)\n")


def test_priority_classes_stand_beside_each_other():
    answer = qnet.queue("M/G/1-priority", arrival_rate=[1, 2], service_time=[0.1, 0.2], scv_service=1)
    (wait,) = [row for row in cells(answer._repr_markdown_()) if row[0] == "wait"]
    assert len(wait) == 5
    assert float(wait[2]) < float(wait[1]) < float(wait[3])


def test_a_station_is_one_line_in_a_session():
    answer = qnet.queue("M/M/1", arrival_rate=1, service_time=0.5)
    assert repr(answer) == (
        "StationAnswer('M/M/1', exact, throughput=1, utilization=0.5, queue_length=1, response=1, wait=0.5)"
    )


def test_what_was_solved_for_is_shown_before_the_station():
    found = qnet.queue("M/M/c", arrival_rate=0.07, service_time=180, solve_for="servers", limit="wait <= 20 s")
    first = f"servers = {found.integer} for wait <= 20 s; binds: limit"
    assert repr(found).startswith(f"Inverse({first}; StationAnswer('M/M/c', exact, ")
    assert str(found) == f"{first}\n\n{found.answer}"
    assert found._repr_markdown_() == f"**{first}**\n\n{found.answer._repr_markdown_()}"


def test_symbols_are_shown_as_they_are():
    import sympy

    answer = qnet.queue("M/M/1", arrival_rate=sympy.Symbol("x", positive=True), service_time=1)
    assert "x" in answer._repr_markdown_()


def test_a_report_shows_tables_and_notes_in_a_notebook():
    report = qnet.load("web-tier").solve()
    html = report._repr_html_()
    assert html.count("<table>") >= 4 and "database" in html and "second-phase work" in html
    assert "<script" not in html and "<html" not in html
    titled = report.replace(title="<script>")._repr_html_()
    assert "<script>" not in titled and "&lt;script&gt;" in titled


def test_a_solved_system_has_its_figures_by_name():
    system = qnet.load("web-tier")
    solved = system.solve(percentile=95)
    assert solved.throughput == system.metric("throughput")
    assert solved.utilization["database"] == system.metric("utilization('database')")
    assert solved.database_load == system.metric("database_load")
    assert solved.response_p95 == system.metric("response_p95")
    assert {"throughput", "utilization", "database_load", "records"} <= set(dir(solved))
    assert system.solve(metric="response").response == system.metric("response")


def test_a_report_has_no_other_attributes():
    for report in (qnet.load("web-tier").solve(), qnet.load("web-tier").sweep("rate=1/s,2/s")):
        with pytest.raises(AttributeError):
            report.thruput  # noqa: B018
    with pytest.raises(AttributeError, match="throughput"):
        qnet.load("web-tier").solve().thruput  # noqa: B018


@pytest.mark.parametrize("parameter", ["servers", "arrival_rate"])
def test_an_inverse_answers_by_the_name_of_what_was_solved_for(parameter: str):
    given = {"servers": 3, "arrival_rate": 80.0}
    del given[parameter]
    solved = qnet.queue("M/M/c", service_time=0.02, solve_for=parameter, limit="wait <= 5 ms", **given)
    assert getattr(solved, parameter) == solved.value == (solved.integer or solved.real)
    with pytest.raises(AttributeError):
        solved.capacity  # noqa: B018
