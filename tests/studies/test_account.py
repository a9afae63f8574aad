"""The account of all studies: nulls, the rule for a prediction against an audit by hand, and what a reviewer counts."""

from __future__ import annotations

import pytest

from qnet.questions.study import load_studies
from qnet.questions.tally import tally
from qnet.questions.validate import Judged, validate

TESTS = ("1", "2", "3", "4", "5a", "5b", "6", "7", "8", "9")
AUDIT = {
    *(f"lpar/connectathon/test-{test}/{mode}" for test in TESTS for mode in ("basic-load", "lpar-idle")),
    "lpar/connectathon/guest-avg/basic-load",
    *(f"lpar/clientload/guest-avg/{mode}" for mode in ("basic-load", "lpar-idle", "lpar-load")),
    *(f"scsi/iozone/{case}/total-cpu" for case in ("emd0", "emd1", "fmd0", "fmd1", "d240", "d241", "g241", "lns0")),
    "sfs/case/rwserv2/time-total/before", "sfs/case/rwserv2/time-block-io/before", "sfs/case/rwserv2/agents-held/before",
    "sfs/case/rwserv1/time-block-io/after", "sfs/case/rwserv1/agents-held/after", "sfs/case/rwserv1/util-total/after",
    "sfs/case/rwserv1/util-cpu/after", "sfs/case/rwserv1/util-checkpoint/after", "sfs/case/rwserv1/util-page-read/after",
    "3990-6/front-end/half-track/min-response", "3990-6/sequential/read/max", "3990-6/channel/front-end/max-load",
    "3990-6/channel/4k-range", "3990-6/rlc/record/response", "r390/response/users-220",
}  # fmt: skip
"""The 47 claims that a reviewer did not count, though they were called predictions."""

DECLARED = {
    "3990-6/front-end/half-track/min-response": "0.3 ms more than the connect time: the rule also sees the misses that a "
    "hit ratio of 99 % would bring, so the study itself counts it with the connect time",
    "3990-6/rlc/record/response": "asked up to 630/s as the source says it, it is the saturation again, and counts with it",
}
"""Those that the rule does not find: the study says with what they count."""
FAILED = {
    id for id in AUDIT if id.endswith("/after")
}  # fmt: skip
"""Those that may be shown as failed assumptions instead."""


@pytest.fixture(scope="module")
def judged() -> dict[str, Judged]:
    return {item.claim.id: item for study in load_studies() for item in validate(study).judged}


def test_the_audit_names_47_claims(judged: dict[str, Judged]):
    assert len(AUDIT) == 47
    assert set(judged) >= AUDIT


def test_none_of_them_is_counted(judged: dict[str, Judged]):
    assert [id for id in AUDIT if judged[id].counted] == []


def test_the_rule_finds_nine_in_ten_of_them(judged: dict[str, Judged]):
    """Of those that are still called predictions; the exceptions are told above, each with its reason."""
    called = {id for id in AUDIT if judged[id].claim.role == "predicted"}
    by_rule = {id for id in called if judged[id].carried}
    assert called - by_rule == set(DECLARED)
    assert all(judged[id].claim.role == "failed assumption" for id in AUDIT - called)
    assert AUDIT - called <= FAILED
    assert len(by_rule) >= 0.9 * len(called)


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
