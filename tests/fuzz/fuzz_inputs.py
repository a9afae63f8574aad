"""The inputs of a seed: for every door a generator of sound inputs, and mutation of these and of the shipped files."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any

import fuzz_text
from fuzz_case import ROOT, Case
from fuzz_failure import VALUES

sys.path.append(str(ROOT / "tests" / "campaigns"))

QUICK = {"expression": 50, "python": 20, "model": 14, "command": 10, "rows": 6}
"""How many inputs of a hundred go through each door, in the tests."""
FULL = {"expression": 30, "python": 22, "model": 24, "command": 14, "rows": 10}

_QUICK_BYTES = 900
"""Shipped files that are mutated in the tests are no longer than that."""
_SLOW = {"validate", "study", "catalog"}
"""Commands of which one run is a hundred of the others; they are asked with a hundredth of the share."""


def cases(seed: int, count: int, quick: bool = False, start: int = 0) -> Iterator[tuple[int, Case]]:
    """So many inputs of a seed, each with its index."""
    for index in range(start, start + count):
        yield index, case(seed, index, quick)


def case(seed: int, index: int, quick: bool = False) -> Case:
    """One input."""
    rng = Random(f"fuzz {seed} {index} {quick}")
    shares = QUICK if quick else FULL
    door = rng.choices(list(shares), list(shares.values()))[0]
    return _DOORS[door](rng, quick)


@cache
def shipped(quick: bool = False) -> dict[str, str]:
    """The text of every shipped system and example, by what a command line calls it."""
    texts = {f"examples/{path.name}": path.read_text() for path in sorted((ROOT / "examples").glob("*.toml"))}
    texts |= {path.stem: path.read_text() for path in sorted((ROOT / "catalog" / "systems").glob("*.toml"))}
    return {name: text for name, text in texts.items() if not quick or len(text) < _QUICK_BYTES}


@cache
def parameters(name: str) -> tuple[str, ...]:
    """Names of the parameters of a shipped model."""
    text = {**shipped()}[name].partition("[parameters]")[2].partition("\n[")[0]
    return tuple(re.findall(r"^(\w+)\s*=", text, re.MULTILINE)) or ("rate",)


# Expressions

_PLAIN_WORDS = ("a", "b", "c", "zero", "one", "huge", "tiny", "minus")
_WORDS = (*VALUES, "way == 'fast'", "way", "unknown", "utilization('cpu')", "min", "inf", "nan")
_CALLS = (
    ("min", 2), ("max", 3), ("abs", 1), ("ceil", 1), ("floor", 1), ("round", 1), ("sqrt", 1), ("exp", 1), ("log", 1),
    ("where", 3),
    ("interp", 5), ("cache_miss", 4), ("residency_miss", 4), ("lifetime", 4), ("lifetime_s", 3),
    ("missed_revolutions", 3),
)  # fmt: skip


def _expression_text(rng: Random, plain: bool = False, depth: int = 0) -> str:
    """An expression; a plain one has numbers only, and so is mostly evaluated."""
    if depth > 3 or rng.random() < 0.25:
        if plain and rng.random() < 0.97:
            return rng.choice(_PLAIN_WORDS) if rng.random() < 0.5 else fuzz_text.number(rng)
        return rng.choice(_WORDS) if rng.random() < 0.5 else fuzz_text.value(rng)

    def inner() -> str:
        return _expression_text(rng, plain, depth + 1)

    form = rng.randrange(4)
    if form < 2:
        operator = rng.choice(("+", "-", "*", "/", "//", "**", "+", "*"))
        return f"({inner()} {operator} {inner()})" if rng.random() < 0.6 else f"{inner()} {operator} {inner()}"
    if form == 2:
        function, count = rng.choice(_CALLS)
        count += rng.choice((0, 0, 0, 0, 0, 1, -1, 2))
        arguments = [inner() for _ in range(max(count, 0))]
        if function == "where" and arguments:
            arguments[0] = f"{inner()} {rng.choice(('<', '<=', '>', '==', '!=', '>='))} {inner()}"
        return f"{function}({', '.join(arguments)})"
    return f"{rng.choice('-+')}{inner()}"


def _expression(rng: Random, quick: bool) -> Case:
    text = _expression_text(rng, plain=rng.random() < 0.7)
    if rng.random() < 0.2:
        text = fuzz_text.mutated(rng, text, _expression_text(rng))
    return Case("expression", (), text)


# Models

_QUESTIONS = (
    ("solve", 8), ("check", 8), ("bottleneck", 1), ("why", 1), ("knee", 1), ("envelope", 1), ("cost", 1),
    ("sensitivity", 1), ("sweep", 1), ("formula", 1),
)  # fmt: skip
_QUICK_QUESTIONS = (("solve", 3), ("check", 7))


def _model(rng: Random, quick: bool) -> Case:
    texts = shipped(quick)
    name = rng.choice(list(texts))
    text, other = texts[name], rng.choice(list(texts.values()))
    if not quick and rng.random() < 0.3:
        from model_generator import model

        text = model(rng.randrange(10**6)).text
    text = _value_changed(rng, text) if rng.random() < 0.5 else fuzz_text.mutated(rng, text, other)
    if rng.random() < 0.15:
        text = _value_changed(rng, text)
    questions = _QUICK_QUESTIONS if quick else _QUESTIONS
    question = rng.choices([item for item, _ in questions], [share for _, share in questions])[0]
    return Case("model", _asked(rng, question, "-", text), text)


def _value_changed(rng: Random, text: str) -> str:
    """A value of the model in place of another: what users get wrong most."""
    places = list(re.finditer(r"=\s*(\"[^\"\n]*\"|[\w.+-]+)", text))
    if not places:
        return fuzz_text.mutated(rng, text)
    place = rng.choice(places)
    kept = re.match(r'"?([\d.]+)([^"]*)"?$', place[1])
    if kept and rng.random() < 0.6:
        # The unit stays, so that the model is mostly sound.
        number = fuzz_text.number(rng)
        quoted = place[1].startswith('"') or not number[0].isdigit()
        new = f'"{number}{kept[2]}"' if quoted else number
        return text[: place.start(1)] + new + text[place.end(1) :]
    names = re.findall(r"^(\w+)\s*=", text, re.MULTILINE)
    new = fuzz_text.value(rng, names)
    if rng.random() < 0.8:
        new = '"' + new.replace('"', "'") + '"'
    return text[: place.start(1)] + new + text[place.end(1) :]


def _asked(rng: Random, question: str, system: str, text: str) -> tuple[str, ...]:
    words = [question, system]
    names = re.findall(r"^(\w+)\s*=", text.partition("[parameters]")[2].partition("\n[")[0], re.MULTILINE) or ["rate"]
    if question == "sweep":
        words += ["--vary", f"{rng.choice(names)}={_grid(rng)}"]
    if question == "envelope" and "[envelopes" not in text:
        words += ["--vary", rng.choice(names), "--limit", f"response <= {fuzz_text.number(rng)} s"]
    if question == "cost" and "[costs" not in text:
        words += ["--of", "all"]
    if question != "check":
        words += [rng.choice(("--csv", "--json", "--jsonl", "--md", "--ascii"))]
    return tuple(words)


def _grid(rng: Random) -> str:
    number = fuzz_text.number
    if rng.random() < 0.5:
        return rng.choice(("1:4", "0.1, 0.5, 0.9", "log(1, 100, 3)", "1:2:0.5", "0, 1", "10, 20"))
    return rng.choice((
        f"{number(rng)}:{number(rng)}:{number(rng)}", f"{number(rng)}, {number(rng)}", f"1:{rng.randrange(2, 9)}",
        f"log({number(rng)}, {number(rng)}, {rng.randrange(1, 5)})", fuzz_text.value(rng),
        f"{number(rng)}:{number(rng)}",
    ))  # fmt: skip


# Command lines

_LIMITS = ("response <= 1 s", "utilization('cpu') < 0.8", "response_p95 < 1 s", "throughput >= 1/s", "wait <= 1 ms")


def _word(rng: Random, option: str, name: str) -> str:
    """A value for an option: a fitting one, or anything."""
    parameter = rng.choice(parameters(name))

    def fit() -> str:
        """A value with the unit that the parameter has in the model."""
        stated = re.search(
            rf'^{parameter}\s*=\s*(?:{{\s*value\s*=\s*)?"?[\d.]+([^",\n}}]*)', shipped()[name], re.MULTILINE
        )
        return fuzz_text.number(rng) + (stated[1].rstrip() if stated and rng.random() < 0.8 else "")

    if rng.random() < 0.05:
        return fuzz_text.mutated(rng, fuzz_text.value(rng))
    fitting: dict[str, Callable[[], str]] = {
        "--parameter": lambda: f"{parameter}={fit()}",
        "--against-parameter": lambda: f"{parameter}={fit()}",
        "--with": lambda: f"{parameter}={fit()}",
        "--vary": lambda: f"{parameter}={_grid(rng)}" if rng.random() < 0.6 else parameter,
        "--over": lambda: f"{parameter}={_grid(rng)}",
        "--limit": lambda: rng.choice(_LIMITS).replace("1", fuzz_text.number(rng)),
        "--assert": lambda: rng.choice(_LIMITS).replace("1", fuzz_text.number(rng)),
        "--metric": lambda: rng.choice(("response", "throughput", "utilization('cpu')", fuzz_text.value(rng))),
        "--of": lambda: rng.choice(("response", "all", "cpu", fuzz_text.value(rng))),
        "--by": lambda: parameter, "--fit": lambda: parameter, "--keep": lambda: parameter,
        "--solve-for": lambda: parameter,
        "--station": lambda: f"{rng.choice(('cpu', 'disk', 'a b', 'π'))}={fuzz_text.value(rng)}",
        "--delay": lambda: f"{rng.choice(('think', 'net'))}={fuzz_text.value(rng)}",
        "--servers": lambda: f"{rng.choice(('cpu', 'disk'))}={fuzz_text.number(rng)}",
        "--range": lambda: f"{parameter}={fit()}:{fit()}",
        "--between": lambda: f"{parameter}={fit()}:{fit()}",
        "--spread": lambda: f"{parameter}={fuzz_text.number(rng)}",
        "--method": lambda: rng.choice(("auto", "mva", "linearizer", "convolution", "bard-schweitzer", "qna", "aql")),
        "--bounds": lambda: rng.choice(("asymptotic", "balanced", "composite", "geometric")),
        "--output": lambda: rng.choice(("out.csv", "out.json", "out.xlsx", "-", "no/where.md", "examples")),
        "--write": lambda: rng.choice(("out.toml", "examples/one-queue.toml")),
        "--sample": lambda: str(rng.randrange(1, 20)), "--starts": lambda: "1",
        "--against": lambda: rng.choice(list(shipped())),
        "--operations": lambda: rng.choice(("1e6", "1e8", fuzz_text.number(rng))),
        "--memory": lambda: rng.choice(("1 MB", "100 MB", fuzz_text.value(rng))),
        "--unit": lambda: rng.choice(fuzz_text.UNITS),
        "--percentile": lambda: rng.choice(("0.95", "95", fuzz_text.number(rng))),
    }  # fmt: skip
    return fitting.get(option, lambda: fuzz_text.value(rng))()


@cache
def commands() -> dict[str, Any]:
    """Every command of qnet, by name."""
    from qnet.cli.commands import COMMANDS
    from qnet.cli.group import qnet

    return {name: qnet.get_command(None, name) for name in COMMANDS}  # type: ignore[arg-type]


def _command(rng: Random, quick: bool) -> Case:
    known = commands()
    quick_ones = ("solve", "queue", "check", "explain", "methods", "schema", "queue", "solve")
    verb = rng.choice(quick_ones) if quick else rng.choice(list(known))
    if verb in _SLOW and rng.random() < 0.95:
        verb = "queue"
    name = rng.choice(list(shipped(quick)))
    words, text = [verb], ""
    if verb == "queue":
        words += _queue_words(rng)
    elif rng.random() < 0.15 and verb in ("solve", "knee", "bottleneck", "why", "sensitivity", "sweep", "envelope"):
        words += _inline_words(rng)
        name = "examples/central-server.toml"
    elif verb == "explain":
        words.append(rng.choice(("QN101", "QN405", "QN999", fuzz_text.value(rng))))
    elif verb not in ("methods", "schema", "completion", "validate", "study"):
        words.append(name)
        if verb == "calibrate":
            words.append("examples/measured-intervals.csv")
    options = [item for item in known[verb].params if getattr(item, "opts", [""])[0].startswith("-")]
    inline = ("--station", "--delay", "--servers", "--arrival-rate", "--population", "--think-time")
    for option in rng.sample(options, min(rng.choice((0, 1, 1, 2, 3)), len(options))):
        longest = max(option.opts, key=len)
        if longest in inline and verb not in ("queue", "calibrate") and rng.random() < 0.8:
            continue
        if longest == "--help" and rng.random() < 0.9:
            continue
        words.append(longest)
        if not option.is_flag:
            words.append(_word(rng, longest, name))
    if verb == "compare":
        words += ["--with", _word(rng, "--with", name)]
    if rng.random() < 0.25:
        at = rng.randrange(len(words))
        words[at] = fuzz_text.mutated(rng, words[at], changes=1)
    return Case("command", tuple(map(_harmless, words)), text)


def _inline_words(rng: Random) -> list[str]:
    words = ["--station", f"cpu={fuzz_text.number(rng)}{rng.choice(('ms', 's', 's', ''))}"]
    if rng.random() < 0.6:
        words += ["--station", f"{rng.choice(('disk', 'a b', 'π', 'x.y'))}={fuzz_text.number(rng)}ms"]
    if rng.random() < 0.3:
        words += ["--servers", f"cpu={fuzz_text.number(rng)}"]
    if rng.random() < 0.5:
        return [*words, "--arrival-rate", f"{fuzz_text.number(rng)}/s"]
    words += ["--population", fuzz_text.number(rng)]
    return [*words, "--think-time", f"{fuzz_text.number(rng)} s"] if rng.random() < 0.5 else words


def _harmless(word: str) -> str:
    """The word, without a path out of the folder of the worker."""
    word = word.replace("\0", "").replace("..", ".")
    if word.startswith("/") and word not in ("/dev/null", "/dev/full"):
        word = "." + word
    return re.sub(r"=\s*/", "=./", word) if word.startswith("-") else word


def _stations() -> dict[str, Any]:
    from qnet.queues.stations.table import STATIONS

    return STATIONS


_PLAIN = {
    "arrival_rate": ("1/s", "10/s", "0.5/s", "80/s", "0/s", "1,2,3"), "service_time": ("0.1 s", "1 s", "20 ms"),
    "servers": ("1", "2", "10", "100"), "capacity": ("1", "5", "50", "1000"), "sources": ("1", "5", "100"),
    "source_rate": ("0.1/s", "1/s"), "phases": ("1", "2", "10"), "vacation_time": ("0.1 s", "0 s"),
    "approximation": ("kraemer-langenbach-belz", "kingman"),
}  # fmt: skip


def _queue_words(rng: Random) -> list[str]:
    name, row = rng.choice(list(_stations().items()))
    words = [name]
    for parameter in [*row[2], *(item for item in row[3] if rng.random() < 0.3)]:
        given = rng.choice(_PLAIN.get(parameter, ("1", "2", "0.5", "4")))
        if rng.random() < 0.25:
            given = fuzz_text.value(rng)
        words += [f"--{parameter.replace('_', '-')}", given]
    if rng.random() < 0.15:
        words += ["--states", rng.choice(("3", "0", "-1", "1e9", "100"))]
    if rng.random() < 0.2:
        words += ["--solve-for", rng.choice((*row[2], "servers")), "--limit", rng.choice(_LIMITS)]
    return [*words, rng.choice(("--csv", "--json", "--jsonl", "--md", "--ascii"))]


# Rows

_ROW_SYSTEMS = ("examples/one-queue.toml", "examples/central-server.toml", "examples/finite-queue.toml")


def _rows(rng: Random, quick: bool) -> Case:
    if not quick and rng.random() < 0.08:
        files = sorted((ROOT / "examples").glob("*.csv"))
        text = fuzz_text.mutated(rng, rng.choice(files).read_text())
        return Case("rows", ("calibrate", "examples/call-centre.toml", "-", "--demands", "--csv"), text)
    name = rng.choice(_ROW_SYSTEMS if quick else tuple(shipped()))
    names = list(parameters(name))
    columns = ["id", *rng.sample(names, min(len(names), rng.randrange(1, 3)))]
    if rng.random() < 0.2:
        columns.append(rng.choice(("note", "rate_ms", "response_s", "status", "", "x y", names[0])))
    lines = rng.choice((1, 2, 3, 5) if quick else (1, 3, 8, 20))
    made = [[f"id{row:04}", *(_cell(rng, column) for column in columns[1:])] for row in range(lines)]
    words = ["map", name, "-", "--metric", rng.choice(("response", "throughput"))]
    if rng.random() < 0.35:
        words.append("--jsonl")
        items = [dict(zip(columns, row, strict=True)) for row in made]
        cells = [", ".join(f'"{key}": {_json(rng, cell)}' for key, cell in item.items()) for item in items]
        text = "".join(f"{{{line}}}\n" for line in cells)
    else:
        text = "".join(",".join(row) + "\n" for row in [columns, *made])
    if rng.random() < 0.2:
        words += ["--chunk", rng.choice(("1", "2", "1024"))]
    if rng.random() < 0.1:
        words += ["--assert", rng.choice(_LIMITS)]
    if rng.random() < 0.4:
        text = fuzz_text.mutated(rng, text)
    return Case("rows", tuple(words), text)


_ODD_CELLS = (
    "", " ", "nan", "inf", "-inf", '"', '"1,2"', "é", "=1+1", "1e999", "None", "5 ms", "10/s", "\x1b[1m", "x" * 300,
    " " * 200,
)  # fmt: skip


def _cell(rng: Random, column: str) -> str:
    form = rng.random()
    if form < 0.5:
        return f"{10 ** rng.uniform(-3, 3):.4g}"
    if form < 0.75:
        return fuzz_text.number(rng)
    if form < 0.95:
        return rng.choice(_ODD_CELLS)
    return fuzz_text.value(rng).replace(",", ";")


def _json(rng: Random, cell: str) -> str:
    if rng.random() < 0.6:
        return cell
    return rng.choice(("null", "true", "[1]", "{}", '""', '"1 s"', "1e400", "-0", "NaN", "Infinity", f'"{cell}"'))


# Python

_ODD = (
    "0", "1", "2", "-1", "0.5", "1e-300", "1e300", "nan", "inf", "None", "True", "'3'", "''", "[]", "[1, 2]", "()",
    "{}", "1j", "Decimal('0.5')", "Fraction(1, 3)", "np.float32(2)", "np.int64(3)", "np.array([1.0, 2.0])",
    "np.array([])", "np.array(['a'])", "object()", "10**400", "b'1'", "np.nan", "[[1, 2], [3]]", "range(3)", "1e9",
    "99999", "{'a': 1}", "np.array(0.5)", "[None]", "['x']", "np.zeros((2, 2, 2))", "-0.0",
    "np.ma.masked", "np.ma.array([1.0, 2.0], mask=[0, 1])", "[1, np.ma.masked]",
)  # fmt: skip


def _python(rng: Random, quick: bool) -> Case:
    form = rng.random()
    text = _queue_call(rng) if form < 0.45 else _network_call(rng, quick) if form < 0.85 else _system_call(rng)
    return Case("python", (), text)


def _odd(rng: Random, plain: str, share: float = 0.12) -> str:
    return rng.choice(_ODD) if rng.random() < share else plain


def _queue_call(rng: Random) -> str:
    name, row = rng.choice(list(_stations().items()))
    arguments = [_odd(rng, repr(name), 0.02)]
    for parameter in [*row[2], *(item for item in row[3] if rng.random() < 0.3)]:
        plain = rng.choice(_PLAIN.get(parameter, ("1", "2", "0.5", "4"))).split("/")[0].split(" ")[0]
        plain = repr(plain) if parameter == "approximation" else plain.split(",")[0]
        arguments.append(f"{parameter}={_odd(rng, plain)}")
    return f"qnet.queue({', '.join(arguments)})"


def _network_call(rng: Random, quick: bool) -> str:
    stations, classes = rng.randrange(1, 4), rng.randrange(1, 3)

    def several(count: int, values: tuple[str, ...], share: float = 0.05) -> str:
        return "[" + ", ".join(_odd(rng, rng.choice(values), share) for _ in range(count)) + "]"

    demands = "[" + ", ".join(several(classes, ("0.1", "1", "0.02", "0", "3"), 0.03) for _ in range(stations)) + "]"
    arguments = [f"demands={_odd(rng, demands, 0.04)}"]
    closed = [rng.random() < 0.6 for _ in range(classes)]
    counts = ("1", "3", "20", "0", "2.5", "100", "1000" if quick else "100000", "1000000000")
    population = ", ".join(_odd(rng, rng.choice(counts) if one else "None", 0.04) for one in closed)
    rates = ", ".join(_odd(rng, "None" if one else rng.choice(("0.1", "0.01", "1", "0")), 0.04) for one in closed)
    if any(closed) or rng.random() < 0.2:
        arguments.append(f"population={_odd(rng, f'[{population}]', 0.03)}")
        if rng.random() < 0.5:
            arguments.append(f"think_time={_odd(rng, several(classes, ('0', '1', '5')), 0.03)}")
    if not all(closed) or rng.random() < 0.1:
        arguments.append(f"arrival_rate={_odd(rng, f'[{rates}]', 0.03)}")
    more = {
        "kinds": several(stations, ("'queue'", "'delay'", "'queue'")), "servers": several(stations, ("1", "2", "8")),
        "disciplines": several(stations, ("'ps'", "'fcfs'", "'lcfs-pr'", "'priority'")),
        "rates": several(stations, ("None", "[1, 2]", "[1, 1.5, 3]")), "visits": demands,
        "scv": demands, "priority": several(classes, ("0", "1", "2")),
    }  # fmt: skip
    for key, text in more.items():
        if rng.random() < 0.18:
            arguments.append(f"{key}={_odd(rng, text, 0.08)}")
    asked = ".solve()"
    if rng.random() < 0.3:
        method = rng.choice(("mva", "linearizer", "bard-schweitzer", "aql", "convolution", "x", ""))
        asked = f".solve({_odd(rng, repr(method), 0.1)}, operations={_odd(rng, '1e7', 0.3)})"
    elif rng.random() < 0.3:
        kind = rng.choice(("asymptotic", "balanced", "composite", "proportional", "geometric", "x"))
        asked = f".bounds({_odd(rng, repr(kind), 0.1)})"
    return f"qnet.Network({', '.join(arguments)}){asked}"


_SYSTEM_CALLS = (
    "solve(method={0})", "solve(operations={0})", "solve(memory={0})", "solve(bounds={0})", "metric({0})",
    "set({p}={0})", "set({p}={0}).solve()", "set({{{0}: {1}}})", "sweep({0})", "sweep('{p}=1:3', metric={0})",
    "envelope(limit={0})", "cost(of={0})", "cost(per={0}, of='all')", "sensitivity(metric={0})", "sensitivity(by={0})",
    "tornado(within={0})", "uncertainty(sample={0}, within='10%')", "uncertainty(sample=5, seed={0}, within='10%')",
    "calibrate([{{'{p}': 1, 'response_s': {0}}}], fit={1})", "demands({0})", "map_rows([{{'{p}': {0}}}])",
    "map_rows({0})", "map_rows([{{'{p}': 1}}], chunk={0})", "map_rows([{{{0}: 1}}], metric='response')",
    "map_rows([{{'{p}': 1}}], prefix={0})", "compare({0})", "formula({0})", "knee(multiple={0})", "knee(limit={0})",
    "bottleneck(faster={0})", "why(faster={0})", "solve(core_solutions={0}, method='linearizer')",
    "sweep()", "map_rows([])", "map({{}})", "map({{'{p}': {0}}})", "map({{'{p}': [1, {0}]}})", "cost()", "tornado()",
    "compare()", "uncertainty()", "with_customers({0})", "with_customers([{0}])",
)  # fmt: skip


def _system_call(rng: Random) -> str:
    name = rng.choice(_ROW_SYSTEMS)
    if rng.random() < 0.05:
        return f"qnet.load({rng.choice((*_ODD, repr(chr(0)), repr('no-such'), repr('')))})"
    call = rng.choice(_SYSTEM_CALLS)
    words = (*_ODD, "'response'", "'cpu'", repr(fuzz_text.value(rng)), repr(parameters(name)[0]))
    return f"qnet.load({name!r})." + call.format(rng.choice(words), rng.choice(words), p=rng.choice(parameters(name)))


_DOORS: dict[str, Callable[[Random, bool], Case]] = {
    "expression": _expression, "python": _python, "model": _model, "command": _command, "rows": _rows,
}  # fmt: skip
