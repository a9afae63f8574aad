"""A small network from command-line options: written in the model language, then checked like any other file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qnet.errors import InvalidInput, Names, Problem, UsageError, suggest
from qnet.model.model import Model
from qnet.record import Record

NAME = "<command line>"
_TITLE = "network from the command line"
_EXAMPLES = {
    "--station": ("a time", "40ms"),
    "--delay": ("a time", "40ms"),
    "--servers": ("a number", "2"),
    "--arrival-rate": ("a rate", "3/s"),
    "--population": ("a number", "20"),
    "--think-time": ("a time", "5s"),
}
"""Option -> the kind of its value, and an example."""


class Inline(Record):
    """A network in the model language, with the option behind each of its lines."""

    lines: tuple[str, ...]
    options: tuple[str, ...]
    """The option of each line, such as `--station cpu=120ms`; empty for lines without one."""
    data: dict[str, Any]
    """The data of the lines."""

    def model(self) -> Model:
        """The network, checked like a file; raises `InvalidInput` for values that the language refuses."""
        from qnet.documents import stated
        from qnet.model.load import build

        # Loading the TOML parser takes as long as loading all of the model language.
        return build(stated(self.data, "\n".join([*self.lines, ""]).encode(), NAME), NAME)

    def blame(self, error: InvalidInput) -> UsageError:
        """The problems of the network, reported for the options at fault."""
        return UsageError(*map(self._of_option, error.problems))

    def _of_option(self, problem: Problem) -> Problem:
        option = self.options[problem.line - 1] if 0 < problem.line <= len(self.options) else ""
        path = () if option else problem.path
        unknown = problem.code == "QN112" and isinstance(problem.help, Names)
        return Problem(
            code=problem.code,
            found=problem.found,
            expected=problem.expected,
            path=path,
            help=_with_example(option) if option and unknown else problem.help,
            file=option,
            line=0,
            excerpt=problem.excerpt,
        )


def inline(
    stations: Sequence[str],
    delays: Sequence[str],
    servers: Sequence[str],
    arrival_rate: str = "",
    population: str = "",
    think_time: str = "",
) -> Inline:
    """The network of `--station NAME=TIME ...`: one class that visits each station once, open or closed.

    Its numbers are the parameters `arrival_rate` or `population` and `think_time`, `demand_NAME`, `delay_NAME` and
    `servers_NAME`.

    Raises `UsageError` for options of another form.
    """
    queues, waits, counts = _pairs("--station", stations), _pairs("--delay", delays), _pairs("--servers", servers)
    _check(queues, waits, counts)
    _check_customers(arrival_rate, population, think_time)
    option_of = {name: f"--station {name}={time}" for name, time in queues.items()}
    option_of |= {name: f"--delay {name}={time}" for name, time in waits.items()}
    counted = {name: f"--servers {name}={count}" for name, count in counts.items()}
    parameters: dict[str, str] = {}
    above = [("qnet = 1", ""), (f"title = {_quoted(_TITLE)}", ""), ("[parameters]", "")]

    def value(name: str, text: str, option: str) -> str:
        """The value of a key: a parameter, which can be varied, or the text itself where `name` is no identifier."""
        if not (name.isidentifier() and name.isascii()):
            return text
        parameters[name] = text
        above.append((f"{name} = {_quoted(text)}", option))
        return name

    centres: dict[str, dict[str, Any]] = {}
    below = [("[stations]", "")]
    for name in queues:
        number = value(f"servers_{name}", counts[name], counted[name]) if name in counts else "1"
        centres[name] = {"servers": number}
        below.append((f"{_quoted(name)} = {{ servers = {_quoted(number)} }}", counted.get(name, option_of[name])))
    for name in waits:
        centres[name] = {"delay": True}
        below.append((f"{_quoted(name)} = {{ delay = true }}", option_of[name]))
    customers: dict[str, Any] = {}
    below.append(("[classes.customers]", ""))
    for key, text in (("arrival_rate", arrival_rate), ("population", population), ("think_time", think_time)):
        if text:
            option = f"--{key.replace('_', '-')} {text}"
            customers[key] = value(key, text, option)
            below.append((f"{key} = {_quoted(customers[key])}", option))
    steps: list[dict[str, str]] = []
    below.append(("steps = [", ""))
    for name, time in (queues | waits).items():
        demand = value(f"{'delay' if name in waits else 'demand'}_{name}", time, option_of[name])
        steps.append({"station": name, "time": demand})
        below.append((f"  {{ station = {_quoted(name)}, time = {_quoted(demand)} }},", option_of[name]))
    below.append(("]", ""))
    classes = {"customers": {**customers, "steps": steps}}
    data = {"qnet": 1, "title": _TITLE, "parameters": parameters, "stations": centres, "classes": classes}
    lines = [*above, *below]
    return Inline(tuple(line for line, _ in lines), tuple(option for _, option in lines), data)


def _check(queues: Mapping[str, str], waits: Mapping[str, str], counts: Mapping[str, str]) -> None:
    """Refuse a network without stations, a name of two of them, and servers of an unknown station."""
    if not queues and not waits:
        raise UsageError(Problem("QN006", "there is no station", "--station NAME=TIME, such as --station cpu=120ms"))
    for name in waits:
        if name in queues:
            raise UsageError(Problem("QN006", f'"{name}" names a station and a delay', "distinct names"))
    for name in counts:
        if name not in queues:
            sentence = f'--servers names "{name}", which is not a station'
            raise UsageError(Problem("QN006", sentence, help=suggest(name, list(queues))))


def _check_customers(arrival_rate: str, population: str, think_time: str) -> None:
    """Refuse a load that is both open and closed, or neither, and a think time without a population."""
    if bool(arrival_rate) == bool(population):
        sentence = "--arrival-rate and --population are both given" if population else "there are no customers"
        raise UsageError(Problem("QN006", sentence, "--arrival-rate RATE, such as 3/s, or --population NUMBER"))
    if think_time and not population:
        raise UsageError(Problem("QN006", "--think-time needs a population", "--population NUMBER"))


def _pairs(option: str, texts: Sequence[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in texts:
        name, _, value = (part.strip() for part in text.partition("="))
        if not name or not value:
            example = f"{option} NAME=VALUE, such as {option} cpu={'2' if option == '--servers' else '120ms'}"
            raise UsageError(Problem("QN006", f'{option} "{text}" is incomplete', example))
        if not name.isprintable():
            raise UsageError(Problem("QN006", f'{option} "{text}"', "a name of printable characters"))
        if name in pairs:
            raise UsageError(Problem("QN006", f'{option} names "{name}" twice', "distinct names"))
        pairs[name] = value
    return pairs


def _with_example(option: str) -> str:
    """The advice for a value with an unknown name, since an expression may use the other parameters of the network.

    option  with its value, such as `--station disk=fast`.
    """
    name, _, value = option.partition(" ")
    what, example = _EXAMPLES[name]
    prefix = f"{value.partition('=')[0]}=" if "=" in value else ""
    return f"write {what}, such as {name} {prefix}{example}, or an expression over the other parameters"


def _quoted(text: str) -> str:
    """A TOML basic string."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    import json

    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f").replace("\ufeff", "\\ufeff")
