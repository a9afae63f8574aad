"""Keys and words that newcomers expect, from textbooks and other tools, and what to write in the model language."""

from __future__ import annotations

_SERVICE = 'give the service time in the step: { station = "NAME", time = "1 ms" }'
_SCV = 'give the scv in the step, with the time: { station = "NAME", time = "1 ms", scv = 2 }'
_KIND = "a station is a queue; one without queueing has delay = true"
_SERVERS = "servers share one queue; copies have a queue each"
_CAPACITY = "capacity limits queue and service together; [buffers] hold places until second-phase work is done"
_ROUTE = "steps in order, or [[classes.NAME.routes]] with a probability each"
_ARRIVALS = 'arrival_rate = "3/s" makes an open class'
_POPULATION = 'population = 20, with think_time = "5 s", makes a closed class'
_THINK = "think_time is the time between a response and the next request of a closed class"
_TIME = "time is the service time of a visit"
_SHARED = "[parameters], [stations.NAME] and [classes.NAME] are the tables that most models need"
_TABLES = (
    "servers", "nodes", "centres", "centers", "queues", "resources", "workloads", "jobs", "services", "tiers",
    "components", "devices", "disks", "links", "arrivals", "users", "customers", "routes",
)  # fmt: skip
_HELD = 'a pool, a lock or memory is a station that is held: { hold = "NAME", steps = [...] }'
_NO_QUEUE = "a station without queueing has delay = true, and no discipline"

WHAT_TO_WRITE: dict[str, dict[str, str]] = {
    "model": {
        **dict.fromkeys(_TABLES, _SHARED),
        **dict.fromkeys(("memory", "pools", "pool", "locks", "connections", "threads", "semaphores"), _HELD),
    },
    "station": {
        **dict.fromkeys(
            ("service", "service_time", "time", "demand", "service_demand", "mean", "service_rate", "rate", "mu"),
            _SERVICE,
        ),
        "scv": _SCV,
        **dict.fromkeys(("kind", "type"), _KIND),
        **dict.fromkeys(("cores", "threads", "workers", "pool", "count", "instances", "replicas", "size"), _SERVERS),
        **dict.fromkeys(("queue", "queue_size", "buffer", "max", "limit", "places"), _CAPACITY),
        **dict.fromkeys(
            ("scheduling", "policy", "strategy"), 'discipline is "fcfs", "ps", "lcfs-pr", "priority" or "preemptive"'
        ),
    },
    "class": {
        **dict.fromkeys(("route", "path", "visits", "stations", "flow", "demands"), _ROUTE),
        **dict.fromkeys(("rate", "lambda", "arrivals", "throughput"), _ARRIVALS),
        **dict.fromkeys(("users", "customers", "clients", "terminals", "n"), _POPULATION),
        **dict.fromkeys(("think", "z", "delay"), _THINK),
        "scv": "arrival_scv is that of interarrival times; scv in a step is that of service times",
    },
    "step": {
        **dict.fromkeys(("service", "service_time", "demand", "mean"), _TIME),
        **dict.fromkeys(("at", "name", "server", "queue"), "station names the station of the visit"),
        "visit": "station names the station of the visit; visits is the mean number of visits",
        "probability": "routes have probabilities: [[classes.NAME.routes]]; a step has visits, their mean number",
        **dict.fromkeys(("count", "times", "repeat", "calls"), "visits is the mean number of visits"),
        "think": 'delay = "5 s" is a time without queueing',
    },
}
"""For each table and unknown key, what to write instead."""

WORDS_TO_WRITE: dict[str, dict[str, str]] = {
    "discipline": {
        **dict.fromkeys(("fifo", "first come first served"), 'write "fcfs"'),
        **dict.fromkeys(("sharing", "processor sharing", "processor-sharing", "rr", "round robin"), 'write "ps"'),
        **dict.fromkeys(("lifo", "lifo-pr"), 'write "lcfs-pr" where an arrival interrupts the service of the others'),
        **dict.fromkeys(
            ("hol", "head of line", "head-of-line", "nonpreemptive", "non-preemptive", "prio"),
            'write "priority"; an arrival of a higher priority interrupts a service if it is "preemptive"',
        ),
        **dict.fromkeys(("delay", "is", "infinite", "infinite server", "inf", "none", "think"), _NO_QUEUE),
    },
}
"""For each key and unknown word, what to write instead."""
