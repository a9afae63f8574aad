"""One sound point for every station, and many random ones."""

from __future__ import annotations

import random
from typing import Any

POINTS: dict[str, dict[str, Any]] = {
    "M/M/1": {"arrival_rate": 30.0, "service_time": 0.02},
    "M/M/c": {"arrival_rate": 80.0, "service_time": 0.02, "servers": 3},
    "M/M/inf": {"arrival_rate": 80.0, "service_time": 0.02},
    "M/M/1/K": {"arrival_rate": 60.0, "service_time": 0.02, "capacity": 5},
    "M/M/c/K": {"arrival_rate": 160.0, "service_time": 0.02, "servers": 2, "capacity": 6},
    "M/M/c/c": {"arrival_rate": 160.0, "service_time": 0.02, "servers": 4},
    "Erlang B": {"arrival_rate": 160.0, "service_time": 0.02, "servers": 4},
    "Erlang C": {"arrival_rate": 80.0, "service_time": 0.02, "servers": 3},
    "Engset": {"source_rate": 20.0, "service_time": 0.02, "servers": 2, "sources": 6},
    "M/M/c/K/N": {"source_rate": 20.0, "service_time": 0.02, "servers": 2, "sources": 6, "capacity": 4},
    "M/D/1": {"arrival_rate": 30.0, "service_time": 0.02},
    "M/D/c": {"arrival_rate": 80.0, "service_time": 0.02, "servers": 2},
    "M/G/1": {"arrival_rate": 30.0, "service_time": 0.02, "scv_service": 2.0, "skewness_service": 5.0},
    "M/G/1-PS": {"arrival_rate": 30.0, "service_time": 0.02, "scv_service": 1},
    "M/G/1-priority": {
        "arrival_rate": [10.0, 20.0], "service_time": [0.01, 0.03], "scv_service": [1.0, 2.0],
        "skewness_service": [2.0, 3.0],
    },
    "M/G/1-preemptive": {
        "arrival_rate": [10.0, 20.0], "service_time": [0.01, 0.03], "scv_service": [1.0, 2.0],
        "skewness_service": [2.0, 3.0],
    },
    "M/G/1-vacations": {
        "arrival_rate": 30.0, "service_time": 0.02, "scv_service": 2.0, "skewness_service": 3.0, "vacation_time": 0.1,
    },
    "M[X]/M/1": {"arrival_rate": 30.0, "service_time": 0.02, "batch_size": 2.5},
    "M[X]/G/1": {
        "arrival_rate": 30.0, "service_time": 0.02, "scv_service": 0.5, "batch_size": 2, "scv_batch": 0.3,
        "skewness_service": 1.0, "skewness_batch": 1.0,
    },
    "M/Ek/1": {"arrival_rate": 30.0, "service_time": 0.02, "phases": 3},
    "M/H2/1": {"arrival_rate": 30.0, "service_time": 0.02, "scv_service": 4.0},
    "GI/M/1": {"arrival_rate": 30.0, "service_time": 0.02, "scv_arrival": 0.5},
    "GI/G/1": {"arrival_rate": 30.0, "service_time": 0.02, "scv_arrival": 0.5, "scv_service": 0.7},
    "GI/G/c": {"arrival_rate": 80.0, "service_time": 0.02, "servers": 3, "scv_arrival": 0.5, "scv_service": 2.0},
}  # fmt: skip
"""Station -> parameters of a sound point."""


def random_points(station: str, seed: int) -> dict[str, Any]:
    """Parameters of a station at a random load; loads above 1 where places are limited."""
    draw = random.Random(f"{station} {seed}")
    point = dict(POINTS[station])
    if "servers" in point:
        point["servers"] = draw.choice([1, 2, 3, 7, 40])
    if "sources" in point:
        point["sources"] = point["servers"] + draw.choice([0, 1, 5, 60])
    if "capacity" in point:
        point["capacity"] = point.get("servers", 1) + draw.choice([0, 1, 2, 9, 200])
    if "scv_service" in point and station not in ("M/G/1", "M/G/1-priority", "M/G/1-preemptive", "M/H2/1"):
        point["scv_service"] = draw.choice([0.0, 0.25, 1.0, 5.0])
    if station in ("M/G/1-vacations", "M[X]/G/1"):
        point["skewness_service"] = 2 * float(point.get("scv_service", 1)) ** 0.5
    if "scv_arrival" in point:
        point["scv_arrival"] = draw.choice([0.0, 0.3, 1.0, 5.0])
    scale = 10 ** draw.uniform(-6, 6)
    lossy = "capacity" in point or "sources" in point or station in ("M/M/c/c", "Erlang B", "M/M/inf")
    load = draw.choice([1e-3, 0.3, 0.7, 0.95, 0.9999] + ([1.0, 1.5, 40.0] if lossy else []))
    if station == "M/D/c":
        load = min(load, 0.95)
    if isinstance(point["service_time"], list):
        point["service_time"] = [scale * draw.uniform(0.1, 3) for _ in range(3)]
        share = [draw.uniform(0.1, 1) for _ in range(3)]
        point["arrival_rate"] = [
            load * part / sum(share) / time for part, time in zip(share, point["service_time"], strict=True)
        ]
        point["scv_service"] = 1.5
        point["skewness_service"] = 2.5
        return point
    point["service_time"] = scale
    if "vacation_time" in point:
        point["vacation_time"] = scale * draw.uniform(0.1, 10)
    rate = "source_rate" if "source_rate" in point else "arrival_rate"
    point[rate] = load * point.get("servers", 1) / scale / (point["sources"] if rate == "source_rate" else 1)
    return point
