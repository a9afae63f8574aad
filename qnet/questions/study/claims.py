"""The claims of a study file: every key checked, every fault reported, references filled in."""

from __future__ import annotations

from typing import Any, cast

from qnet.documents import Path
from qnet.errors import Problem, suggest
from qnet.questions.study.printed import Printed, printed
from qnet.questions.study.story import filled, referred
from qnet.questions.study.study import ROLES, Claim, Where
from qnet.reports.text import width
from qnet.units import UnitError

TOP = (
    "schema",
    "id",
    "title",
    "source",
    "system",
    "description",
    "tolerance",
    "story",
    "free_choices",
    "cases",
    "claims",
)

_TEXT, _AMOUNT, _TABLE = (str,), (int, float, str), (dict,)
_KEYS: dict[str, tuple[type, ...]] = {
    "id": _TEXT, "role": _TEXT, "metric": _TEXT, "case": _TEXT, "system": _TEXT, "set": _TABLE, "base": _TABLE,
    "stated": _TEXT, "at_least": _TEXT, "at_most": _TEXT, "tolerance": _AMOUNT, "largest": _TEXT, "smallest": _TEXT,
    "limit": _TEXT, "figure": _TEXT, "over": _TEXT, "take": _TEXT, "sets": _TEXT, "counts_with": _TEXT,
    "null": _TEXT, "by_construction": (bool,), "in_view": (bool,), "miss": _TEXT, "short": _TEXT, "remark": _TEXT,
}  # fmt: skip
_OF_ROLES = {
    "sets": ("fitted",),
    "counts_with": ("predicted",),
    "null": ("predicted", "failed assumption", "carried"),
    "by_construction": ("trend",),
    "in_view": ("predicted",),
    "short": ("predicted", "failed assumption"),
    "miss": ("predicted", "failed assumption", "carried", "trend"),
    "tolerance": ("fitted", "predicted", "failed assumption", "carried", "trend", "disputed"),
}
"""Keys that only claims of some roles have."""
SHORT = 70
"""The most characters of a remark in few words: a line of a terminal, with what stands before it."""
TOLERANT = ("predicted", "failed assumption", "carried")
_NULLS = ("given", "fitted", "identity")
"""Roles of claims that state what the model was given, or what follows from that alone."""
UNCHANGED = "unchanged"
_COMPUTED = ("fitted", "predicted", "failed assumption", "carried", "identity", "trend")
_TRENDS = ("rises", "falls", "unchanged")
LARGEST = "largest"
_OF_GRID = ("mean", LARGEST, "trend")
_OF_TWO = ("ratio", "change", "difference")
WIDEST = 0.25
"""The largest relative tolerance of a prediction: what is off by more is a miss that needs a reason."""

Table = dict[str, Any]


class ClaimReader:
    """Reads the claims of the data of a study; what is wrong is kept in `problems`, without file and line."""

    def __init__(self, data: Table) -> None:
        self.data = data
        self.problems: list[Problem] = []
        self.printed: dict[str, Printed] = {}
        self.roles: dict[str, Table] = {}
        self.cases: dict[str, Table] = {}
        for key in data:
            if key not in TOP:
                self.fail((key,), f'unknown key "{key}"', "a key of a study", suggest(key, list(TOP)))

    def fail(self, path: Path, result: str, expected: str, help: str = "", code: str = "QN320") -> None:
        """Keep a problem."""
        self.problems.append(Problem(code=code, found=result, expected=expected, path=path, help=help))

    def claims(self) -> tuple[Claim, ...]:
        """Every claim as far as it can be read."""
        raw: Any = self.data.get("claims", [])
        items = cast("list[Any]", raw) if isinstance(raw, list) else []
        tables: list[Table] = [cast("Table", item) if isinstance(item, dict) else {} for item in items]
        if not isinstance(raw, list) or not all(isinstance(item, dict) for item in items):
            self.fail(("claims",), "the claims are no tables", "[[claims]]")
        default = self.data.get("tolerance")
        if default is not None and not _fraction(default):
            self.fail(("tolerance",), f"found {default!r}", f"a fraction of at most {WIDEST}")
        self._survey(tables)
        self._read_cases()
        return tuple(self._claim(table, index) for index, table in enumerate(tables))

    def _survey(self, tables: list[Table]) -> None:
        """The kinds of all values, the ids, and the figures that others may refer to."""
        for index, table in enumerate(tables):
            path = ("claims", index)
            for key, value in list(table.items()):
                kinds = _KEYS.get(key)
                if kinds is None:
                    self.fail((*path, key), f'unknown key "{key}"', "a key of a claim", suggest(key, list(_KEYS)))
                elif not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
                    self.fail((*path, key), f"found {value!r}", "a value of another kind")
                    del table[key]
            id = table.get("id", "")
            if not id or "[" in id or "]" in id:
                self.fail((*path, "id"), "the claim has no id", "a text without brackets")
            elif id in self.roles:
                self.fail((*path, "id"), f'there are two claims "{id}"', "each claim once", code="QN321")
            self.roles[id] = table
            self._quantities(table, path)

    def _quantities(self, table: Table, path: Path) -> None:
        """The figures that a claim states, where they are quantities."""
        for key in ("stated", "at_least", "at_most", "tolerance"):
            text = table.get(key)
            if not isinstance(text, str) or (key == "stated" and _is_trend(table)):
                continue
            try:
                result = printed(text)
            except UnitError as error:
                plain = key != "tolerance" and table.get("role") in ("given", "outside", "disputed")
                if not plain or "figure" in table:
                    self.fail((*path, key), f'"{text}": {error}', "a quantity", error.help)
                continue
            if key == "stated":
                self.printed[table.get("id", "")] = result

    def _read_cases(self) -> None:
        raw: Any = self.data.get("cases", {})
        for name, case in cast("Table", raw).items() if isinstance(raw, dict) else ():
            self.cases[name] = cast("Table", case) if isinstance(case, dict) else {}
            if not isinstance(case, dict):
                self.fail(("cases", name), f"found {case!r}", "a table of parameter values")

    def _claim(self, table: Table, index: int) -> Claim:
        path = ("claims", index)
        self._check(table, path)
        at = self._where(table, path)
        base = None
        if "base" in table:
            base = self._overlay(at, cast("Table", table["base"]), (*path, "base"))
        tolerance = table.get("tolerance", self.data.get("tolerance") if table.get("role") in TOLERANT else None)
        texts = {key: str(table.get(key, "")) for key in _PLAIN}
        figure = str(table.get("figure", ""))
        self.fill(figure, (*path, "figure"))
        return Claim(
            at=at,
            base=base,
            tolerance=float(tolerance) if isinstance(tolerance, (int, float)) else tolerance,
            vary=str(table.get("largest") or table.get("smallest", "")),
            smallest="smallest" in table,
            limit=self.fill(str(table.get("limit", "")), (*path, "limit")),
            figure=figure,
            over=self.fill(str(table.get("over", "")), (*path, "over")),
            by_construction=bool(table.get("by_construction")),
            in_view=bool(table.get("in_view")),
            position=index,
            **texts,
        )

    def _check(self, table: Table, path: Path) -> None:
        """That the keys of a claim go together."""
        role, take = table.get("role", ""), table.get("take", "")

        def fail(key: str, result: str, expected: str, help: str = "") -> None:
            self.fail((*path, key), result, expected, help)

        if role not in ROLES:
            fail("role", f'found "{role}"', "one of " + ", ".join(ROLES), suggest(role, list(ROLES)))
            return
        for key, roles in _OF_ROLES.items():
            if key in table and role not in roles:
                fail(key, f"a {role} claim has no {key}", f"{key} on claims that are {' or '.join(roles)}")
        asks = any(table.get(key) for key in ("largest", "smallest", "figure"))
        if {"largest", "smallest"} <= set(table):
            fail("smallest", "the claim asks for both ends", "largest or smallest")
        if "limit" in table and not {"largest", "smallest"} & set(table):
            fail("limit", "there is nothing that the limit ends", "largest or smallest together with limit")
        if not any(table.get(key) for key in ("stated", "at_least", "at_most")):
            fail("stated", "the claim states nothing", "stated, at_least or at_most")
        if not asks and role in _COMPUTED:
            fail("figure", "the claim asks for nothing", "largest, smallest or figure")
        if asks and role == "outside":
            fail("figure", "a claim outside of the model asks it for something", "no figure")
        if not asks and role not in _COMPUTED and not table.get("metric"):
            fail("metric", "there is no description of what is stated", "metric in a few words")
        if width(table.get("short", "")) > SHORT:
            fail("short", f"it has {width(table['short'])} characters", f"at most {SHORT}, with the rest as remark")
        if role == "outside" and not table.get("remark"):
            fail("remark", "there is no reason why it is outside", "remark with the reason")
        allowed = _OF_GRID if "over" in table else _OF_TWO if "base" in table else ()
        needed = "over" in table or ("base" in table and role != "trend")
        if ("over" in table and "base" in table) or (take not in allowed if take else needed):
            fail("take", f'found "{take}"', "mean, largest or trend with over; ratio, change or difference with base")
        if take == "trend" and role not in ("trend", "disputed"):
            fail("take", f"a {role} claim is no trend", 'role = "trend"')
        if _is_trend(table) and table.get("stated") not in _TRENDS:
            fail("stated", f'found "{table.get("stated")}"', "one of " + ", ".join(_TRENDS))
        if role == "fitted" and not table.get("sets"):
            fail("sets", "a fitted claim sets no parameter", "the name of the parameter")
        self._check_tolerance(table, path)
        self._check_counted(table, path)
        self._check_null(table, path)
        if role == "failed assumption" and not table.get("miss"):
            fail("miss", "the failed assumption is not named", "miss with the assumption, and how it is false")

    def _check_tolerance(self, table: Table, path: Path) -> None:
        role, tolerance = table.get("role"), table.get("tolerance")
        if role in TOLERANT and "stated" in table and tolerance is None and "tolerance" not in self.data:
            self.fail((*path, "tolerance"), f"a {role} claim has no tolerance", "a fraction, or a quantity")
        if isinstance(tolerance, (int, float)) and role in TOLERANT and not _fraction(tolerance):
            help = "a prediction that is off by more is a miss: give its reason as miss"
            self.fail((*path, "tolerance"), f"found {tolerance!r}", f"a fraction of at most {WIDEST}", help)
        elif isinstance(tolerance, (int, float)) and not 0 <= tolerance < float("inf"):
            self.fail((*path, "tolerance"), f"found {tolerance!r}", "a fraction")

    def _check_counted(self, table: Table, path: Path) -> None:
        """Check that predictions are distinguished from what repeats others or is only arithmetic on them."""
        other, id = table.get("counts_with"), table.get("id")
        if other is not None:
            known = self.roles.get(other)
            if known is None or other == id or "counts_with" in known:
                help = suggest(other, list(self.roles)) if known is None else ""
                expected = "the id of another claim, which counts itself"
                self.fail((*path, "counts_with"), f'found "{other}"', expected, help)
        if table.get("role") != "predicted" or other is not None:
            return
        for key in ("figure", "limit", "over", "set", "case"):
            for index, text in self._texts(table, path, key):
                for reference in referred(text):
                    known = self.roles.get(reference, {})
                    if reference == id or (known.get("role") == "predicted" and "counts_with" not in known):
                        sentence = f"a prediction rests on [{reference}], which is predicted"
                        self.fail(index, sentence, "given, fitted or identity claims")

    def _check_null(self, table: Table, path: Path) -> None:
        """Check that what a prediction is compared with is a figure given to the model, of the same dimension."""
        null = str(table.get("null", ""))
        if not null and table.get("role") == "predicted" and "counts_with" not in table:
            help = 'null = "none: " and the reason where nothing given can be compared'
            self.fail((*path, "null"), "the prediction has no null", "the nearest figure it was given", help, "QN745")
        if not null or _no_null(null):
            return
        if null == UNCHANGED:
            if table.get("take") not in ("ratio", "change", "difference"):
                self.fail((*path, "null"), "nothing is compared", 'unchanged with take = "ratio" or "change"')
            return
        known, reported = self.roles.get(null), self.printed.get(null)
        if known is None or reported is None or known.get("role") not in _NULLS:
            role = known.get("role") if known else ""
            sentence = f'"{null}" is {role}' if role and reported else f'"{null}" states no quantity' if known else ""
            expected = f"a claim that is {', '.join(_NULLS[:-1])} or {_NULLS[-1]}, or none: and the reason"
            help = "" if known else suggest(null, list(self.roles))
            self.fail((*path, "null"), sentence or f'unknown claim "{null}"', expected, help, "QN745")
            return
        match = next((text for key in ("stated", "at_least", "at_most") if (text := table.get(key))), "")
        try:
            dimension = printed(str(match)).dimension
        except UnitError:
            return
        if reported.dimension != dimension:
            sentence = f'"{null}" is {reported.dimension.describe()}'
            self.fail((*path, "null"), sentence, dimension.describe(), code="QN745")

    def _texts(self, table: Table, path: Path, key: str) -> list[tuple[Path, str]]:
        """The texts under a key of a claim, with their paths."""
        if key == "case":
            name = table.get("case", "")
            values, start = self.cases.get(name, {}), ("cases", name)
        elif key == "set":
            values, start = cast("Table", table.get("set", {})), (*path, "set")
        else:
            return [((*path, key), str(table.get(key, "")))]
        return [((*start, name), str(value)) for name, value in values.items()]

    def _where(self, table: Table, path: Path) -> Where:
        """The system and the settings of a claim."""
        case = table.get("case", "")
        if case and case not in self.cases:
            self.fail(
                (*path, "case"), f'unknown case "{case}"', "a case of this study", suggest(case, list(self.cases))
            )
        start = Where(str(self.data.get("system", "")), {}, {"system": ("system",)})
        result = self._overlay(start, self.cases.get(case, {}), ("cases", case))
        if "system" in table:
            result = result.replace(system=table["system"], paths={**result.paths, "system": (*path, "system")})
        return self._overlay(result, cast("Table", table.get("set", {})), (*path, "set"))

    def _overlay(self, where: Where, settings: Table, path: Path) -> Where:
        """Some settings, or another system, instead of those there."""
        system, particular, paths = where.system, dict(where.settings), dict(where.paths)
        for name, value in settings.items():
            if isinstance(value, bool) or not isinstance(value, (int, float, str)):
                self.fail((*path, name), f"found {value!r}", "a number or an expression in quotes")
                continue
            paths[name] = (*path, name)
            if name == "system":
                system = str(value)
            else:
                particular[name] = self.fill(str(value), (*path, name))
        return Where(system, particular, paths)

    def fill(self, text: str, path: Path) -> str:
        """The text with references to other claims replaced by their figures."""
        for id in referred(text):
            if id not in self.printed:
                known = id in self.roles
                sentence = f"[{id}] states no quantity" if known else f'unknown claim "{id}"'
                help = "" if known else suggest(id, list(self.roles))
                problem = Problem(
                    code="QN322",
                    found=sentence,
                    expected="the id of a claim of this study that states one",
                    path=path,
                    help=help,
                )
                if problem not in self.problems:
                    self.problems.append(problem)
        return filled(text, lambda id: self.printed[id].moved(0) if id in self.printed else "1")


_PLAIN = (
    "id", "role", "metric", "stated", "at_least", "at_most", "take", "sets", "counts_with", "null", "miss", "short",
    "remark",
)  # fmt: skip


def _no_null(text: str) -> bool:
    """Whether a null states that there is none, and why."""
    word, _, reason = text.partition(":")
    return word.strip() == "none" and bool(reason.strip())


def _fraction(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= WIDEST


def _is_trend(table: Table) -> bool:
    """Whether a claim states a direction, and no quantity."""
    if table.get("take") == "trend":
        return True
    return table.get("role") == "trend" and "base" in table and not table.get("take")
