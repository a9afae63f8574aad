"""One fault each in the sound model, of its stations, classes, routes and steps: what is replaced, by what, and what is told, to the letter."""

# ruff: noqa: E501  (messages stand on one line, as they are printed)

from __future__ import annotations

from language_models import SOUND

FAULTS: dict[str, tuple[str, str, str]] = {
    # Stations
    "no stations": (
        SOUND[SOUND.index("server = {") : SOUND.index("[classes.io]")],
        "",
        "model.toml:11: stations: there are no stations; expected at least one [QN203]",
    ),
    "a station that cannot be shown": (
        "path = {}",
        'path = {}\n"a\\u001b" = {}',
        "model.toml:15: stations.\"a\\x1b\": 'a\\x1b' cannot be a name; expected at most 100 printable characters [QN207]",
    ),
    "an unknown split": (
        'copies = "disks"',
        'copies = "disks", split = "odd"',
        "model.toml:13: stations.disk.split: found 'odd'; expected \"even\", a list of shares, or { hot = n, share = s } [QN204]",
    ),
    "a hot split without its share": (
        'copies = "disks"',
        'copies = "disks", split = { hot = 1 }',
        'model.toml:13: stations.disk.split: "share" is missing; expected share of all visits that goes to the hot copies together [QN203]',
    ),
    "a listed share in seconds": (
        'copies = "disks"',
        'copies = "disks", split = ["1 s", 0]',
        'model.toml:13: stations.disk.split[0]: "1 s" is a time (such as 10 ms); expected a plain number [QN122]',
    ),
    "an unknown station to follow": (
        "path = {}",
        'path = { follows = "dsk" }',
        'model.toml:14: stations.path.follows: unknown station "dsk" [QN212]',
    ),
    "a station that follows itself": (
        "path = {}",
        'path = { follows = "path" }',
        'model.toml:14: stations.path.follows: "path" follows itself; expected another station [QN213]',
    ),
    "a station that follows a follower": (
        "path = {}",
        'path = { follows = "disk" }\narm = { follows = "path" }',
        'model.toml:15: stations.arm.follows: "path" follows another station itself; expected a station with its split [QN213]',
    ),
    "copies beside follows": (
        "path = {}",
        'path = { follows = "disk", copies = 2 }',
        'model.toml:14: stations.path.copies: copies is used with follows; expected no copies: copies and split are those of "disk" [QN213]',
    ),
    "servers of a delay": (
        "path = {}",
        "path = { delay = true, servers = 2 }",
        "model.toml:14: stations.path.servers: servers is used with delay = true; expected no servers: a delay has an infinite number of servers [QN213]",
    ),
    "a delay that is no flag excludes nothing": (
        "path = {}",
        'path = { delay = "1 ms", servers = 2, discipline = "ps", capacity = 5 }',
        "model.toml:14: stations.path.delay: found '1 ms'; expected true or false [QN204]",
    ),
    "follows that is no text excludes nothing": (
        "path = {}",
        "path = { follows = { station = 1 }, copies = 2 }",
        "model.toml:14: stations.path.follows: found a table; expected a line of text: the station whose chosen copy is also the copy used here [QN204]",
    ),
    # Classes and routes
    "no classes": (
        SOUND[SOUND.index("[classes.io]") : SOUND.index("[limits.buffer]")],
        "[classes]\n",
        "model.toml:16: classes: there are no classes; expected at least one [QN203]",
    ),
    "neither open nor closed": (
        'arrival_rate = "rate"\n',
        "",
        "model.toml:16: classes.io: found neither arrival_rate nor population; expected arrival_rate (an open class) or population (a closed one) [QN214]",
    ),
    "both open and closed": (
        'arrival_rate = "rate"\n',
        'arrival_rate = "rate"\npopulation = 5\n',
        "model.toml:16: classes.io: found both arrival_rate and population; expected arrival_rate (an open class) or population (a closed one) [QN214]",
    ),
    "arrivals that vary by a time": (
        'arrival_rate = "rate"',
        'arrival_rate = "rate"\narrival_scv = "2 s"',
        'model.toml:18: classes.io.arrival_scv: "2 s" is a time (such as 10 ms); expected a plain number [QN122]',
    ),
    "arrivals of customers who stay": (
        'arrival_rate = "rate"',
        "population = 5\narrival_scv = 2",
        "model.toml:18: classes.io.arrival_scv: arrival_scv is used in a class without arrival_rate; expected arrival_scv with arrival_rate [QN214]",
    ),
    "a think time in an open class": (
        'arrival_rate = "rate"\n',
        'arrival_rate = "rate"\nthink_time = "5 s"\n',
        "model.toml:18: classes.io.think_time: think_time is used in a class without population; expected think_time with population [QN214]",
    ),
    "steps beside routes": (
        'arrival_rate = "rate"\n',
        'arrival_rate = "rate"\nsteps = []\n',
        "model.toml:16: classes.io: a class needs either routes or steps; expected [[classes.NAME.routes]], or steps for the only route [QN208]",
    ),
    "a route of no steps": (
        'steps = [ { station = "server", time = "work" } ]',
        "steps = []",
        "model.toml:22: classes.io.routes[0].steps: the list is empty; expected steps, or one that takes no time: [ { delay = 0 } ] [QN201]",
    ),
    "a hold of no steps": (
        """    { hold = "path", steps = [
      { time = "2 ms" },
      { phase = 2, keeps = ["disk"], time = "1 ms" },
    ] },
""",
        '    { hold = "path", steps = [] },\n',
        "model.toml:32: classes.io.routes[1].steps[2].steps[1].steps: the list is empty; expected steps, or one that takes no time: [ { delay = 0 } ] [QN201]",
    ),
    "an empty list of routes": (
        "[limits.buffer]",
        '[classes.other]\narrival_rate = "1/s"\nroutes = []\n[limits.buffer]',
        "model.toml:41: classes.other.routes: found an empty list; expected tables [[classes.NAME.routes]] [QN201]",
    ),
    "two routes of one name": (
        'name = "miss"',
        'name = "hit"',
        'model.toml:25: classes.io.routes[1].name: there are two routes "hit" in this class; expected distinct names [QN215]',
    ),
    # Steps
    "steps that are no list": (
        'steps = [ { station = "server", time = "work" } ]',
        "steps = 5",
        "model.toml:22: classes.io.routes[0].steps: found 5; expected a list of steps: [ { delay = ... }, { station = ..., time = ... } ] [QN201]",
    ),
    "a step of no form": (
        '{ delay = "1 ms" }',
        "{ visits = 2 }",
        "model.toml:28: classes.io.routes[1].steps[0]: the step has none of its forms; "
        "expected one of: delay; station and time; hold and steps; time (inside a hold); parallel; fill [QN209]",
    ),
    "a step of nothing": (
        '{ delay = "1 ms" }',
        "{}",
        "model.toml:28: classes.io.routes[1].steps[0]: the step has none of its forms; "
        "expected one of: delay; station and time; hold and steps; time (inside a hold); parallel; fill [QN209]",
    ),
    "a step of two forms": (
        '{ delay = "1 ms" }',
        '{ delay = "1 ms", time = "1 ms" }',
        "model.toml:28: classes.io.routes[1].steps[0]: the step has delay, time; "
        "expected one of: delay; station and time; hold and steps; time (inside a hold); parallel; fill [QN209]",
    ),
    "a station in place of a hold": (
        '{ delay = "1 ms" }',
        '{ station = "server", steps = [ { time = "1 ms" } ] }',
        "model.toml:28: classes.io.routes[1].steps[0]: the step has station, steps; "
        "expected one of: delay; station and time; hold and steps; time (inside a hold); parallel; fill [QN209]",
    ),
    "a parallel step without branches": (
        '{ delay = "1 ms" }',
        "{ parallel = [] }",
        "model.toml:28: classes.io.routes[1].steps[0].parallel: found an empty list; expected a list of branches: [ { steps = [...] }, ... ] [QN201]",
    ),
    "a branch that is no table": (
        '{ delay = "1 ms" }',
        '{ parallel = ["1 ms"] }',
        "model.toml:28: classes.io.routes[1].steps[0].parallel[0]: found '1 ms'; expected a table with steps, copies, name, note [QN201]",
    ),
    "a branch without steps": (
        '{ delay = "1 ms" }',
        "{ parallel = [ { copies = 2 } ] }",
        'model.toml:28: classes.io.routes[1].steps[0].parallel[0]: "steps" is missing; expected steps of the branch, in order [QN203]',
    ),
    "a join without branches": (
        '{ delay = "1 ms" }',
        '{ delay = "1 ms", join = 1 }',
        "model.toml:28: classes.io.routes[1].steps[0].join: join is used in a step without parallel; expected join with parallel [QN209]",
    ),
    "an unknown station in a branch": (
        '{ delay = "1 ms" }',
        '{ parallel = [ { steps = [ { station = "dsk", time = "1 ms" } ] } ] }',
        'model.toml:28: classes.io.routes[1].steps[0].parallel[0].steps[0].station: unknown station "dsk" [QN212]',
    ),
    "a time outside of any hold": (
        '{ delay = "1 ms" }',
        '{ time = "1 ms" }',
        "model.toml:28: classes.io.routes[1].steps[0]: a time is outside of any hold; expected delay, or station and time [QN209]",
    ),
    "a priority where nobody waits": (
        '{ delay = "1 ms" }',
        '{ delay = "1 ms", priority = 1 }',
        "model.toml:28: classes.io.routes[1].steps[0].priority: priority is used in a step without station or hold; "
        "expected priority with station or hold [QN209]",
    ),
    "causes of no work": (
        '{ delay = "1 ms" }',
        '{ delay = "1 ms", causes = ["too many users"] }',
        "model.toml:28: classes.io.routes[1].steps[0].causes: causes is used in a step without work; "
        "expected causes with work [QN209]",
    ),
    "a remainder that no station has": (
        '{ delay = "1 ms" }',
        '{ delay = "1 ms", remainder = true }',
        "model.toml:28: classes.io.routes[1].steps[0].remainder: remainder is used in a step other than a time inside a hold; "
        "expected remainder with a time inside a hold [QN209]",
    ),
    "the same cause twice": (
        '{ delay = "1 ms" }',
        '{ delay = "1 ms", work = "wait", causes = ["load", "load"] }',
        "model.toml:28: classes.io.routes[1].steps[0].causes: a text is repeated; expected distinct texts: "
        "with work: known causes of long times, which qnet why reports if it dominates [QN204]",
    ),
    "an unknown station": (
        '{ hold = "disk"',
        '{ hold = "dusk"',
        'model.toml:30: classes.io.routes[1].steps[2].hold: unknown station "dusk" [QN212]',
    ),
    "an unknown station with a time": (
        'steps = [ { station = "server", time = "work" } ]',
        'steps = [ { station = "sever", time = "work" } ]',
        'model.toml:22: classes.io.routes[0].steps[0].station: unknown station "sever" [QN212]',
    ),
    "a third phase": (
        "phase = 2",
        "phase = 3",
        "model.toml:34: classes.io.routes[1].steps[2].steps[1].steps[1].phase: found 3; expected an integer from 1 to 2 [QN204]",
    ),
    "keeps in phase 1": (
        "phase = 2, ",
        "",
        "model.toml:34: classes.io.routes[1].steps[2].steps[1].steps[1].keeps: keeps is used in phase 1; expected phase = 2, or no keeps [QN216]",
    ),
    "keeps of what is not held": (
        'keeps = ["disk"]',
        'keeps = ["server"]',
        'model.toml:34: classes.io.routes[1].steps[2].steps[1].steps[1].keeps: "server" is not held here; expected enclosing holds: disk, path [QN216]',
    ),
    "a priority of a class that no station heeds": (
        "[classes.io]\n",
        "[classes.io]\npriority = 1\n",
        "model.toml:17: classes.io.priority: no station has a discipline with priorities; "
        'expected discipline = "priority" or "preemptive" at a station [QN217]',
    ),
    "a priority of a class beyond all bounds": (
        "[classes.io]\n",
        "[classes.io]\npriority = 1e99\n",
        "model.toml:17: classes.io.priority: found 1e+99; expected an integer from -99 to 99 [QN204]",
    ),
    "a priority that is no number": (
        '{ hold = "path"',
        '{ priority = "high", hold = "path"',
        "model.toml:32: classes.io.routes[1].steps[2].steps[1].priority: found 'high'; expected an integer from -99 to 99 [QN204]",
    ),
    "a station held within itself": (
        '{ hold = "path"',
        '{ hold = "disk"',
        'model.toml:32: classes.io.routes[1].steps[2].steps[1].hold: "disk" is held already; '
        "expected a station that is not held here: a customer cannot wait for itself [QN218]",
    ),
    "stations that hold each other": (
        'steps = [ { station = "server", time = "work" } ]',
        'steps = [ { hold = "path", steps = [ { station = "disk", time = "work" } ] } ]',
        "model.toml:13: stations.disk: circular holds: disk -> path -> disk; expected holds nested in the same order [QN218]",
    ),
}
