"""Read the claims of a study file: check every key, report every problem, and fill in references to other claims."""

from __future__ import annotations

from typing import Any, cast

from qnet.documents import Path
from qnet.errors import Problem, suggest
from qnet.questions.study.printed import Printed, printed
from qnet.questions.study.story import fill_references, references_in
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

_TEXT, _AMOUNT, _TABLE, _FLAG = (str,), (int, float, str), (dict,), (bool,)
_TYPE_NAMES: dict[tuple[type, ...], str] = {
    _TEXT: "a text", _AMOUNT: "a number or a text", _TABLE: "a table", _FLAG: "true or false"
}  # fmt: skip
_KEYS: dict[str, tuple[type, ...]] = {
    "id": _TEXT, "role": _TEXT, "metric": _TEXT, "case": _TEXT, "system": _TEXT, "set": _TABLE, "base": _TABLE,
    "stated": _TEXT, "at_least": _TEXT, "at_most": _TEXT, "tolerance": _AMOUNT, "largest": _TEXT, "smallest": _TEXT,
    "limit": _TEXT, "figure": _TEXT, "over": _TEXT, "take": _TEXT, "sets": _TEXT, "counts_with": _TEXT,
    "null": _TEXT, "by_construction": _FLAG, "in_view": _FLAG, "miss": _TEXT, "short": _TEXT, "remark": _TEXT,
}  # fmt: skip
"""The types of the value of each key of a claim."""
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
"""Keys that are allowed on claims of some roles only, with these roles."""
SHORT = 70
"""The largest number of characters of `short`: one line of a terminal, after its label."""
TOLERANT = ("predicted", "failed assumption", "carried")
"""Roles whose claims take the default tolerance of the study, of at most `WIDEST`."""
_NULLS = ("given", "fitted", "identity")
"""Roles of claims whose figure may be a null: an input of the model, or a figure that follows from inputs alone."""
UNCHANGED = "unchanged"
"""The null that the compared figures are equal."""
_COMPUTED = ("fitted", "predicted", "failed assumption", "carried", "identity", "trend")
"""Roles whose claims must have a figure or a search."""
_TRENDS = ("rises", "falls", "unchanged")
LARGEST = "largest"
_OF_GRID = ("mean", LARGEST, "trend")
"""The values of `take` for a claim with `over`."""
_OF_TWO = ("ratio", "change", "difference")
"""The values of `take` for a claim with `base`."""
WIDEST = 0.25
"""The largest relative tolerance of a prediction: one with a larger error is a miss that needs a reason."""

Table = dict[str, Any]


class ClaimReader:
    """Reads the claims of a study. Problems are collected in `problems`, with a path but without file and line.

    data   the parsed TOML of the study.
    """

    def __init__(self, data: Table) -> None:
        self.data = data
        self.problems: list[Problem] = []
        self.printed: dict[str, Printed] = {}
        """The stated quantities by claim id."""
        self.tables: dict[str, Table] = {}
        """The tables of the claims by id."""
        self.cases: dict[str, Table] = {}
        """The settings of `[cases.NAME]`."""
        for key in data:
            if key not in TOP:
                self.fail((key,), f'unknown key "{key}"', "a key of a study", suggest(key, list(TOP)))

    def fail(self, path: Path, problem: str, expected: str, help: str = "", code: str = "QN320") -> None:
        """Record the problem at a key of the file, with what was expected there."""
        self.problems.append(Problem(code=code, found=problem, expected=expected, path=path, help=help))

    def claims(self) -> tuple[Claim, ...]:
        """Read all claims, in the order of the file; they are usable only if `problems` is empty afterwards."""
        raw: Any = self.data.get("claims", [])
        items = cast("list[Any]", raw) if isinstance(raw, list) else []
        tables: list[Table] = [cast("Table", item) if isinstance(item, dict) else {} for item in items]
        if not isinstance(raw, list) or not all(isinstance(item, dict) for item in items):
            self.fail(("claims",), "claims is not an array of tables", "[[claims]]")
        default = self.data.get("tolerance")
        if default is not None and not _fraction(default):
            self.fail(("tolerance",), f"found {default!r}", f"a fraction of at most {WIDEST}")
        self._check_types(tables)
        self._read_cases()
        return tuple(self._claim(table, index) for index, table in enumerate(tables))

    def _check_types(self, tables: list[Table]) -> None:
        """Check keys, types and ids of all claims, remove values of a wrong type, and fill `tables` and `printed`."""
        for index, table in enumerate(tables):
            path = ("claims", index)
            for key, value in list(table.items()):
                types = _KEYS.get(key)
                if types is None:
                    self.fail((*path, key), f'unknown key "{key}"', "a key of a claim", suggest(key, list(_KEYS)))
                elif not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
                    self.fail((*path, key), f"found {value!r}", _TYPE_NAMES[types])
                    del table[key]
            id = table.get("id", "")
            if not id or "[" in id or "]" in id:
                self.fail((*path, "id"), "the claim has no id", "a text without brackets")
            elif id in self.tables:
                self.fail((*path, "id"), f'there are two claims "{id}"', "each claim once", code="QN321")
            self.tables[id] = table
            self._read_quantities(table, path)

    def _read_quantities(self, table: Table, path: Path) -> None:
        """Check the quantities that a claim states, and keep its `stated` in `printed`.

        Given, outside and disputed claims without a figure may state texts.
        """
        for key in ("stated", "at_least", "at_most", "tolerance"):
            text = table.get(key)
            if not isinstance(text, str) or (key == "stated" and _is_trend(table)):
                continue
            try:
                result = printed(text)
            except UnitError as error:
                may_be_text = key != "tolerance" and table.get("role") in ("given", "outside", "disputed")
                if not may_be_text or "figure" in table:
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
        self._check_combinations(table, path)
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

    def _check_combinations(self, table: Table, path: Path) -> None:
        """Check that the keys of a claim are consistent with its role and with each other."""
        role, take = table.get("role", ""), table.get("take", "")

        def fail(key: str, problem: str, expected: str, help: str = "") -> None:
            self.fail((*path, key), problem, expected, help)

        if role not in ROLES:
            fail("role", f'found "{role}"', "one of " + ", ".join(ROLES), suggest(role, list(ROLES)))
            return
        for key, roles in _OF_ROLES.items():
            if key in table and role not in roles:
                fail(
                    key,
                    f'{key} on a claim with the role "{role}"',
                    f"{key} only on claims with the role {' or '.join(roles)}",
                )
        computed = any(table.get(key) for key in ("largest", "smallest", "figure"))
        if {"largest", "smallest"} <= set(table):
            fail("smallest", "the claim has both largest and smallest", "largest or smallest")
        if "limit" in table and not {"largest", "smallest"} & set(table):
            fail("limit", "the claim has a limit but searches no parameter", "largest or smallest together with limit")
        if not any(table.get(key) for key in ("stated", "at_least", "at_most")):
            fail("stated", "the claim states nothing", "stated, at_least or at_most")
        if not computed and role in _COMPUTED:
            fail("figure", "the claim has nothing to compute", "largest, smallest or figure")
        if computed and role == "outside":
            fail("figure", "a claim outside of the model cannot be computed with it", "no figure")
        if not computed and role not in _COMPUTED and not table.get("metric"):
            fail("metric", "the claim does not describe what it states", "metric in a few words")
        if width(table.get("short", "")) > SHORT:
            fail("short", f"it has {width(table['short'])} characters", f"at most {SHORT}, with the rest as remark")
        if role == "outside" and not table.get("remark"):
            fail("remark", "the claim gives no reason why it is outside", "remark with the reason")
        allowed = _OF_GRID if "over" in table else _OF_TWO if "base" in table else ()
        needed = "over" in table or ("base" in table and role != "trend")
        if ("over" in table and "base" in table) or (take not in allowed if take else needed):
            fail("take", f'found "{take}"', "mean, largest or trend with over; ratio, change or difference with base")
        if take == "trend" and role not in ("trend", "disputed"):
            fail("take", f'take = "trend" on a claim with the role "{role}"', 'role = "trend"')
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
        """Check that a claim whose role needs a tolerance has one, and its range."""
        role, tolerance = table.get("role"), table.get("tolerance")
        if role in TOLERANT and "stated" in table and tolerance is None and "tolerance" not in self.data:
            self.fail((*path, "tolerance"), f"a {role} claim has no tolerance", "a fraction, or a quantity")
        if isinstance(tolerance, (int, float)) and role in TOLERANT and not _fraction(tolerance):
            help = "a prediction with a larger error is a miss: give its reason as miss"
            self.fail((*path, "tolerance"), f"found {tolerance!r}", f"a fraction of at most {WIDEST}", help)
        elif isinstance(tolerance, (int, float)) and not 0 <= tolerance < float("inf"):
            self.fail((*path, "tolerance"), f"found {tolerance!r}", "a fraction")

    def _check_counted(self, table: Table, path: Path) -> None:
        """Check that `counts_with` names a claim that counts, and that no prediction refers to another prediction."""
        other, id = table.get("counts_with"), table.get("id")
        if other is not None:
            target = self.tables.get(other)
            if target is None or other == id or "counts_with" in target:
                help = suggest(other, list(self.tables)) if target is None else ""
                expected = "the id of another claim, which has no counts_with itself"
                self.fail((*path, "counts_with"), f'found "{other}"', expected, help)
        if table.get("role") != "predicted" or other is not None:
            return
        for key in ("figure", "limit", "over", "set", "base", "case"):
            for text_path, text in self._texts(table, path, key):
                for reference in references_in(text):
                    target = self.tables.get(reference, {})
                    if reference == id or (target.get("role") == "predicted" and "counts_with" not in target):
                        sentence = f"a prediction refers to [{reference}], which is predicted"
                        self.fail(text_path, sentence, "given, fitted or identity claims")

    def _check_null(self, table: Table, path: Path) -> None:
        """Check that a null is a figure given to the model, of the dimension of the claim, or has a reason."""
        null = str(table.get("null", ""))
        if not null and table.get("role") == "predicted" and "counts_with" not in table:
            help = 'null = "none: " and the reason if no given figure can be compared'
            self.fail((*path, "null"), "the prediction has no null", "the nearest given figure", help, "QN745")
        if not null or _no_null(null):
            return
        if null == UNCHANGED:
            if table.get("take") not in ("ratio", "change", "difference"):
                expected = 'unchanged with take = "ratio", "change" or "difference"'
                self.fail((*path, "null"), "the claim compares no two figures", expected)
            return
        target, figure = self.tables.get(null), self.printed.get(null)
        if target is None or figure is None or target.get("role") not in _NULLS:
            role = target.get("role") if target else ""
            sentence = f'"{null}" is {role}' if role and figure else f'"{null}" states no quantity' if target else ""
            expected = f"a claim that is {', '.join(_NULLS[:-1])} or {_NULLS[-1]}, or none: and the reason"
            help = "" if target else suggest(null, list(self.tables))
            self.fail((*path, "null"), sentence or f'unknown claim "{null}"', expected, help, "QN745")
            return
        text = next((text for key in ("stated", "at_least", "at_most") if (text := table.get(key))), "")
        try:
            dimension = printed(str(text)).dimension
        except UnitError:
            return
        if figure.dimension != dimension:
            sentence = f'"{null}" is {figure.dimension.describe()}'
            self.fail((*path, "null"), sentence, dimension.describe(), code="QN745")

    def _texts(self, table: Table, path: Path, key: str) -> list[tuple[Path, str]]:
        """The texts under a key of a claim, or of its case, with their paths."""
        if key == "case":
            name = table.get("case", "")
            values, start = self.cases.get(name, {}), ("cases", name)
        elif key in ("set", "base"):
            values, start = cast("Table", table.get(key, {})), (*path, key)
        else:
            return [((*path, key), str(table.get(key, "")))]
        return [((*start, name), str(value)) for name, value in values.items()]

    def _where(self, table: Table, path: Path) -> Where:
        """The system and settings of a claim: those of the study, then of its case, its `system`, and its `set`."""
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
        """The system and settings of `where` after those of a table of the file, in which `system` names a system."""
        system, merged, paths = where.system, dict(where.settings), dict(where.paths)
        for name, value in settings.items():
            if isinstance(value, bool) or not isinstance(value, (int, float, str)):
                self.fail((*path, name), f"found {value!r}", "a number or an expression in quotes")
                continue
            paths[name] = (*path, name)
            if name == "system":
                system = str(value)
            else:
                merged[name] = self.fill(str(value), (*path, name))
        return Where(system, merged, paths)

    def fill(self, text: str, path: Path) -> str:
        """The text at a path with references replaced by the figures of the claims, in base units.

        A reference to a claim that is unknown or states no quantity is recorded as a problem, and replaced by 1.
        """
        for id in references_in(text):
            if id not in self.printed:
                is_claim = id in self.tables
                sentence = f"[{id}] states no quantity" if is_claim else f'unknown claim "{id}"'
                help = "" if is_claim else suggest(id, list(self.tables))
                problem = Problem(
                    code="QN322",
                    found=sentence,
                    expected="the id of a claim of this study that states one",
                    path=path,
                    help=help,
                )
                if problem not in self.problems:
                    self.problems.append(problem)
        return fill_references(text, lambda id: self.printed[id].moved(0) if id in self.printed else "1")


_PLAIN = (
    "id", "role", "metric", "stated", "at_least", "at_most", "take", "sets", "counts_with", "null", "miss", "short",
    "remark",
)  # fmt: skip
"""Keys whose text a `Claim` has under the same name, unchanged."""


def _no_null(text: str) -> bool:
    """Whether the value of `null` is `none: ` with a reason."""
    word, _, reason = text.partition(":")
    return word.strip() == "none" and bool(reason.strip())


def _fraction(value: Any) -> bool:
    """Whether a value is a number from 0 to `WIDEST`."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= WIDEST


def _is_trend(table: Table) -> bool:
    """Whether a claim states a direction, not a quantity."""
    if table.get("take") == "trend":
        return True
    return table.get("role") == "trend" and "base" in table and not table.get("take")
