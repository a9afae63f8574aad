"""The table of a campaign: counts by category, bad answers by pair of features and by method, and the worst of each."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from typing import Any

from judging import BAD, CATEGORIES, FEW, NEVER

Line = dict[str, Any]
_PAIRS, _WORST = 40, 10


def table(lines: list[Line]) -> str:
    """All of it, as text."""
    parts = [_counts(lines), _unjudged(lines), _by_feature(lines), _by_pair(lines), _by_method(lines)]
    parts += [_worst(lines, category) for category in BAD]
    parts += [_refusals(lines), _laws(lines)]
    return "\n\n".join(part for part in parts if part)


def failures(lines: list[Line]) -> list[str]:
    """What makes a campaign fail: any answer that must never be given, or too many that are far off without a word."""
    found = Counter(line["category"] for line in lines)
    told = [f"{found[name]} {name}" for name in NEVER if found[name]]
    if found["unwarned"] > FEW * len(lines):
        told.append(f"{found['unwarned']} unwarned, more than {100 * FEW:g} % of {len(lines)}")
    if not lines:
        told.append("no models")
    return told


def _counts(lines: list[Line]) -> str:
    found = Counter(line["category"] for line in lines)
    total = max(len(lines), 1)
    rows = [f"{len(lines)} models"]
    rows += [f"  {name:24}{found[name]:6}{100 * found[name] / total:8.1f} %" for name in CATEGORIES]
    without = sum(bool(line.get("told", {}).get("unmeasured")) for line in lines if line["category"] == "unwarned")
    slight = sum(error(line) <= 0.01 for line in lines if line["category"] == "unwarned")
    rows.append(f"  of the unwarned {without} have no row of measured errors, and {slight} are off by at most 1 %")
    kinds = Counter(str(line["oracle"]).split()[0] for line in lines if line["oracle"])
    rows.append("  oracle: " + ", ".join(f"{name} {count}" for name, count in kinds.most_common()))
    return "\n".join(rows)


def _unjudged(lines: list[Line]) -> str:
    found = Counter(
        (line["why"] or line["oracle"])[:110] for line in lines if line["category"] in ("not judged", "invalid")
    )
    return _listed("not judged, or invalid, by cause", found.most_common(12))


def error(line: Line) -> float:
    """The relative error of the figure that is furthest off."""
    return float(line["worst"][5]) if line.get("worst") else 0.0


def _by_feature(lines: list[Line]) -> str:
    models: Counter[str] = Counter()
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for line in lines:
        for item in line["features"]:
            models[item] += 1
            found[item][line["category"]] += 1
    heads = ("unwarned", "exact-wrong", "crash", "no answer in 10 s", "refused")
    rows = ["by feature" + " " * 16 + "models" + "".join(f"{head:>19}" for head in heads)]
    for item, counts in sorted(found.items(), key=lambda pair: -sum(pair[1][head] for head in BAD) / models[pair[0]]):
        rows.append(f"  {item:24}{models[item]:6}" + "".join(f"{counts[head]:19}" for head in heads))
    return "\n".join(rows)


def _by_pair(lines: list[Line]) -> str:
    models: Counter[tuple[str, str]] = Counter()
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    examples: dict[tuple[str, str], list[int]] = defaultdict(list)
    for line in lines:
        for pair in combinations(line["features"], 2):
            models[pair] += 1
            if line["category"] in BAD:
                found[pair][line["category"]] += 1
                examples[pair].append(line["seed"])
    order = sorted(found, key=lambda pair: (-sum(found[pair].values()), pair))[:_PAIRS]
    rows = [
        (f"{one} + {other}", f"{sum(found[one, other].values())} of {models[one, other]}: "
         + ", ".join(f"{name} {count}" for name, count in found[one, other].most_common())
         + f"; seeds {', '.join(map(str, examples[one, other][:4]))}")
        for one, other in order
    ]  # fmt: skip
    bad = sum(len(item) > 0 for item in found.values())
    return _listed(f"bad ones by pair of features ({len(models)} pairs, {bad} with a bad one)", rows)


def _by_method(lines: list[Line]) -> str:
    found: Counter[tuple[str, str, str]] = Counter()
    examples: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    largest: dict[tuple[str, str, str], float] = defaultdict(float)
    for line in lines:
        if line["category"] in BAD:
            unmeasured = ", ".join(line.get("told", {}).get("unmeasured", []))
            key = (line["category"], line["kind"] + " " + (line["method"] or line["why"][:70]), unmeasured)
            found[key] += 1
            largest[key] = max(largest[key], error(line))
            examples[key].append(line["seed"])
    rows = [
        (" | ".join(item for item in key if item),
         f"{count}, up to {100 * largest[key]:.3g} %; seeds {', '.join(map(str, examples[key][:5]))}")
        for key, count in found.most_common(_PAIRS)
    ]  # fmt: skip
    return _listed("bad ones by category, kind of customers, method, and what no row stands for", rows)


def _worst(lines: list[Line], category: str) -> str:
    bad = sorted((line for line in lines if line["category"] == category), key=error, reverse=True)[:_WORST]
    rows = [f"the worst that are {category}"] if bad else []
    for line in bad:
        rows.append(f"  {line['seed']}: {', '.join(line['features'])} ({line['kind']}, {line['method']})")
        if line.get("worst"):
            figure, name, answered, exact, half, off = line["worst"]
            told = line.get("told", {}).get("worst")
            beside = f", told {100 * told:.3g} %" if told is not None else ""
            rows.append(
                f"      {figure} {name}: {answered:.6g}, exactly {exact:.6g} +- {half:.2g}: {100 * off:.4g} %{beside}"
            )
        if line["why"]:
            rows.append(f"      {line['why'][:200]}")
    return "\n".join(rows)


def _refusals(lines: list[Line]) -> str:
    found: Counter[str] = Counter()
    examples: dict[str, int] = {}
    for line in lines:
        if line["category"] == "refused":
            code = line["why"][:110]
            found[code] += 1
            examples.setdefault(code, line["seed"])
    rows = [(code, f"{count}; seed {examples[code]}") for code, count in found.most_common(25)]
    return _listed("refused, by reason", rows)


def _laws(lines: list[Line]) -> str:
    broken: dict[str, list[tuple[float, int, Any]]] = defaultdict(list)
    for line in lines:
        for item in line.get("laws", []):
            broken[item[0]].append((item[5], line["seed"], item))
    rows: list[tuple[str, str]] = []
    for law, found in sorted(broken.items(), key=lambda pair: -len(pair[1])):
        found.sort(key=lambda item: -item[0])
        rows.append((law, f"{len(found)} broken"))
        for off, seed, item in found[:6]:
            rows.append((f"  {seed}", f"{item[1]} {item[2]}: {item[3]:.6g} and {item[4]:.6g}, {off:.3g} apart"))
    return _listed("laws", rows) if rows else "laws: none broken"


def _listed(title: str, rows: list[tuple[Any, Any]]) -> str:
    return "\n".join([title, *(f"  {name}: {value}" for name, value in rows)]) if rows else ""
