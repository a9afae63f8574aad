"""The answers of qnet, frozen: what every question says of every system, before and after a change of the code.

    python tests/frozen.py write before            # of the checkout that this file is in
    python tests/frozen.py write after --jobs 2 --only web-tier --only random
    python tests/frozen.py compare before after --ignore-text

Not collected by pytest. `write` asks the questions of every example and every system of the catalog, solves by every
method that applies, and solves random models of the campaign's generator; one JSON file per case, with the exit code,
the report and standard error. Sweeps and maps are of three values of the first parameter that has a range: `write`
prints how many systems have none. A case that takes longer than its limit of processor time is written as slow.
`compare` compares two such folders: numbers within a tolerance of themselves, all else equal; with `--ignore-text` only
numbers, labels, codes and structure. It exits with 1 where anything differs, also where a case is slow in one of them.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import os
import re
import resource
import signal
import sys
import tomllib
import traceback
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
sys.path[:0] = [str(TESTS / "campaigns")]
if "qnet" not in sys.modules:
    sys.path.insert(0, str(ROOT))

from qnet.networks.solvers.table import TABLE  # noqa: E402
from qnet.units import quantity  # noqa: E402

SECONDS = 12
"""Of processor time for a case."""
QUESTIONS = ("solve", "envelope", "knee", "formula", "bottleneck", "why", "sensitivity", "check")
METHODS = tuple(dict.fromkeys(row.name for row in TABLE))
LISTS = (
    ("validate",), ("methods",), ("methods", "--error"), ("catalog", "list"),
    ("queue", "M/M/1", "--arrival-rate", "3/s", "--service-time", "200ms"),
    ("queue", "M/M/c", "--arrival-rate", "8/s", "--service-time", "200ms", "--servers", "3"),
    ("queue", "M/M/c/K", "--arrival-rate", "8/s", "--service-time", "200ms", "--servers", "3", "--capacity", "5"),
    ("queue", "M/G/1", "--arrival-rate", "3/s", "--service-time", "200ms", "--scv-service", "4"),
)  # fmt: skip
_NUMBER = r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_QUANTITY = re.compile(rf"({_NUMBER})( ?[A-Za-z/%][\w/%]*|)")


class Case(NamedTuple):
    """One command, or one random model to solve."""

    name: str
    arguments: tuple[str, ...]
    seed: int | None = None
    stdin: str = ""


class Grid(NamedTuple):
    """A parameter of a model, and the values that it is swept over."""

    name: str
    values: tuple[str, ...]

    @property
    def over(self) -> str:
        return f"{self.name}={','.join(self.values)}"

    @property
    def rows(self) -> str:
        """The same as lines of JSON."""
        return "".join(f"{json.dumps({self.name: value})}\n" for value in self.values)


def grid_of(parameters: dict[str, Any]) -> Grid | None:
    """Three values of the first parameter that has a finite range and a number as its value; None where none has."""
    for name, item in parameters.items():
        if not isinstance(item, dict) or "range" not in item:
            continue
        number = _QUANTITY.fullmatch(str(item["value"]))
        if number is None or not all(_QUANTITY.fullmatch(str(end)) for end in item["range"]):
            continue
        low, high = (quantity(str(end))[0] for end in item["range"])
        value, unit = float(number[1]), number[2]
        step = abs(value) / 4 or 0.25
        if isinstance(item["value"], int) and high - low > 1:
            step = max(1.0, float(round(step)))
        near = sorted({value + step * times for times in (-2, -1, 0, 1, 2)}, key=lambda one: (abs(one - value), one))
        texts = {one: f"{one:.12g}{unit}" for one in near}
        allowed = [one for one in near if low <= quantity(texts[one])[0] <= high]
        return Grid(name, tuple(texts[one] for one in sorted(allowed[:3])))
    return None


def systems() -> dict[str, Path]:
    """The examples and the systems of the catalog, by name."""
    folders = (ROOT / "examples", ROOT / "catalog" / "systems")
    return {path.stem: path for folder in folders for path in sorted(folder.glob("*.toml"))}


def grids() -> dict[str, Grid | None]:
    """By system, what it is swept over."""
    return {name: grid_of(tomllib.loads(path.read_text()).get("parameters", {})) for name, path in systems().items()}


def cases(models: int, seed: int) -> Iterator[Case]:
    """Every case, by name."""
    swept = grids()
    for name, path in systems().items():
        system = name if path.parent.name == "systems" else f"examples/{path.name}"
        for question in QUESTIONS:
            form = () if question == "check" else ("--json",)
            yield Case(f"{name}.{question}", (question, system, *form))
        yield Case(f"{name}.states", ("solve", system, "--states", "--json"))
        for method in METHODS:
            yield Case(f"{name}.solve-{method}", ("solve", system, "--method", method, "--json"))
        for kind in ("asymptotic", "balanced", "composite", "proportional", "geometric"):
            yield Case(f"{name}.bounds-{kind}", ("solve", system, "--bounds", kind, "--json"))
        yield Case(f"{name}.cost", ("cost", system, "--of", "all", "--json"))
        yield Case(f"{name}.compare", ("compare", system, system, "--json"))
        if grid := swept[name]:
            yield Case(f"{name}.sweep", ("sweep", system, "--over", grid.over, "--json"))
            yield Case(f"{name}.map", ("map", system, "--jsonl"), stdin=grid.rows)
    for name in sorted(path.stem for path in (ROOT / "catalog" / "studies").glob("*.toml")):
        yield Case(f"study.{name}", ("study", name))
        yield Case(f"validate.{name}", ("validate", name, "--fits"))
    for arguments in LISTS:
        form = () if "list" in arguments else ("--json",)
        yield Case("list." + "-".join(word.strip("-").replace("/", "_") for word in arguments), (*arguments, *form))
    for index in range(models):
        yield Case(f"random.{seed}-{index:04d}", (), 100_000 * seed + index)


def answer(case: Case) -> dict[str, Any]:
    """What qnet says, in this process."""
    if case.seed is not None:
        from asking import ask
        from model_generator import model

        found = ask(model(case.seed).text)
        kept = {key: value for key, value in vars_of(found).items() if key != "seconds"}
        return {"report": json.loads(json.dumps(kept, default=dict))}
    from qnet.cli.group import qnet

    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    code = 0
    stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(case.stdin.encode()), "utf-8")
    with redirect_stdout(out), redirect_stderr(err):
        try:
            qnet(list(case.arguments), prog_name="qnet")
        except SystemExit as end:
            code = int(end.code or 0)
        finally:
            sys.stdin = stdin
    text = _text(out)
    return {"exit": code, "report": _report(text), "error": _text(err).splitlines()}


def _report(text: str) -> Any:
    """The JSON of an answer, a list of those of its lines, or the lines as they are."""
    lines = text.splitlines()
    for read in (lambda: json.loads(text), lambda: [json.loads(line) for line in lines]):
        try:
            return read()
        except ValueError:
            continue
    return lines


def _text(stream: io.TextIOWrapper) -> str:
    """What was written to a stream."""
    stream.flush()
    stream.buffer.seek(0)
    return stream.buffer.read().decode()


def vars_of(record: Any) -> dict[str, Any]:
    """The fields of a record."""
    return {name: getattr(record, name) for name in type(record).fields()}


def write(folder: Path, jobs: int, only: list[str], models: int, seed: int) -> None:
    """Answer every case in a process of its own, forked where all modules are loaded."""
    import importlib
    import pkgutil

    os.environ.update(NO_COLOR="1", COLUMNS="100", OPENBLAS_NUM_THREADS="1")
    import qnet

    for module in pkgutil.walk_packages(qnet.__path__, "qnet."):
        importlib.import_module(module.name)
    import asking  # noqa: F401
    import model_generator  # noqa: F401

    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    chosen = [case for case in cases(models, seed) if _chosen(case.name, only)]
    running: dict[int, Case] = {}
    for old in folder.glob("*.json"):
        if not only:
            old.unlink()
    os.chdir(ROOT)
    slow: list[str] = []
    wrong: list[str] = []
    for case in [*chosen, *[None] * jobs]:
        while running and (case is None or len(running) >= jobs):
            child, status = os.wait()
            ended = running.pop(child)
            if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
                slow.append(ended.name)
                (folder / f"{ended.name}.json").write_text(json.dumps({"slow": True}))
            elif status:
                wrong.append(ended.name)
        if case is None:
            continue
        child = os.fork()
        if child == 0:
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
            try:
                found = answer(case)
                (folder / f"{case.name}.json").write_text(json.dumps(found, indent=1, sort_keys=True))
                crashed = found.get("exit") == 1 or "crash" in str(found["report"])[:2000]
                os._exit(1 if crashed else 0)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        running[child] = case
    print(f"{len(chosen)} cases in {folder}; slow: {', '.join(slow) or 'none'}")
    unswept = [name for name, grid in grids().items() if grid is None and _chosen(f"{name}.sweep", only)]
    if unswept:
        print(f"{len(unswept)} systems without sweep and map, as no parameter has a range: {', '.join(unswept)}")
    if wrong:
        sys.exit(f"internal errors in {len(wrong)}: {', '.join(wrong[:20])}")


def _chosen(name: str, only: list[str]) -> bool:
    """Whether a case is asked for by the beginning of its name."""
    return not only or any(name.startswith(word) for word in only)


def differences(one: Any, other: Any, at: str, tolerance: float, text: bool, counted: list[float]) -> Iterator[str]:
    """Where two answers differ; the largest difference of numbers and their count are kept in `counted`."""
    number = (int, float)
    if isinstance(one, bool) or isinstance(other, bool):
        if one is not other:
            yield f"{at}: {one} and {other}"
    elif isinstance(one, number) and isinstance(other, number):
        apart = 0.0 if one == other else abs(one - other) / max(abs(one), abs(other), 1e-12)
        counted[0] = max(counted[0], apart)
        counted[1] += 1
        if not apart <= tolerance or math.isnan(apart):
            yield f"{at}: {one} and {other}, {apart:.2g} apart"
    elif isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            if key not in one or key not in other:
                yield f"{at}.{key}: only in {'the first' if key in one else 'the second'}"
            else:
                yield from differences(one[key], other[key], f"{at}.{key}", tolerance, text, counted)
    elif isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            yield f"{at}: {len(one)} and {len(other)} entries"
        for index, (first, second) in enumerate(zip(one, other, strict=False)):
            yield from differences(first, second, f"{at}[{index}]", tolerance, text, counted)
    elif isinstance(one, str) and isinstance(other, str):
        if one != other and (text or not _alike(one, other)):
            yield f"{at}: {one!r} and {other!r}"
    elif one != other:
        yield f"{at}: {one!r} and {other!r}"


def _alike(one: str, other: str) -> bool:
    """Whether two texts are sentences with the same codes, which may say it in other words: labels are shorter."""
    if re.findall(r"QN\d{3}", one) != re.findall(r"QN\d{3}", other):
        return False
    return min(one.count(" "), other.count(" ")) > 1


def compare(first: Path, second: Path, tolerance: float, text: bool) -> int:
    """Print what differs between two folders; returns how many cases do."""
    names = sorted({path.name for folder in (first, second) for path in folder.glob("*.json")})
    counted, wrong, slow = [0.0, 0.0], 0, 0
    for name in names:
        paths = [folder / name for folder in (first, second)]
        if not all(path.exists() for path in paths):
            print(f"{name}: only in {first if paths[0].exists() else second}")
            wrong += 1
            continue
        one, other = (json.loads(path.read_text()) for path in paths)
        if "slow" in one or "slow" in other:
            slow += 1
            if ("slow" in one) != ("slow" in other):
                print(f"{name}: slow in {first if 'slow' in one else second} only")
                wrong += 1
            continue
        if not text and ("error" in one or "error" in other):
            for item in (one, other):
                item["error"] = sorted(re.findall(r"QN\d{3}", " ".join(item["error"])))
        found = list(differences(one, other, name.removesuffix(".json"), tolerance, text, counted))
        wrong += bool(found)
        for line in found[:5]:
            print(line)
    largest = f"{int(counted[1])} numbers, largest difference {counted[0]:.2g}"
    print(f"{len(names)} cases ({slow} slow); {largest}; {wrong} cases differ")
    return wrong


def main() -> None:
    """Write or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    doing = parser.add_subparsers(dest="doing", required=True)
    writing = doing.add_parser("write")
    writing.add_argument("folder", type=Path)
    writing.add_argument("--jobs", type=int, default=2)
    writing.add_argument("--only", action="append", default=[], help="beginning of the names of cases; may be repeated")
    writing.add_argument("--models", type=int, default=300, help="random models (default 300)")
    writing.add_argument("--seed", type=int, default=7)
    comparing = doing.add_parser("compare")
    comparing.add_argument("first", type=Path)
    comparing.add_argument("second", type=Path)
    comparing.add_argument("--tolerance", type=float, default=1e-9)
    comparing.add_argument("--ignore-text", action="store_true", help="sentences may be told in other words")
    options = parser.parse_args()
    if options.doing == "write":
        write(options.folder, options.jobs, options.only, options.models, options.seed)
    else:
        sys.exit(compare(options.first, options.second, options.tolerance, not options.ignore_text) > 0)


if __name__ == "__main__":
    main()
