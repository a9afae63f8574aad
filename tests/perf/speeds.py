"""The speeds that qnet is held to, from the start of a process to its last byte, beside those before."""

from __future__ import annotations

import csv
import random
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from timing import QNET, YARDSTICKS, beside, spent

OPEN = ["solve", "--station", "cpu=120ms", "--station", "disk=50ms", "--arrival-rate", "3/s", "--csv"]
CLOSED = [
    "solve", "--station", "cpu=120ms", "--station", "disk=50ms", "--station", "tape=80ms", "--population", "20",
    "--think-time", "5s", "--csv",
]  # fmt: skip
QUEUE = ["queue", "M/M/c", "--servers", "3", "--arrival-rate", "3/s", "--service-time", "0.5s"]


class Speed(NamedTuple):
    """A command, its yardstick, the ratio it is to stay within, and the ratio before it was worked on."""

    arguments: list[str]
    yardstick: str
    target: float
    before: float | None = None


SPEEDS = {
    "--version": Speed(["--version"], "P", 1.5, 1.7),
    "--help": Speed(["--help"], "C", 1.1, 0.95),
    "small open network to CSV": Speed(OPEN, "C", 1.2, 1.2),
    "small closed network to CSV": Speed(CLOSED, "C", 1.2, 1.2),
    "queue": Speed(
        ["queue", "M/M/c", "--servers", "3", "--arrival-rate", "3/s", "--service-time", "0.5s"], "C", 1.2, 1.2
    ),
    "solve ibm-3990-6 --csv": Speed(["solve", "ibm-3990-6", "--csv"], "N", 1.2, 1.2),
    "envelope ibm-3990-6 --csv": Speed(["envelope", "ibm-3990-6", "--csv"], "N", 2.0, 3.6),
    "validate": Speed(["validate"], "N", 8.0, 17.0),
    "formula ibm-3990-6": Speed(["formula", "ibm-3990-6"], "S", 2.0),
    "formula p390": Speed(["formula", "p390"], "S", 2.0),
}


def speeds(runs: int) -> None:
    """Print every command's ratio to its yardstick."""
    print(f"{'command':<32} {'ms':>8} {'ratio':>8}   {'target':>7} {'before':>7}")
    for name, (arguments, yardstick, target, before) in SPEEDS.items():
        ratio, seconds, code = beside([*QNET, *arguments], YARDSTICKS[yardstick], runs)
        former = "" if before is None else f"{before:.2f}"
        verdict = "" if ratio <= target else "  above"
        failed = f"  exit {code}" if code else ""
        print(f"{name:<32} {1e3 * seconds:>8.0f} {ratio:>8.2f} {yardstick} {target:>7.2f} {former:>7}{verdict}{failed}")


_ECHO = """
import csv, sys
rows = csv.reader(sys.stdin)
out = csv.writer(sys.stdout, lineterminator="\\n")
out.writerow([*next(rows), *{added!r}])
for row in rows:
    numbers = [float(cell) for cell in row]
    out.writerow([*numbers, numbers[0] * 1.000001, *{rest!r}])
"""
"""The yardstick of `map`: the same table read and written by the standard library, its numbers parsed."""
_ADDED = ["response_s", "method", "exactness", "status"]
_REST = ["aggregation", "approximate", "ok"]

MAPS = {
    "map ibm-3990-6": (["ibm-3990-6"], "response", {"rate_per_s": (50.0, 900.0), "write_fraction": (0.0, 0.5)}),
    "map of three stations": (
        ["--station", "cpu=10ms", "--station", "disk=20ms", "--station", "tape=15ms", "--population", "200",
         "--think-time", "1s"],
        "throughput", {"demand_cpu_ms": (5.0, 20.0), "demand_disk_ms": (5.0, 30.0)},
    ),
}  # fmt: skip
MAP_TARGET = 6.0


def maps(rows: int) -> None:
    """Print how `map` answers so many rows, beside a script that only reads and writes them."""
    print(f"\n{'rows':<32} {'rows/s':>8} {'ratio':>8}   {'target':>7} {'MiB':>7}")
    echo = [sys.executable, "-c", _ECHO.format(added=_ADDED, rest=_REST)]
    for name, (system, metric, columns) in MAPS.items():
        with tempfile.TemporaryDirectory() as name_of_folder:
            folder = Path(name_of_folder)
            table = folder / "rows.csv"
            _write(table, columns, rows)
            command = [*QNET, "map", *system, "-", "--metric", metric]
            ours = spent(command, folder, table, folder / "answers.csv")
            floor = spent(echo, folder, table, folder / "echo.csv")
        ratio = ours.seconds / floor.seconds
        verdict = "" if ratio <= MAP_TARGET else "  above"
        failed = f"  exit {ours.code}" if ours.code else ""
        speed = rows / ours.seconds
        print(f"{name:<32} {speed:>8.0f} {ratio:>8.1f}   {MAP_TARGET:>7.1f} {ours.mebibytes:>7.0f}{verdict}{failed}")


def _write(path: Path, columns: dict[str, tuple[float, float]], rows: int) -> None:
    draw = random.Random(1)
    with path.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(columns)
        out.writerows([f"{draw.uniform(*ends):.4f}" for ends in columns.values()] for _ in range(rows))


_CALIBRATED = {
    "4 rows, 3 parameters": (3, [5, 20, 40, 60], "", 1.0, 8.5),
    "4 rows, 3 parameters, two servers": (3, [5, 20, 40, 60], ", servers = 2", 1.0, None),
    "16 rows, 10 parameters": (10, list(range(5, 85, 5)), "", 6.0, 150.0),
}


def calibrations() -> None:
    """Print what `calibrate` takes for closed models measured with an error of 1 %."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    import qnet

    print(f"\n{'calibrate':<40} {'s':>8} {'target':>8} {'before':>8}")
    for name, (count, populations, servers, target, before) in _CALIBRATED.items():
        draw = random.Random(3)
        demands = [0.02 + 0.01 * (7 * k % 11) for k in range(count)]
        stations = [2 if servers and not k else 1 for k in range(count)]
        with tempfile.TemporaryDirectory() as name_of_folder:
            folder = Path(name_of_folder)
            (folder / "model.toml").write_text(_model(count, servers))
            with (folder / "rows.csv").open("w", newline="") as file:
                out = csv.writer(file, lineterminator="\n")
                out.writerow(["users", "response_s", "throughput_per_s", *(f"utilization_s{k}" for k in range(count))])
                for users in populations:
                    network = qnet.Network(
                        [[demand] for demand in demands], population=[users], think_time=[5.0], servers=stations
                    )
                    exact = network.solve()
                    figures = [
                        exact.response[0], exact.throughput[0], *(float(row[0]) for row in exact.utilization)
                    ]  # fmt: skip
                    noisy = [min(figure * draw.gauss(1, 0.01), 0.99) if k > 1 else figure * draw.gauss(1, 0.01)
                             for k, figure in enumerate(figures)]  # fmt: skip
                    out.writerow([users, *(f"{figure:.6f}" for figure in noisy)])
            fitted = ",".join(f"t{k}" for k in range(count))
            took = spent([*QNET, "calibrate", "model.toml", "rows.csv", "--fit", fitted], folder)
        former = "" if before is None else f"{before:.1f}"
        verdict = "" if took.seconds <= target else "  above"
        failed = f"  exit {took.code}" if took.code else ""
        print(f"{name:<40} {took.seconds:>8.2f} {target:>8.1f} {former:>8}{verdict}{failed}")


def _model(count: int, servers: str) -> str:
    numbers = range(count)
    lines = ["qnet = 1", 'title = "stations in a row"', "[parameters]", "users = { value = 10, range = [1, 500] }"]
    lines += [f't{k} = "60 ms"' for k in numbers]
    lines += ["[stations]", *(f"s{k} = {{ discipline = 'ps'{'' if k else servers} }}" for k in numbers)]
    steps = ", ".join(f'{{ station = "s{k}", time = "t{k}" }}' for k in numbers)
    lines += ["[classes.user]", 'population = "users"', 'think_time = "5 s"', f"steps = [{steps}]"]
    return "\n".join(lines) + "\n"
