"""What tests of knees share: closed models of a few lines, and the curve of the machine repairman."""

import importlib
from typing import Any

from qnet.model.metrics import metric
from qnet.questions.points.answers import solve_table

np: Any = importlib.import_module("numpy")

CLOSED = """
qnet = 1
title = "closed"
[parameters]
users = {{ value = 10, range = [0, {last}] }}
{parameters}
[stations]
{stations}
[classes.user]
population = "users"
think_time = "{think}"
steps = [ {steps} ]
"""


def visit(station, time):
    return f'{{ station = "{station}", time = "{time}" }}'


TWO = "cpu = {}\ndisk = {}"
ONE = "cpu = {}"


def by_definition(found):
    (item,) = found
    return {one.definition: one for one in item.knees}


def every_response(loaded, name, last, **columns):
    """Throughput and response at every population from 1 to the last, each a network of its own."""
    numbers = np.arange(1.0, last + 1)
    answers = solve_table(loaded, {name: numbers, **columns}, len(numbers))
    assert answers.answered.all()
    return tuple(answers.of(metric(text, loaded).expression) for text in ("throughput", "response"))


def repairman(count, service, think):
    """Throughput and response of `count` machines and one repairman: Kleinrock, Queueing Systems I (1975), 3.8."""
    weights = [1.0]
    for present in range(count):
        weights.append(weights[-1] * (count - present) * service / think)
    rate = (1 - weights[0] / sum(weights)) / service
    return rate, count / rate - think


SERVICE, THINK = 0.2, 7.0
CURVE = [repairman(count, SERVICE, THINK) for count in range(1, 140)]


MIXED = """
qnet = 1
title = "two closed classes and one open"
[parameters]
queries = { value = 12, range = [0, 300] }
jobs = { value = 4, range = [0, 300] }
rate = { value = "2/s", unit = "/s" }
[stations]
cpu = { discipline = "ps" }
disk = { discipline = "ps" }
[classes.query]
population = "queries"
think_time = "6 s"
steps = [ { station = "cpu", time = "0.1 s" }, { station = "disk", time = "0.2 s" } ]
[classes.job]
population = "jobs"
think_time = "1 s"
steps = [ { station = "cpu", time = "0.9 s" }, { station = "disk", time = "0.05 s" } ]
[classes.web]
arrival_rate = "rate"
steps = [ { station = "cpu", time = "0.1 s" }, { station = "disk", time = "0.05 s" } ]
"""


OPEN = """
qnet = 1
title = "open"
[parameters]
rate = "1/s"
[stations]
cpu = {}
disk = {}
[classes.job]
arrival_rate = "rate"
steps = [ { station = "cpu", time = "0.2 s" }, { station = "disk", time = "0.2 s" } ]
"""
