"""`rates` as a formula of the number present, against the list of its values and against M/M/c and M/M/inf."""

from __future__ import annotations

from pathlib import Path

import pytest

import qnet
from qnet.errors import InvalidInput


@pytest.fixture
def system(tmp_path: Path):
    def made(rates: str, customers: str = "population = 6\nthink_time = '1 s'", parameters: str = "") -> qnet.System:
        path = tmp_path / "model.toml"
        path.write_text(
            f"""
            qnet = 1
            title = "contention"
            [parameters]
            sigma = 0.1
            {parameters}
            [stations]
            cpu = {{ discipline = "ps", rates = {rates} }}
            [classes.job]
            {customers}
            steps = [{{ station = "cpu", time = "0.5 s" }}]
            """
        )
        return qnet.load(str(path))

    return made


def test_a_formula_is_the_list_of_its_values(system) -> None:
    listed = [n / (1 + 0.1 * (n - 1)) for n in range(1, 7)]
    formula = '"n / (1 + sigma * (n - 1))"'
    assert system(formula).metric("response") == pytest.approx(system(str(listed)).metric("response"), rel=1e-13)


def test_the_parameters_of_the_formula_can_be_swept(system) -> None:
    model = system('"n / (1 + sigma * (n - 1))"')
    swept = [row["response_s"] for row in model.sweep("sigma=0,0.1,1", metric="response").records()]
    assert swept == pytest.approx([model.set(sigma=value).metric("response") for value in (0, 0.1, 1)], rel=1e-12)
    # Without contention as many servers as customers; with sigma = 1 a single one.
    assert swept[0] == pytest.approx(0.5)
    assert swept[2] == pytest.approx(system("[1]").metric("response"), rel=1e-12)


def test_an_open_class_at_as_many_servers_is_erlangs(system) -> None:
    model = system('"min(n, 3)"', "arrival_rate = '4/s'")
    erlang = qnet.queue("M/M/c", arrival_rate=4, service_time=0.5, servers=3)
    assert model.metric("response") == pytest.approx(erlang.response, rel=1e-9)


def test_rates_are_checked_over_the_populations_that_are_needed(system) -> None:
    assert system('"1 - n / 8"').metric("throughput") > 0
    with pytest.raises(InvalidInput, match="with 6 present"):
        system('"1 - n / 6"').metric("throughput")


@pytest.mark.parametrize("rates", ['"n * 1 s"', '"n + missing"', '""'])
def test_a_formula_that_is_none_is_refused(system, rates: str) -> None:
    with pytest.raises(InvalidInput):
        system(rates)


def test_a_parameter_called_n_is_refused(system) -> None:
    with pytest.raises(InvalidInput, match="n is the number present"):
        system('"n"', parameters="n = 3")


def test_a_station_without_a_limit_of_places_has_a_formula_of_its_utilization(system) -> None:
    records = system('"min(n, 3)"', "arrival_rate = '4/s'").formula().records()
    (busy,) = (row["value"] for row in records if row["metric"] == "utilization")
    assert busy == pytest.approx(4 * 0.5 / 3, rel=1e-12)
