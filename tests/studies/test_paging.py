"""z/VM 5.3 beside 5.2, SCSI beside ECKD: the figures that must be met, the fit done again, and the what-ifs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from statistics import median

import pytest
from once import validated

from qnet.expression import FLOATS
from qnet.model.load import load
from qnet.model.settings import with_settings
from qnet.questions.cost.cost import cost
from qnet.questions.points.expression_values import expression_value
from qnet.questions.points.points import solve_points
from qnet.questions.study.load import load_study
from qnet.questions.study.validate import Judged
from qnet.queues.roots import root

FITTED = {"device_scsi", "device_eckd", "device_time", "share_eckd", "share_fba", "share_fba_250"}


@pytest.fixture(scope="module")
def judged() -> dict[str, Judged]:
    return {item.claim.id: item for item in validated(load_study("paging")).judged}


def counted(judged: dict[str, Judged], role: str) -> list[Judged]:
    return [item for item in judged.values() if item.claim.role == role and not item.claim.counts_with]


def touches(**settings: str) -> float:
    """Touches a second, of all guests."""
    return float(solve_points(with_settings(load("zvm-paging"), settings)).parts[0].solution.throughput)


# The floors


@pytest.mark.parametrize(
    ("claim", "stated", "tolerance"),
    [
        ("scsi/paging/touches/zvm53", 2616, 0.04),
        ("eckd/paging/touches/zvm53", 1785, 0.06),
        ("scsi/paging/moves/zvm53", 3523, 0.04),
        ("eckd/paging/moves/zvm53", 2119, 0.06),
        ("scsi/paging/moves-per-touch/zvm53", 1.35, 0.13),
        ("eckd/paging/moves-per-touch/zvm52", 1.43, 0.13),
        ("scsi/xedit/rate/zvm53", 102.2, 0.01),
    ],
)
def test_a_prediction_is_met(judged: dict[str, Judged], claim: str, stated: float, tolerance: float):
    assert judged[claim].claim.role == "predicted"
    assert judged[claim].stated == pytest.approx(stated)
    assert judged[claim].modelled == pytest.approx(stated, rel=tolerance)


def test_every_predicted_total_of_iozone_is_within_two_hundredths(judged: dict[str, Judged]):
    totals = [item for item in counted(judged, "predicted") if item.claim.id.endswith("/total-cpu")]
    assert len(totals) == 8
    for item in totals:
        assert item.modelled == pytest.approx(item.stated, abs=0.02)


def test_undisputed_identities_come_out_to_the_printed_digit(judged: dict[str, Judged]):
    identities = counted(judged, "identity")
    assert len(identities) >= 45
    assert [item.claim.id for item in identities if item.verdict != "exact"] == []


def test_carried_values_are_off_by_two_per_cent_at_most_in_the_median(judged: dict[str, Judged]):
    errors = [abs(item.error or 0.0) for item in counted(judged, "carried")]
    assert len(errors) >= 33
    assert median(errors) <= 0.02


def test_every_trend_is_shown_and_those_that_restate_an_input_say_so(judged: dict[str, Judged]):
    trends = {item.claim.id: item for item in counted(judged, "trend")}
    assert [id for id, item in trends.items() if item.verdict != "met"] == []
    derived = {id for id, item in trends.items() if not item.claim.by_construction}
    assert derived == {"scsi/paging/rate-trend", "scsi/xedit/rate-trend"}


def test_nothing_is_missed(judged: dict[str, Judged]):
    assert [item.claim.id for item in judged.values() if item.verdict == "missed"] == []


def test_all_claims_are_there_and_few_are_fitted(judged: dict[str, Judged]):
    assert len(judged) == 179
    roles = Counter(item.claim.role for item in judged.values())
    assert roles["fitted"] <= len(counted(judged, "predicted")) / 2


# The fit


def zero(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that rises from below zero at `low` to above it at `high` is zero."""
    return root(function, low, high, function(low), function(high), FLOATS)


@pytest.mark.parametrize(
    ("system", "name", "unit", "low", "high", "figure", "wanted", "settings"),
    [
        ("zvm-paging", "device_scsi", " s", 1e-5, 1e-2, "throughput", 2627, {"device": "scsi"}),
        ("zvm-paging", "device_eckd", " s", 1e-5, 1e-2, "throughput", 1597, {"device": "eckd"}),
        ("zvm-editor", "device_time", " s", 1e-4, 1.0, "throughput", 100.9, {}),
        ("zvm-iozone", "share_eckd", "", 0, 1, "total", 0.99, {"path": "eckd"}),
        ("zvm-iozone", "share_fba", "", 0, 1, "total", 0.92, {"path": "fba", "virtual_change": "0.99"}),
        (
            "zvm-iozone", "share_fba_250", "", 0, 1, "total", 0.96,
            {"path": "fba-250", "cp_change": "0.87", "virtual_change": "0.99"},
        ),
    ],
)  # fmt: skip
def test_the_fit_from_scratch_finds_the_value_of_the_catalog(
    system: str, name: str, unit: str, low: float, high: float, figure: str, wanted: float, settings: dict[str, str]
):
    model = load(system)

    def short(value: float) -> float:
        """By how much the figure stays below what is wanted: both figures fall as the parameter grows."""
        solved = solve_points(with_settings(model, {**settings, name: f"{value!r}{unit}"}))
        part = solved.parts[0]
        found = part.solution.throughput if figure == "throughput" else expression_value(solved, total)
        return 1 - float(found) / wanted

    total = model.outputs["total_change"].expression if figure == "total" else None
    known = solve_points(model).parts[0].values.known
    assert known[name] == pytest.approx(zero(short, low, high), rel=2e-5)


def test_every_fitted_parameter_is_fitted_on_a_claim_that_sets_it(judged: dict[str, Judged]):
    found: dict[str, list[str]] = {}
    for system in ("zvm-paging", "zvm-editor", "zvm-format", "zvm-iozone"):
        for name, item in load(system).parameters.items():
            if item.grade == "fitted":
                found[name] = [judged[claim].claim.sets for claim in item.fitted_on]
    assert found == {name: [name] for name in FITTED}
    assert {item.claim.sets for item in counted(judged, "fitted")} == FITTED


# The questions


def test_a_page_costs_cp_3_7_times_as_much_on_scsi_and_then_2_4_times():
    found = {item.coordinates: item.value for item in cost(
        load("zvm-paging"), ["cp_per_page"], over=["device=scsi,eckd", "release=5.2,5.3"]
    ).points}  # fmt: skip
    assert found == pytest.approx({(0, 0): 37.7e-6, (0, 1): 28.5e-6, (1, 0): 10.2e-6, (1, 1): 11.8e-6})
    assert (found[0, 0] or 0) / (found[1, 0] or 1) == pytest.approx(3.7, abs=0.05)
    assert (found[0, 1] or 0) / (found[1, 1] or 1) == pytest.approx(2.4, abs=0.05)


def test_one_guest_gains_nothing_from_overlapped_io():
    """It has one I/O in progress, whatever the volumes would bear."""
    assert touches(release="5.3", overlap="1") == pytest.approx(touches(release="5.3"), rel=1e-12)


@pytest.mark.parametrize(
    ("settings", "rates"),
    [
        ({"device": "scsi", "release": "5.2"}, [2627, 4146, 5475, 6306]),
        ({"device": "eckd", "release": "5.2"}, [1597, 2280, 2819, 3161]),
    ],
)
def test_guests_share_two_volumes_of_one_io_each(settings: dict[str, str], rates: list[float]):
    """By exact mean value analysis of two volumes and a station of two processors, done apart."""
    found = [touches(guests=guests, **settings) for guests in ("1", "2", "4", "8")]
    assert found == pytest.approx(rates, rel=4e-4)


def test_many_guests_get_what_the_volumes_or_the_channel_give():
    moves = 3528 / 2627
    assert touches(guests="400", release="5.2") == pytest.approx(2 / (moves * 207.176e-6), rel=3e-3)
    assert touches(guests="400", release="5.3") == pytest.approx(100e6 / (moves * 4096), rel=1e-6)


def test_overlapped_io_gains_more_the_more_guests_there_are():
    gains = [
        touches(release="5.3", guests=guests) / touches(release="5.3", guests=guests, overlap="1") for guests in "1248"
    ]
    assert gains == sorted(gains)
    assert gains[-1] > 2


def test_a_guest_with_all_its_storage_pages_nothing():
    solved = touches(resident="480 MiB")
    assert solved == pytest.approx(1 / 51.8e-6, rel=1e-12)
