"""Mutation testing: one token of qnet changed at a time, and the tests that call the function around it run.

    python tests/mutants.py --calls calls.json                                    # which test calls what: minutes
    python tests/mutants.py --calls calls.json --count 300 --seed 1 --out lines.jsonl
    python tests/mutants.py --calls wider.json --only lines.jsonl --out second.jsonl   # those that live, again
    python tests/mutants.py --read lines.jsonl second.jsonl                            # the last word on each counts

Not collected by pytest. A mutant is killed where a test fails or takes too long; the table counts them by room and
lists those that survive. Some change nothing that is promised: tests/mutation/equivalent.toml says which and why.
Of the tests that call a function those come first that call little else; of a function that many tests call, as many
run as fit into `--seconds`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
sys.path[:0] = [str(TESTS / "mutation")]

from sites import Site, sites  # noqa: E402

ROOMS = ("queues", "networks", "expression", "model")
FOLDERS = ("queues", "networks", "closed", "product", "solvers", "language", "textbook", "budget", "front")
"""The tests that are closest to the rooms."""
KILLED = ("killed", "too long", "equivalent")
"""How mutants end that need no further test."""
EQUIVALENT = TESTS / "mutation" / "equivalent.toml"
"""Mutants that change nothing that is promised; the key of each is free of line numbers."""
SETTINGS = {"OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}

Calls = Mapping[str, tuple[float, Sequence[str]]]


class Mutant(NamedTuple):
    """A change of a file."""

    file: str
    """Below qnet."""
    site: Site
    old: str

    def line(self, end: str) -> dict[str, Any]:
        """As it is written, with how it ended."""
        where = f"{self.file}:{self.site.line}"
        return {"where": where, "function": self.site.function[1], "kind": self.site.kind, "old": self.old,
                "new": self.site.new, "end": end}  # fmt: skip


def main() -> None:
    """Trace, run or read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=Path, help="the file of calls; it is written where it does not exist")
    parser.add_argument("--count", type=int, default=0, help="mutants (default 0)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="leave out so many first mutants")
    parser.add_argument("--only", type=Path, help="instead of --count: the mutants of these lines that were not killed")
    parser.add_argument("--rooms", nargs="+", default=ROOMS, help=f"rooms of qnet (default {' '.join(ROOMS)})")
    parser.add_argument("--tests", nargs="+", default=FOLDERS, help=f"folders of tests (default {' '.join(FOLDERS)})")
    parser.add_argument("--seconds", type=float, default=40, help="of the tests of a mutant (default 40)")
    parser.add_argument("--jobs", type=int, default=1, help="mutants at a time (default 1)")
    parser.add_argument("--out", type=Path, help="append one JSON line for each mutant")
    parser.add_argument("--read", type=Path, nargs="+", help="the table of lines that were written")
    options = parser.parse_args()
    if options.read:
        tell(_lines(options.read))
        return
    if not options.calls:
        parser.error("--calls or --read is needed")
    if not options.calls.exists():
        trace(options)
    if options.only:
        tell(list(run(again(_lines([options.only]), options.rooms), json.loads(options.calls.read_text()), options)))
    elif options.count:
        calls: Calls = json.loads(options.calls.read_text())
        chosen = list(islice(mutants(options.rooms, options.seed), options.start, options.count))
        tell(list(run(chosen, calls, options)))


def trace(options: argparse.Namespace) -> None:
    """Write which test calls what."""
    here = [str(TESTS / name) for name in options.tests]
    environment = {**os.environ, **SETTINGS, "QNET_CALLS": str(options.calls.resolve()), "PYTHONPATH": _path(ROOT)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "calls", *here]
    subprocess.run(command, cwd=ROOT, env=environment, check=False)


def mutants(rooms: Sequence[str], seed: int) -> Iterator[Mutant]:
    """Mutants at random, each site of a room as likely as another, all rooms alike."""
    draw = random.Random(seed)
    by_room: dict[str, list[Mutant]] = {}
    for room in rooms:
        place = ROOT / "qnet" / room
        files = sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
        found = by_room[room] = []
        for path in files:
            text = path.read_text()
            name = str(path.relative_to(ROOT / "qnet"))
            found += [Mutant(name, site, text[site.begin : site.end]) for site in sites(text)]
        draw.shuffle(found)
    while any(by_room.values()):
        for room in rooms:
            if by_room[room]:
                yield by_room[room].pop()


def again(lines: Sequence[Mapping[str, Any]], rooms: Sequence[str]) -> list[Mutant]:
    """The mutants of lines that were not killed, where they are now: of equal ones the nearest line."""
    found: dict[tuple[str, ...], list[Mutant]] = defaultdict(list)
    for mutant in mutants(rooms, 0):
        found[_key(mutant.line(""))].append(mutant)
    result: list[Mutant] = []
    for line in lines:
        if line["end"] not in KILLED and (same := found[_key(line)]):
            number = int(line["where"].split(":")[1])
            result.append(min(same, key=lambda item: abs(item.site.line - number)))
    return result


def _key(line: Mapping[str, Any]) -> tuple[str, ...]:
    """What stays of a mutant when lines move."""
    return (line["where"].split(":")[0], line["function"], line["kind"], line["old"], line["new"])


def _lines(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """The lines of files, the last of each mutant, with those that are known to change nothing marked."""
    last: dict[tuple[str, ...], dict[str, Any]] = {}
    for path in paths:
        again_here: Counter[tuple[str, ...]] = Counter()
        for line in map(json.loads, path.read_text().splitlines()):
            again_here[_key(line)] += 1
            last[*_key(line), str(again_here[_key(line)])] = line
    known = {_key(row) for row in tomllib.loads(EQUIVALENT.read_text())["mutant"]}
    for line in last.values():
        if line["end"] not in KILLED and _key(line) in known:
            line["end"] = "equivalent"
    return list(last.values())


def run(chosen: Sequence[Mutant], calls: Calls, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The lines of mutants, written as they end."""
    callers: dict[str, list[tuple[float, float, str]]] = defaultdict(list)
    for test, (seconds, functions) in calls.items():
        for name in functions:
            callers[name].append((len(functions) + 200 * seconds, seconds, test))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        trees = [Path(folder) / str(number) for number in range(options.jobs)]
        for tree in trees:
            for name in ("qnet", "tests", "catalog", "examples", "pyproject.toml", "README.md"):
                copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
                copy(ROOT / name, tree / name) if tree.exists() else (tree.mkdir(), copy(ROOT / name, tree / name))

        def one(mutant: Mutant) -> dict[str, Any]:
            tree = trees.pop()
            try:
                name = f"{mutant.file}:{mutant.site.function[0]}:{mutant.site.function[1]}"
                return mutant.line(end(mutant, sorted(callers.get(name, [])), tree, options.seconds))
            finally:
                trees.append(tree)

        for number, line in enumerate(pool.map(one, chosen), 1):
            print(number, words(line), flush=True)
            if options.out:
                with options.out.open("a") as out:
                    out.write(json.dumps(line) + "\n")
            yield line


def end(mutant: Mutant, callers: Sequence[tuple[float, float, str]], tree: Path, seconds: float) -> str:
    """How a mutant ends: killed, too long, survived, or not called."""
    if not callers:
        return "not called"
    tests: list[str] = []
    left = seconds
    for _, took, test in callers:
        if took <= left and len(tests) < 400:
            tests.append(test)
            left -= took
    path = tree / "qnet" / mutant.file
    text = path.read_text()
    path.write_text(text[: mutant.site.begin] + mutant.site.new + text[mutant.site.end :])
    try:
        environment = {**os.environ, **SETTINGS, "PYTHONPATH": _path(tree)}
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *(tests or [callers[0][2]])]
        result = subprocess.run(command, cwd=tree, env=environment, capture_output=True, timeout=60 + 6 * seconds)
        if result.returncode in (0, 1):
            return ("survived", "killed")[result.returncode]
        return "killed" if result.returncode == 2 or b"rror" in result.stdout else f"pytest {result.returncode}"
    except subprocess.TimeoutExpired:
        return "too long"
    finally:
        path.write_text(text)


def _path(tree: Path) -> str:
    return os.pathsep.join([str(tree), str(tree / "tests" / "mutation")])


def tell(lines: Sequence[Mapping[str, Any]]) -> None:
    """Print the table by room, and those that live."""
    rooms: dict[str, Counter[str]] = defaultdict(Counter)
    for line in lines:
        rooms[line["where"].split("/")[0]][line["end"]] += 1
    ends = sorted({line["end"] for line in lines})
    print(f"{'room':14}" + "".join(f"{name:>12}" for name in ends))
    for room, counts in sorted(rooms.items()):
        print(f"{room:14}" + "".join(f"{counts[name]:12}" for name in ends))
    for line in lines:
        if line["end"] not in KILLED:
            print(words(line))


def words(line: Mapping[str, Any]) -> str:
    """A mutant and how it ended, on a line."""
    return f"{line['where']} {line['function']}: {line['kind']} {line['old']!r} -> {line['new']!r}: {line['end']}"


if __name__ == "__main__":
    main()
