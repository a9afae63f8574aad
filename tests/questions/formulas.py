"""What tests of formulas share: models, random numbers for their parameters, and formulas that are found once."""

import random
from functools import cache
from pathlib import Path

from qnet.documents import parse as document
from qnet.model.load import build
from qnet.questions.formula.formula import formula

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
HEAD = 'qnet = 1\ntitle = "a model"\n'

SINGLE = """
[parameters]
rate = "20/s"
service = "30 ms"
variation = 2.5
[stations]
cpu = {}
[classes.job]
arrival_rate = "rate"
steps = [ { station = "cpu", time = "service", scv = "variation" } ]
[outputs]
work = "rate * service + utilization('cpu')"
"""

SHARED = """
[parameters]
rate = "20/s"
uploads = "5/s"
hit = { value = 0.6, range = [0, 1] }
base = "4 ms"
slow = "base * (1 + hit) + 10 ms"
servers = 3
disks = 4
[stations]
cpu = { servers = "servers" }
disk = { discipline = "ps", copies = "disks" }
net = { delay = true }
[classes.page]
arrival_rate = "rate"
[[classes.page.routes]]
name = "cached"
probability = "hit"
steps = [ { station = "cpu", time = "base" }, { station = "net", time = "50 ms" } ]
[[classes.page.routes]]
name = "missed"
probability = "1 - hit"
steps = [ { station = "cpu", time = "base" }, { station = "disk", time = "slow", visits = 3 } ]
[classes.upload]
arrival_rate = "uploads"
steps = [ { station = "cpu", time = "base", visits = 2 }, { station = "disk", time = "slow" }, { delay = "7 ms" } ]
[limits.link]
load = "rate * (1 - hit)"
capacity = "90/s"
"""

NESTED = """
[parameters]
rate = "8/s"
inner = "12 ms"
outer = "20 ms"
[stations]
table = {}
lock = {}
[classes.job]
arrival_rate = "rate"
steps = [ { hold = "table", steps = [
  { time = "outer" }, { hold = "lock", steps = [ { time = "inner" } ] } ] } ]
"""

SPLIT = """
[parameters]
rate = "100/s"
volumes = 12
hot = 3
skew = 2
seek = "9 ms"
[stations]
volume = { copies = "volumes", split = { hot = "hot", share = "skew * hot / (skew * hot + volumes - hot)" } }
[classes.io]
arrival_rate = "rate"
steps = [ { station = "volume", time = "seek" } ]
"""

CLOSED = """
[parameters]
users = 20
think = "5 s"
cpu_time = "40 ms"
disk_time = "25 ms"
servers = 2
disks = 3
[stations]
cpu = { servers = "servers", discipline = "ps" }
disk = { copies = "disks" }
net = { delay = true }
[classes.user]
population = "users"
think_time = "think"
steps = [ { delay = "0.1 s" }, { station = "cpu", time = "cpu_time", visits = 4 },
  { station = "disk", time = "disk_time", visits = 9 }, { station = "net", time = "10 ms" } ]
"""

MIXED = """
[parameters]
users = 7
jobs = 3
rate = "4/s"
cpu_time = "20 ms"
[stations]
cpu = { discipline = "ps" }
disk = { discipline = "ps" }
[classes.query]
population = "users"
think_time = "2 s"
steps = [ { station = "cpu", time = "cpu_time" }, { station = "disk", time = "30 ms" } ]
[classes.batch]
population = "jobs"
steps = [ { station = "cpu", time = "0.5 s" }, { station = "disk", time = "0.2 s" } ]
[classes.web]
arrival_rate = "rate"
steps = [ { station = "cpu", time = "cpu_time" } ]
"""

RANGES = {
    "rate": (1, 12), "uploads": (1, 9), "service": (0.001, 0.05), "variation": (0, 5), "hit": (0.05, 0.95),
    "base": (0.001, 0.01), "inner": (0.001, 0.02), "outer": (0.001, 0.03), "skew": (0.3, 6), "seek": (0.001, 0.02),
    "think": (0, 20), "cpu_time": (0.001, 0.05), "disk_time": (0.001, 0.05),
}  # fmt: skip
COUNTS = {"servers": (1, 6), "disks": (1, 6), "volumes": (5, 12), "hot": (1, 4), "users": (1, 60), "jobs": (1, 9)}


@cache
def model(text):
    """A model of a text, made once for all tests."""
    return build(document((HEAD + text).encode(), "model.toml"), "model.toml")


ANSWERS = {}


def formulas(system, metric):
    """The formulas of a metric, or several, found once for all tests."""
    key = (system.document.text, metric)
    if key not in ANSWERS:
        ANSWERS[key] = formula(system, metric)
    return ANSWERS[key]


def some_numbers(model, seed):
    chance = random.Random(seed)
    found = {name: chance.uniform(*RANGES[name]) for name in model.parameters if name in RANGES}
    found |= {name: float(chance.randint(*COUNTS[name])) for name in model.parameters if name in COUNTS}
    return found


def used(answer, numbers):
    return {name: value for name, value in numbers.items() if name in answer.definitions}


BOUNDS = ("throughput_lower", "throughput_upper", "response_lower", "response_upper")


def combined(answer, metric, class_name, numbers):
    values = [
        answer.at(item, used(answer, numbers))
        for item in answer.formulas
        if item.metric == metric and item.class_name == class_name
    ]
    largest = metric.endswith("response_lower")
    return max(values) if largest else min(values)
