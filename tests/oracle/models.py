"""Small models in which features of the language meet, by name, and what their chains say."""

from __future__ import annotations

from . import Answer
from .kept import kept_exact

HEAD = 'qnet = 1\ntitle = "t"\n'

MODELS: dict[str, str] = {
    "hold_in_hold": """
[stations]
a = { servers = 2 }
b = { }
[classes.c]
population = 4
think_time = "1 s"
steps = [
  { hold = "a", steps = [
    { time = "0.3 s" },
    { hold = "b", steps = [{ time = "0.4 s", scv = 0.5 }, { phase = 2, time = "0.2 s" }] }
  ] },
  { station = "b", time = "0.1 s" },
]
""",
    "hold_ps": """
[stations]
a = { discipline = "ps" }
b = { }
[classes.c]
population = 4
think_time = "1 s"
steps = [
  { hold = "a", steps = [{ time = "0.3 s" }, { delay = "0.2 s" }, { station = "b", time = "0.4 s", scv = 2 }] },
]
""",
    "keeps": """
[stations]
a = { servers = 2 }
b = { }
[classes.c]
population = 4
think_time = "1 s"
steps = [
  { hold = "a", steps = [
    { time = "0.3 s" },
    { hold = "b", steps = [{ time = "0.4 s" }, { phase = 2, time = "0.2 s", keeps = ["b"] }] }
  ] },
]
""",
    "preempt3": """
[stations]
a = { servers = 2, discipline = "preemptive" }
b = { discipline = "lcfs-pr", rates = [1, 1.5] }
[classes.h]
population = 1
think_time = "1 s"
priority = 2
steps = [
  { station = "a", time = "0.5 s", scv = 2 },
  { station = "b", time = "0.3 s" },
]
[classes.m]
population = 2
think_time = "0.5 s"
priority = 1
steps = [
  { station = "a", time = "0.4 s", visits = 1.5, exempt = 0.3 },
  { station = "b", time = "0.2 s", scv = 3 },
]
[classes.l]
population = 2
steps = [
  { station = "a", time = "1 s", scv = 0.5 },
  { station = "b", time = "0.5 s" },
]
""",
    "ph2_preempt": """
[stations]
a = { servers = 1, discipline = "preemptive" }
[classes.h]
population = 2
think_time = "1 s"
priority = 2
steps = [
  { hold = "a", steps = [{ time = "0.5 s", scv = 2 }, { phase = 2, time = "0.3 s" }] },
]
[classes.m]
population = 2
think_time = "0.5 s"
priority = 1
steps = [
  { hold = "a", steps = [{ time = "0.4 s" }, { phase = 2, time = "0.2 s" }] },
]
""",
    "prio_rates": """
[stations]
a = { discipline = "priority", rates = [1, 1.6, 1.8] }
[classes.h]
population = 2
think_time = "1 s"
priority = 2
steps = [
  { station = "a", time = "0.5 s", scv = 2 },
]
[classes.m]
population = 2
think_time = "0.5 s"
priority = 1
steps = [
  { station = "a", time = "0.4 s", exempt = 0.5 },
]
""",
    "cap_tandem": """
[stations]
a = { capacity = 3 }
b = { capacity = 2, discipline = "ps" }
[classes.h]
arrival_rate = "1/s"
steps = [
  { station = "a", time = "0.5 s", scv = 2 },
  { station = "b", time = "0.6 s", visits = 1.5 },
]
[classes.m]
population = 2
think_time = "0.5 s"
steps = [
  { station = "b", time = "0.4 s" },
]
""",
    "mixed": """
[stations]
a = { }
b = { discipline = "ps" }
[classes.h]
arrival_rate = "0.2/s"
arrival_scv = 3
steps = [
  { station = "a", time = "0.3 s" },
]
[classes.m]
population = 2
steps = [
  { station = "a", time = "1 s" },
  { station = "b", time = "0.5 s" },
]
""",
    "left": """
[stations]
a = { }
b = { }
[classes.m]
population = 3
think_time = "1 s"
steps = [
  { station = "a", time = "0.4 s" },
  { station = "b", time = "0.5 s" },
  { phase = 2, station = "a", time = "0.2 s", visits = 1.5 },
]
""",
    "buffer": """
[buffers]
n = { places = 3 }
[stations]
a = { }
b = { }
[classes.m]
population = 4
think_time = "1 s"
steps = [
  { fill = "n", visits = 1.5 },
  { station = "a", time = "0.4 s" },
  { phase = 2, drains = "n", station = "b", time = "0.5 s", visits = 1.5 },
]
""",
    "buffer_lost": """
[buffers]
n = { places = 2, full = "lost" }
[stations]
a = { }
b = { discipline = "priority" }
[classes.m]
arrival_rate = "0.6/s"
steps = [
  { station = "a", time = "0.4 s" },
  { fill = "n" },
  { delay = "0.2 s" },
  { phase = 2, drains = "n", station = "b", time = "0.5 s" },
]
[classes.o]
arrival_rate = "0.2/s"
priority = 1
steps = [
  { station = "b", time = "0.5 s" },
]
""",
    "fork": """
[stations]
a = { }
b = { }
d = { copies = 3 }
[classes.m]
population = 2
think_time = "1 s"
steps = [
  { station = "a", time = "0.4 s" },
  { parallel = [
    { steps = [{ station = "a", time = "0.3 s" }] },
    { steps = [{ station = "b", time = "0.5 s" }, { delay = "0.1 s" }] },
    { copies = 2, steps = [{ station = "d", time = "0.6 s" }] }
  ] },
]
""",
    "quorum": """
[stations]
d = { copies = 3 }
[classes.m]
arrival_rate = "0.05/s"
steps = [
  { join = 2, parallel = [{ copies = 3, steps = [{ station = "d", time = "0.6 s" }] }] },
]
""",
    "nested_fork": """
[stations]
a = { }
b = { }
[classes.m]
population = 2
think_time = "1 s"
steps = [
  { parallel = [
    { steps = [
      { station = "a", time = "0.3 s" },
      { parallel = [{ steps = [{ station = "a", time = "0.3 s" }] }, { steps = [{ station = "b", time = "0.3 s" }] }] },
    ] },
    { steps = [{ station = "b", time = "0.5 s" }] }
  ] },
]
""",
    "memory": """
[stations]
m = { servers = 2 }
a = { discipline = "ps" }
b = { }
[classes.m]
population = 5
think_time = "1 s"
steps = [
  { hold = "m", steps = [{ station = "a", time = "0.1 s", visits = 2 }, { station = "b", time = "0.2 s" }] },
]
[classes.o]
arrival_rate = "0.3/s"
steps = [
  { station = "a", time = "0.4 s" },
]
""",
    "inside": """
[stations]
m = { servers = 3 }
a = { discipline = "ps" }
b = { }
[classes.m]
population = 4
think_time = "1 s"
steps = [
  { hold = "m", steps = [
    { station = "a", time = "0.1 s * inside('m')", visits = "inside('m')" },
    { station = "b", time = "0.2 s" }
  ] },
]
""",
    "hot": """
[stations]
d = { copies = 3, split = { hot = 1, share = 0.5 } }
p = { follows = "d", servers = 2 }
[classes.m]
population = 4
think_time = "1 s"
steps = [
  { hold = "d", steps = [{ time = "0.5 s" }, { station = "p", time = "0.2 s" }] },
]
[classes.n]
population = 1
steps = [
  { station = "d", copy = 3, time = "0.4 s" },
  { station = "p", time = "1 s" },
]
""",
    "chain": """
[stations]
a = { }
b = { servers = 2 }
[chains.s]
population = 4
[chains.s.classes]
x = { service = { think = "1 s", a = "0.3 s", b = "0.4 s" } }
y = { service = { a = { time = "0.5 s", scv = 2 }, b = "1 s" } }
[chains.s.routing]
x.think = { x.a = 0.7, y.a = 0.3 }
x.a = { x.b = 1 }
x.b = { x.think = 0.5, y.a = 0.5 }
y.a = { y.b = 0.5, x.think = 0.5 }
y.b = { y.a = 0.3, x.think = 0.7 }
""",
    "chain_ref": """
[stations]
a = { }
b = { servers = 2 }
[chains.s]
population = 4
reference = "a"
[chains.s.classes]
x = { service = { a = "0.3 s", b = "0.4 s" } }
y = { service = { a = { time = "0.5 s", scv = 2 }, b = "1 s" } }
[chains.s.routing]
x.a = { x.b = 1 }
x.b = { x.a = 0.5, y.a = 0.5 }
y.a = { y.b = 0.5, x.a = 0.5 }
y.b = { y.a = 0.3, x.a = 0.7 }
""",
    "chain_open": """
[stations]
a = { capacity = 4 }
b = { }
[chains.s]
arrival_rate = "0.2/s"
[chains.s.classes]
x = { service = { a = "0.3 s", b = "0.4 s" } }
y = { service = { a = { time = "0.5 s", scv = 2 } } }
[chains.s.routing]
outside = { x.a = 1 }
x.a = { x.b = 1 }
x.b = { outside = 0.5, y.a = 0.5 }
y.a = { outside = 1 }
""",
    "zero": """
[stations]
a = { discipline = "preemptive" }
b = { }
u = { }
[classes.m]
population = 2
think_time = "1 s"
priority = 1
steps = [
  { station = "a", time = "0.5 s" },
  { station = "b", time = "0 s" },
  { station = "b", time = "0.2 s" },
]
[classes.n]
population = 2
think_time = "1 s"
steps = [
  { station = "a", time = "0 s" },
  { station = "b", time = "0.4 s" },
]
[classes.none]
population = 0
think_time = "1 s"
steps = [
  { station = "a", time = "1 s" },
]
[classes.no]
arrival_rate = "0/s"
steps = [
  { station = "u", time = "1 s" },
]
""",
    "fcfs_step_prio": """
[stations]
a = { }
d = { delay = true }
[classes.m]
population = 3
think_time = "1 s"
steps = [
  { station = "a", time = "0.5 s", priority = 1, exempt = 0.5 },
  { station = "d", time = "1 s", scv = 4 },
  { station = "a", time = "0.3 s" },
]
""",
}


def answer(name: str) -> Answer:
    """The exact answer of a model, which tests of the oracle and of the solvers look at."""
    return kept_exact(HEAD + MODELS[name])
