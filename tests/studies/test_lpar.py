"""AIX/370 guests in a logical partition: the floors of the study, its fit from scratch, and what can be asked."""

from __future__ import annotations

from statistics import median

import pytest
from once import validated

from qnet.catalog.parts import amounts, load_part
from qnet.expression import FLOATS
from qnet.model.load import load
from qnet.model.model import Model
from qnet.model.settings import with_settings
from qnet.questions.points.expression_values import expression_value
from qnet.questions.points.points import solve_points
from qnet.questions.study.load import load_study
from qnet.questions.study.validate import Judged
from qnet.queues.roots import root

TABLES = {"packets": 15, "dhrystone": 7, "ousterhout": 64, "kernel-build": 21, "clientload": 119, "connectathon": 79}


@pytest.fixture(scope="module")
def judged() -> dict[str, Judged]:
    return {item.claim.id.removeprefix("lpar/"): item for item in validated(load_study("lpar")).judged}


@pytest.fixture(scope="module")
def model() -> Model:
    return load("aix-lpar")


def errors(judged: dict[str, Judged], role: str = "predicted", start: str = "", end: str = "") -> list[float]:
    """The sizes of the errors of some claims, smallest first."""
    items = [item for id, item in judged.items() if id.startswith(start) and id.endswith(end)]
    return sorted(abs(item.error or 0.0) for item in items if item.claim.role == role)


def loaded_walls(judged: dict[str, Judged]) -> list[float]:
    return sorted(
        abs(item.error or 0.0)
        for id, item in judged.items()
        if "/wall/" in id and id.endswith("load") and item.claim.role == "predicted"
    )


def figure(model: Model, name: str, **settings: str) -> float:
    changed = with_settings(model, settings)
    return float(expression_value(solve_points(changed), changed.outputs[name].expression))


def wall(model: Model, **settings: str) -> float:
    return figure(model, "wall", **settings)


# The floors


def test_every_row_of_the_six_tables_is_there(judged: dict[str, Judged]):
    assert len(judged) == 320
    counts = {table: sum(id.startswith(table + "/") for id in judged) for table in TABLES}
    assert counts == TABLES


def test_the_loaded_walls_of_the_small_tests_and_of_the_kernel_build(judged: dict[str, Judged]):
    """Ten predicted; two more, those of the system call, are fitted."""
    sizes = loaded_walls(judged)
    assert len(sizes) == 10
    assert median(sizes) < 0.04
    assert sizes[-1] < 0.125


def test_all_walls_of_the_small_tests_and_of_the_kernel_build(judged: dict[str, Judged]):
    """Fourteen: loaded in both modes, and idle under LPAR."""
    sizes = sorted(
        abs(item.error or 0.0) for id, item in judged.items() if "/wall/" in id and item.claim.role == "predicted"
    )
    assert len(sizes) == 14
    assert median(sizes) < 0.04
    assert sizes[12] < 0.125


@pytest.mark.parametrize(("mode", "within"), [("basic", 0.065), ("lpar", 0.05)])
def test_the_loaded_file_tests_start_from_the_idle_row_of_their_mode(
    judged: dict[str, Judged], mode: str, within: float
):
    sizes = errors(judged, start="connectathon/test-", end=f"/{mode}-load")
    assert len(sizes) == 10
    assert median(sizes) < within
    assert sizes[-1] < 0.2


def test_a_remote_call_takes_three_packets(judged: dict[str, Judged]):
    """Two for 1500 bytes, because RX carries 1444 in one, and the reply."""
    packets = load("aix-lpar-packets")
    assert (
        solve_points(with_settings(packets, {"protocol": "rx", "packet": "1500 B"})).parts[0].values.known["sent"] == 3
    )
    assert (
        solve_points(with_settings(packets, {"protocol": "rx", "packet": "1444 B"})).parts[0].values.known["sent"] == 2
    )
    errors = [judged[f"packets/rx1500/elapsed/{mode}"].error for mode in ("basic", "lpar")]
    assert errors == pytest.approx([0, 0], abs=0.05)


def test_one_model_explains_both_loaded_rows_of_file_serving(judged: dict[str, Judged]):
    for row in ("basic-load", "lpar-load"):
        assert judged[f"clientload/average/{row}"].error == pytest.approx(0, abs=0.05)


def test_every_prediction_is_met(judged: dict[str, Judged]):
    counted = [item for item in judged.values() if item.claim.counted]
    assert [item.claim.id for item in counted if item.verdict != "met"] == []
    assert median(abs(item.error or 0.0) for item in counted) < 0.06


def test_carried_values_and_the_three_that_are_not(judged: dict[str, Judged]):
    assert median(errors(judged, "carried")) < 0.02
    missed = {id for id, item in judged.items() if item.verdict == "missed"}
    assert missed == {
        "ousterhout/context-switch/cpu/basic-load",
        "ousterhout/context-switch/cpu/lpar-load",
        "ousterhout/create-delete-1kb/cpu/lpar-load",
    }
    assert all(judged[id].claim.miss for id in missed)


def test_all_identities_are_exact(judged: dict[str, Judged]):
    identities = [item for item in judged.values() if item.claim.role == "identity"]
    assert len(identities) == 85
    assert {item.verdict for item in identities} == {"exact"}
    assert sum(item.claim.id.endswith("-change") for item in identities) == 78


def test_all_trends_are_shown(judged: dict[str, Judged]):
    trends = [item for item in judged.values() if item.claim.role == "trend"]
    assert {item.verdict for item in trends} == {"met"}
    assert sum(not item.claim.by_construction for item in trends) >= 3


# The fit


def test_every_fitted_parameter_names_the_claim_that_sets_it(judged: dict[str, Judged]):
    names: dict[str, list[str]] = {}
    for system in ("aix-lpar", "aix-lpar-file-server", "aix-lpar-packets"):
        for name, item in load(system).parameters.items():
            if item.grade == "fitted":
                names[name] = [id.removeprefix("lpar/") for id in item.fitted_on]
    fitted = {item.claim.sets: [id] for id, item in judged.items() if item.claim.role == "fitted"}
    assert names == fitted
    assert 2 * len(fitted) <= sum(item.claim.counted for item in judged.values())


CALL = {"user_cpu": "0 s", "system_cpu": "16.06 us", "elapsed": "16.75 us", "data": "memory"}
"""A system call, idle in Basic mode."""


def solved(model: Model, name: str, wanted: float, output: str, **settings: str) -> float:
    """The value of a parameter with which a figure, which grows with it, is as measured."""

    def above(value: float) -> float:
        return figure(model, output, **settings, **{name: repr(value)}) / wanted - 1

    return root(above, 0.5, 4.0, above(0.5), above(4.0), FLOATS)


def test_the_fit_from_scratch_finds_the_values_of_the_catalog(model: Model):
    """Each is the root of one figure; those of LPAR go in turn, because contention there rests on the other two."""
    values = {"vm.lpar_system": "1", "vm.lpar_disk": "1", "vm.contention_basic": "1", "vm.contention_lpar": "1"}

    def fit(name: str, wanted: float, output: str, **settings: str) -> None:
        others = {other: value for other, value in values.items() if other != name}
        values[name] = repr(solved(model, name, wanted, output, **others, **settings))

    fit("vm.lpar_system", 17.93e-6, "charged_cpu", **CALL, mode="lpar", load_guests="0")
    fit("vm.lpar_disk", 771.8, "wall", mode="lpar", load_guests="0")
    fit("vm.contention_basic", 32.93e-6, "wall", **CALL, mode="basic")
    fit("vm.contention_lpar", 47.16e-6, "wall", **CALL, mode="lpar")
    growth = solved(model, "system_growth", 53.4, "charged_system")

    catalog = amounts(load_part("hypervisor/vm-3090-lpar"))
    assert {f"vm.{name}": value for name, value in catalog.items()} == pytest.approx(
        {name: float(value) for name, value in values.items()}, rel=5e-6
    )
    assert growth == pytest.approx(float(solve_points(model).parts[0].values.known["system_growth"]), rel=5e-6)


def test_the_line_of_packets_goes_through_both_sizes():
    known = solve_points(load("aix-lpar-packets")).parts[0].values.known
    each = (45.9 - 8.8) / 10000 / (1526 - 4)
    assert known["byte_time"] == pytest.approx(each, rel=5e-6)
    assert known["packet_time"] == pytest.approx(8.8 / 10000 - 4 * each, rel=5e-6)


def test_the_guest_of_the_file_server_must_be_favoured():
    """With equal shares its loaded clients would be a seventh slower than measured."""
    server = load("aix-lpar-file-server")
    assert figure(server, "job_time", dispatch="favoured") == pytest.approx(104, rel=0.01)
    assert figure(server, "job_time", dispatch="equal") > 1.14 * 104


def test_the_file_server_needs_its_io_stretched_under_lpar(model: Model):
    """Were only its processor time stretched, as that of a job, its clients would be a fifth faster than measured."""
    known = solve_points(with_settings(load("aix-lpar-file-server"), {"mode": "lpar"})).parts[0].values.known
    only = 15 * (known["contention"] * known["job_cpu"] + known["job_other"])
    assert only < 0.8 * 144
    assert figure(load("aix-lpar-file-server"), "job_time", mode="lpar") == pytest.approx(144, rel=0.05)


def test_the_answer_hangs_little_on_the_row_that_contention_is_fitted_on(model: Model, judged: dict[str, Judged]):
    """Fitted on the kernel build instead, the nine loaded walls of table 3 that can be trusted keep their floors."""
    basic = solved(model, "vm.contention_basic", 1327.3, "wall", mode="basic")
    lpar = solved(model, "vm.contention_lpar", 1732.0, "wall", mode="lpar")
    known = amounts(load_part("hypervisor/vm-3090-lpar"))
    changes = {"basic": basic / known["contention_basic"], "lpar": lpar / known["contention_lpar"]}
    sizes: list[float] = []
    for id, item in judged.items():
        if id.startswith("ousterhout/") and "/wall/" in id and id.endswith("load"):
            mode = id.rsplit("/", 1)[1].removesuffix("-load")
            if "create-delete-1kb" not in id or mode == "lpar":
                sizes.append(abs((1 + (item.error or 0.0)) * changes[mode] - 1))
    assert len(sizes) == 9
    assert median(sizes) < 0.1
    assert sum(size < 0.2 for size in sizes) == 9


# What can be asked


@pytest.mark.parametrize("mode", ["basic", "lpar"])
def test_a_job_waits_as_often_as_it_finds_the_other_guest_at_the_processor(model: Model, mode: str):
    """Two customers: the one who comes sees the other as if alone (Lavenberg and Reiser 1980; Sevcik, Mitrani 1981)."""
    known = solve_points(with_settings(model, {"mode": mode})).parts[0].values.known
    load_cpu = known["contention"] * known["load_cpu"]
    load_share = load_cpu / (load_cpu + known["load_other"])
    expected = known["contention"] * known["job_cpu"] * (1 + load_share) + known["job_other"]
    assert wall(model, mode=mode) == pytest.approx(float(expected), rel=1e-9)


def test_a_second_guest_costs_more_under_lpar(model: Model):
    basic, lpar = (figure(model, "lost", mode=mode) for mode in ("basic", "lpar"))
    assert 500 < basic < 650
    assert 900 < lpar < 1000


def test_the_more_a_job_computes_the_more_it_loses_in_basic_mode(model: Model):
    """From nothing, for a job of disk I/O alone, to contention and the other guest's processor time."""
    second = {"system_cpu": "0 s", "elapsed": "1 s", "load_guests": "1"}
    lost = [figure(model, "slowdown", user_cpu=f"{share / 10} s", **second) for share in range(11)]
    assert lost == sorted(lost)
    assert lost[0] == pytest.approx(1, rel=1e-9)
    load_cpu = 1.07696 * 575.8
    assert lost[-1] == pytest.approx(1.07696 * (1 + load_cpu / (load_cpu + 97.6)), rel=1e-6)


def test_lpar_costs_a_job_the_more_the_more_disk_io_it_does(model: Model):
    """Loaded, over the same job loaded in Basic mode: what its authors conclude, and no row states."""
    ratios: list[float] = []
    for elapsed in ("1 s", "2 s", "4 s"):
        job = {"user_cpu": "1 s", "system_cpu": "0 s", "elapsed": elapsed}
        ratios.append(wall(model, mode="lpar", **job) / wall(model, mode="basic", **job))
    assert ratios == sorted(ratios)
    assert ratios[0] == pytest.approx(1.29, abs=0.01)
    assert ratios[-1] == pytest.approx(1.69, abs=0.01)


def test_without_contention_two_equal_guests_take_twice_as_long_at_most(model: Model):
    free = {"vm.contention_basic": "1", "vm.contention_lpar": "1"}
    for mode in ("basic", "lpar"):
        assert figure(model, "slowdown", mode=mode, **free) < 2
        assert figure(model, "slowdown", mode=mode) > figure(model, "slowdown", mode=mode, **free)


def test_three_guests_share_a_processor_that_is_full(model: Model):
    two, three, four = (wall(model, load_guests=str(number)) for number in (1, 2, 3))
    assert three - two == pytest.approx(575.8 * 1.07696, rel=0.05)
    assert four - three == pytest.approx(575.8 * 1.07696, rel=0.005)


def test_a_file_server_that_is_always_busy_serves_twice_the_clients_in_twice_the_time():
    server = load("aix-lpar-file-server")
    few, many = (figure(server, "job_time", mode="lpar", clients=number) for number in ("15", "30"))
    assert many == pytest.approx(2 * few, rel=1e-9)
