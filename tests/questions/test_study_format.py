"""The format of a study: every kind of claim computed and judged, every fault told with its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from studies import FAST, HEAD, WINDOW, claim

from qnet.errors import InvalidInput
from qnet.questions.study.load import load_study
from qnet.questions.study.tally import tally
from qnet.questions.study.validate import Judged, validate

GIVEN = claim("a", role="given", stated="8.0 s", metric="a time") + claim("b", role="given", stated="3 s", metric="b")


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A function from the text of a study to its verdicts by id."""
    monkeypatch.setenv("QNET_CATALOG", str(tmp_path))

    def judged(*claims: str, head: str = HEAD) -> dict[str, Judged]:
        files = {"CATALOG.toml": 'schema = 1\ntitle = "test"\n', "studies/s.toml": head + "\n".join(claims)}
        files |= {"systems/window.toml": WINDOW, "systems/fast.toml": FAST}
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return {item.claim.id: item for item in validate(load_study("s")).judged}

    return judged


def verdict(judge, *claims: str, head: str = HEAD) -> str:
    return judge(*claims, head=head)["x"].verdict


def fault(judge, *claims: str, head: str = HEAD):
    with pytest.raises(InvalidInput) as raised:
        judge(*claims, head=head)
    return raised.value.problems


# Identities and printed digits


@pytest.mark.parametrize(
    ("stated", "figure", "told"),
    [
        ("2.7", "[a] / [b]", "exact"),
        ("2.67", "[a] / [b]", "exact"),
        ("2.66", "[a] / [b]", "within rounding"),  # 8.0 / 3 is 2.667; with 3 between 2.5 and 3.5, from 2.27 to 3.22
        ("3.2", "[a] / [b]", "within rounding"),
        ("3.3", "[a] / [b]", "missed"),
        ("167 %", "[a] / [b] - 1", "exact"),
        ("5 s", "[a] - [b]", "exact"),
        ("4.5 s", "[a] - [b]", "within rounding"),  # 7.95 - 3.5 = 4.45
        ("4.3 s", "[a] - [b]", "missed"),
        ("24", "[a] * [b] / 1 s / 1 s", "exact"),
        ("1.0 s", "time", "exact"),
        ("2 s", "response", "exact"),
        ("1.1 s", "time", "missed"),
    ],
)
def test_an_identity_is_judged_by_printed_digits(judge, stated: str, figure: str, told: str):
    assert verdict(judge, GIVEN, claim("x", role="identity", stated=stated, figure=figure)) == told


@pytest.mark.parametrize(("bound", "told"), [("2.6", "exact"), ("2.7", "within rounding"), ("4", "missed")])
def test_an_identity_may_state_a_bound(judge, bound: str, told: str):
    assert verdict(judge, GIVEN, claim("x", role="identity", at_least=bound, figure="[a] / [b]")) == told


@pytest.mark.parametrize(("stated", "told"), [("1 s", "met"), ("1.4 s", "missed"), ("1.0 s", "met")])
def test_a_given_figure_agrees_with_the_model(judge, stated: str, told: str):
    assert verdict(judge, claim("x", role="given", stated=stated, figure="time")) == told


def test_a_given_text_is_kept(judge):
    item = judge(claim("x", role="given", stated="two clusters", metric="frame"))["x"]
    assert (item.stated, item.modelled, item.verdict) == ("two clusters", None, "given")


def test_what_is_outside_is_kept_with_its_reason(judge):
    item = judge(claim("x", role="outside", stated="1989", metric="introduced", remark="history"))["x"]
    assert (item.stated, item.verdict, item.claim.remark) == (1989, "outside", "history")


# References


def test_settings_come_from_other_claims(judge):
    """With 8 s in the place of 1 s at 0.1/s: 8 / (1 - 0.8) = 40 s."""
    keys = {"role": "predicted", "stated": "40 s", "tolerance": 0.01, "figure": "response"}
    found = judge(GIVEN, claim("x", **keys, set={"time": "[a]", "rate": "0.1/s"}))["x"]
    assert found.modelled == pytest.approx(40)


def test_a_limit_and_a_case_refer_to_other_claims(judge):
    """8 s = 3 s / (1 - 3 rate) at a rate of 5/24."""
    head = HEAD + '[cases.slow]\ntime = "[b]"\n'
    keys = {"role": "predicted", "stated": "0.2083 /s", "tolerance": 0.001, "case": "slow"}
    found = judge(GIVEN, claim("x", **keys, largest="rate", limit="response <= [a]"), head=head)["x"]
    assert found.modelled == pytest.approx(5 / 24)


def test_a_figure_mixes_the_model_with_other_claims(judge):
    keys = {"role": "predicted", "stated": "0.25", "tolerance": 0.01}
    assert verdict(judge, GIVEN, claim("x", **keys, figure="response / [a]")) == "met"


def test_what_is_carried_is_judged(judge):
    keys = {"role": "carried", "figure": "[a]"}
    assert verdict(judge, GIVEN, claim("x", **keys, stated="8.1 s", tolerance=0.02)) == "met"
    assert verdict(judge, GIVEN, claim("x", **keys, stated="8.4 s", tolerance=0.02)) == "missed"


# Systems and settings


def test_claims_of_one_study_use_several_systems(judge):
    keys = {"role": "predicted", "tolerance": 0.01, "figure": "response"}
    head = HEAD + '[cases.other]\nsystem = "fast"\n'
    found = judge(
        claim("own", **keys, stated="2 s"),
        claim("by-key", **keys, stated="0.667 s", system="fast"),
        claim("by-case", **keys, stated="0.667 s", case="other"),
        claim("by-set", **keys, stated="0.667 s", set={"system": "fast"}),
        head=head,
    )
    assert {item.verdict for item in found.values()} == {"met"}


def test_settings_of_one_claim_do_not_reach_another(judge):
    """`half` follows `time` in one claim and is set in the other; both are solved together."""
    keys = {"role": "predicted", "tolerance": 0.001, "figure": "response"}
    found = judge(
        claim("follows", **keys, stated="2 s", set={"kind": "fast", "time": "2 s"}),
        claim("set", **keys, stated="0.25 s", set={"kind": "fast", "half": "0.25 s", "rate": "1e-9/s"}),
        claim("neither", **keys, stated="0.667 s", set={"kind": "fast"}),
    )
    assert {id: item.verdict for id, item in found.items()} == dict.fromkeys(found, "met")


def test_the_smallest_value_is_searched(judge):
    """2 s = time / (1 - time / 2) for 1 s at the most; the least share at which nothing binds is its low end."""
    keys = {"role": "predicted", "tolerance": 0.001}
    found = judge(claim("x", **keys, stated="0.5 /s", smallest="rate", limit="response >= 2 s"))["x"]
    assert found.verdict == "met"


# Comparisons with a base


@pytest.mark.parametrize(
    ("take", "stated", "modelled"), [("ratio", "2", 2.0), ("change", "100 %", 100.0), ("difference", "2 s", 2.0)]
)
def test_a_figure_is_compared_with_its_base(judge, take: str, stated: str, modelled: float):
    """4 s at 0.75/s against 2 s at 0.5/s."""
    keys = {"role": "predicted", "tolerance": 0.01, "figure": "response", "set": {"rate": "0.75/s"}}
    found = judge(claim("x", **keys, stated=stated, take=take, base={"rate": "0.5/s"}))["x"]
    assert (found.modelled, found.verdict) == (pytest.approx(modelled), "met")


@pytest.mark.parametrize(
    ("stated", "rate", "tolerance", "told"),
    [
        ("rises", "0.75/s", {}, "met"),
        ("falls", "0.75/s", {}, "missed"),
        ("falls", "0.25/s", {}, "met"),
        ("unchanged", "0.5/s", {}, "met"),
        ("unchanged", "0.51/s", {}, "missed"),
        ("unchanged", "0.51/s", {"tolerance": 0.05}, "met"),
        ("unchanged", "0.51/s", {"tolerance": "0.1 s"}, "met"),
        ("rises", "0.51/s", {"tolerance": 0.05}, "missed"),
    ],
)
def test_a_trend_goes_from_its_base_to_its_settings(judge, stated: str, rate: str, tolerance: dict, told: str):
    keys = {"role": "trend", "figure": "response", "stated": stated, "set": {"rate": rate}, "base": {"rate": "0.5/s"}}
    assert verdict(judge, claim("x", **keys, **tolerance)) == told


def test_a_trend_leads_from_one_system_to_another(judge):
    keys = {"role": "trend", "figure": "response", "stated": "falls", "system": "fast"}
    assert verdict(judge, claim("x", **keys, base={"system": "window"})) == "met"


# Misses


@pytest.mark.parametrize(("tolerance", "verdict"), [("0.9 s", "met"), ("0.1 s", "missed"), (0.1, "missed")])
def test_an_absolute_tolerance_applies_to_a_stated_zero(judge, tolerance: str | float, verdict: str):
    """The difference is 1.2 s; `0 s` is rounded by at most 0.5 s."""
    keys = {"figure": "1.2 s * response / response", "null": "none: zero"}
    found = judge(claim("x", role="carried", stated="0 s", tolerance=tolerance, **keys))["x"]
    assert found.verdict == verdict


def test_a_miss_with_a_reason_stays_a_miss(judge):
    keys = {"role": "predicted", "stated": "3 s", "tolerance": 0.1, "figure": "response"}
    found = judge(claim("x", **keys, miss="the source counts the way to the window"))["x"]
    assert (found.verdict, found.broken) == ("missed", False)
    assert judge(claim("x", **keys))["x"].broken


def test_a_reason_for_a_miss_that_is_none_is_refused(judge):
    keys = {"role": "predicted", "stated": "2 s", "tolerance": 0.1, "figure": "response"}
    (problem,) = fault(judge, claim("x", **keys, miss="why not"))
    assert (problem.code, problem.path) == ("QN324", ("claims", 0, "miss"))


def test_no_tolerance_excuses_a_prediction_that_is_far_off(judge):
    """2 s against 1 s stated: the absolute tolerance of 5 s would allow it."""
    keys = {"role": "predicted", "stated": "1 s", "tolerance": "5 s", "figure": "response"}
    assert verdict(judge, claim("x", **keys)) == "missed"


def test_a_claim_without_an_answer_is_missed(judge):
    keys = {"role": "predicted", "stated": "1 s", "tolerance": 0.1, "figure": "response"}
    found = judge(claim("x", **keys, set={"rate": "2/s"}))["x"]
    assert (found.modelled, found.error, found.verdict) == ("no answer", None, "missed")


def test_nothing_is_predicted_to_the_printed_digit(judge):
    """Of zero there is no relative error."""
    keys = {"role": "predicted", "tolerance": 0.1, "figure": "response - 2 s"}
    found = judge(
        claim("x", **keys, stated="0.0 s"), claim("y", **keys, stated="0.0 s", set={"time": "1.1 s"}, miss="no")
    )
    assert [(item.error, item.verdict) for item in found.values()] == [(None, "met"), (None, "missed")]
    assert (tally(list(found.values())).errors, tally(list(found.values())).median_error) == (1, None)


def test_a_study_has_a_tolerance_for_its_predictions(judge):
    keys = {"role": "predicted", "stated": "2.3 s", "figure": "response"}
    assert verdict(judge, claim("x", **keys), head=HEAD + "tolerance = 0.2\n") == "met"
    assert verdict(judge, claim("x", **keys, tolerance=0.1), head=HEAD + "tolerance = 0.2\n") == "missed"


# Faults


PREDICTED = {"role": "predicted", "stated": "2 s", "tolerance": 0.1, "figure": "response"}


@pytest.mark.parametrize(
    ("keys", "key", "code"),
    [
        ({**PREDICTED, "role": "derived"}, "role", "QN320"),
        ({**PREDICTED, "figur": "response"}, "figur", "QN320"),
        ({**PREDICTED, "figure": "respons"}, "figure", "QN112"),
        ({**PREDICTED, "figure": "[c]"}, "figure", "QN322"),
        ({**PREDICTED, "figure": "[a]"}, "figure", "QN323"),
        ({**PREDICTED, "stated": "2 /s"}, "stated", "QN122"),
        ({**PREDICTED, "stated": "2 sec"}, "stated", "QN320"),
        ({**PREDICTED, "tolerance": 0.3}, "tolerance", "QN320"),
        ({**PREDICTED, "tolerance": "1 /s"}, "tolerance", "QN122"),
        ({**PREDICTED, "counts_with": "nobody"}, "counts_with", "QN320"),
        ({**PREDICTED, "system": "nobody"}, "system", "QN301"),
        ({**PREDICTED, "largest": "speed"}, "largest", "QN004"),
        ({**PREDICTED, "limit": "response <= 1 s"}, "limit", "QN320"),
        ({**PREDICTED, "largest": "rate", "limit": "response"}, "limit", "QN110"),
        ({**PREDICTED, "base": {"rate": "0.1/s"}}, "take", "QN320"),
        ({**PREDICTED, "over": "rate = 1:2", "take": "mean"}, "over", "QN010"),
        ({**PREDICTED, "role": "carried", "by_construction": True}, "by_construction", "QN320"),
        ({**PREDICTED, "role": "given"}, "tolerance", "QN320"),
        ({**PREDICTED, "stated": "rises", "over": "rate = 0.1/s, 0.2/s", "take": "trend"}, "take", "QN320"),
        ({**PREDICTED, "figure": ""}, "figure", "QN320"),
        ({**PREDICTED, "role": "disputed", "tolerance": -0.1}, "tolerance", "QN320"),
        ({**PREDICTED, "tolerance": float("nan")}, "tolerance", "QN320"),
        ({"role": "outside", "stated": "blue", "metric": "colour"}, "remark", "QN320"),
        ({"role": "given", "stated": "blue"}, "metric", "QN320"),
        ({"role": "identity", "stated": "blue", "figure": "[a]"}, "stated", "QN320"),
    ],
)  # fmt: skip
def test_a_fault_names_its_key(judge, keys: dict, key: str, code: str):
    (problem,) = fault(judge, GIVEN, claim("x", **keys))
    assert (problem.code, problem.path) == (code, ("claims", 2, key))
    assert problem.file.endswith("s.toml")
    assert problem.line


def test_a_wrong_setting_names_its_place(judge):
    head = HEAD + '[cases.wrong]\nspeed = "1"\n'
    (problem,) = fault(judge, claim("x", **PREDICTED, case="wrong"), head=head)
    assert (problem.code, problem.path) == ("QN004", ("cases", "wrong", "speed"))
    (problem,) = fault(judge, claim("x", **PREDICTED, set={"share": "2"}))
    assert (problem.code, problem.path) == ("QN211", ("claims", 0, "set", "share"))


def test_settings_that_only_fail_together_are_told(judge):
    settings = {"time": "2 * half", "half": "time"}
    (problem,) = fault(judge, claim("x", **PREDICTED, set=settings))
    assert (problem.code, problem.path[:3]) == ("QN210", ("claims", 0, "set"))


def test_a_figure_without_a_value_is_told(judge):
    (problem,) = fault(judge, claim("x", role="identity", stated="1", figure="time / (half - half)"))
    assert (problem.path, "division by zero" in problem.found) == (("claims", 0, "figure"), True)


def test_a_setting_that_would_move_with_the_search_is_refused(judge):
    keys = {**PREDICTED, "stated": "0.5 /s", "largest": "rate"}
    (problem,) = fault(judge, claim("x", **{**keys, "figure": "rate"}, set={"share": "rate * 1 s"}))
    assert (problem.code, problem.path) == ("QN123", ("claims", 0, "largest"))


def test_a_figure_may_be_solved_for_one_side_of_a_comparison_only(judge):
    """`time` is a parameter of the one system; the response of the other is 2/3 s."""
    keys = {"role": "identity", "figure": "where(kind == 'slow', time, 0 s)", "take": "difference"}
    assert verdict(judge, claim("x", **keys, stated="-0.5 s", system="fast", base={"system": "window"})) == "exact"


def test_a_prediction_on_a_prediction_is_refused(judge):
    problems = fault(judge, claim("w", **PREDICTED), claim("x", **PREDICTED, set={"time": "[w] / 2"}))
    assert [(item.code, item.path) for item in problems] == [("QN320", ("claims", 1, "set", "time"))]
    problems = fault(judge, claim("w", **PREDICTED), claim("x", **PREDICTED, base={"time": "[w] / 2"}, take="ratio"))
    assert [(item.code, item.path) for item in problems] == [("QN320", ("claims", 1, "base", "time"))]


def test_all_faults_are_told_at_once(judge):
    problems = fault(
        judge,
        claim("x", **{**PREDICTED, "figure": "respons"}),
        claim("y", **{**PREDICTED, "stated": "2 s"}, set={"speed": "1"}),
        claim("z", **{**PREDICTED, "largest": "speed"}),
    )
    assert [item.path[1] for item in problems] == [0, 1, 2]


NEAR = claim("near", role="given", metric="response at low load", stated="1.8 s")
GIVEN_RATE = claim("given rate", role="given", metric="rate", stated="0.5 /s")
OTHER = claim("other", role="predicted", stated="2.2 s", tolerance=0.2, figure="response", null="near")


@pytest.mark.parametrize("null", ["near", "none: nothing like it was given"])
def test_a_prediction_names_its_null(judge, null: str):
    keys = {"role": "predicted", "stated": "2.1 s", "tolerance": 0.1, "figure": "response"}
    assert judge(claim("x", **keys, null=null) + NEAR)["x"].claim.null == null


@pytest.mark.parametrize(
    ("null", "code"),
    [
        ("nobody", "QN745"),
        ("other", "QN745"),
        ("given rate", "QN745"),
        ("none", "QN745"),
        ("none: ", "QN745"),
        ("unchanged", "QN320"),
    ],
)
def test_a_null_is_a_figure_that_the_model_was_given(judge, null: str, code: str):
    keys = {"role": "predicted", "stated": "2.1 s", "tolerance": 0.1, "figure": "response", "null": null}
    with pytest.raises(InvalidInput) as raised:
        judge(claim("x", **keys) + NEAR + GIVEN_RATE + OTHER)
    (problem,) = raised.value.problems
    assert (problem.code, problem.path) == (code, ("claims", 0, "null"))


def test_a_failed_assumption_stays_missed_and_says_why(judge):
    keys = {"role": "failed assumption", "stated": "9 s", "tolerance": 0.1, "figure": "response"}
    found = judge(claim("x", **keys, miss="the window was taken to be open"))["x"]
    assert (found.verdict, found.broken) == ("missed", False)
    with pytest.raises(InvalidInput, match="the failed assumption is not named"):
        judge(claim("x", **keys))


def test_a_failed_assumption_that_is_met_is_none(judge):
    keys = {"role": "failed assumption", "stated": "2 s", "tolerance": 0.1, "figure": "response", "miss": "none"}
    with pytest.raises(InvalidInput) as raised:
        judge(claim("x", **keys))
    assert raised.value.problems[0].code == "QN324"


CHOICE = """[[free_choices]]
id = "{id}"
kind = "{kind}"
chosen = "1 s"
alternatives = ["0.9 s", "1.1 s"]
why = "not stated"
{more}
"""


def choice(more: str = "", id: str = "service time", kind: str = "value") -> str:
    return CHOICE.format(id=id, kind=kind, more=more)


def test_free_choices_are_kept_and_told_whether_the_study_is_fitted_again(judge, tmp_path: Path):
    judge(choice('parameter = "time"') + choice(id="form", kind="form") + NEAR)
    found = load_study("s").choices
    assert [(item.id, item.varied) for item in found] == [("service time", True), ("form", False)]
    assert found[0].alternatives == ("0.9 s", "1.1 s")


@pytest.mark.parametrize(
    ("text", "key", "code"),
    [
        (choice(kind="guess"), "kind", "QN320"),
        (choice(id=""), "id", "QN320"),
        (choice('colour = "red"'), "colour", "QN320"),
        (choice('claim = "near"'), "claim", "QN320"),
        (choice('claim = "fit"').replace("0.9 s", "less"), "alternatives", "QN320"),
        (choice() + choice(), "id", "QN321"),
    ],
)
def test_a_fault_of_a_free_choice_names_its_key(judge, text: str, key: str, code: str):
    fit = claim("fit", role="fitted", stated="2 s", figure="response", sets="time")
    (problem,) = fault(judge, text, NEAR, fit)
    assert (problem.code, problem.path[0], problem.path[2]) == (code, "free_choices", key)


def test_a_prediction_without_a_null_is_refused(judge):
    text = claim("x", role="predicted", stated="2.1 s", tolerance=0.1, figure="response")
    (problem,) = fault(judge, text.replace('null = "none: made up"\n', ""))
    assert (problem.code, problem.path) == ("QN745", ("claims", 0, "null"))


# Predictions set apart, and remarks for a screen


@pytest.mark.parametrize(
    ("keys", "key", "text"),
    [
        ({"role": "trend", "stated": "rises", "over": "rate = 0.1/s:0.5/s:0.1/s", "take": "trend", "in_view": True},
         "in_view", 'in_view on a claim with the role "trend"'),
        ({"role": "identity", "stated": "2 s", "short": "few words"}, "short",
         'short on a claim with the role "identity"'),
        ({"role": "predicted", "stated": "2 s", "tolerance": 0.1, "short": "x" * 71}, "short", "it has 71 characters"),
    ],
)  # fmt: skip
def test_what_is_set_apart_or_shown_is_checked(judge, keys: dict, key: str, text: str):
    problems = fault(judge, claim("x", figure="response", **keys))
    assert [(problem.path[-1], problem.found) for problem in problems] == [(key, text)]
