"""A small network from command-line options: written in the model language, then read like any other file."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.errors import InvalidInput, Problem, UsageError, suggest
from qnet.model.model import Model
from qnet.record import Record

NAME = "<command line>"


class Inline(Record):
    """A network in the model language, with the option that each of its lines is from."""

    lines: tuple[str, ...]
    options: tuple[str, ...]
    """`--station cpu=120ms` for each line; empty for lines of no option."""

    def model(self) -> Model:
        """The network, read like a file; raises `InvalidInput` for values that the language refuses."""
        from qnet.documents import parse
        from qnet.model.load import build

        return build(parse("\n".join([*self.lines, ""]).encode(), NAME), NAME)

    def blame(self, error: InvalidInput) -> UsageError:
        """The problems of the network, reported for the options at fault."""
        return UsageError(*map(self._of_option, error.problems))

    def _of_option(self, problem: Problem) -> Problem:
        option = self.options[problem.line - 1] if 0 < problem.line <= len(self.options) else ""
        path = () if option else problem.path
        return Problem(
            code=problem.code,
            found=problem.found,
            expected=problem.expected,
            path=path,
            help=problem.help,
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

    Raises `UsageError` for an option of another form.
    """
    queues, waits, counts = _pairs("--station", stations), _pairs("--delay", delays), _pairs("--servers", servers)
    if not queues and not waits:
        raise UsageError(Problem("QN006", "there is no station", "--station NAME=TIME, such as --station cpu=120ms"))
    if bool(arrival_rate) == bool(population):
        sentence = "--arrival-rate and --population are both given" if population else "there are no customers"
        raise UsageError(Problem("QN006", sentence, "--arrival-rate RATE, such as 3/s, or --population NUMBER"))
    if think_time and not population:
        raise UsageError(Problem("QN006", "--think-time needs a population", "--population NUMBER"))
    for name in waits:
        if name in queues:
            raise UsageError(Problem("QN006", f'"{name}" names a station and a delay', "distinct names"))
    for name in counts:
        if name not in queues:
            sentence = f'--servers names "{name}", which is not a station'
            raise UsageError(Problem("QN006", sentence, help=suggest(name, list(queues))))
    asked = {name: f"--station {name}={time}" for name, time in queues.items()}
    asked |= {name: f"--delay {name}={time}" for name, time in waits.items()}
    counted = {name: f"--servers {name}={count}" for name, count in counts.items()}
    parameters: list[tuple[str, str]] = []

    def value(name: str, text: str, option: str) -> str:
        """A value as a parameter, so that it can be varied; a literal where its name is no identifier."""
        if not (name.isidentifier() and name.isascii()):
            return _quoted(text)
        parameters.append((f"{name} = {_quoted(text)}", option))
        return _quoted(name)

    below = [("[stations]", "")]
    for name in queues:
        number = value(f"servers_{name}", counts[name], counted[name]) if name in counts else '"1"'
        below.append((f"{_quoted(name)} = {{ servers = {number} }}", counted.get(name, asked[name])))
    below += [(f"{_quoted(name)} = {{ delay = true }}", asked[name]) for name in waits]
    below.append(("[classes.customers]", ""))
    asked_for = (("arrival_rate", arrival_rate), ("population", population), ("think_time", think_time))
    for key, text in asked_for:
        if text:
            option = f"--{key.replace('_', '-')} {text}"
            below.append((f"{key} = {value(key, text, option)}", option))
    below.append(("steps = [", ""))
    for name, time in (queues | waits).items():
        demand = value(f"{'delay' if name in waits else 'demand'}_{name}", time, asked[name])
        below.append((f"  {{ station = {_quoted(name)}, time = {demand} }},", asked[name]))
    below.append(("]", ""))
    above = [("qnet = 1", ""), ('title = "network from the command line"', ""), ("[parameters]", "")]
    lines = [*above, *parameters, *below]
    return Inline(tuple(line for line, _ in lines), tuple(option for _, option in lines))


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


def _quoted(text: str) -> str:
    """A TOML basic string."""
    import json

    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f").replace("\ufeff", "\\ufeff")
