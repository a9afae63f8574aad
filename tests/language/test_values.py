"""From a model to numbers: parameters at one point or many, their ranges, and the network they make."""

from __future__ import annotations

import numpy as np
import pytest
from language_models import SOUND, model_of, spoilt

from qnet.errors import InvalidInput, Problem
from qnet.model.bind import bind, structures
from qnet.model.model import Model
from qnet.model.values import Values
from qnet.networks.routed import Fork, Hold, RoutedNetwork, Station, Time


def network_of(text: str, **varied: float) -> RoutedNetwork:
    model = model_of(text)
    return bind(model, Values(model, varied, None))


def station_of(network: RoutedNetwork, name: str) -> Station:
    return next(station for station in network.stations if station.name == name)


def refused(text: str, **varied: float) -> Problem:
    with pytest.raises(InvalidInput) as caught:
        network_of(text, **varied)
    (problem,) = caught.value.problems
    return problem


def refused_batch(model: Model, size: int, **varied: list[float]) -> Problem:
    with pytest.raises(InvalidInput) as caught:
        bind(model, Values(model, {name: np.array(value) for name, value in varied.items()}, size))
    (problem,) = caught.value.problems
    return problem


def test_parameters_follow_from_each_other():
    known = Values(model_of(SOUND), {"mode": 1}, None).known
    assert known == {"rate": 20.0, "hit": 0.8, "mode": 1.0, "work": 0.02, "disks": 2.0}


def test_a_batch_has_an_array_where_something_varies():
    known = Values(model_of(SOUND), {"mode": np.array([0.0, 1.0])}, 2).known
    assert known["work"].tolist() == [0.01, 0.02]
    assert known["rate"] == 20.0


def test_a_batch_gives_what_single_points_give():
    model = model_of(SOUND)
    hits = np.array([0.0, 0.25, 1.0])
    batch = bind(model, Values(model, {"hit": hits}, 3))
    for index, hit in enumerate(hits):
        single = bind(model, Values(model, {"hit": hit}, None))
        found = [float(np.broadcast_to(route.probability, (3,))[index]) for route in batch.classes[0].routes]
        assert found == [route.probability for route in single.classes[0].routes]


def test_whole_numbers_from_outside_are_taken_as_floats():
    model = model_of(spoilt("disks = 2", 'disks = 2\nhuge = "disks ** disks ** disks"'))
    with pytest.raises(InvalidInput, match="too large"):
        Values(model, {"disks": 9}, None)


def test_a_count_that_is_the_same_at_all_points_is_one_for_the_batch():
    model = model_of(SOUND)
    batch = bind(model, Values(model, {"disks": np.array([3.0, 3.0]), "hit": np.array([0.2, 0.9])}, 2))
    assert station_of(batch, "disk").copies == station_of(network_of(SOUND, disks=3), "disk").copies == 3


def test_figures_that_are_not_known_leave_their_parameters_out():
    model = model_of(spoilt("disks = 2", "disks = 2\nslow = \"1 ms * utilization('disk')\""))
    assert "slow" not in Values(model, {}, None).known
    assert Values(model, {}, None, {"utilization('disk')": 0.5}).known["slow"] == 0.0005


# Ranges and domains


@pytest.mark.parametrize(
    ("time", "values", "told"),
    [("1 s / rate / 1 s", {"rate": [20.0, 1e95]}, "1e-86 ns"), ("rate * 1 s * 1 s", {"rate": [20.0, 1e95]}, "1e+95 s")],
)
def test_one_point_out_of_all_bounds_refuses_a_batch(time: str, values: dict[str, list[float]], told: str):
    problem = refused_batch(model_of(spoilt('time = "5 ms"', f'time = "{time}"')), 2, **values)
    assert problem.expected.startswith("0, or from ") and f" is {told} " in problem.found


def test_a_refusal_tells_six_parameters_at_most():
    names = "pqruvwx"
    text = spoilt("disks = 2", "disks = 2\n" + "\n".join(f"{name} = 1" for name in names))
    found = refused(text.replace('time = "5 ms"', f'time = "1 ms * (3 - {" - ".join(names)})"')).found
    assert found.endswith(" where " + ", ".join(f"{name} = 1" for name in names[:6]))


def test_a_value_outside_its_range_is_told_with_the_range():
    problem = refused(spoilt('rate = "20/s"', 'rate = { value = "20/s", range = [0, "15/s"] }'))
    assert (
        problem.render()
        == "model.toml:5: parameters.rate: rate is 20/s; expected at most 15/s (the range of the parameter) [QN211]"
    )


def test_a_range_may_use_parameters_that_stand_later():
    text = spoilt("range = [0, 1]", 'range = [0, "most"]').replace("disks = 2", "disks = 2\nmost = 0.5")
    assert "hit is 0.8; expected at most 0.5 (the range of the parameter)" in refused(text).render()


def test_the_ends_of_a_range_are_allowed_in_spite_of_rounding():
    assert Values(model_of(SOUND), {"hit": 1 + 1e-12}, None).known["hit"] > 1


def test_a_range_that_has_no_value_is_told():
    problem = refused(spoilt("range = [0, 1]", 'range = [0, "1 / (disks - 2)"]'))
    assert problem.path == ("parameters", "hit", "range", 1)
    assert problem.found == "division by zero where disks = 2"


def test_a_range_is_held_at_every_point_and_the_first_bad_one_is_told():
    with pytest.raises(InvalidInput, match=r"hit is 1\.5; expected at most 1 "):
        Values(model_of(SOUND), {"hit": np.array([0.5, 1.5, 2.0])}, 3)


def test_arithmetic_without_a_value_names_its_operands():
    problem = refused(spoilt("disks = 2", 'disks = 2\nshare = "1 ms / (hit - 0.8)"'))
    assert problem.render().splitlines() == [
        "model.toml:10: parameters.share: division by zero where hit = 0.8 [QN130]",
        "    1 ms / (hit - 0.8)",
        "    ^",
    ]


def test_arithmetic_without_a_value_at_some_points_is_told():
    model = model_of(spoilt("disks = 2", 'disks = 2\nshare = "1 / (hit - 0.8)"'))
    problem = refused_batch(model, 2, hit=[0.5, 0.8])
    assert problem.found.startswith("the value is not finite at some of the points")


def test_a_negative_time_is_told_with_its_operands():
    problem = refused(spoilt('{ time = "5 ms" }', '{ time = "work - 15 ms" }'))
    assert problem.render() == (
        "model.toml:31: classes.io.routes[1].steps[2].steps[0].time: "
        'the value is -5 ms ("work - 15 ms") where work = 10 ms; expected at least 0 [QN211]'
    )


def test_rounding_below_zero_is_zero():
    network = network_of(spoilt('{ time = "5 ms" }', '{ time = "0.3 ms - 0.3000000000001 ms" }'))
    hold = network.classes[0].routes[1].steps[2]
    assert isinstance(hold, Hold)
    assert isinstance(hold.steps[0], Time)
    assert hold.steps[0].mean == 0


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("servers = 2", "servers = 2.5", "the value is 2.5; expected an integer [QN211]"),
        ("servers = 2", "servers = 0", "the value is 0; expected at least 1 [QN211]"),
        ("servers = 2", "servers = 1e7", "the value is 10000000; expected at most 1000000 [QN211]"),
        ('probability = "1 - hit"', 'probability = "1.1 + hit"', "expected at most 1 [QN211]"),
        ('arrival_rate = "rate"', 'arrival_rate = "0 - rate"', "the value is -20/s"),
        ('capacity = "1 MiB/s"', 'capacity = "0 - 1 MiB/s"', "expected at least 0 [QN211]"),
        ('{ delay = "1 ms" }', '{ delay = "1 ms", visits = -1 }', "the value is -1; expected at least 0 [QN211]"),
    ],
)
def test_numbers_stay_in_their_domain(old: str, new: str, words: str):
    assert words in refused(spoilt(old, new)).render()


# Probabilities, splits and copies


def test_probabilities_that_do_not_sum_to_one_are_told():
    problem = refused(spoilt('probability = "1 - hit"', "probability = 0.3"))
    assert problem.render().splitlines() == [
        "model.toml:19: classes.io.routes: the probabilities of the routes sum to 1.1 where hit = 0.8; "
        "expected a sum of 1 [QN221]",
        '  help: check "hit" + "miss"',
    ]


def test_probabilities_are_summed_at_every_point():
    model = model_of(spoilt('probability = "1 - hit"', 'probability = "0.5"'))
    problem = refused_batch(model, 3, hit=[0.5, 0.6, 0.5])
    assert "sum to 1.1 where hit = 0.6" in problem.found


def test_probabilities_that_sum_to_one_but_for_rounding_are_taken():
    assert len(network_of(SOUND, hit=0.1 + 0.2).classes[0].routes) == 2


@pytest.mark.parametrize(
    ("split", "words"),
    [
        ("[0.5, 0.6]", "the shares sum to 1.1"),
        ("[0.5, 0.25, 0.25]", "3 shares for 2 copies"),
        ("[1.5, -0.5]", "the value is 1.5; expected at most 1"),
        ("{ hot = 3, share = 0.5 }", "3 hot copies of 2"),
        ("{ hot = 1, share = 1.5 }", "the value is 1.5; expected at most 1"),
        ("{ hot = 0.5, share = 0.5 }", "the value is 0.5; expected at least 1"),
    ],
)
def test_a_split_must_fit_the_copies(split: str, words: str):
    assert words in refused(spoilt('copies = "disks"', f'copies = "disks", split = {split}')).render()


@pytest.mark.parametrize(
    ("split", "groups"),
    [
        ('"even"', [("disk", 4, 0.25)]),
        ("{ hot = 1, share = 0.7 }", [("disk[1]", 1, 0.7), ("disk[2-4]", 3, 0.1)]),
        ("{ hot = 4, share = 0.7 }", [("disk", 4, 0.25)]),
        ("{ hot = 2, share = 0.5 }", [("disk", 4, 0.25)]),
        ("[0.4, 0.4, 0.1, 0.1]", [("disk[1-2]", 2, 0.4), ("disk[3-4]", 2, 0.1)]),
        ("[0.25, 0.25, 0.25, 0.25]", [("disk", 4, 0.25)]),
    ],
)
def test_copies_with_one_share_are_one_group(split: str, groups: list[tuple[str, int, float]]):
    network = network_of(spoilt('copies = "disks"', f"copies = 4, split = {split}"))
    found = [(group.label, group.copies, group.share) for group in station_of(network, "disk").groups]
    assert found == [(label, copies, pytest.approx(share)) for label, copies, share in groups]


def test_a_copy_that_a_step_names_is_a_group_of_its_own():
    network = network_of(spoilt('{ hold = "disk"', '{ hold = "disk", copy = 2').replace("disks = 2", "disks = 4"))
    assert [group.label for group in station_of(network, "disk").groups] == ["disk[1]", "disk[2]", "disk[3-4]"]


def test_a_copy_that_there_is_not_is_told():
    problem = refused(spoilt('{ hold = "disk"', '{ hold = "disk", copy = 3'))
    assert problem.render() == (
        'model.toml:30: classes.io.routes[1].steps[2].copy: "disk" has no copy 3; expected a number from 1 to 2 [QN220]'
    )


def test_a_follower_has_the_copies_of_its_leader():
    network = network_of(spoilt("path = {}", 'path = { follows = "disk" }'))
    assert station_of(network, "path").copies == 2


def test_a_population_makes_a_closed_class():
    text = spoilt('arrival_rate = "rate"', 'population = 5\nthink_time = "3 s"')
    (customers,) = network_of(text).closed
    assert (customers.name, customers.population, customers.think_time) == ("io", 5.0, 3.0)


def test_rates_are_capacities_of_a_station():
    network = network_of(spoilt("path = {}", "path = { rates = [1, 1.5] }"))
    assert station_of(network, "path").rates == (1.0, 1.5)


def test_a_capacity_of_nothing_is_told():
    problem = refused(spoilt("path = {}", "path = { rates = [1, 0] }"))
    assert "stations.path.rates[1]: the value is 0; expected a capacity above 0 [QN211]" in problem.render()


# Structures


def test_points_of_one_structure_stay_together():
    model = model_of(SOUND)
    assert [index.tolist() for index in structures(model, Values(model, {"hit": np.array([0.1, 0.2])}, 2))] == [[0, 1]]


def test_points_are_parted_by_servers_copies_and_splits():
    text = spoilt("servers = 2", 'servers = "cores"').replace(
        '"disks" }', '"disks", split = { hot = "hot", share = 0.5 } }'
    )
    model = model_of(text.replace("disks = 2", "disks = 2\ncores = 1\nhot = 1"))
    varied = {"disks": [2, 2, 3, 2, 3], "cores": [1, 2, 1, 1, 1], "hot": [1, 1, 1, 1, 2], "rate": [1, 2, 3, 4, 5]}
    values = Values(model, {name: np.array(value, dtype=float) for name, value in varied.items()}, 5)
    parts = structures(model, values)
    assert sorted(np.concatenate(parts).tolist()) == [0, 1, 2, 3, 4]
    assert sorted(part.tolist() for part in parts) == [[0, 3], [1], [2], [4]]


def test_a_single_point_has_no_structures():
    model = model_of(SOUND)
    assert structures(model, Values(model, {}, None)) == []


def test_branches_without_a_name_are_numbered_from_one():
    time = '[ { time = "1 ms" } ]'
    text = spoilt('{ delay = "1 ms" }', f'{{ parallel = [ {{ steps = {time} }}, {{ name = "b", steps = {time} }} ] }}')
    step = network_of(text.replace('{ time = "1 ms" }', '{ delay = "1 ms" }')).classes[0].routes[1].steps[0]
    assert isinstance(step, Fork) and [branch.name for branch in step.branches] == ["branch 1", "b"]
