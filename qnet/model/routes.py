"""Reading the classes of a model: their routes, and the steps of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from qnet.documents import Path
from qnet.errors import UsageError
from qnet.expression import Expression, parse
from qnet.lazy import lazy
from qnet.model.model import BranchModel, ClassModel, RouteModel, StepModel
from qnet.model.reader import Reader, Table, describe

if TYPE_CHECKING:
    from qnet.queues import percentile_fit
else:
    percentile_fit = lazy("qnet.queues.percentile_fit")

MAX_STEPS = 20_000
"""Most steps of a model; a choice that bounds time."""

_ONE = parse(1)
_ZERO = parse(0)
_FORMS = frozenset(
    frozenset(form)
    for form in (("delay",), ("station", "time"), ("hold", "steps"), ("time",), ("parallel",), ("fill",))
)  # fmt: skip
_FORM_KEYS = ("delay", "station", "time", "hold", "steps", "parallel", "fill")


class RouteReader:
    """Reads classes, routes and steps; problems go to the reader."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.steps_read = 0

    def customers(self, name: str, raw: Any) -> ClassModel:
        """A class, with routes or with the steps of its only route."""
        path = ("classes", name)
        self.reader.label(name, path)
        values = self.reader.table(raw, "class", path)
        if ("routes" in values) == ("steps" in values) and isinstance(raw, dict):
            expected = "[[classes.NAME.routes]], or steps for the only route"
            self.reader.fail("QN208", path, "a class needs either routes or steps", expected)
        routes: tuple[RouteModel, ...] = ()
        if "routes" in values:
            routes = self.routes(values["routes"], (*path, "routes"))
        elif "steps" in values:
            steps = self.steps(values["steps"], (*path, "steps"))
            only = self.reader.record(RouteModel, "route", {}, name=name, probability=_ONE, steps=steps, path=path)
            routes = (only,)
        return self.reader.record(ClassModel, "class", values, name=name, routes=routes, path=path)

    def routes(self, raw: Any, path: Path) -> tuple[RouteModel, ...]:
        """The routes of a class, at least one."""
        if not isinstance(raw, list) or not raw:
            text = "an empty list" if raw == [] else describe(raw)
            self.reader.fail("QN201", path, f"found {text}", "tables [[classes.NAME.routes]]")
            return ()
        return tuple(self.route(item, (*path, index)) for index, item in enumerate(cast("list[Any]", raw)))

    def route(self, raw: Any, path: Path) -> RouteModel:
        """One way through the network."""
        values = self.reader.table(raw, "route", path)
        name: str = values.get("name", "")
        if name:
            self.reader.label(name, (*path, "name"))
        steps = self.steps(values["steps"], (*path, "steps")) if "steps" in values else ()
        return self.reader.record(RouteModel, "route", values, steps=steps, path=path)

    def steps(self, raw: Any, path: Path) -> tuple[StepModel, ...]:
        """A list of steps, at least one."""
        if not isinstance(raw, list):
            expected = "a list of steps: [ { delay = ... }, { station = ..., time = ... } ]"
            self.reader.fail("QN201", path, f"found {describe(raw)}", expected)
            return ()
        if not raw:
            expected = "steps, or one that takes no time: [ { delay = 0 } ]"
            self.reader.fail("QN201", path, "the list is empty", expected)
        return tuple(self.step(item, (*path, index)) for index, item in enumerate(cast("list[Any]", raw)))

    def step(self, raw: Any, path: Path) -> StepModel:
        """One step in any of its forms; `station` with `time` becomes a hold around that time."""
        self.steps_read += 1
        if self.steps_read == MAX_STEPS + 1:
            self.reader.fail("QN206", path, f"the model has more than {MAX_STEPS} steps", f"at most {MAX_STEPS}")
        values = self.reader.table(raw, "step", path)
        given = cast("dict[str, Any]", raw) if isinstance(raw, dict) else {}
        if isinstance(raw, dict):
            self.form(given, values, path)
        scv: Expression | None = values.get("scv") if "scv" in given else None
        time: Expression | None = values.get("delay", values.get("time"))
        fitted = ""
        if "percentiles" in given:
            time, scv, fitted = self.lognormal(given, (*path, "percentiles"))
        if "parallel" in given:
            branches = self.branches(given["parallel"], (*path, "parallel"))
            return self.made(values, "", None, (), None, path, branches=branches)
        if "station" not in given and "hold" not in given:
            key = next((key for key in ("delay", "percentiles") if key in given), "time")
            return self.made(values, "", time or _ZERO, (), scv, path, time_key=key, fitted=fitted)
        name: str = values.get("hold", values.get("station", ""))
        if "station" in given:
            service = self.made({}, "", time or _ZERO, (), scv, path, fitted=fitted)
            return self.made(values, name, None, (service,), None, path)
        inner = self.steps(values["steps"], (*path, "steps")) if "steps" in values else ()
        return self.made(values, name, None, inner, scv, path)

    def made(
        self,
        values: Table,
        station: str,
        time: Expression | None,
        steps: tuple[StepModel, ...],
        scv: Expression | None,
        path: Path,
        **others: Any,
    ) -> StepModel:
        """A step from the values of its table; `others` are further attributes that are no key."""
        keeps = values.get("keeps")
        # A phase that cannot be read is reported once, without another problem for keeps.
        phase = values.get("phase", 2 if keeps else 1)
        return self.reader.record(
            StepModel,
            "step",
            values,
            station=station,
            time=time,
            steps=steps,
            scv=scv,
            path=path,
            phase=phase,
            keeps=keeps,
            **others,
        )

    def lognormal(self, given: Table, path: Path) -> tuple[Expression | None, Expression | None, str]:
        """Mean and scv of the lognormal time of a step that states percentiles, and these percentiles as text."""
        raw = given["percentiles"]
        for key in ("time", "scv", "delay"):
            if key in given:
                self.reader.fail("QN209", path, f"percentiles and {key} are both stated", "one of the two")
        if not isinstance(raw, dict):
            expected = 'a table with two percentiles: { p50 = "12 ms", p99 = "80 ms" }'
            self.reader.fail("QN201", path, f"found {describe(raw)}", expected)
            return None, None, ""
        text = ", ".join(f"{key} = {value}" for key, value in cast("dict[str, Any]", raw).items())
        try:
            mean, scv, _ = percentile_fit.lognormal(text)
        except UsageError as error:
            problem = error.problems[0]
            self.reader.fail(problem.code, path, problem.found, problem.expected)
            return None, None, ""
        return parse(f"{mean!r} s"), parse(scv), text

    def branches(self, raw: Any, path: Path) -> tuple[BranchModel, ...]:
        """The branches of a parallel step, at least one."""
        if not isinstance(raw, list) or not raw:
            text = "an empty list" if raw == [] else describe(raw)
            self.reader.fail("QN201", path, f"found {text}", "a list of branches: [ { steps = [...] }, ... ]")
            return ()
        return tuple(self.branch(item, (*path, index)) for index, item in enumerate(cast("list[Any]", raw)))

    def branch(self, raw: Any, path: Path) -> BranchModel:
        """One branch of a parallel step."""
        values = self.reader.table(raw, "branch", path)
        name: str = values.get("name", "")
        if name:
            self.reader.label(name, (*path, "name"))
        steps = self.steps(values["steps"], (*path, "steps")) if "steps" in values else ()
        return self.reader.record(BranchModel, "branch", values, steps=steps, path=path)

    def form(self, given: Table, values: Table, path: Path) -> None:
        """Note keys that do not form one of the forms of a step."""
        keys = {"time" if key == "percentiles" else key for key in given}
        form = frozenset(key for key in _FORM_KEYS if key in keys)
        if form not in _FORMS:
            if self.reader.misspelt(path):
                return
            text = "the step has " + (", ".join(sorted(form)) or "none of its forms")
            expected = "one of: delay; station and time; hold and steps; time (inside a hold); parallel; fill"
            held = form == frozenset(("station", "steps"))
            help = 'a station that is held during other steps: { hold = "NAME", steps = [...] }' if held else ""
            self.reader.fail("QN209", path, text, expected, help)
            return
        self.reader.together(given, values, "step", path)
        if "scv" in given and "parallel" in given:
            self.reader.fail("QN209", (*path, "scv"), "scv is used in a parallel step", "scv in the steps of branches")
        if "remainder" in given and ("time" not in given or "station" in given):
            text = "remainder is used in a step other than a time inside a hold"
            self.reader.fail("QN209", (*path, "remainder"), text, "remainder with a time inside a hold")
