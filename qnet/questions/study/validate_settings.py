"""The systems of a study, each loaded once, with the settings at which its claims are computed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from qnet.documents import Path
from qnet.errors import InvalidInput, Problem, QnetError
from qnet.lazy import np
from qnet.model.grids import Grid, grid
from qnet.model.load import load
from qnet.model.model import Model
from qnet.model.settings import with_settings
from qnet.model.values import Values
from qnet.questions.study.study import Study, Where
from qnet.record import Record

_At = tuple[str, tuple[tuple[str, str], ...]]
"""A system and its settings."""


_Moves = tuple[tuple[str, float], ...]
"""Parameters that are multiplied by a factor."""


class Setting(Record):
    """A system with some settings, and the values of its parameters there."""

    model: Model
    """As it stands."""
    changed: Model
    known: dict[str, Any]


class Systems:
    """Opens the systems of one study; what is wrong with any of its keys is kept in `problems`.

    known   the same study, whose systems are opened already.
    """

    def __init__(self, study: Study, known: Systems | None = None) -> None:
        self.study = study
        self.problems: list[Problem] = []
        self.models: dict[str, Model | None] = known.models if known else {}
        self.settings: dict[_At, Setting | None] = known.settings if known else {}
        self.parameters: dict[tuple[_At, _Moves], dict[str, Any]] = {}
        self.grids: dict[tuple[_At, str], Grid] = known.grids if known else {}
        self.columns: dict[tuple[_At, str, _Moves], dict[str, Any]] = {}
        """The values of all parameters along a grid, by what moves others."""

    def main(self) -> Model:
        """The system of the study; raises `InvalidInput` for one that cannot be loaded."""
        result = self.model(self.study.system, ("system",))
        if result is None:
            raise InvalidInput(*self.problems)
        return result

    def model(self, name: str, path: Path) -> Model | None:
        """A system, loaded once; None for one that cannot be."""
        if name not in self.models:
            self.models[name] = None
            try:
                self.models[name] = load(name)
            except QnetError as error:
                self.blame(error, path)
        return self.models[name]

    def blame(self, error: QnetError, path: Path) -> None:
        """Keep what is wrong, as a problem of a key of the study."""
        self.problems += [self.study.problem(problem, path) for problem in error.problems]

    def setting(self, where: Where) -> Setting | None:
        """A system with some settings; None, reported once, for one that is wrong."""
        key = _key(where)
        if key not in self.settings:
            model = self.model(where.system, where.paths["system"])
            self.settings[key] = None if model is None else self.opened(model, where)
        return self.settings[key]

    def moved(self, where: Where, setting: Setting, factors: dict[str, float]) -> dict[str, Any]:
        """The values of all parameters where some of them are those of a setting times a factor."""
        key = _key(where), tuple(factors.items())
        if key not in self.parameters:
            varied = {name: float(setting.known[name]) * factor for name, factor in factors.items()}
            self.parameters[key] = Values(setting.changed, varied, None).known
        return self.parameters[key]

    def move(self, where: Where, setting: Setting, moves: Iterable[tuple[str, float]]) -> None:
        """Compute what `moved` answers, of several parameters that are each moved alone by a factor, as one batch.

        What rests on other parameters, or is refused, is left for `moved`.
        """
        key = _key(where)
        plain = [
            (name, factor)
            for name, factor in dict.fromkeys(moves)
            if (key, ((name, factor),)) not in self.parameters and not setting.changed.parameters[name].expression.names
        ]
        if len(plain) < 2:
            return
        varied = {name: np.full(len(plain), float(setting.known[name])) for name, _ in plain}
        for index, (name, factor) in enumerate(plain):
            varied[name][index] *= factor
        try:
            known = Values(setting.changed, varied, len(plain)).known
        except QnetError:
            return
        columns = {name: value for name, value in known.items() if getattr(value, "ndim", 0)}
        for index, move in enumerate(plain):
            here = {name: float(column[index]) for name, column in columns.items()}
            self.parameters[key, (move,)] = {**known, **here}

    def grid(self, where: Where, setting: Setting, text: str) -> Grid:
        """The points of a claim along a parameter; raises `UsageError` for a text that is none."""
        key = _key(where), text
        if key not in self.grids:
            self.grids[key] = grid(text, setting.changed)
        return self.grids[key]

    def along(self, where: Where, setting: Setting, points: Grid, factors: dict[str, float]) -> dict[str, Any]:
        """The values of all parameters along a grid, some of the others times a factor."""
        moves = tuple(factors.items())
        key = _key(where), repr(points), moves
        if key not in self.columns:
            self._move_along(key, setting, points, [moves])
        return self.columns[key]

    def move_along(self, where: Where, setting: Setting, points: Grid, moves: Iterable[tuple[str, float]]) -> None:
        """Compute what `along` answers, of several parameters that are each moved alone by a factor, as one batch.

        What rests on other parameters, or is refused, is left for `along`.
        """
        at, text = _key(where), repr(points)
        plain = [
            ((name, factor),)
            for name, factor in dict.fromkeys(moves)
            if (at, text, ((name, factor),)) not in self.columns
            and not setting.changed.parameters[name].expression.names
        ]
        if len(plain) > 1:
            with suppress(QnetError):
                self._move_along((at, text, ()), setting, points, plain)

    def _move_along(
        self, key: tuple[_At, str, _Moves], setting: Setting, points: Grid, every: Sequence[_Moves]
    ) -> None:
        """Compute the values of all parameters along a grid for some moves, all of them at once."""
        size = len(points.values)
        varied = {
            name: np.full(len(every) * size, float(setting.known[name]))
            for name in dict.fromkeys(name for moves in every for name, _ in moves if name != points.name)
        }
        parts = [slice(index * size, (index + 1) * size) for index in range(len(every))]
        for part, moves in zip(parts, every, strict=True):
            for name, factor in moves:
                if name in varied:
                    varied[name][part] *= factor
        varied[points.name] = np.tile(np.array(points.values), len(every))
        known = Values(setting.changed, varied, len(every) * size).known
        for part, moves in zip(parts, every, strict=True):
            self.columns[key[0], key[1], moves] = {
                name: value[part] if getattr(value, "ndim", 0) else value for name, value in known.items()
            }

    def opened(self, model: Model, where: Where) -> Setting | None:
        """A system with some settings; what is wrong is blamed on the one of them that is wrong by itself."""
        try:
            return _setting(model, where.settings)
        except QnetError as error:
            before = len(self.problems)
            for name, text in where.settings.items():
                try:
                    _setting(model, {name: text})
                except QnetError as failure:
                    self.blame(failure, where.paths[name])
            if len(self.problems) == before:
                self.blame(error, list(where.paths.values())[-1])
        return None


def _key(where: Where) -> _At:
    return where.system, tuple(where.settings.items())


def _setting(model: Model, settings: dict[str, str]) -> Setting:
    """Raises `UsageError` or `InvalidInput` for what cannot be set, or cannot be known before solving."""
    changed = with_settings(model, settings)
    known = Values(changed, {}, None).known
    for name in settings:
        if name not in known:
            text = f'"{name}" depends on the solution with this setting'
            raise InvalidInput(Problem("QN123", text, "a value known before solving"))
    return Setting(model, changed, known)


def refuse_moving(vary: str, settings: dict[str, str], changed: Model) -> None:
    """Raise `InvalidInput` for settings that would have to move with the parameter that is searched."""
    for name in settings:
        waiting, visited = [name], set[str]()
        while waiting:
            used = waiting.pop()
            if used == vary and name != vary:
                text = f'the setting of "{name}" rests on "{vary}", which is searched'
                raise InvalidInput(Problem("QN123", text, "a value that does not change with it"))
            if used in changed.parameters and used not in visited:
                visited.add(used)
                waiting += changed.parameters[used].expression.names
