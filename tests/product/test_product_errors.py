"""What is no network, or has no answer, is told in words with a code, all of it at once."""

from __future__ import annotations

import importlib
import re
from math import inf, nan
from typing import Any

import pytest

import qnet
from qnet.errors import InvalidInput, NoAnswer, NotComputed, QnetError

np: Any = importlib.import_module("numpy")

SOUND: dict[str, Any] = {"demands": [[1.0], [2.0]], "population": [3]}


def problems(**arguments: Any) -> list[str]:
    """What is wrong with the arguments of a network, each with its code."""
    with pytest.raises(InvalidInput) as failure:
        qnet.Network(**{**SOUND, **arguments})
    assert {problem.code for problem in failure.value.problems} == {"QN230"}
    return [f"{problem.found}; {problem.expected}" for problem in failure.value.problems]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"demands": 1.0}, "demands is no table"),
        ({"demands": None}, "demands is no table"),
        ({"demands": ["12", "34"]}, "demands is no table"),
        ({"demands": [["1"], ["2"]]}, "demands is no table"),
        ({"demands": [[True], [1.0]]}, "demands is no table"),
        ({"demands": [[None], [1.0]]}, "demands is no table"),
        ({"demands": []}, "demands is empty"),
        ({"demands": [[]]}, "demands is empty"),
        ({"demands": [[1.0], [1.0, 2.0]]}, "rows of demands have different lengths"),
        ({"demands": [[1.0], [-2.0]]}, r"demands\[1\]\[0\] is -2.0"),
        ({"demands": [[1.0], [nan]]}, r"demands\[1\]\[0\] is nan"),
        ({"demands": [[1.0], [inf]]}, r"demands\[1\]\[0\] is inf"),
        ({"demands": [[1.0], [10**400]]}, r"demands\[1\]\[0\] is inf"),
        ({"demands": [[1.0], [1e101]]}, r"demands\[1\]\[0\] is 1e\+101; a number of 0, or from 1e-100 to 1e\+100"),
        ({"demands": [[1.0], [1e-101]]}, r"demands\[1\]\[0\] is 1e-101; a number of 0, or from 1e-100 to 1e\+100"),
        ({"demands": [[[1.0], [1e-300]]]}, "demands: 1 of its numbers"),
        ({"demands": [[["1"], ["2"]]]}, "axes variant, station and class"),
        ({"demands": [[[1.0], [-2.0]], [[1.0], [nan]]]}, "demands: 2 of its numbers"),
        ({"demands": [[[1.0], [2.0]], [[1.0]]]}, "axes variant, station and class"),
        ({"demands": np.zeros((2, 2, 2, 1))}, "axes variant, station and class"),
        ({"demands": np.zeros((0, 2, 1))}, "demands has no variants"),
        ({"visits": [[1.0, 1.0], [1.0, 1.0]]}, r"visits has the shape \(2, 2\)"),
        ({"visits": [[1.0], [-1.0]]}, r"visits\[1\]\[0\] is -1.0"),
        ({"visits": [[1.0], [0.0]]}, r"visits\[1\]\[0\] is 0, and there is a demand"),
        ({"visits": np.array([[[1.0], [1.0]], [[1.0], [0.0]]])}, r"visits\[1\]\[0\] is 0, and there is a demand"),
        ({"kinds": ["queue"]}, "kinds has 1 entries; one entry per station: 2"),
        ({"kinds": ["queue", "pool"]}, r"kinds\[1\] is 'pool'; queue or delay"),
        ({"kinds": ["queue", None]}, r"kinds\[1\] is None"),
        ({"kinds": "pool"}, r"kinds is 'pool'; queue or delay"),
        ({"kinds": 2}, "kinds is 2; one entry per station: 2"),
        ({"disciplines": ["ps", "lifo"]}, r"disciplines\[1\] is 'lifo'; fcfs or ps or lcfs-pr"),
        ({"servers": 2}, "servers is 2; one entry per station: 2"),
        ({"servers": [2]}, "servers has 1 entries; one entry per station: 2"),
        ({"servers": [1, 0]}, r"servers\[1\] is 0; an integer of 1 or more"),
        ({"servers": [1, 1.5]}, r"servers\[1\] is 1.5; an integer of 1 or more"),
        ({"servers": [1, "2"]}, r"servers\[1\] is '2'; an integer of 1 or more"),
        ({"servers": [1, None]}, r"servers\[1\] is None; an integer of 1 or more"),
        ({"rates": 2.0}, "rates is 2.0; one entry per station: 2"),
        ({"rates": [None]}, "rates has 1 entries; one entry per station: 2"),
        ({"rates": [None, 2.0]}, r"rates\[1\] is 2.0; positive numbers, or None"),
        ({"rates": [None, []]}, r"rates\[1\] is \[\]; positive numbers, or None"),
        ({"rates": [None, [1.0, 0.0]]}, r"rates\[1\] is \[1.0, 0.0\]; positive numbers, or None"),
        ({"rates": [None, [1.0, inf]]}, r"rates\[1\] is \[1.0, inf\]; positive numbers, or None"),
        ({"rates": [None, "12"]}, r"rates\[1\] is '12'; positive numbers, or None"),
        ({"rates": [None, [1.0, 2.0]], "servers": [1, 2]}, "station 1 has 2 servers and rates; one of the two"),
        ({"kinds": ["delay", "queue"], "servers": [2, 1]}, "station 0 is a delay and has servers"),
        ({"kinds": ["delay", "queue"], "rates": [[2.0], None]}, "station 0 is a delay and has servers or rates"),
        ({"population": 3}, "population is 3; one entry per class: 1"),
        ({"population": "3"}, "population is '3'; one entry per class: 1"),
        ({"population": [3, 4]}, "population has 2 entries; one entry per class: 1"),
        ({"population": [-1]}, r"population\[0\] is -1; a number from 0 to 1e\+15, or None"),
        ({"population": [nan]}, r"population\[0\] is nan"),
        ({"population": [inf]}, r"population\[0\] is inf"),
        ({"population": ["3"]}, r"population\[0\] is '3'"),
        ({"population": [True]}, r"population\[0\] is True"),
        ({"population": [[]]}, r"population\[0\] is no list of numbers"),
        ({"population": [[[3]]]}, r"population\[0\] is no list of numbers"),
        ({"population": [[3, -1]]}, r"population\[0\] is no list of numbers"),
        ({"population": None}, "class 0 has neither a population nor an arrival rate"),
        ({"population": [None]}, "class 0 has neither a population nor an arrival rate"),
        ({"arrival_rate": [1.0]}, "class 0 has a population and an arrival rate; one of the two"),
        ({"arrival_rate": [-1.0], "population": None}, r"arrival_rate\[0\] is -1.0"),
        ({"think_time": [-1.0]}, r"think_time\[0\] is -1.0"),
        (
            {"think_time": [1.0], "population": None, "arrival_rate": [0.1]},
            r"think_time\[0\] is given for an open class",
        ),
        ({"population": [[1, 2]], "think_time": [[1, 2, 3]]}, r"think_time\[0\] has 3 variants, others have 2"),
        ({"demands": np.ones((4, 2, 1)), "population": [[1, 2]]}, r"population\[0\] has 2 variants, others have 4"),
        ({"demands": np.ones((4, 2, 1)), "visits": np.ones((3, 2, 1))}, "visits has 3 variants, others have 4"),
    ],
)
def test_a_wrong_argument_is_named(arguments: dict[str, Any], words: str):
    (found,) = problems(**arguments)
    assert re.search(words, found)


def test_everything_wrong_is_told_at_once():
    found = problems(
        demands=[[-1.0, 1.0], [1.0, inf]],
        kinds=["pool", "queue"],
        disciplines=["ps", "lifo"],
        servers=[0, 1],
        rates=[None, [0.0]],
        population=[-1, None],
        think_time=[0.0, nan],
        arrival_rate=[None, None],
    )
    names = ["demands[0][0]", "demands[1][1]", "kinds[0]", "disciplines[1]", "servers[0]", "rates[1]", "population[0]"]
    names += ["think_time[1]", "class 1 has neither"]
    assert [any(text.startswith(name) for text in found) for name in names] == [True] * len(names)


def test_a_word_that_is_nearly_right_is_put_right():
    with pytest.raises(InvalidInput) as failure:
        qnet.Network([[1.0]], kinds=["dellay"], population=[1])
    assert failure.value.problems[0].help == 'did you mean "delay"?'


def refusal(kind: type[QnetError], network: dict[str, Any], **options: Any) -> tuple[str, str]:
    """The code and the words with which an answer is refused."""
    with pytest.raises(kind) as failure:
        qnet.Network(**network).solve(**options)
    problem = failure.value.problems[0]
    return problem.code, " ".join((problem.found, problem.expected, problem.help))


LATE = {"demands": [[0.5], [0.25]], "arrival_rate": [2.5]}


def test_an_overload_names_the_station_and_how_much_less_would_do():
    code, words = refusal(NoAnswer, LATE)
    assert code == "QN401"
    assert "station 0 would be 125 % utilized" in words and "by less than 0.8 for" in words


@pytest.mark.parametrize(
    "network",
    [
        {"demands": [[0.5]], "arrival_rate": [2.0]},
        {"demands": [[1.0]], "servers": [3], "arrival_rate": [3.0]},
        {"demands": [[1.0]], "rates": [[5.0, 0.5]], "arrival_rate": [0.5]},
        {"demands": [[0.5, 0.5]], "arrival_rate": [1.0, 1.0]},
        {"demands": [[0.5, 0.5]], "arrival_rate": [2.0, None], "population": [None, 0]},
    ],
)
def test_load_up_to_the_capacity_has_no_steady_state(network: dict[str, Any]):
    assert refusal(NoAnswer, network)[0] == "QN401"


def test_an_overload_in_a_batch_names_the_variant():
    code, words = refusal(NoAnswer, {"demands": [[0.5]], "arrival_rate": [[1.0, 1.5, 2.5]]})
    assert code == "QN401" and "variant 2" in words


def test_a_delay_is_never_overloaded():
    found = qnet.Network([[0.5]], kinds=["delay"], arrival_rate=[1000.0]).solve()
    assert found.queue_length[0, 0] == 500 and found.response[0] == 0.5


@pytest.mark.parametrize("method", ["auto", "mva", "convolution"])
def test_a_class_without_any_time_has_no_limit(method: str):
    code, words = refusal(NoAnswer, {"demands": [[1.0, 0.0]], "population": [2, 3]}, method=method)
    assert code == "QN403" and "class 1 has customers and neither demand nor think time" in words


def test_a_class_without_any_time_is_named_beside_open_ones():
    network = {"demands": [[0.1, 1.0, 0.0]], "population": [None, 2, 3], "arrival_rate": [1.0, None, None]}
    code, words = refusal(NoAnswer, network)
    assert code == "QN403" and "class 2 " in words


def test_a_class_without_any_time_in_a_batch_names_the_variant():
    code, words = refusal(NoAnswer, {"demands": np.array([[[1.0]], [[0.0]]]), "population": [3]})
    assert code == "QN403" and "variant 1" in words


def test_a_class_without_any_time_and_without_customers_is_no_harm():
    assert qnet.Network([[1.0, 0.0]], population=[2, 0], disciplines="ps").solve().throughput.tolist() == [1.0, 0.0]


def test_an_unknown_method_is_refused_with_those_that_there_are():
    code, words = refusal(InvalidInput, SOUND, method="mvaa")
    assert code == "QN514" and "convolution" in words and 'did you mean "mva"' in words


@pytest.mark.parametrize(
    ("network", "method", "words"),
    [
        (SOUND, "open", "there are closed classes"),
        ({"demands": [[1.0]], "arrival_rate": [0.5]}, "mva", "there are no closed classes"),
        ({**SOUND, "servers": [2, 1]}, "mva", "fixed rate"),
        ({**SOUND, "rates": [[1.0, 2.0], None]}, "mva", "fixed rate"),
        ({"demands": [[1.0, 2.0]], "population": [2, 3], "rates": [[1.0, 1.5]]}, "mva", "fixed rate"),
        ({**SOUND, "population": [2.5]}, "mva", "fractional"),
        ({**SOUND, "population": [2.5]}, "convolution", "fractional"),
    ],
)
def test_a_method_that_does_not_apply_says_why(network: dict[str, Any], method: str, words: str):
    code, told = refusal(NotComputed, network, method=method)
    assert code == "QN513"
    assert told.startswith((f"{method} does not apply: ", f"lattice-{method} does not apply: "))
    assert words in told


def test_mva_gives_no_state_probabilities():
    code, words = refusal(NotComputed, SOUND, method="mva", state_probabilities=True)
    assert code == "QN513" and "probabilities" in words


@pytest.mark.parametrize("method", ["mva", "convolution"])
def test_a_method_too_large_for_the_budget_says_what_it_takes(method: str):
    demands = [[1.0 + place + 0.1 * kind for kind in range(20)] for place in range(20)]
    code, words = refusal(NotComputed, {"demands": demands, "population": [50] * 20}, method=method)
    assert code == "QN515" and "operations" in words and "bytes" in words


def test_the_budget_can_be_given():
    assert refusal(NotComputed, SOUND, method="convolution", operations=1.0)[0] == "QN515"
    assert refusal(NotComputed, SOUND, method="convolution", memory=1.0)[0] == "QN515"


def test_state_probabilities_too_large_for_the_budget_are_refused():
    assert refusal(NotComputed, SOUND, state_probabilities=True, operations=1.0)[0] == "QN515"


@pytest.mark.parametrize("sizes", [(1e100, 1e100), (1e-100, 1e-100), (1e-100, 1e100), (1e-100, 1e-30)])
@pytest.mark.parametrize("servers", [1, 2])
@pytest.mark.parametrize("classes", [1, 2])
def test_extreme_numbers_are_answered(sizes: tuple[float, float], servers: int, classes: int):
    demands = [[size] * classes for size in sizes]
    if classes == 2:
        demands[0][1] = demands[1][0]
    found = qnet.Network(demands, population=[4] * classes, servers=[servers, 1], disciplines="ps").solve()
    assert np.isfinite(found.residence).all() and (found.residence >= 0).all()
    assert found.queue_length.sum() == pytest.approx(4 * classes, rel=1e-9)


@pytest.mark.parametrize("customers", [{"population": [3]}, {"arrival_rate": [3.0]}])
def test_a_thousand_million_servers_are_as_good_as_a_delay(customers: dict[str, Any]):
    found = qnet.Network([[0.5]], servers=[10**9], **customers).solve()
    assert found.response[0] == 0.5 and found.utilization[0, 0] == pytest.approx(found.throughput[0] * 0.5e-9)


def test_a_thousand_million_servers_are_as_good_as_a_delay_to_closed_and_open_classes_together():
    network = {"demands": [[0.5, 1.0]], "servers": [10**9], "population": [3, None], "arrival_rate": [None, 2.0]}
    assert qnet.Network(**network).solve().response.tolist() == pytest.approx([0.5, 1.0], rel=1e-12)


def test_open_classes_beside_closed_ones_at_too_many_servers_are_refused():
    network = {"demands": [[0.5, 1.0]], "servers": [10**9], "population": [3, None], "arrival_rate": [None, 5e8]}
    code, words = refusal(NotComputed, network, method="convolution")
    assert code == "QN515" and "1e+09" in words


@pytest.mark.parametrize(
    "options, words",
    [
        ({"operations": -1}, "operations is -1; expected a number above 0"),
        ({"memory": float("nan")}, "memory is nan; expected a number above 0"),
        ({"core_solutions": 1.5}, "core_solutions is 1.5; expected an integer of 1 or more, or None"),
        ({"servers_correction": "foo"}, 'no correction "foo"; expected conway or seidmann or rolia-sevcik'),
    ],
)
def test_a_budget_or_variant_that_means_nothing_is_refused(options: dict[str, Any], words: str):
    with pytest.raises(InvalidInput) as refused:
        qnet.Network([[0.1]], population=[3]).solve(**options)
    assert words in str(refused.value)


def test_open_classes_alone_have_no_states_of_closed_ones():
    with pytest.raises(NotComputed, match="state probabilities are those of closed classes, and there are none"):
        qnet.Network([[0.1]], arrival_rate=[3.0]).solve(state_probabilities=True)


@pytest.mark.parametrize("population", [10**9, 10**12])
def test_a_huge_population_makes_no_list_as_long_as_itself(population: int):
    found = qnet.Network(
        [[0.12], [0.05], [1.0]], kinds=["queue", "queue", "delay"], servers=[512, 4, 1], population=[population]
    ).solve()
    assert found.method == "linearizer" and found.throughput[0] == pytest.approx(80.0, rel=1e-6)


def test_states_of_a_huge_population_are_refused():
    with pytest.raises(NotComputed, match="QN515"):
        qnet.Network([[0.12], [0.05]], population=[10**9]).solve(state_probabilities=True)
