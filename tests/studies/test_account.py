"""The account of all studies: nulls, the rule for a prediction against an audit by hand, and what a reviewer counts."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import once
import pytest

from qnet import budget
from qnet.catalog.find import entries, root
from qnet.questions.study import report as study_report_module
from qnet.questions.study.fits_report import Freedom
from qnet.questions.study.load import load_studies, load_study
from qnet.questions.study.refit import fitted_values, refitted
from qnet.questions.study.study import Claim
from qnet.questions.study.tally import tally
from qnet.questions.study.validate import Judged, Validation, validate
from qnet.reports.content import Style
from qnet.reports.render import render
from qnet.reports.report import Report
from qnet.reports.text import width

COLOR = re.compile(r"\x1b\[\d*m")
TESTS = ("1", "2", "3", "4", "5a", "5b", "6", "7", "8", "9")
AUDIT = {
    *(f"lpar/connectathon/test-{test}/{mode}" for test in TESTS for mode in ("basic-load", "lpar-idle")),
    "lpar/connectathon/guest-avg/basic-load",
    *(f"lpar/clientload/guest-avg/{mode}" for mode in ("basic-load", "lpar-idle", "lpar-load")),
    *(f"scsi/iozone/{case}/total-cpu" for case in ("emd0", "emd1", "fmd0", "fmd1", "d240", "d241", "g241", "lns0")),
    *(f"sfs/case/rwserv2/{figure}/before" for figure in ("time-total", "time-block-io", "agents-held")),
    *(f"sfs/case/rwserv1/{figure}/after" for figure in ("time-block-io", "agents-held", "util-total", "util-cpu",
                                                       "util-checkpoint", "util-page-read")),
    "3990-6/front-end/half-track/min-response", "3990-6/sequential/read/max", "3990-6/channel/front-end/max-load",
    "3990-6/channel/4k-range", "3990-6/rlc/record/response", "r390/response/users-220",
}  # fmt: skip
"""The 47 claims that a reviewer did not count, though they were called predictions."""

FALSE = {
    "sfs/case/rwserv1/util-total/after": "a closed class at the server, of which no figure after is an input: half of "
    "the utilization measured",
    "sfs/case/rwserv1/util-cpu/after": "what a page read costs the processor is fitted on another server",
    "sfs/case/rwserv1/time-block-io/after": "a share of the time that is left without page reads and locks: a sum",
}
"""The audit demoted them because the rate after was fitted. Now nothing after is an input, and the rule lets them pass
where they are called predictions: they are failed assumptions, since what they rest on is stated, and false."""
PATH_LENGTH = {
    *(f"lpar/ousterhout/{test}/cpu/lpar-idle" for test in ("context-switch", "open-close", "create-delete-10mb")),
    "lpar/kernel-build/system/lpar-idle", "lpar/kernel-build/system/lpar-load",
}  # fmt: skip
"""A figure of their own, times what the empty system call grows by under LPAR."""
IN_VIEW = {
    *(f"3990-6/channel/sequential-{access}/{load}-load" for access in ("read", "write") for load in ("low", "max")),
    "lpar/clientload/average/lpar-load",
}  # fmt: skip


STUDIES = [entry.id for entry in entries() if entry.kind == "study"]
IDLE = {f"lpar/connectathon/test-{test}/lpar-idle": f"lpar/connectathon/test-{test}/basic-idle" for test in TESTS}
"""What the loaded file tests start from, and the row of the other mode."""


@cache
def validated(id: str) -> Validation:
    """The verdicts on a study."""
    return once.validated(load_study(id))


@cache
def refitted_freely(id: str) -> Freedom:
    """A study fitted again under each of its free choices."""
    return once.refitted(load_study(id))


@cache
def told(id: str) -> Report:
    """The report of a study, made once for all styles."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study_report_module, "validate", lambda study: validated(study.id))
        patch.setattr(study_report_module, "freedom", lambda study, judged: refitted_freely(study.id))
        return study_report_module.study_report(id, drawn=True)


@pytest.fixture(scope="module")
def judged() -> dict[str, Judged]:
    return {item.claim.id: item for study in load_studies() for item in validated(study.id).judged}


def test_the_audit_names_47_claims(judged: dict[str, Judged]):
    assert len(AUDIT) == 47
    assert set(judged) >= AUDIT


def test_none_of_them_is_counted(judged: dict[str, Judged]):
    assert [id for id in AUDIT if judged[id].counted] == []


def test_the_rule_finds_those_that_are_called_predictions(judged: dict[str, Judged]):
    roles = {id: judged[id].claim.role for id in AUDIT}
    assert {id for id, role in roles.items() if role == "failed assumption"} == {id for id in AUDIT if "/after" in id}
    assert {id for id, role in roles.items() if role == "given"} == set(IDLE)
    called = [id for id, role in roles.items() if role == "predicted"]
    assert len(called) == 47 - 6 - 10
    assert [id for id in called if not judged[id].carried or judged[id].claim.counts_with] == []


def test_the_rule_finds_failed_assumptions_that_are_called_predictions():
    """Those that it does not find are listed above, each with the reason."""
    study = load_study("sfs")
    claims = (claim.replace(role="predicted") if claim.role == "failed assumption" else claim for claim in study.claims)
    called = {item.claim.id: item for item in validate(study.replace(claims=tuple(claims))).judged}
    assert {id for id in AUDIT if id.endswith("/after") and not called[id].carried} == set(FALSE)


def test_the_rule_finds_the_idle_rows_of_the_file_server_that_are_now_given(judged: dict[str, Judged]):
    """Called predictions, and asked from the idle row in Basic mode as they once were."""
    study = load_study("lpar")
    by_id = {claim.id: claim for claim in study.claims}

    def called(claim: Claim) -> Claim:
        if claim.id not in IDLE:
            return claim
        loaded = by_id[claim.id.replace("/lpar-idle", "/basic-load")]
        settings = {**loaded.at.settings, "mode": "lpar", "load_guests": "0"}
        return claim.replace(role="predicted", null=loaded.null, at=loaded.at.replace(settings=settings))

    found = {
        item.claim.id: item.carried
        for item in validate(study.replace(claims=tuple(called(claim) for claim in study.claims))).judged
    }
    for id, basic in IDLE.items():
        assert found[id] == f"within 3 % of {basic}"


def test_what_rests_on_a_path_length_alone_is_told_apart(judged: dict[str, Judged]):
    assert {id for id, item in judged.items() if item.counted and item.path_length} == PATH_LENGTH
    counted = tally(list(judged.values()))
    assert counted.path_length == len(PATH_LENGTH)
    for test in ("context-switch", "open-close", "create-delete-10mb"):
        wall = judged[f"lpar/ousterhout/{test}/wall/lpar-idle"]
        assert wall.carried == f"lpar/ousterhout/{test}/cpu/lpar-idle plus or minus inputs"


def test_what_the_form_was_chosen_for_is_not_counted(judged: dict[str, Judged]):
    assert {id for id, item in judged.items() if item.claim.in_view} == IN_VIEW
    assert [id for id in IN_VIEW if judged[id].counted] == []


def test_one_figure_of_the_storage_is_counted_once(judged: dict[str, Judged]):
    """2 (1 - 180 / 480) moves for a touch, whatever the device and the release."""
    moves = [item for id, item in judged.items() if "/moves-per-touch/zvm" in id]
    assert [item.modelled for item in moves] == pytest.approx([1.25] * 4)
    assert [item.claim.id for item in moves if item.counted] == ["scsi/paging/moves-per-touch/zvm52"]


def test_the_median_is_at_most_4_per_cent_and_nine_in_ten_are_within_12(judged: dict[str, Judged]):
    counted = tally(list(judged.values()))
    assert counted.median_error is not None and counted.p90_error is not None
    assert counted.median_error < 0.04
    assert counted.p90_error < 0.12


def test_the_figures_of_the_account_in_the_catalog_are_those_of_today(judged: dict[str, Judged]):
    text = (Path(str(root())) / "studies" / "README.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]
    start = next(index for index, row in enumerate(rows) if row[:2] == ["predictions", "before"])
    after = [row[2:] for row in rows[start:] if row[1] == "after"]
    counts = [tally(validated(id).judged) for id in STUDIES] + [tally(list(judged.values()))]
    assert after[0] == [str(item.predicted) for item in counts]
    for cell, item in zip(after[1], counts, strict=True):
        errors = [100 * (error or 0.0) for error in (item.median_error, item.p90_error)]
        assert [float(text) for text in cell.split(", ")] == pytest.approx(errors[: cell.count(",") + 1], abs=0.051)
    assert after[2] == [f"{item.nearer} of {item.compared}" for item in counts]
    assert [float(cell) for cell in after[3]] == pytest.approx([item.median_ratio for item in counts], abs=0.0051)
    assert all((item.median_ratio or 1.0) < 1 for item in counts)
    assert f"{counts[-1].predicted} predictions, {counts[-1].predicted - counts[-1].path_length} without" in text


def test_every_prediction_has_a_null_or_says_why_not(judged: dict[str, Judged]):
    for item in judged.values():
        if item.claim.counted and item.claim.stated:
            assert item.null is not None or item.claim.null.startswith("none: "), item.claim.id


def test_predictions_are_nearer_than_their_nulls(judged: dict[str, Judged]):
    counted = tally(list(judged.values()))
    assert counted.nearer_share is not None
    assert counted.nearer_share >= 0.85
    assert counted.median_ratio is not None
    assert counted.median_ratio < 0.5


@pytest.mark.parametrize("study", STUDIES)
@pytest.mark.parametrize("style", [Style(), Style(ascii=True), Style(width=80), Style(width=80, color=True)])
def test_every_study_is_told_on_one_screen(study: str, style: Style):
    lines = COLOR.sub("", render(told(study), "table", style)).splitlines()
    assert len(lines) <= 40
    assert max(width(line) for line in lines) <= (style.width or 100)
    head = [line[:10].strip() for line in lines]
    order = [head.index(label) for label in ("question", "answer", "source", "stations", "skill", "not shown", "terms")]
    assert order == sorted(order)
    assert [line for line in lines if line.endswith("...")] == []


@pytest.mark.parametrize("study", STUDIES)
@pytest.mark.parametrize("columns", [80, 100])
def test_claims_on_a_screen_have_names_of_their_own_and_whole_remarks(study: str, columns: int):
    """Each failed and missed one with its remark, or below the one of the same reason."""
    lines = render(told(study), "table", Style(width=columns)).splitlines()
    first = next(index for index, line in enumerate(lines) if line.split() == ["measured", "model", "error", "null"])
    shown = lines[first + 1 : [line[:10].strip() for line in lines].index("skill")]
    rows = [line[10:] for line in shown if line.rstrip().endswith(("%", "met"))]
    names = [re.split("  +", row)[0] for row in rows]
    assert len(set(names)) == len(names)
    remarks = [line for line in shown if line[10:] not in rows]
    assert [line for line in remarks if line.endswith("...")] == []
    if columns == 100:
        assert [name for name in names if name.endswith("...")] == []
    text = " ".join(" ".join(remarks).split())
    for item in validated(study).judged:
        if item.verdict == "missed" and (item.counted or item.role == "failed assumption"):
            assert (item.claim.short or item.claim.miss) in text


@pytest.mark.parametrize("study", STUDIES)
def test_a_picture_is_drawn_alike_with_colours_and_its_command_is_whole(study: str):
    plain, coloured = (
        render(told(study), "table", Style(width=80, color=color)).splitlines() for color in (False, True)
    )
    assert [COLOR.sub("", line) for line in coloured] == plain
    start = next((index for index, line in enumerate(plain) if line.startswith("picture")), None)
    if start is None:
        assert study == "sfs", "nine failed assumptions leave no room"
        return
    end = next(index for index in range(start, len(plain)) if not plain[index].endswith("\\"))
    command = " ".join(line[10:].removesuffix("\\").strip() for line in plain[start : end + 1])
    (row, *_) = [row for row in told(study).records() if row["section"] == "picture"]
    assert command == row["text"]


def test_the_p390_is_fitted_again_under_its_free_choices():
    """The study's best result is an interval: 204 to 212 users of the R/390, 194 to 204 of the 520."""
    found = refitted_freely("p390")
    assert all(item.converged for item in found.refits)
    assert len(found.refits) >= 12
    assert found.interval("r390/knee/users") == (204, 212)
    assert found.interval("p390/fs8f/subsecond-users") == (194, 204)


@pytest.mark.long
@pytest.mark.parametrize("study", ["ibm-3990-6", "lpar", "p390", "paging", "sfs"])
@pytest.mark.parametrize("factor", [0.9, 1.2])
def test_the_fits_are_found_from_other_values(study: str, factor: float):
    """All fitted parameters of a study at once, from values a tenth or a fifth off."""
    read, found = load_study(study), validated(study).influences
    assert found is not None
    values = fitted_values(read, found)
    again = refitted(read, found, factor)
    assert again is not None
    assert again == pytest.approx(values, rel=1e-3)


@pytest.mark.long
def test_every_study_is_fitted_again_under_all_its_free_choices():
    for study in load_studies():
        assert all(item.converged for item in refitted_freely(study.id).refits), study.id


def test_all_studies_are_fitted_again_within_the_limit_of_a_command():
    assert sum(once.refitted_at_cost(study)[1] for study in load_studies()) < budget.OPERATIONS / 2


def test_a_number_that_a_claim_sets_is_not_the_fitted_one():
    """The update tests set `destages_per_write` to what was fitted on them: the shape of the skew moves none of it."""
    found = refitted_freely("ibm-3990-6")
    values = {item.parameter: item.value for item in found.uncertainties}
    for item in (item for item in found.refits if item.choice == "hot volumes"):
        for name in ("rewritten", "destages_when_full", "destages_per_write"):
            assert item.parameters[name] == pytest.approx(values[name], rel=1e-3)


@pytest.mark.parametrize(
    ("study", "claim", "other"),
    [
        ("paging", "eckd/paging/touches/zvm53", 1597.0),  # nothing gained on 5.2, with two moves a fault throughout
        ("lpar", "lpar/clientload/average/lpar-load", 113.0),  # contention does not stretch the I/O of the server
        ("ibm-3990-6", "3990-6/uniform-4k/envelope-10ms/w50", 803.0),  # no destage yields
    ],
)
def test_a_prediction_that_rests_on_a_free_choice_says_how_far(study: str, claim: str, other: float):
    low, high = refitted_freely(study).interval(claim) or (0.0, 0.0)
    assert low <= other <= high


def test_every_study_lists_its_fits_with_their_claims():
    for study in load_studies():
        if study.id in ("p390", "paging"):
            found = refitted_freely(study.id)
            told = {item.claim.id for item in found.uncertainties}
            assert told == {claim.id for claim in study.claims if claim.role == "fitted"}
            for item in found.uncertainties:
                for ends in (item.digits, item.choices):
                    assert ends is None or ends[0] <= item.value <= ends[1]
