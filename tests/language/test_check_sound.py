"""What `qnet check` passes, `qnet solve` does not refuse as invalid: it answers, or says why there is no answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from many import many

import qnet
from qnet.cli.check import checked
from qnet.errors import InvalidInput, NotComputed, QnetError, UsageError

OPEN = """qnet = 1
title = "open"
[parameters]
rate = "50/s"
time = "5 ms"
often = 1
[stations]
cpu = {}
disk = {}
[classes.a]
arrival_rate = "rate"
steps = [ { station = "cpu", time = "10 ms" }, { station = "disk", time = "TIME", visits = "often" } ]
"""
CLOSED = OPEN.replace('arrival_rate = "rate"', 'population = 3\nthink_time = "1 s"')
EXTREMES = ("0", "5e-324", "1e-300", "1e-91", "1e-89", "1e-20", "1e20", "1e89", "1e91", "1e300")


def load(folder: Path, text: str, time: str = "time") -> qnet.System:
    path = folder / "m.toml"
    path.write_text(text.replace("TIME", time))
    return qnet.load(str(path))


def refused(system: qnet.System) -> tuple[bool, QnetError | None]:
    """Whether the check refuses a model, and why the solution fails, if it does."""
    try:
        checked(system)
    except QnetError:
        return True, None
    try:
        system.solve()
    except QnetError as error:
        return False, error
    return False, None


@pytest.mark.parametrize("text", [OPEN, CLOSED], ids=["open", "closed"])
@pytest.mark.parametrize("name", ["rate", "time", "often"])
@many("value", EXTREMES)
def test_an_extreme_number_is_refused_by_the_check_or_not_as_invalid(text: str, name: str, value: str, tmp_path: Path):
    unit = {"rate": "/s", "time": " s", "often": ""}[name]
    text = "\n".join(f'{name} = "{value}{unit}"' if line.startswith(f"{name} =") else line for line in text.split("\n"))
    _, error = refused(load(tmp_path, text))
    assert not isinstance(error, InvalidInput), error


@pytest.mark.parametrize("text", [OPEN, CLOSED], ids=["open", "closed"])
@pytest.mark.parametrize("pair", [("1e-60", "1e-60"), ("1e60", "1e60")], ids=["small", "large"])
def test_a_product_of_numbers_that_is_out_of_range_is_refused_by_name(text: str, pair: tuple[str, str], tmp_path: Path):
    time, often = pair
    text = text.replace('"5 ms"', f'"{time} s"').replace("often = 1", f"often = {often}")
    with pytest.raises(InvalidInput, match=r"classes\.a: seconds at disk per passage are 1e[-+]"):
        checked(load(tmp_path, text))


def test_a_product_of_extremes_within_range_is_answered(tmp_path: Path):
    text = OPEN.replace('"5 ms"', '"1e-60 s"').replace("often = 1", "often = 1e57")
    assert load(tmp_path, text).metric("residence('disk')") == pytest.approx(1e-3 / (1 - 0.05), rel=1e-9)


@pytest.mark.parametrize(
    "time",
    ["5 ms - wait('cpu')", "1 ms / (0.4 - utilization('cpu'))", "1 ms * log(0.4 - utilization('cpu'))"],
)
def test_a_number_that_depends_on_the_solution_is_no_invalid_input(time: str, tmp_path: Path):
    early, error = refused(load(tmp_path, OPEN, time))
    assert early or isinstance(error, NotComputed), error


def test_the_reason_says_which_number_left_its_domain_and_what_helps(tmp_path: Path):
    with pytest.raises(NotComputed, match=r"classes\.a\.steps\[1\]\.time: .*the value is -5 ms .*QN738") as caught:
        load(tmp_path, OPEN, "5 ms - wait('cpu')").solve()
    assert "max(0 s, ...)" in caught.value.problems[0].help


def test_a_setting_that_leads_there_is_not_blamed_for_it(tmp_path: Path):
    with pytest.raises(NotComputed, match="QN738"):
        load(tmp_path, OPEN, "5 ms - wait('cpu')").set(rate="40/s").solve()


@pytest.mark.parametrize("probability", ["1 - 2 * utilization('cpu')", "utilization('cpu') - 0.2"])
def test_a_probability_that_depends_on_the_solution_is_no_invalid_input(probability: str, tmp_path: Path):
    head, _, _ = OPEN.partition("steps =")
    routes = "".join(
        f'[[classes.a.routes]]\nname = "{name}"\nprobability = "{share}"\n'
        'steps = [ { station = "cpu", time = "15 ms" } ]\n'
        for name, share in (("one", probability), ("other", f"1 - ({probability})"))
    )
    early, error = refused(load(tmp_path, head + routes))
    assert early or not isinstance(error, InvalidInput | UsageError), error


def test_bounds_that_do_not_apply_are_no_invalid_input(tmp_path: Path):
    system = load(tmp_path, CLOSED.replace("population = 3", "population = 2.5"))
    checked(system)
    with pytest.raises(NotComputed, match="fractional"):
        system.solve(bounds="balanced")


def test_a_budget_that_is_too_small_is_no_invalid_input(tmp_path: Path):
    system = load(tmp_path, CLOSED.replace("population = 3", "population = 1000"))
    checked(system)
    assert system.solve(operations=1.0).records()
    with pytest.raises(NotComputed, match="QN515"):
        system.solve(operations=1.0, memory=1.0)


def test_customers_who_return_almost_surely_are_too_many(tmp_path: Path):
    text = OPEN.replace("often = 1", "often = 1e22").replace('"rate"\n', '"rate"\narrival_scv = 4\n')
    _, error = refused(load(tmp_path, text))
    assert error is not None and error.exit_code == 4
