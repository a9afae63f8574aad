"""Random networks as the arguments of `qnet.Network`: open, closed and mixed, with zeros in all places."""

from __future__ import annotations

import random
from typing import Any

Case = dict[str, Any]
"""Arguments of `qnet.Network`, for one point."""

SORTS = ("open", "closed", "mixed")


def capacity(case: Case, station: int, present: int) -> float:
    """Relative capacity of a queueing station with so many customers present."""
    rates = case["rates"][station]
    return rates[min(present, len(rates)) - 1] if rates else min(present, case["servers"][station])


def peak(case: Case, station: int) -> float:
    """The largest relative capacity of a queueing station."""
    return max(case["rates"][station] or [case["servers"][station]])


def lasting(case: Case, station: int) -> float:
    """The relative capacity of a queueing station with any number of customers present."""
    return (case["rates"][station] or [case["servers"][station]])[-1]


def random_case(
    rng: random.Random,
    sort: str,
    stations: int = 4,
    classes: int = 3,
    customers: int = 5,
    spread: float = 1.0,
    single: bool = False,
    busiest: float = 0.95,
) -> Case:
    """A network with a steady state.

    stations   the most stations; queues of one and of several servers, of changing rates, and delays.
    classes    the most classes; in a mixed network at least one of each sort.
    customers  the most customers of a closed class; some have none.
    spread     decades up and down over which demands spread; some are zero.
    single     whether all queues have one server.
    busiest    the most that open classes take of the capacity of a station; some never arrive.
    """
    count = rng.randint(1, stations)
    kinds = ["delay" if rng.random() < 0.15 else "queue" for _ in range(count)]
    servers, rates = [1] * count, [None] * count
    for place in range(count):
        shape = rng.random()
        if kinds[place] == "delay" or single or shape < 0.4:
            continue
        if shape < 0.75:
            servers[place] = rng.randint(2, 5)
        else:
            rates[place] = [rng.randint(2, 12) / 4 + 0.1 for _ in range(rng.randint(1, 5))]
    number = rng.randint(2 if sort == "mixed" else 1, max(classes, 2 if sort == "mixed" else 1))
    first_open = {"open": 0, "closed": number, "mixed": rng.randint(1, number - 1) if number > 1 else 0}[sort]
    demands = [
        [0.0 if rng.random() < 0.15 else 10 ** rng.uniform(-spread, spread) for _ in range(number)]
        for _ in range(count)
    ]
    case: Case = {
        "demands": demands,
        "kinds": kinds,
        "disciplines": "ps",
        "servers": servers,
        "rates": rates,
        "population": [None] * number,
        "think_time": [0.0] * number,
        "arrival_rate": [None] * number,
    }
    for kind in range(first_open):
        case["population"][kind] = rng.randint(1, customers) if rng.random() < 0.9 else 0
        case["think_time"][kind] = rng.choice([0.0, 10 ** rng.uniform(-spread, spread)])
        if not any(row[kind] for row in demands):
            case["think_time"][kind] = 1.0
    wishes = [rng.random() if rng.random() < 0.9 else 0.0 for _ in range(number - first_open)]
    loads = [
        sum(wish * demand for wish, demand in zip(wishes, row[first_open:], strict=True)) / lasting(case, place)
        for place, row in enumerate(demands)
        if kinds[place] == "queue"
    ]
    scale = rng.uniform(0.05, busiest) / (max(loads, default=0.0) or 1.0)
    case["arrival_rate"][first_open:] = [wish * scale for wish in wishes]
    return case
