"""The publications that methods and formulas are from, once each in `references.csv`, cited by key.

A text cites `@key`, followed by a section where that helps: "@kleinrock1975, section 3.2". Docstrings cite in the same
way. The table is read when this module is imported, which nothing does before it prints a source.
"""

from __future__ import annotations

import csv
import os
import re

from qnet.record import Record

TABLE = os.path.join(os.path.dirname(__file__), "references.csv")
CITED = re.compile(r"@([a-z]+[0-9]{4}[a-z]?)")


class Reference(Record):
    """A publication."""

    key: str
    """First author and year."""
    authors: str
    """Family names."""
    title: str
    year: str
    where: str
    """Journal with volume, conference or publisher; empty for a report."""
    pages: str
    """The pages of an article; otherwise empty."""
    doi: str
    """The DOI where it is verified; otherwise empty."""

    def __str__(self) -> str:
        parts = [self.authors, self.title]
        if self.pages:
            parts.append(f"{self.where} ({self.year}) {self.pages}")
        else:
            parts += [self.where, self.year] if self.where else [self.year]
        return ", ".join([*parts, f"doi:{self.doi}"] if self.doi else parts)


def _read() -> dict[str, Reference]:
    with open(TABLE, encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        assert tuple(next(rows)) == Reference.fields()
        return {cells[0]: Reference(*cells) for cells in rows}


REFERENCES: dict[str, Reference] = _read()
"""By key."""


def cited(text: str) -> str:
    """A text with every key replaced by its publication; raises `KeyError` for an unknown key.

    >>> cited("@stewart1994, chapter 2")
    'Stewart, Introduction to the Numerical Solution of Markov Chains, Princeton University Press, 1994, chapter 2'
    """
    return CITED.sub(lambda result: str(REFERENCES[result[1]]), text)
