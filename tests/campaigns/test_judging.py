"""The verdicts of the campaign, on answers made by hand."""

from types import SimpleNamespace

import pytest
from asking import Outcome, ask
from error_rows import RULES, measured_error
from judging import judge
from running import timed

from qnet.networks.measured_errors import MEASURED

ESTIMATED = "residual-service is an approximation; s1: service times are not exponential; waits are estimated"
HELD = "a station is held while another is waited for"


def answer(value, exact=False, reasons="", warnings=(), method="residual-service"):
    """An answer of one figure."""
    found = {"a": value}
    return Outcome("answered", 0.1, exact=exact, method=method, reasons=reasons, warnings=warnings, throughput=found)


def oracle(value, half=0.0):
    """What the oracle says of it."""
    return SimpleNamespace(kind="chain", throughput={"a": value}, half_width={("throughput", "a"): half})


@pytest.mark.parametrize(
    ("value", "category"), [(1.0, "right"), (1 + 1e-9, "right"), (1 + 1e-7, "exact-wrong"), (0.5, "exact-wrong")]
)
def test_an_answer_labelled_exact_is_right_or_wrong(value, category):
    assert judge(answer(value, exact=True), oracle(1.0), "closed").category == category


def test_an_interval_of_a_simulation_counts_for_the_answer():
    assert judge(answer(1.01, exact=True), oracle(1.0, 0.01), "closed").category == "right"
    assert judge(answer(1.03, exact=True), oracle(1.0, 0.01), "closed").category == "exact-wrong"


@pytest.mark.parametrize(
    ("simulated", "half", "answered", "category"),
    [
        # Three runs of one model of product form, two seconds each; by rational arithmetic 0.99995844068.
        (0.9999981605966437, 8.468613051955438e-06, 0.99995844068, "right"),
        (0.9999815422504399, 8.496584514459324e-05, 0.99995844068, "right"),
        (0.9999501491519884, 0.0001867941016844241, 0.99995844068, "right"),
        (0.9999981605966437, 8.468613051955438e-06, 0.9995, "exact-wrong"),
        (0.9995, 1e-5, 0.99955, "exact-wrong"),
        (0.5, 1e-5, 0.5002, "exact-wrong"),
    ],
)
def test_a_simulation_does_not_see_every_idle_moment_of_a_full_station(simulated, half, answered, category):
    visits = {"s1": 0.0432, "s2": 0.0899}
    run = SimpleNamespace(
        kind="simulation", states=560_000, throughput={}, station_throughput=visits, utilization={"s2": simulated},
        half_width={("utilization", "s2"): half},
    )  # fmt: skip
    ours = Outcome("answered", 0.1, exact=True, method="mva", utilization={"s2": answered})
    assert judge(ours, run, "mixed").category == category


def test_an_approximation_is_held_against_the_rows_of_its_reasons():
    assert judge(answer(1.1, reasons=ESTIMATED), oracle(1.0), "closed").category == "within its told worst"
    assert judge(answer(1.5, reasons=ESTIMATED), oracle(1.0), "closed").category == "unwarned"
    warned = answer(1.5, reasons=ESTIMATED, warnings=(("QN638", "beyond"),))
    assert judge(warned, oracle(1.0), "closed").category == "warned"


def test_a_reason_without_a_row_must_warn():
    verdict = judge(answer(1.02, reasons="something new", method="other"), oracle(1.0), "open")
    assert (verdict.category, verdict.why) == ("unwarned", "no row: no rule")


def test_a_figure_that_is_not_finite_is_a_crash():
    assert judge(answer(float("nan")), oracle(1.0), "closed").category == "crash"


def test_a_refusal_says_the_way_out():
    refused = Outcome("not computed", 0.1, problems=(("QN501", "closed classes and holds", "leave one out"),))
    assert judge(refused, None, "closed").category == "refused"
    silent = Outcome("not computed", 0.1, problems=(("QN501", "closed classes and holds", ""),))
    assert judge(silent, None, "closed").category == "crash"


@pytest.mark.parametrize(
    ("code", "found", "category"),
    [
        ("QN502", "demands: 26 of its numbers are negative, not finite or too extreme", "crash"),
        ("QN403", 'class "a" has customers and neither demand nor think time', "crash"),
        ("QN511", "the utilization of station 0 comes out above 1", "crash"),
        ("QN511", "the rate of second phases of closed classes: residual 1e-3", "refused"),
    ],
)
def test_a_refusal_that_blames_legal_numbers_is_a_crash(code, found, category):
    refused = Outcome("not computed", 0.1, problems=((code, found, "try another method"),))
    assert judge(refused, None, "closed").category == category


def test_rows_of_systems_outside_any_region_do_not_count():
    found = measured_error(ESTIMATED, "residual-service", "closed")
    assert found.rows
    assert all(MEASURED[name].trusted for name in found.rows)


@pytest.mark.parametrize("rule", [rule for rule in RULES if "closed" in rule.kinds and rule.name.startswith("f")])
def test_closed_classes_have_rows_first_come_first_served_and_where_something_is_full(rule):
    reasons = {"first come first served": ESTIMATED}.get(
        rule.name, "s1: the rest of the network is replaced by one flow-equivalent station"
    )
    assert measured_error(reasons, "flow-equivalent", "closed").worst > 0


def test_an_answer_that_takes_too_long_is_given_up():
    many = "\n".join(
        f'[classes.c{number}]\npopulation = 300\nsteps = [ {{ station = "s", time = "{number + 1} s" }} ]'
        for number in range(3)
    )
    text = f'qnet = 1\ntitle = "two classes"\n[stations]\ns = {{}}\n{many}\n'
    assert timed(text, 1e-3).status == "slow"
    assert ask(text).status == "answered"


def test_what_a_user_would_see_of_a_failure_is_told():
    assert ask('qnet = 1\ntitle = "none"\n[stations]\n').status == "invalid"


@pytest.mark.long
def test_a_chain_that_is_nearly_several_does_not_contradict():
    from running import judged

    # Last come first served by a saturated server: iteration and elimination are 0.04 % apart, 0.01 % from theory.
    line = judged(10301137, laws=False)
    assert line["category"] in ("not judged", "right")
