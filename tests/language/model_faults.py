"""One fault each in the sound model: what is replaced, by what, and what is told, to the letter."""

# ruff: noqa: E501  (messages stand on one line, as they are printed)

from __future__ import annotations

from language_models import SOUND

FAULTS: dict[str, tuple[str, str, str]] = {
    # The file
    "no version": ("qnet = 1\n", "", 'model.toml: "qnet" is missing; expected version of the language: 1 [QN203]'),
    "another version": (
        "qnet = 1",
        "qnet = 2",
        "model.toml:1: qnet: found 2; expected version 1 of the model language [QN205]",
    ),
    "no title": (
        'title = "A server and its disks"\n',
        "",
        'model.toml: "title" is missing; expected what the model is of [QN203]',
    ),
    "a title with control characters": (
        "A server and its disks",
        "A\\u001b[31m",
        "model.toml:2: title: found 'A\\x1b[31m'; expected a line of text: what the model is of [QN204]",
    ),
    "an unknown section": ("[limits.buffer]", "[limit.buffer]", 'model.toml:39: limit: unknown key "limit" [QN202]'),
    "a section that is no table": (
        SOUND[SOUND.index("[envelopes.ten_ms]") :],
        "[[envelopes]]\n",
        "model.toml:46: envelopes: found a list; expected a table [envelopes] [QN201]",
    ),
    # Values
    "an unknown key": (
        "servers = 2",
        "server = 2",
        'model.toml:12: stations.server.server: unknown key "server" [QN202]',
    ),
    "a missing key": (
        'name = "hit"\n',
        "",
        'model.toml:19: classes.io.routes[0]: "name" is missing; expected name of the route [QN203]',
    ),
    "a number where a table is wanted": (
        "path = {}",
        "path = 1",
        "model.toml:14: stations.path: found 1; expected a table with servers, rates, capacity, discipline, delay, copies, split, follows, note [QN201]",
    ),
    "a truth value for a number": (
        "servers = 2",
        "servers = true",
        "model.toml:12: stations.server.servers: found true; expected a number or an expression in quotes [QN204]",
    ),
    "a list for a number": (
        "servers = 2",
        "servers = [2]",
        "model.toml:12: stations.server.servers: found a list; expected a number or an expression in quotes [QN204]",
    ),
    "an infinite number": (
        "servers = 2",
        "servers = inf",
        "model.toml:12: stations.server.servers: found inf; expected a finite number [QN204]",
    ),
    "a number of 400 digits": (
        "servers = 2",
        "servers = 1" + "0" * 400,
        "model.toml:12: stations.server.servers: found 1000000000000000000000000000000000000...; expected a finite number [QN204]",
    ),
    "an unknown discipline": (
        "servers = 2",
        'discipline = "ffs"',
        "model.toml:12: stations.server.discipline: found 'ffs'; expected one of fcfs, ps, lcfs-pr, priority, preemptive [QN204]",
    ),
    "a flag that is no truth value": (
        "path = {}",
        "path = { delay = 1 }",
        "model.toml:14: stations.path.delay: found 1; expected true or false [QN204]",
    ),
    # Expressions
    "a missing unit": (
        'arrival_rate = "rate"',
        "arrival_rate = 20",
        'model.toml:17: classes.io.arrival_rate: "20" is a plain number; expected a rate (such as 600/s) [QN122]',
    ),
    "a missing unit of a literal": (
        '{ time = "5 ms" }',
        '{ time = "5" }',
        'model.toml:31: classes.io.routes[1].steps[2].steps[0].time: "5" is a plain number; expected a time (such as 10 ms) [QN122]',
    ),
    "an ambiguous unit": (
        'capacity = "1 MiB/s"',
        'capacity = "1 KB/s"',
        'model.toml:41: limits.buffer.capacity: the unit "KB" is ambiguous or unknown [QN101]',
    ),
    "bytes where seconds belong": (
        '{ time = "5 ms" }',
        '{ time = "4 KiB" }',
        'model.toml:31: classes.io.routes[1].steps[2].steps[0].time: "4 KiB" is an amount of data (such as 4 KiB); '
        "expected a time (such as 10 ms) [QN122]",
    ),
    "bytes added to seconds": (
        '{ time = "5 ms" }',
        '{ time = "5 ms + 4 KiB" }',
        "model.toml:31: classes.io.routes[1].steps[2].steps[0].time: the expression adds or subtracts (+) "
        "a time (such as 10 ms) and an amount of data (such as 4 KiB) [QN120]",
    ),
    "an unknown name": (
        'arrival_rate = "rate"',
        'arrival_rate = "rte"',
        'model.toml:17: classes.io.arrival_rate: unknown name "rte" [QN112]',
    ),
    "an unknown option": (
        "mode == 'fast'",
        "mode == 'fats'",
        'model.toml:8: parameters.work: "fats" is not an option of "mode" [QN121]',
    ),
    "a fault of syntax": (
        'probability = "1 - hit"',
        'probability = "1 - "',
        "model.toml:26: classes.io.routes[1].probability: the expression is not complete or not well formed [QN110]",
    ),
    "an expression that nests 10,000 deep": (
        'arrival_rate = "rate"',
        f'arrival_rate = "{"(" * 10_000}rate{")" * 10_000}"',
        "model.toml:17: classes.io.arrival_rate: the expression has 20004 characters [QN111]",
    ),
    "servers that depend on the solution": (
        "servers = 2",
        "servers = \"1 + utilization('disk')\"",
        "model.toml:12: stations.server.servers: \"1 + utilization('disk')\" depends on the solution; expected a value known before solving [QN123]",
    ),
    "a number inside where nobody is": (
        'arrival_rate = "rate"',
        "arrival_rate = \"rate / inside('disk')\"",
        "model.toml:17: classes.io.arrival_rate: inside('disk') stands for no number here; expected a time or visits of a step inside a hold of \"disk\" [QN123]",
    ),
    "a number inside where it is only wanted": (
        '{ hold = "path", steps = [',
        '{ hold = "path", visits = "inside(\'path\')", steps = [',
        "model.toml:32: classes.io.routes[1].steps[2].steps[1].visits: inside('path') stands for no number here; expected a time or visits of a step inside a hold of \"path\" [QN123]",
    ),
    "a number inside of no station": (
        '{ time = "5 ms" }',
        "{ time = \"5 ms * inside('disc')\" }",
        "model.toml:31: classes.io.routes[1].steps[2].steps[0].time: unknown name \"inside('disc')\" [QN112]",
    ),
    "copies that depend on the solution through a parameter": (
        "disks = 2",
        "disks = \"queue_length('path')\"",
        'model.toml:13: stations.disk.copies: "disks" depends on the solution; expected a value known before solving [QN123]',
    ),
    # Parameters
    "circular parameters": (
        "disks = 2",
        'disks = "drives"\ndrives = "disks + 1"',
        "model.toml:9: parameters.disks: the parameters are circular: disks -> drives -> disks; "
        "expected each parameter from others that do not need it [QN210]",
    ),
    "a parameter of itself": (
        "disks = 2",
        'disks = "disks + 1"',
        "model.toml:9: parameters.disks: the parameters are circular: disks -> disks; expected each parameter from others that do not need it [QN210]",
    ),
    "a parameter called like a unit": (
        "disks = 2",
        "disks = 2\nms = 1",
        'model.toml:10: parameters.ms: "ms" is the name of a unit; expected another name [QN207]',
    ),
    "a parameter called like a function": (
        "disks = 2",
        "disks = 2\nmax = 1",
        'model.toml:10: parameters.max: "max" has a meaning of its own in expressions; expected another name [QN207]',
    ),
    "a parameter called like a figure": (
        "disks = 2",
        "disks = 2\nthroughput = 1",
        'model.toml:10: parameters.throughput: "throughput" has a meaning of its own in expressions; expected another name [QN207]',
    ),
    "a parameter called like a word of Python": (
        "disks = 2",
        "disks = 2\nlambda = 1",
        'model.toml:10: parameters.lambda: "lambda" has a meaning of its own in expressions; expected another name [QN207]',
    ),
    "a parameter that no expression can name": (
        "disks = 2",
        'disks = 2\n"a b" = 1',
        'model.toml:10: parameters."a b": "a b" cannot be used in expressions; '
        "expected letters, digits and _, not starting with a digit, 100 at most [QN207]",
    ),
    "a range of one value": (
        "range = [0, 1]",
        "range = [0]",
        "model.toml:6: parameters.hit.range: found a list; expected two values: [least, greatest] [QN204]",
    ),
    "a range of another dimension": (
        "range = [0, 1]",
        'range = [0, "1 ms"]',
        'model.toml:6: parameters.hit.range[1]: "1 ms" is a time (such as 10 ms); expected a plain number [QN122]',
    ),
    "a value that is no option": (
        'value = "fast"',
        'value = "fats"',
        "model.toml:7: parameters.mode.value: found 'fats'; expected one of fast, slow [QN204]",
    ),
    "a choice without words": (
        '["fast", "slow"]',
        "[]",
        "model.toml:7: parameters.mode.options: found an empty list; expected the words that the parameter may take [QN204]",
    ),
    "a choice with one word twice": (
        '["fast", "slow"]',
        '["fast", "fast"]',
        "model.toml:7: parameters.mode.options: found the same text twice; expected different texts: the words a choice parameter may take [QN204]",
    ),
    "a choice with a range": (
        'value = "fast"',
        'value = "fast", range = [0, 1]',
        "model.toml:7: parameters.mode.range: found a range beside options; expected options, or a range [QN204]",
    ),
    "a unit of another dimension": (
        "range = [0, 1]",
        'unit = "ms"',
        'model.toml:6: parameters.hit.unit: "ms" is a time (such as 10 ms); expected a plain number [QN122]',
    ),
    "an unknown unit to show": (
        "range = [0, 1]",
        'unit = "KB"',
        'model.toml:6: parameters.hit.unit: the unit "KB" is ambiguous or unknown [QN101]',
    ),
    "an unknown grade": (
        "range = [0, 1]",
        'grade = "guessed"',
        "model.toml:6: parameters.hit.grade: found 'guessed'; expected one of measured, datasheet, derived, textbook, fitted, assumed [QN204]",
    ),
    "a source that is no text": (
        "range = [0, 1]",
        "source = 5",
        "model.toml:6: parameters.hit.source: found 5; expected a text or a list of texts: key of a source in the catalog, or a list of keys [QN204]",
    ),
    "an unknown part": (
        "[parameters]",
        '[uses]\ndisk = "dasd/ibm-3390-33"\n[parameters]',
        'model.toml:5: uses.disk: unknown part "dasd/ibm-3390-33" [QN301]',
    ),
    "a part that is no text": (
        "[parameters]",
        "[uses]\ndisk = 3390\n[parameters]",
        'model.toml:5: uses.disk: found 3390; expected the name of a catalog part, such as "dasd/ibm-3390-3" [QN204]',
    ),
    "an empty list of parts": (
        "[parameters]",
        "[[uses]]\n[parameters]",
        "model.toml:4: uses: found a list; expected a table [uses] [QN201]",
    ),
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
        'model.toml:15: stations.arm.follows: "path" follows another station itself; expected a station with a split of its own [QN213]',
    ),
    "copies beside follows": (
        "path = {}",
        'path = { follows = "disk", copies = 2 }',
        'model.toml:14: stations.path.copies: found copies beside follows; expected no copies: copies and split are those of "disk" [QN213]',
    ),
    "servers of a delay": (
        "path = {}",
        "path = { delay = true, servers = 2 }",
        "model.toml:14: stations.path.servers: found servers beside delay = true; expected no servers: a delay has as many servers as customers [QN213]",
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
        "model.toml:18: classes.io.arrival_scv: found arrivals in a closed class; expected arrival_scv only beside arrival_rate [QN214]",
    ),
    "a think time in an open class": (
        'arrival_rate = "rate"\n',
        'arrival_rate = "rate"\nthink_time = "5 s"\n',
        "model.toml:18: classes.io.think_time: found a think time in an open class; expected a think time only beside population [QN214]",
    ),
    "steps beside routes": (
        'arrival_rate = "rate"\n',
        'arrival_rate = "rate"\nsteps = []\n',
        "model.toml:16: classes.io: a class needs either routes or steps; expected [[classes.NAME.routes]], or steps for the only route [QN208]",
    ),
    "a route of no steps": (
        'steps = [ { station = "server", time = "work" } ]',
        "steps = []",
        "model.toml:22: classes.io.routes[0].steps: found an empty list, which takes no time; expected steps, or one of no time: [ { delay = 0 } ] [QN201]",
    ),
    "a hold of no steps": (
        """    { hold = "path", steps = [
      { time = "2 ms" },
      { phase = 2, keeps = ["disk"], time = "1 ms" },
    ] },
""",
        '    { hold = "path", steps = [] },\n',
        "model.toml:32: classes.io.routes[1].steps[2].steps[1].steps: found an empty list, which takes no time; expected steps, or one of no time: [ { delay = 0 } ] [QN201]",
    ),
    "an empty list of routes": (
        "[limits.buffer]",
        '[classes.other]\narrival_rate = "1/s"\nroutes = []\n[limits.buffer]',
        "model.toml:41: classes.other.routes: found an empty list; expected tables [[classes.NAME.routes]] [QN201]",
    ),
    "two routes of one name": (
        'name = "miss"',
        'name = "hit"',
        'model.toml:25: classes.io.routes[1].name: there are two routes "hit" in this class; expected names of their own [QN215]',
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
        "model.toml:28: classes.io.routes[1].steps[0]: found a step with none of its forms; "
        "expected one of: delay; station and time; hold and steps; time (inside a hold); parallel; fill [QN209]",
    ),
    "a step of two forms": (
        '{ delay = "1 ms" }',
        '{ delay = "1 ms", time = "1 ms" }',
        "model.toml:28: classes.io.routes[1].steps[0]: found a step with delay, time; "
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
        'model.toml:28: classes.io.routes[1].steps[0].parallel[0]: "steps" is missing; expected what happens in the branch, in order [QN203]',
    ),
    "a join without branches": (
        '{ delay = "1 ms" }',
        '{ delay = "1 ms", join = 1 }',
        "model.toml:28: classes.io.routes[1].steps[0].join: found join in a step without branches; expected join beside parallel [QN209]",
    ),
    "an unknown station in a branch": (
        '{ delay = "1 ms" }',
        '{ parallel = [ { steps = [ { station = "dsk", time = "1 ms" } ] } ] }',
        'model.toml:28: classes.io.routes[1].steps[0].parallel[0].steps[0].station: unknown station "dsk" [QN212]',
    ),
    "a time outside of any hold": (
        '{ delay = "1 ms" }',
        '{ time = "1 ms" }',
        "model.toml:28: classes.io.routes[1].steps[0]: found a time outside of any hold; expected delay, or station and time [QN209]",
    ),
    "a priority where nobody waits": (
        '{ delay = "1 ms" }',
        '{ delay = "1 ms", priority = 1 }',
        "model.toml:28: classes.io.routes[1].steps[0].priority: found priority in a step that waits for no station; "
        "expected priority beside station or hold [QN209]",
    ),
    "causes of no work": (
        '{ delay = "1 ms" }',
        '{ delay = "1 ms", causes = ["too many users"] }',
        "model.toml:28: classes.io.routes[1].steps[0].causes: found causes in a step that states no kind of work; "
        "expected work beside causes [QN209]",
    ),
    "the same cause twice": (
        '{ delay = "1 ms" }',
        '{ delay = "1 ms", work = "wait", causes = ["load", "load"] }',
        "model.toml:28: classes.io.routes[1].steps[0].causes: found the same text twice; expected different texts: "
        "beside work: what is known to make it long, which qnet why tells where it dominates [QN204]",
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
        "model.toml:34: classes.io.routes[1].steps[2].steps[1].steps[1].phase: found 3; expected a whole number from 1 to 2 [QN204]",
    ),
    "keeps in phase 1": (
        "phase = 2, ",
        "",
        "model.toml:34: classes.io.routes[1].steps[2].steps[1].steps[1].keeps: found keeps in phase 1; expected phase = 2, or no keeps [QN216]",
    ),
    "keeps of what is not held": (
        'keeps = ["disk"]',
        'keeps = ["server"]',
        'model.toml:34: classes.io.routes[1].steps[2].steps[1].steps[1].keeps: "server" is not held here; expected enclosing holds: disk, path [QN216]',
    ),
    "a priority of a class that no station heeds": (
        "[classes.io]\n",
        "[classes.io]\npriority = 1\n",
        "model.toml:17: classes.io.priority: no station serves by the priority of classes; "
        'expected discipline = "priority" or "preemptive" at a station [QN217]',
    ),
    "a priority of a class beyond all bounds": (
        "[classes.io]\n",
        "[classes.io]\npriority = 1e99\n",
        "model.toml:17: classes.io.priority: found 1e+99; expected a whole number from -99 to 99 [QN204]",
    ),
    "a priority that is no number": (
        '{ hold = "path"',
        '{ priority = "high", hold = "path"',
        "model.toml:32: classes.io.routes[1].steps[2].steps[1].priority: found 'high'; expected a whole number from -99 to 99 [QN204]",
    ),
    "a station held within itself": (
        '{ hold = "path"',
        '{ hold = "disk"',
        'model.toml:32: classes.io.routes[1].steps[2].steps[1].hold: "disk" is held already; '
        "expected a station that is not held here: nobody can wait for himself [QN218]",
    ),
    "stations that hold each other": (
        'steps = [ { station = "server", time = "work" } ]',
        'steps = [ { hold = "path", steps = [ { station = "disk", time = "work" } ] } ]',
        "model.toml:13: stations.disk: stations hold each other in a circle: disk -> path -> disk; expected holds that always nest the same way [QN218]",
    ),
    # Results
    "a limit of two dimensions": (
        'capacity = "1 MiB/s"',
        'capacity = "1 MiB"',
        'model.toml:41: limits.buffer.capacity: "1 MiB" is an amount of data (such as 4 KiB); expected a data rate (such as 17 MB/s) [QN122]',
    ),
    "an output in a wrong unit": (
        'unit = "MiB/s"',
        'unit = "MiB"',
        'model.toml:44: outputs.data_rate.unit: "MiB" is an amount of data (such as 4 KiB); expected a data rate (such as 17 MB/s) [QN122]',
    ),
    "an output called like a parameter": (
        "data_rate = {",
        "rate = {",
        'model.toml:44: outputs.rate: "rate" is a parameter already; expected a name of its own [QN207]',
    ),
    "an output over an unknown route": (
        '"throughput * 4 KiB"',
        "\"throughput('hits') * 4 KiB\"",
        "model.toml:44: outputs.data_rate.value: unknown name \"throughput('hits')\" [QN112]",
    ),
    # Knee
    "a knee along nothing known": (
        "[envelopes.ten_ms]",
        '[knee]\nvary = "rte"\nlimit = "response <= 1 s"\n[envelopes.ten_ms]',
        'model.toml:47: knee.vary: unknown parameter "rte" [QN004]',
    ),
    "a knee with half a limit": (
        "[envelopes.ten_ms]",
        '[knee]\nlimit = ["response <= 1 s", "response"]\n[envelopes.ten_ms]',
        'model.toml:47: knee.limit[1]: in the condition "response": this is not a condition [QN110]',
    ),
    "a knee without a limit": (
        "[envelopes.ten_ms]",
        "[knee]\n[envelopes.ten_ms]",
        'model.toml:46: knee: "limit" is missing; expected the service levels, such as response <= 1 s [QN203]',
    ),
    # Envelopes
    "an envelope that varies nothing known": (
        'vary = "rate"',
        'vary = "rte"',
        'model.toml:47: envelopes.ten_ms.vary: unknown parameter "rte" [QN004]',
    ),
    "an envelope that varies a choice": (
        'vary = "rate"',
        'vary = "mode"',
        'model.toml:47: envelopes.ten_ms.vary: "mode" is a choice and has no largest value; expected a number to vary [QN004]',
    ),
    "an envelope with half a limit": (
        'limit = "response <= 10 ms"',
        'limit = "response"',
        'model.toml:48: envelopes.ten_ms.limit: in the condition "response": this is not a condition [QN110]',
    ),
    "an envelope over an impossible grid": (
        'over = "hit = 0:1:0.5"',
        'over = ["mode = fast", "hit = 0:1:-1"]',
        'model.toml:49: envelopes.ten_ms.over[1]: in the grid "hit = 0:1:-1": the step does not lead from the first to the last value [QN010]',
    ),
    "an envelope over what it varies": (
        'over = "hit = 0:1:0.5"',
        'over = "rate = 1/s, 2/s"',
        'model.toml:49: envelopes.ten_ms.over: "rate" is both varied and part of the grid; expected another parameter [QN010]',
    ),
    "an envelope over a number": (
        'over = "hit = 0:1:0.5"',
        "over = 5",
        "model.toml:49: envelopes.ten_ms.over: found 5; expected a text or a list of texts: "
        "the grid, such as write_fraction = 0:0.5:0.1, or a list of them [QN204]",
    ),
    "an envelope that sets an unknown parameter": (
        'over = "hit = 0:1:0.5"',
        "set = { hits = 0.5 }",
        'model.toml:49: envelopes.ten_ms.set: unknown parameter "hits" [QN004]',
    ),
    "an envelope that sets a table": (
        'over = "hit = 0:1:0.5"',
        "set = { hit = { value = 0.5 } }",
        "model.toml:49: envelopes.ten_ms.set.hit: found a table; expected a number or an expression in quotes [QN204]",
    ),
    "an envelope of an unknown route": (
        'over = "hit = 0:1:0.5"',
        'route = "hits"',
        'model.toml:49: envelopes.ten_ms.route: unknown route "hits" [QN219]',
    ),
    # Costs
    "a cost of no station": (
        'of = ["server", "path"]\n',
        "",
        'model.toml:51: costs.per_hit: "of" is missing; expected whose busy server time it is: a station, a list of them, or "all" queues [QN203]',
    ),
    "a cost of an unknown station": (
        'of = ["server", "path"]',
        'of = ["server", "paths"]',
        'model.toml:52: costs.per_hit.of: unknown station "paths" [QN212]',
    ),
    "a cost per something unknown": (
        'per = "hit"',
        'per = "hits"',
        'model.toml:53: costs.per_hit.per: unknown name "hits" [QN112]',
    ),
    "a cost per figure of the system": (
        'per = "hit"',
        'per = "throughput"',
        'model.toml:53: costs.per_hit.per: unknown name "throughput" [QN112]',
    ),
    "a cost in a unit of another dimension": (
        'routes = "hit"',
        'unit = "ms/MB"',
        'model.toml:54: costs.per_hit.unit: "ms/MB" is a time per byte; expected a time (such as 10 ms) [QN122]',
    ),
    "a cost of an unknown route": (
        'routes = "hit"',
        'routes = ["hit", "mess"]',
        'model.toml:54: costs.per_hit.routes: unknown route "mess" [QN245]',
    ),
    "a cost of an unknown class": (
        'routes = "hit"',
        'class = "oi"',
        'model.toml:54: costs.per_hit.class: unknown class "oi" [QN245]',
    ),
    "a cost of work that no step does": (
        'routes = "hit"',
        'work = "paging"',
        'model.toml:54: costs.per_hit.work: unknown work "paging" [QN245]',
    ),
}
