"""The systems of a study, each loaded once, and the values of their parameters at the settings of the claims."""

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
from qnet.model.values import Values, standing_values
from qnet.questions.study.study import Study, Where
from qnet.record import Record

_SettingKey = tuple[str, tuple[tuple[str, str], ...]]
"""The name of a system, and the texts of its settings by parameter."""


_Factors = tuple[tuple[str, float], ...]
"""Parameters, and the factor by which each is multiplied."""


class Setting(Record):
    """A system with some settings, and the values of its parameters."""

    model: Model
    """The system without the settings."""
    changed: Model
    """The system with the settings."""
    values: dict[str, Any]
    """The values of the parameters of `changed` that are known before solving, in base units."""


class Systems:
    """Loads the systems of one study and evaluates their parameters, each once; problems are collected in `problems`.

    known   the systems of the same study, whose loaded models, settings and grids are shared.
    """

    def __init__(self, study: Study, known: Systems | None = None) -> None:
        self.study = study
        self.problems: list[Problem] = []
        self.models: dict[str, Model | None] = known.models if known else {}
        self.stated: dict[str, dict[str, Any]] = known.stated if known else {}
        """The results of `stated_values` by system."""
        self.settings: dict[_SettingKey, Setting | None] = known.settings if known else {}
        self.parameters: dict[tuple[_SettingKey, _Factors], tuple[dict[str, Any], int | None]] = {}
        """The results of `moved`."""
        self.grids: dict[tuple[_SettingKey, str], Grid] = known.grids if known else {}
        self.columns: dict[tuple[_SettingKey, str, _Factors], dict[str, Any]] = {}
        """The values of all parameters along a grid, by setting, grid, and factors of other parameters."""

    def main(self) -> Model:
        """The main system of the study; raises `InvalidInput` if it cannot be loaded."""
        result = self.model(self.study.system, ("system",))
        if result is None:
            raise InvalidInput(*self.problems)
        return result

    def model(self, name: str, path: Path) -> Model | None:
        """The system of a name; None if it cannot be loaded, which is recorded once as a problem at `path`."""
        if name not in self.models:
            self.models[name] = None
            try:
                self.models[name] = load(name)
            except QnetError as error:
                self.keep_problems(error, path)
        return self.models[name]

    def keep_problems(self, error: QnetError, path: Path) -> None:
        """Record the problems of an error at a key of the study file."""
        self.problems += [self.study.problem(problem, path) for problem in error.problems]

    def setting(self, where: Where) -> Setting | None:
        """A system with some settings; None if either is invalid, which is recorded once."""
        key = _key(where)
        if key not in self.settings:
            model = self.model(where.system, where.paths["system"])
            self.settings[key] = None if model is None else self.changed(model, where)
        return self.settings[key]

    def moved(self, where: Where, setting: Setting, factors: dict[str, float]) -> tuple[dict[str, Any], int | None]:
        """The values of all parameters, some of which are multiplied by a factor of `factors` from their value at the
        setting; where some are arrays, with the index of their element."""
        key = _key(where), tuple(factors.items())
        if key not in self.parameters:
            varied = {name: float(setting.values[name]) * factor for name, factor in factors.items()}
            self.parameters[key] = Values(setting.changed, varied, None).known, None
        return self.parameters[key]

    def compute_moved(self, moves: Iterable[tuple[Where, Setting, Iterable[tuple[str, float]]]]) -> None:
        """Compute the results of `moved` for several moves at each of several settings, each of one parameter by a
        factor.

        Settings of the same parameters to numbers are one batch. Parameters that are expressions over others, and a
        batch that raises an error, are left to `moved`.
        """
        batches: dict[Any, list[tuple[_SettingKey, Setting, str, float]]] = {}
        for where, setting, factors in moves:
            key, parameters = _key(where), setting.changed.parameters
            texts = ((name, bool(parameters[name].expression.names) and text) for name, text in where.settings.items())
            batches.setdefault((where.system, *texts), []).extend(
                (key, setting, name, factor)
                for name, factor in dict.fromkeys(factors)
                if (key, ((name, factor),)) not in self.parameters and not parameters[name].expression.names
            )
        for batch in batches.values():
            if len(batch) > 1:
                with suppress(QnetError):
                    self._compute_moved(batch)

    def _compute_moved(self, batch: Sequence[tuple[_SettingKey, Setting, str, float]]) -> None:
        """Compute the results of `moved` for moves at settings of the same parameters, those to numbers in arrays."""
        (_, settings), first, *_ = batch[0]
        to_numbers = [name for name, _ in settings if not first.changed.parameters[name].expression.names]
        varied = {
            each: np.array([float(setting.values[each]) for _, setting, *_ in batch])
            for each in dict.fromkeys([*to_numbers, *(name for _, _, name, _ in batch)])
        }
        for index, (_, _, name, factor) in enumerate(batch):
            varied[name][index] *= factor
        known = Values(first.changed, varied, len(batch)).known
        for index, (key, _, name, factor) in enumerate(batch):
            self.parameters[key, ((name, factor),)] = known, index

    def grid(self, where: Where, setting: Setting, text: str) -> Grid:
        """The grid of a claim, parsed once for each setting; raises `UsageError` for an invalid text."""
        key = _key(where), text
        if key not in self.grids:
            self.grids[key] = grid(text, setting.changed)
        return self.grids[key]

    def along(self, where: Where, setting: Setting, points: Grid, factors: dict[str, float]) -> dict[str, Any]:
        """The values of all parameters along a grid, with other parameters multiplied by factors.

        Those that vary along the grid are arrays with one element per grid value.
        """
        key, text, moves = _key(where), repr(points), tuple(factors.items())
        if (key, text, moves) not in self.columns:
            self._compute_along(key, text, setting, points, [moves])
        return self.columns[key, text, moves]

    def compute_along(self, where: Where, setting: Setting, points: Grid, moves: Iterable[tuple[str, float]]) -> None:
        """Compute the results of `along` for several moves, each of one parameter by a factor, as one batch.

        Parameters that are expressions over others, and a batch that raises an error, are left to `along`.
        """
        key, text = _key(where), repr(points)
        batch = [
            ((name, factor),)
            for name, factor in dict.fromkeys(moves)
            if (key, text, ((name, factor),)) not in self.columns
            and not setting.changed.parameters[name].expression.names
        ]
        if len(batch) > 1:
            with suppress(QnetError):
                self._compute_along(key, text, setting, points, batch)

    def _compute_along(
        self, key: _SettingKey, text: str, setting: Setting, points: Grid, batch: Sequence[_Factors]
    ) -> None:
        """Compute the values of all parameters along a grid for each element of a batch, all of them at once.

        text   the grid as text, by which `columns` keeps the values.
        """
        size = len(points.values)
        varied = {
            name: np.full(len(batch) * size, float(setting.values[name]))
            for name in dict.fromkeys(name for factors in batch for name, _ in factors if name != points.name)
        }
        parts = [slice(index * size, (index + 1) * size) for index in range(len(batch))]
        for part, factors in zip(parts, batch, strict=True):
            for name, factor in factors:
                if name in varied:
                    varied[name][part] *= factor
        varied[points.name] = np.tile(np.array(points.values), len(batch))
        known = Values(setting.changed, varied, len(batch) * size).known
        for part, factors in zip(parts, batch, strict=True):
            self.columns[key, text, factors] = {
                name: value[part] if getattr(value, "ndim", 0) else value for name, value in known.items()
            }

    def stated_values(self, system: str, model: Model) -> dict[str, Any]:
        """The values of the parameters of a system without settings, in base units; empty if it has an invalid one."""
        if system not in self.stated:
            self.stated[system] = {}
            with suppress(QnetError):
                self.stated[system] = Values(model, {}, None).known
        return self.stated[system]

    def changed(self, model: Model, where: Where) -> Setting | None:
        """A system with some settings; None if they are invalid.

        The problems are recorded at every setting that is invalid by itself, otherwise at the last one.
        """
        try:
            return _setting(model, where.settings, self.stated_values(where.system, model))
        except QnetError as error:
            before = len(self.problems)
            for name, text in where.settings.items():
                try:
                    _setting(model, {name: text}, {})
                except QnetError as failure:
                    self.keep_problems(failure, where.paths[name])
            if len(self.problems) == before:
                self.keep_problems(error, list(where.paths.values())[-1])
        return None


def _key(where: Where) -> _SettingKey:
    return where.system, tuple(where.settings.items())


def _setting(model: Model, settings: dict[str, str], stated: dict[str, Any]) -> Setting:
    """The system with some settings.

    stated   the values of the parameters without settings, as far as they are known.
    Raises `UsageError` or `InvalidInput` for an unknown parameter, an invalid value, or a value of the solution.
    """
    changed = with_settings(model, settings)
    known = Values(changed, {}, None, standing=standing_values(changed, stated, settings)).known
    for name in settings:
        if name not in known:
            text = f'with this setting "{name}" depends on the solution'
            raise InvalidInput(Problem("QN123", text, "a value known before solving"))
    return Setting(model, changed, known)


def refuse_moving(vary: str, settings: dict[str, str], changed: Model) -> None:
    """Raise `InvalidInput` for a setting that depends on the parameter that is searched.

    vary       the searched parameter.
    settings   the settings of a claim.
    changed    the system with these settings.
    """
    for name in settings:
        pending, visited = [name], set[str]()
        while pending:
            used = pending.pop()
            if used == vary and name != vary:
                text = f'the setting of "{name}" depends on "{vary}", which is searched'
                raise InvalidInput(Problem("QN123", text, "a value that does not change with it"))
            if used in changed.parameters and used not in visited:
                visited.add(used)
                pending += changed.parameters[used].expression.names
