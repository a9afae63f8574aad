"""Small models that are answered far from their exact chain: each is warned of, by the code of what goes wrong."""

from __future__ import annotations

import pytest
from model_systems import Draw, exact, hold, visit

from qnet.networks.wanted import AUTO

WITHOUT_CHAIN = AUTO.replace(chain=0)


def stacks(*times: tuple[float, float]) -> str:
    """Classes at two servers that serve the last first, each with a time there and one at a shared station."""
    draw = Draw(None)
    draw.station("stack", discipline="lcfs-pr", servers=2)
    draw.station("shared", discipline="ps")
    for name, (time, other) in zip("ab", times, strict=True):
        draw.closed(name, 3, 0.3, visit("stack", f'time = "{time} s"'), visit("shared", f'time = "{other} s"'))
    return draw.text()


def outside_and_inside() -> str:
    """A station asked for while an agent is held, and right after that."""
    draw = Draw(None)
    draw.station("cpu")
    draw.station("agent")
    asked = visit("cpu", 'time = "1.8 s"')
    draw.closed("all", 5, 0.3, hold("agent", asked), asked)
    return draw.text()


def left_inside() -> str:
    """Work left at a station that is held around another."""
    draw = Draw(None)
    draw.station("disk")
    draw.station("channel")
    held = hold("disk", '{ time = "1.3 s" }', visit("channel", 'time = "0.5 s"'))
    draw.closed("all", 1, 0.0, held, visit("disk", 'time = "0.8 s"', ", phase = 2"))
    return draw.text()


def several_in_a_row() -> str:
    """Customers who are served first and come back at once."""
    draw = Draw(None)
    draw.station("cpu", discipline="priority")
    draw.closed("first", 3, 2.0, visit("cpu", 'time = "0.4 s"', ", visits = 3"), more="priority = 2")
    draw.closed("last", 4, 0.75, visit("cpu", 'time = "2.2 s"'), more="priority = 1")
    return draw.text()


def of_two_priorities(servers: int, first: tuple[int, float, float], last: tuple[int, float, float]) -> str:
    """Two classes at a station without preemption: each with a population, a think time and a service time."""
    draw = Draw(None)
    draw.station("cpu", discipline="priority", servers=servers)
    for priority, (population, think, time) in enumerate((last, first), 1):
        step = visit("cpu", f'time = "{time} s"')
        draw.closed(f"p{priority}", population, think, step, more=f"priority = {priority}")
    return draw.text()


def priorities_before_a_stack() -> str:
    """Two classes that return to a station with priorities in the order in which another serves the last first."""
    draw = Draw(None)
    draw.station("cpu", discipline="preemptive")
    draw.station("stack", discipline="lcfs-pr")
    stack = visit("stack", 'time = "0.5 s"')
    draw.closed("first", 8, 1.3, visit("cpu", 'time = "0.38 s"'), stack, more="priority = 2")
    draw.closed("last", 2, 0.1, visit("cpu", 'time = "0.41 s"'), stack, more="priority = 1")
    return draw.text()


def left_by_open_and_closed() -> str:
    """A server that works on after the response of a customer who comes back at once, and of others from outside."""
    draw = Draw(None)
    draw.station("agent")
    back = hold("agent", '{ time = "16.7 s" }', '{ phase = 2, time = "4.95 s" }')
    draw.closed("back", 1, 0.0, back)
    others = hold("agent", '{ time = "27.5 s" }', '{ phase = 2, time = "27.5 s" }')
    draw.classes += ["[classes.others]", 'arrival_rate = "0.00515/s"', f"steps = [{others}]"]
    return draw.text()


def inner_station_first() -> str:
    """A station that is asked for right before it is used inside a hold."""
    draw = Draw(None)
    draw.station("path")
    draw.station("disk")
    steps = visit("path", 'time = "0 s"') + ", " + hold("disk", visit("path", 'time = "27.1 ms"'))
    draw.classes += ["[classes.all]", 'arrival_rate = "11.4/s"', f"steps = [{steps}]"]
    return draw.text()


def soon_back(first: tuple[float, int], others: tuple[float, float, int], row: int = 1) -> str:
    """A customer who soon returns to a station, where others are served longer: think times, service times, visits."""
    draw = Draw(None)
    draw.station("cpu")
    again = f", visits = {row}" if row > 1 else ""
    draw.closed("soon", first[1], first[0], visit("cpu", 'time = "1 s"', again))
    draw.closed("others", others[2], others[0], visit("cpu", f'time = "{others[1]} s"'))
    return draw.text()


def widely_varying() -> str:
    """A customer who never leaves a station where services vary widely."""
    draw = Draw(None)
    draw.station("cpu")
    draw.station("disk")
    draw.closed("a", 5, 0.0, visit("disk", 'time = "0.93 s"', ", visits = 2"), visit("cpu", 'time = "2.2 s", scv = 4'))
    draw.closed("b", 1, 0.0, visit("cpu", 'time = "0.74 s", scv = 4'))
    return draw.text()


def soon_back_to_agents() -> str:
    """A customer who soon returns to agents that others hold for twice as long."""
    draw = Draw(None)
    draw.station("agent", servers=2)
    draw.station("pool")
    draw.station("disk")
    others = hold("pool", '{ time = "0.35 s" }', visit("disk", 'time = "3.7 s"'))
    draw.closed("others", 3, 8.4, hold("agent", others))
    draw.closed("soon", 1, 0.57, hold("agent", hold("pool", visit("disk", 'time = "1.6 s"'))))
    return draw.text()


def soon_back_to_second_phases() -> str:
    """Two classes at servers that work much longer after the response than before it."""
    draw = Draw(None)
    draw.station("agent", servers=3)
    draw.closed("a", 1, 2.3, hold("agent", '{ time = "0.15 s" }', '{ phase = 2, time = "0.33 s" }'))
    draw.closed("b", 1, 0.0, hold("agent", '{ time = "0.135 s" }', '{ phase = 2, time = "0.93 s" }'))
    return draw.text()


MODELS = {
    "soon back to long services": (soon_back((0.0, 1), (30.0, 3.0, 10)), "QN638", 0.4),
    "several visits in a row among long services": (soon_back((80.0, 1), (10.0, 3.0, 2), 5), "QN638", 0.25),
    "never away from services that vary widely": (widely_varying(), "QN638", 1.0),
    "soon back to servers that others hold for longer": (soon_back_to_agents(), "QN640", 0.25),
    "soon back to second phases of several classes": (soon_back_to_second_phases(), "QN640", 1.0),
    "an inner station asked for before the hold": (inner_station_first(), "QN716", 0.1),
    "several servers that serve the last first": (stacks((2.6, 0.7), (1.0, 0.1)), "QN728", 0.1),
    "a station asked for in a hold and after it": (outside_and_inside(), "QN729", 0.15),
    "work left at a station that is held": (left_inside(), "QN729", 0.3),
    "several visits in a row of those served first": (several_in_a_row(), "QN646", 0.15),
    "higher classes that only wait for lower ones": (of_two_priorities(1, (6, 0.54, 0.34), (2, 0.0, 2.28)), "QN646", 1),
    "priorities before a station that serves the last first": (priorities_before_a_stack(), "QN646", 0.4),
    "long services of a lower class at several servers": (
        of_two_priorities(2, (8, 7.5, 0.37), (1, 0.0, 2.7)),
        "QN646",
        0.5,
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_it_is_warned_of_what_is_far_off(name: str):
    from asking import ask

    text, code, least = MODELS[name]
    told, wanted = ask(text, WITHOUT_CHAIN), exact(text)
    assert wanted is not None
    assert code in told.codes
    away = [
        abs(getattr(told, figure)[key] / value - 1)
        for figure, values in wanted.items()
        for key, value in values.items()
    ]
    assert max(away) > least


def test_it_is_warned_of_open_classes_with_work_left_by_customers_who_come_back():
    """The server is never idle: its only closed customer is always there."""
    from asking import ask

    told = ask(left_by_open_and_closed(), WITHOUT_CHAIN)
    assert "QN640" in told.codes
    assert told.utilization["agent"] < 0.9


def test_several_servers_that_serve_the_last_first_are_exact_with_one_time_for_all():
    from asking import ask

    text = stacks((0.8, 0.7), (0.8, 0.1))
    told, wanted = ask(text, WITHOUT_CHAIN), exact(text)
    assert told.exact
    assert wanted is not None
    for figure, values in wanted.items():
        assert getattr(told, figure) == pytest.approx(values, rel=1e-6)


def test_a_station_with_one_priority_serves_in_order_of_arrival():
    """Servers that are kept after the response, at a station with priorities of which none differ."""
    from asking import ask

    told = []
    for discipline in ("fcfs", "priority", "preemptive"):
        draw = Draw(None)
        draw.station("disk", discipline=discipline, servers=2)
        kept = hold("disk", '{ time = "1.9 s" }', '{ phase = 2, time = "0.6 s" }')
        draw.closed("all", 3, 0.5, kept)
        told.append(ask(draw.text(), WITHOUT_CHAIN).throughput["all"])
    assert told[1:] == pytest.approx(told[:1] * 2)
