"""Parts of the catalog: hardware and workloads whose every value has a unit, a source and a grade."""

from __future__ import annotations

from qnet.catalog.checks import examine
from qnet.catalog.drafts import Draft, draft
from qnet.catalog.find import part_path
from qnet.documents import Document, read
from qnet.errors import InvalidInput
from qnet.expression import Expression
from qnet.record import Record
from qnet.units import Dimension


class PartParameter(Record):
    """One value of a part, with its grade and sources."""

    name: str
    expression: Expression
    """A constant; for a derived value an expression over other parameters of the same part."""
    dimension: Dimension
    amount: float
    """The value in base units: seconds and bytes."""
    grade: str
    sources: tuple[str, ...]
    """Keys of sources.toml; never empty."""
    place: str = ""
    """Page, section or table in the source."""
    note: str = ""
    low: Expression | None = None
    high: Expression | None = None
    fitted_on: tuple[str, ...] = ()
    """Ids of the claims that a fitted value was solved from."""


class CatalogPart(Record):
    """A part; its parameters are in order of dependency."""

    id: str
    title: str
    parameters: dict[str, PartParameter]
    document: Document
    path: str
    description: str = ""

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits that change with the file."""
        return self.document.digest


def load_part(id: str) -> CatalogPart:
    """Load a part by its id, such as `dasd/ibm-3390-3`.

    Raises `UsageError` where the catalog has no such part, and `InvalidInput` with everything that is wrong in its
    file: a value without source or grade, an expression that does not compute, a range that does not hold its value.
    """
    path = part_path(id)
    result = draft(id, read(path))
    problems = examine(result)
    if problems:
        raise InvalidInput(*problems)
    parameters = {name: _parameter(result, name) for name in result.derivation.dimensions}
    return CatalogPart(id, result.title or "", parameters, result.document, path, result.description or "")


def amounts(part: CatalogPart) -> dict[str, float]:
    """The values of a part by name, in base units: seconds and bytes."""
    return {name: parameter.amount for name, parameter in part.parameters.items()}


def _parameter(result: Draft, name: str) -> PartParameter:
    written = result.parameters[name]
    assert written.value is not None, "examine() lets no unreadable value pass"
    return PartParameter(
        name=name,
        expression=written.value,
        dimension=result.derivation.dimensions[name],
        amount=result.derivation.amounts[name],
        grade=written.grade or "",
        sources=written.sources or (),
        place=written.place or "",
        note=written.note or "",
        low=written.low,
        high=written.high,
        fitted_on=written.fitted_on or (),
    )
