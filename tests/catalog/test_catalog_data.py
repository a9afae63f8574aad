"""The catalog that comes with qnet: facts that must not change by accident."""

from __future__ import annotations

import pytest

from qnet.catalog.find import entries
from qnet.catalog.parts import amounts, load_part
from qnet.catalog.sources import Source, describe, sources
from qnet.errors import InvalidInput

PARAMETERS = {
    "channel/escon": 1,
    "channel/fibre-1-gbit": 1,
    "dasd/emulated": 5,
    "dasd/ibm-3390-1": 14,
    "dasd/ibm-3390-2": 14,
    "dasd/ibm-3390-3": 15,
    "dasd/ibm-3390-9": 11,
    "dasd/pc-server-2gb": 5,
    "dasd/pc-server-4gb": 5,
    "hypervisor/vm-3090-lpar": 4,
    "lan/ibm-token-ring-16-4": 7,
    "processor/ibm-p390": 2,
    "server/sfs-file-pool": 16,
    "server/sfs-rwserv1": 15,
    "server/sfs-rwserv2": 9,
    "storage/ibm-3990-6": 11,
    "storage/pc-server-raid": 4,
    "workload/aix-kernel-build": 3,
}


def test_parts_and_their_numbers_of_parameters():
    assert {entry.id: len(load_part(entry.id).parameters) for entry in entries() if entry.kind == "part"} == PARAMETERS


def test_every_part_has_a_title_that_can_be_listed():
    for entry in entries():
        if entry.kind == "part":
            assert entry.title == load_part(entry.id).title


@pytest.mark.parametrize(("model", "cylinders"), [(1, 1113), (2, 2226), (3, 3339), (9, 10017)])
def test_geometry_of_the_3390(model, cylinders):
    values = amounts(load_part(f"dasd/ibm-3390-{model}"))
    assert values["cylinders"] == cylinders
    assert values["capacity"] == cylinders * 15 * 56664


def test_capacity_of_the_3390_3_is_near_its_nominal_one():
    values = amounts(load_part("dasd/ibm-3390-3"))
    assert values["capacity"] == 2_838_016_440
    assert values["nominal_capacity"] == 2.8e9


def test_records_fit_on_a_track():
    values = amounts(load_part("dasd/ibm-3390-3"))
    assert (values["records_4k_per_track"], values["records_half_track_per_track"]) == (12, 2)


def test_the_megabyte_of_the_controller_study_is_binary():
    values = amounts(load_part("storage/ibm-3990-6"))
    assert values["channel_rate"] == 17 * 2**20
    assert round(values["back_end_paths"] * values["path_rate"] / 27998) == 629


def test_fitted_overheads_meet_the_limits_they_were_solved_from_within_their_rounding():
    values = amounts(load_part("storage/ibm-3990-6"))
    connect = values["connect_overhead"] + 4096 / values["channel_rate"]
    assert connect == pytest.approx(0.0009, abs=0.00005)
    assert values["front_end_paths"] / (connect + values["path_release"]) == pytest.approx(2600, abs=50)
    destage = values["destage_overhead"] + 4096 / values["path_rate"]
    assert values["back_end_paths"] / destage == pytest.approx(380, abs=5)


def test_what_is_not_sourced_is_absent():
    assert not {"latency", "rotation", "transfer_rate"} & set(load_part("dasd/ibm-3390-9").parameters)
    assert all("seek" not in load_part(part).parameters for part in PARAMETERS if part.startswith("dasd/ibm-3390"))


def test_only_times_that_a_model_was_fitted_for_are_fitted():
    fitted = {
        name for name, parameter in load_part("storage/ibm-3990-6").parameters.items() if parameter.grade == "fitted"
    }
    assert fitted == {"connect_overhead", "path_release", "destage_overhead", "stage_overhead", "miss_remainder"}


def test_sources():
    known = sources()
    assert {"performance-associates-1996", "assumption"} <= set(known)
    assert describe(known["performance-associates-1996"]) == (
        'Performance Associates, Inc., "Performance Profile: IBM 3990-6 with 3390-3s", 1995-10, revised 1996-04-07'
    )
    assert describe(Source("key", "A book", where="shelf 3")) == '"A book", shelf 3'


def test_malformed_sources_are_all_told(make_catalog):
    make_catalog({"sources.toml": 'book = "A book"\n[other]\ntitle = 3\n[third]\n'})
    with pytest.raises(InvalidInput) as caught:
        sources()
    assert [problem.line for problem in caught.value.problems] == [1, 3, 4]
