"""Other names of figures: the column `utilization_cpu` is `utilization('cpu')`, and `latency` is `response`."""

from __future__ import annotations

from collections.abc import Container

from qnet.expression import Expression, ExpressionError, solution_name
from qnet.expression.names import canonical, percentile_share
from qnet.expression.nodes import Name, Node, rename, walk
from qnet.model.model import Model
from qnet.model.scope import about, all_figures, is_inside
from qnet.units import TIME, Dimension, base_unit, column_suffix


def column_key(name: str) -> str:
    """The name of the column of a figure: `utilization_cpu` for `utilization('cpu')`."""
    plain = name.replace("('", "_").replace("')", "")
    return "".join(character if character.isalnum() else "_" for character in plain)


def figures_of_column(column: str, model: Model) -> dict[str, Dimension]:
    """The figures of `model` that a column name without a unit denotes, percentiles included, with their dimensions.

    column   such as `response`, `utilization_cpu` or `response_p95_web`.
    Returns  dimensions by the names of the figures: several where names of stations, classes or routes differ in
             punctuation only, as `cpu.1` and `cpu_1` do; none where the column is no figure.
    """
    figures = all_figures(model)
    result = {name: dimension for name, dimension in figures.items() if column == column_key(name)}
    if result:
        return result
    for mean in ("response", *(each for each in figures if each.startswith(("response('", "wait('")))):
        name = about(mean)
        tail = f"_{column_key(name)}" if name else ""
        head = column.removesuffix(tail)
        if column.endswith(tail) and percentile_share(head, mean.partition("(")[0]):
            return {solution_name(head, name) if name else head: TIME}
    return {}


def by_column_names(parsed: Expression, model: Model, known: Container[str]) -> Expression:
    """An expression whose unknown names of columns and aliases are replaced by the figures they denote.

    A column may end with the base unit of its figure, as in CSV: `response_web_s`, `throughput_per_s`. The number
    inside becomes its mean, as in `mean_inside`.

    known    names that remain as they are.
    Raises   `ExpressionError` QN124 where a column may denote several figures.
    """
    parsed = mean_inside(parsed)
    if all(name in known or about(name) for name in parsed.names):
        return parsed

    def figure(node: Name) -> Node:
        if node.name in known or about(node.name):
            return node
        candidates = _candidates(node.name, model)
        if len(candidates) > 1:
            text = f'"{node.name}" may be {" or ".join(candidates)}'
            raise ExpressionError(text, node.column, "write the one that is meant", "QN124")
        return node.replace(name=candidates[0]) if candidates else node

    root = rename(parsed.root, figure)
    names = dict.fromkeys(node.name for node in walk(root) if isinstance(node, Name))
    return Expression(parsed.source, root, tuple(names))


def mean_inside(parsed: Expression) -> Expression:
    """An expression in which `inside('station')` is replaced by its mean, `busy_servers('station')`.

    parsed  the expression of an output or a metric; only steps use the number inside as it changes.
    """
    if not any(is_inside(name) for name in parsed.names):
        return parsed

    def mean(node: Name) -> Node:
        return node.replace(name=solution_name("busy_servers", about(node.name))) if is_inside(node.name) else node

    root = rename(parsed.root, mean)
    names = dict.fromkeys(node.name for node in walk(root) if isinstance(node, Name))
    return Expression(parsed.source, root, tuple(names))


def _candidates(column: str, model: Model) -> tuple[str, ...]:
    """The figures that a column or an alias may denote, without a unit or else with the suffix of its base unit."""
    result = tuple(figures_of_column(column, model)) or tuple(figures_of_column(canonical(column), model))
    if result:
        return result
    suffixes = {column_suffix(base_unit(dimension)) for dimension in all_figures(model).values()} - {""}
    return tuple(
        name
        for suffix in sorted(suffixes, key=len, reverse=True)
        if column.endswith(suffix)
        for name, dimension in figures_of_column(column.removesuffix(suffix), model).items()
        if column_suffix(base_unit(dimension)) == suffix
    )
