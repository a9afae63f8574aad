"""The features of random models, and which pair of them a seed is about."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from random import Random

CUSTOMERS = ("open", "closed", "two classes", "three classes", "open chain", "closed chain")
DISCIPLINES = ("fcfs", "ps", "lcfs-pr", "priority", "preemptive")
STATIONS = ("servers", "copies", "split", "delay station", "rates", "capacity")
STRUCTURE = (
    "hold", "hold in hold", "inner station outside", "phase 2 in hold", "keeps", "work left behind", "parallel",
    "quorum", "memory", "inside", "buffer waits", "buffer loses", "routes", "visits", "fractional visits",
    "step priority",
)  # fmt: skip
TIMES = (
    "unequal", "scv 0", "scv below 1", "scv above 1", "arrival scv", "think 0", "long think", "high load",
    "many customers",
)  # fmt: skip
SPELLINGS = (
    "nobody visits", "population 0", "class told as two", "route told as two", "zero step", "copies apart",
)  # fmt: skip
FEATURES = (*CUSTOMERS, *DISCIPLINES, *STATIONS, *STRUCTURE, *TIMES, *SPELLINGS)

IMPLIED = {
    "hold in hold": ("hold",),
    "inner station outside": ("hold",),
    "keeps": ("hold",),
    "inside": ("memory",),
    "open chain": ("open",),
    "closed chain": ("closed",),
    "three classes": ("two classes",),
    "arrival scv": ("open",),
    "think 0": ("closed",),
    "long think": ("closed",),
    "population 0": ("closed",),
    "many customers": ("closed",),
    "split": ("copies",),
    "unequal": ("two classes",),
}
"""What a feature brings with it."""

PAIRS = tuple(
    (one, other)
    for one, other in combinations(FEATURES, 2)
    if other not in IMPLIED.get(one, ()) and one not in IMPLIED.get(other, ())
)
"""Every pair of features of which neither brings the other; all of them can be in one model."""


@lru_cache(2)
def _shuffled(cycle: int) -> list[tuple[str, str]]:
    found = list(PAIRS)
    Random(f"pairs {cycle}").shuffle(found)
    return found


def asked(seed: int) -> frozenset[str]:
    """The features that a seed is about: a pair, so that as many seeds in a row as there are pairs have each once.

    Some seeds have a third and a fourth feature.
    """
    cycle, place = divmod(seed, len(PAIRS))
    rng = Random(f"features {seed}")
    found = {*_shuffled(cycle)[place]}
    found |= set(rng.sample(FEATURES, rng.choices((0, 1, 2), (5, 3, 2))[0]))
    return frozenset(found | {more for item in found for more in IMPLIED.get(item, ())})
