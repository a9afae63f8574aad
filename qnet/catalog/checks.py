"""The rules of a part file, one check for each; loading and linting run the same checks.

Problems come without file and line; `examine` adds them.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable

from qnet.catalog.drafts import Derivation, Draft, amount, shown
from qnet.catalog.grades import GRADES
from qnet.errors import Problem, suggest
from qnet.expression import Expression, ExpressionError, expression_problem
from qnet.expression.names import FUNCTIONS, SOLUTION_FUNCTIONS
from qnet.units import NUMBER, UNIT_NAMES

Check = Callable[[Draft], list[Problem]]

_PARAMETERS = "parameters"


def form(part: Draft) -> list[Problem]:
    """The file has the keys and types of a part and nothing else, so that a mistyped key is not ignored."""
    return part.problems


def identity(part: Draft) -> list[Problem]:
    """The id in the file is the one given by its path, so that what a result cites can be traced."""
    if part.id is None or part.id == part.path_id:
        return []
    text = f"the id is {shown(part.id)}" if part.id else "the part has no id"
    return [Problem(code="QN303", found=text, expected=f'id = "{part.path_id}", as the file is named', path=("id",))]


def provenance(part: Draft) -> list[Problem]:
    """Every value has a grade and a source, so that no result rests on a number of unknown origin."""
    problems: list[Problem] = []
    for name, parameter in part.parameters.items():
        path = (_PARAMETERS, name)
        if parameter.grade == "":
            problems.append(
                Problem(
                    code="QN304",
                    found="the value has no grade",
                    expected=f"grade = one of {', '.join(GRADES)}",
                    path=path,
                )
            )
        elif parameter.grade is not None and parameter.grade not in GRADES:
            text, help = f"unknown grade {shown(parameter.grade)}", suggest(parameter.grade, list(GRADES))
            problems.append(
                Problem(
                    code="QN304", found=text, expected=f"one of {', '.join(GRADES)}", path=(*path, "grade"), help=help
                )
            )
        if parameter.sources == ():
            help = 'an assumption has grade = "assumed", source = "assumption" and a note'
            expected = "source = the key of a record in sources.toml"
            problems.append(
                Problem(code="QN305", found="the value has no source", expected=expected, path=path, help=help)
            )
        if parameter.grade == "assumed" and parameter.note == "":
            problems.append(
                Problem(code="QN305", found="the value is assumed and does not say why", expected="a note", path=path)
            )
    return problems


def names(part: Draft) -> list[Problem]:
    """No parameter is called like a unit or a function, so that an expression has one reading."""
    problems: list[Problem] = []
    for name in part.parameters:
        taken = ""
        if name in UNIT_NAMES:
            taken = "is a unit"
        elif name in FUNCTIONS or name in SOLUTION_FUNCTIONS:
            taken = "is a function"
        elif keyword.iskeyword(name):
            taken = "is a reserved word"
        elif not (name.isascii() and name.isidentifier() and name == name.lower()):
            taken = "cannot stand in an expression"
        if taken:
            text = f"the name {shown(name)} {taken}"
            help = "lower-case letters, digits and underscores, starting with a letter"
            problems.append(
                Problem(code="QN306", found=text, expected="another name", path=(_PARAMETERS, name), help=help)
            )
    return problems


def derivations(part: Draft) -> list[Problem]:
    """Derived values, and only they, are expressions over other values of the part, and can be recomputed."""
    problems = list(part.derivation.problems)
    for name, parameter in part.parameters.items():
        if parameter.value is None or not parameter.grade:
            continue
        path = (_PARAMETERS, name, "value")
        if parameter.grade == "derived" and not parameter.value.names:
            text = "the value is derived and names nothing that it follows from"
            help = "a number that a source gives is not derived: grade it by its source"
            problems.append(
                Problem(
                    code="QN307",
                    found=text,
                    expected="an expression over other parameters of this part",
                    path=path,
                    help=help,
                )
            )
        elif parameter.grade != "derived" and parameter.value.names:
            text = f"the value is {shown(parameter.grade)[1:-1]} and computed from {', '.join(parameter.value.names)}"
            problems.append(
                Problem(code="QN307", found=text, expected='a number with its unit, or grade = "derived"', path=path)
            )
    return problems


def ranges(part: Draft) -> list[Problem]:
    """A range holds its value: low <= value <= high in one dimension, so that a mistyped digit is noticed."""
    problems: list[Problem] = []
    for name, parameter in part.parameters.items():
        for key, end in (("low", parameter.low), ("high", parameter.high)):
            if end is not None:
                problems += _end_of_range(part.derivation, name, key, end)
    return problems


def _end_of_range(derivation: Derivation, name: str, key: str, end: Expression) -> list[Problem]:
    """What is wrong with one end of a range; the value itself, where it has a fault, is judged elsewhere."""
    path = (_PARAMETERS, name, key)
    try:
        dimension, limit = amount(end, {}, {})
    except ExpressionError as error:
        return [expression_problem(error, end.source, path)]
    if name not in derivation.amounts:
        return []
    wanted, value = derivation.dimensions[name], derivation.amounts[name]
    if dimension != wanted and (limit or dimension != NUMBER):
        return [
            Problem(
                code="QN309",
                found=f"{key} is {dimension.describe()}",
                expected=f"{wanted.describe()}, as the value is",
                path=path,
            )
        ]
    if key == "low" and limit > value:
        return [
            Problem(
                code="QN309", found=f"low is {end.source} and above the value", expected="at most the value", path=path
            )
        ]
    if key == "high" and limit < value:
        return [
            Problem(
                code="QN309",
                found=f"high is {end.source} and below the value",
                expected="at least the value",
                path=path,
            )
        ]
    return []


def fittings(part: Draft) -> list[Problem]:
    """A fitted value names the claims it was fitted on, so that no study counts them as predicted."""
    problems: list[Problem] = []
    for name, parameter in part.parameters.items():
        path = (_PARAMETERS, name)
        if parameter.grade == "fitted" and parameter.fitted_on == ():
            expected = "fitted_on = the ids of the claims it was fitted on"
            problems.append(
                Problem(code="QN310", found="the value is fitted and names no claim", expected=expected, path=path)
            )
        if parameter.grade and parameter.grade != "fitted" and parameter.fitted_on:
            text = f"the value is {shown(parameter.grade)[1:-1]} and names claims it was fitted on"
            problems.append(Problem(code="QN310", found=text, expected='grade = "fitted"', path=(*path, "fitted_on")))
    return problems


CHECKS: tuple[Check, ...] = (form, identity, provenance, names, derivations, ranges, fittings)
"""Every check of a single part, in the order of dependence: the file first, then its values."""


def examine(part: Draft) -> list[Problem]:
    """Everything wrong with one part, with file and line, in the order of the lines."""
    problems = [part.document.located(problem) for check in CHECKS for problem in check(part)]
    return sorted(problems, key=lambda problem: problem.line)
