"""Values of parameters written back into the text of a model, which otherwise remains as it was."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from qnet.documents import Document, parse
from qnet.errors import InvalidInput, Problem, UsageError, printable
from qnet.model.calibration import correlation_matrix, standard_errors
from qnet.model.model import Model
from qnet.record import Record
from qnet.units import UnitError, base_unit, format_number, quantity, scale, unit

_DIGITS = 12
"""Significant digits of a fitted value: more than any fit determines, and still readable."""
_ERROR_DIGITS = 6
"""Significant digits of standard errors and correlations: more than measurements determine."""
_REMOVED = ("source", "place")
"""Keys that document the old value, and do not apply to a new one."""


class FitUncertainty(Record):
    """The uncertainty of fitted parameters, to be written with them; base units."""

    errors: Mapping[str, float]
    """Standard errors by name."""
    correlations: Mapping[tuple[str, str], float]
    """Correlations by pair, its names in the order of `errors`; 0 for missing pairs."""
    freedom: int | None
    """Degrees of freedom of Student's t; None for a normal distribution."""
    undetermined: tuple[str, ...] = ()
    """Fitted parameters that the measurements do not determine."""


def rewritten(
    model: Model, values: Mapping[str, float], fitted_on: str, uncertainty: FitUncertainty | None = None
) -> str:
    """The text of a model with fitted values for some of its parameters.

    values       in base units, by name; they are written with twelve digits, in the unit of the old value.
    fitted_on    the measurements they were fitted to; their grade becomes `fitted`.
    uncertainty  becomes `[calibration]`, together with what that states of parameters that are not fitted again; None
                 leaves the table as it is.
    Raises       `UsageError` QN254 for a parameter that the text does not state, QN255 for a `[calibration]` in a form
                 that cannot be replaced.
    """
    refuse_elsewhere(model, values)
    text = model.document.text
    for name, value in values.items():
        document = parse(text.encode(), model.document.name)
        keys = {
            "value": _literal(model, document, name, value),
            "grade": '"fitted"',
            "fitted_on": f"[{_quoted(printable(fitted_on))}]",
        }
        text = _replaced(document, name, keys)
    return text if uncertainty is None else _with_calibration(model, text, _merged(model, uncertainty, values))


def _merged(model: Model, uncertainty: FitUncertainty, values: Mapping[str, float]) -> FitUncertainty:
    """The uncertainty, preceded by what the model states of parameters that are not fitted again."""
    stated = model.calibration
    if stated is None:
        return uncertainty
    indices = [index for index, name in enumerate(stated.parameters) if name not in values]
    sizes, matrix = standard_errors(stated), correlation_matrix(stated)
    names = stated.parameters
    kept = {names[index]: sizes[index] for index in indices}
    pairs = {(names[one], names[other]): matrix[one][other] for one in indices for other in indices if one < other}
    freedoms = [item for item in (uncertainty.freedom, stated.freedom if kept else None) if item is not None]
    undetermined = tuple(name for name in stated.undetermined if name not in values)
    return FitUncertainty(
        {**kept, **uncertainty.errors},
        {**pairs, **uncertainty.correlations},
        min(freedoms, default=None),
        (*undetermined, *uncertainty.undetermined),
    )


def _with_calibration(model: Model, text: str, uncertainty: FitUncertainty) -> str:
    """The text with a table `[calibration]` at its end, replacing an earlier one."""
    text = _without_calibration(parse(text.encode(), model.document.name))
    document = parse(text.encode(), model.document.name)
    names = list(uncertainty.errors)
    errors = [_literal(model, document, name, uncertainty.errors[name], _ERROR_DIGITS) for name in names]
    pairs = [(one, other) for index, one in enumerate(names) for other in names[index + 1 :]]
    correlations = [format_number(uncertainty.correlations.get(pair, 0.0), _ERROR_DIGITS) for pair in pairs]
    lines = ["[calibration]", f"parameters = [{', '.join(map(_quoted, names))}]"]
    lines.append(f"standard_errors = [{', '.join(errors)}]")
    if pairs:
        lines.append(f"correlations = [{', '.join(correlations)}]")
    if uncertainty.freedom is not None:
        lines.append(f"degrees_of_freedom = {uncertainty.freedom}")
    if uncertainty.undetermined:
        lines.append(f"not_determined = [{', '.join(map(_quoted, uncertainty.undetermined))}]")
    return text.rstrip("\n") + "\n\n" + "\n".join(lines) + "\n"


def _without_calibration(document: Document) -> str:
    """The text without its table `[calibration]`, otherwise as it was; raises `UsageError` where that is impossible."""
    if "calibration" not in document.data:
        return document.text
    wanted = {key: value for key, value in document.data.items() if key != "calibration"}
    header = r"^[ \t]*\[[ \t]*calibration[ \t]*\][^\n]*\n"
    match = re.search(header + r"(?:(?![ \t]*\[)[^\n]*\n?)*", document.text, re.MULTILINE)
    if match is not None:
        text = document.text[: match.start()] + document.text[match.end() :]
        try:
            if parse(text.encode(), document.name).data == wanted:
                return text
        except InvalidInput:
            pass
    sentence = "the table calibration cannot be replaced in its present form"
    help = "write it as [calibration] with one line for each key, or remove it"
    raise UsageError(
        Problem(
            code="QN255", found=sentence, expected="[calibration]", path=("calibration",), help=help, file=document.name
        )
    )


def refuse_elsewhere(model: Model, names: Mapping[str, float] | tuple[str, ...]) -> None:
    """Raise `UsageError` QN254 for `names` of parameters that belong to a catalog part of `model`."""
    problems: list[Problem] = []
    for name in names:
        part = model.parameters[name].part
        if part:
            help = "define a parameter for it in the model, and fit that"
            problems.append(
                Problem("QN254", f'"{name}" belongs to the catalog part {part}', "a parameter of the model", help=help)
            )
    if problems:
        raise UsageError(*problems)


def _replaced(document: Document, name: str, keys: Mapping[str, str]) -> str:
    """The text with `keys` of one parameter replaced or added."""
    text, path = document.text, ("parameters", name)
    raw = cast("dict[str, Any]", document.data["parameters"])[name]
    entry = document.span(path)
    if not isinstance(raw, dict):
        assert entry is not None
        return _spliced(text, entry, "{ " + ", ".join(f"{key} = {value}" for key, value in keys.items()) + " }")
    given = cast("dict[str, Any]", raw)
    if entry is not None:
        texts = {key: _value_text(document, (*path, key)) for key in given if key not in _REMOVED} | dict(keys)
        return _spliced(text, entry, "{ " + ", ".join(f"{key} = {value}" for key, value in texts.items()) + " }")
    # A separate table, or dotted keys: each key has a line. The last change first, so that positions remain valid.
    spans = {key: span for key in given if (span := document.span((*path, key))) is not None}
    start, end = spans["value"]
    before = text[text.rfind("\n", 0, start) + 1 : start]
    added = [re.sub(r"value(?=[\"']?\s*=\s*$)", key, before) + value for key, value in keys.items() if key not in spans]
    changes = [(spans[key], value) for key, value in keys.items() if key in spans and key != "value"]
    changes.append(((start, end), keys["value"]))
    changes += [
        ((text.rfind("\n", 0, spans[key][0]) + 1, _line_end(text, spans[key][1])), "")
        for key in _REMOVED
        if key in spans
    ]
    line_end = _line_end(text, end) - 1
    changes.append(((line_end, line_end), "".join(f"\n{line}" for line in added)))
    for span, value in sorted(changes, key=lambda item: item[0], reverse=True):
        text = _spliced(text, span, value)
    return text


def _spliced(text: str, span: tuple[int, int], value: str) -> str:
    return text[: span[0]] + value + text[span[1] :]


def _line_end(text: str, index: int) -> int:
    """The index after the end of the line."""
    end = text.find("\n", index)
    return len(text) + 1 if end < 0 else end + 1


def _value_text(document: Document, path: tuple[str, ...]) -> str:
    """The value of a key as it stands in the text."""
    start, end = document.span(path) or (0, 0)
    return document.text[start:end]


def _literal(model: Model, document: Document, name: str, value: float, digits: int = _DIGITS) -> str:
    """A value as TOML, in the unit of the old value; a bare number where it has none."""
    source = _stated(document, name)
    dimension = model.parameters[name].dimension
    shown = base_unit(dimension)
    try:
        if quantity(source)[1] == dimension:
            number = re.match(r"\s*+[+-]?[0-9._]*+(?:[eE][+-]?[0-9]++)?+", source)
            shown = source[number.end() :].strip() if number else shown
    except UnitError:
        pass
    if not shown:
        return format_number(value, digits)
    number = format_number(scale(value, 1 / unit(shown).factor), digits)
    return _quoted(f"{number}{'' if shown.startswith('/') else ' '}{shown}")


def _stated(document: Document, name: str) -> str:
    """The value of a parameter as the text of a model states it."""
    raw = cast("dict[str, Any]", document.data["parameters"])[name]
    value = cast("dict[str, Any]", raw).get("value", "") if isinstance(raw, dict) else raw
    return str(value)


def _quoted(text: str) -> str:
    """A TOML basic string."""
    escaped = "".join(
        f"\\u{ord(character):04X}" if ord(character) < 32 or character == "\x7f" else
        "\\" + character if character in '"\\' else character
        for character in text
    )  # fmt: skip
    return f'"{escaped}"'
