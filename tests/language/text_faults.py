"""One fault each in the sound model, of its file, its values, expressions and parameters: what is replaced, by what, and what is told, to the letter."""

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
        'model.toml: "title" is missing; expected title of the model [QN203]',
    ),
    "a title with control characters": (
        "A server and its disks",
        "A\\u001b[31m",
        "model.toml:2: title: found 'A\\x1b[31m'; expected a line of text: title of the model [QN204]",
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
        "model.toml:17: classes.io.arrival_rate: inside('disk') is not defined here; expected a time or visits of a step inside a hold of \"disk\" [QN123]",
    ),
    "a number inside where it is only wanted": (
        '{ hold = "path", steps = [',
        '{ hold = "path", visits = "inside(\'path\')", steps = [',
        "model.toml:32: classes.io.routes[1].steps[2].steps[1].visits: inside('path') is not defined here; expected a time or visits of a step inside a hold of \"path\" [QN123]",
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
        "expected no parameter that depends on itself [QN210]",
    ),
    "a parameter of itself": (
        "disks = 2",
        'disks = "disks + 1"',
        "model.toml:9: parameters.disks: the parameters are circular: disks -> disks; expected no parameter that depends on itself [QN210]",
    ),
    "a parameter called like a unit": (
        "disks = 2",
        "disks = 2\nms = 1",
        'model.toml:10: parameters.ms: "ms" is the name of a unit; expected another name [QN207]',
    ),
    "a parameter called like a function": (
        "disks = 2",
        "disks = 2\nmax = 1",
        'model.toml:10: parameters.max: "max" is a reserved word of expressions; expected another name [QN207]',
    ),
    "a parameter called like a figure": (
        "disks = 2",
        "disks = 2\nthroughput = 1",
        'model.toml:10: parameters.throughput: "throughput" is a reserved word of expressions; expected another name [QN207]',
    ),
    "a parameter called like a word of Python": (
        "disks = 2",
        "disks = 2\nlambda = 1",
        'model.toml:10: parameters.lambda: "lambda" is a reserved word of expressions; expected another name [QN207]',
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
        "model.toml:7: parameters.mode.options: the list is empty; expected the words that the parameter may take [QN204]",
    ),
    "a choice with one word twice": (
        '["fast", "slow"]',
        '["fast", "fast"]',
        "model.toml:7: parameters.mode.options: a text is repeated; expected distinct texts: the words a choice parameter may take [QN204]",
    ),
    "a choice with a range": (
        'value = "fast"',
        'value = "fast", range = [0, 1]',
        "model.toml:7: parameters.mode.range: a range is given together with options; expected options, or a range [QN204]",
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
}
