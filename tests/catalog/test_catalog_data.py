"""The catalog that comes with qnet: facts that must not change by accident."""

from __future__ import annotations

import pytest

from qnet.catalog.find import entries
from qnet.catalog.parts import amounts, load_part
from qnet.catalog.sources import Source, describe, sources
from qnet.errors import InvalidInput

PARAMETERS = {
    "accelerator/vllm-a100-llama-3-1-8b": 6,
    "bus/pcie-3-x4": 6,
    "bus/pcie-4-x4": 6,
    "bus/pcie-5-x4": 6,
    "channel/escon": 1,
    "channel/fibre-1-gbit": 1,
    "dasd/emulated": 5,
    "dasd/ibm-3390-1": 14,
    "dasd/ibm-3390-2": 14,
    "dasd/ibm-3390-3": 15,
    "dasd/ibm-3390-9": 11,
    "dasd/pc-server-2gb": 5,
    "dasd/pc-server-4gb": 5,
    "disk/seagate-exos-2x14": 9,
    "disk/western-digital-hc310": 9,
    "hypervisor/vm-3090-lpar": 4,
    "lan/ethernet-100g": 13,
    "lan/ethernet-10g": 13,
    "lan/ethernet-25g": 13,
    "lan/ibm-token-ring-16-4": 7,
    "processor/ibm-p390": 2,
    "server/sfs-file-pool": 16,
    "server/sfs-rwserv1": 15,
    "server/sfs-rwserv2": 9,
    "ssd/intel-optane-p4800x": 4,
    "ssd/intel-p3700": 4,
    "ssd/intel-p4500": 9,
    "ssd/intel-p5500": 4,
    "ssd/intel-s4500": 9,
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


@pytest.mark.parametrize(("part", "rate"), [("10g", 10e9), ("25g", 25e9), ("100g", 100e9)])
def test_the_line_code_leaves_the_nominal_rate_of_ethernet(part, rate):
    assert 8 * amounts(load_part(f"lan/ethernet-{part}"))["rate"] == rate


def test_frames_per_second_are_those_printed_in_rfc_5180():
    values = amounts(load_part("lan/ethernet-10g"))
    assert int(1 / values["frame_time"]) == 812_743
    assert int(1 / values["smallest_frame_time"]) == 14_880_952


@pytest.mark.parametrize(("generation", "lane"), [(3, 984.6e6), (4, 1969.2e6), (5, 3938.5e6)])
def test_a_lane_of_pci_express_carries_128_of_130_bits(generation, lane):
    values = amounts(load_part(f"bus/pcie-{generation}-x4"))
    assert values["rate_lane"] == pytest.approx(lane, rel=5e-5)
    assert values["rate"] == 4 * values["rate_lane"]


@pytest.mark.parametrize("part", ["western-digital-hc310", "seagate-exos-2x14"])
def test_a_disk_of_7200_rpm_waits_half_a_revolution(part):
    assert amounts(load_part(f"disk/{part}"))["latency"] == pytest.approx(4.16e-3, abs=1e-5)


def test_one_read_at_a_time_takes_its_measured_latency():
    # 12.8k and 108.3k reads per second are printed next to the latencies.
    assert 1 / amounts(load_part("ssd/intel-p3700"))["read_latency"] == pytest.approx(12_800, rel=5e-3)
    assert 1 / amounts(load_part("ssd/intel-optane-p4800x"))["read_latency"] == pytest.approx(108_300, rel=4e-2)


def test_sixteen_reads_at_a_time_obey_the_law_of_little():
    for part in ("intel-p3700", "intel-optane-p4800x"):
        values = amounts(load_part(f"ssd/{part}"))
        assert values["random_read"] * values["read_latency_16"] == pytest.approx(16, rel=0.07)


def test_the_law_of_contention_meets_the_measured_batch():
    values = amounts(load_part("accelerator/vllm-a100-llama-3-1-8b"))
    batch = values["batch"]
    assert batch / (1 + values["contention"] * (batch - 1)) == pytest.approx(values["gain"])


def test_what_is_not_sourced_is_absent():
    assert not {"read_latency", "write_latency"} & set(load_part("ssd/intel-p5500").parameters)
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
