"""The modules of solvers, loaded when a row of the table is reached.

Separate from the table, which states what a method can take without loading any.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from qnet.networks.solvers.table import TABLE, MethodRow

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import Solver


def solver(row: MethodRow) -> Solver:
    """The method of a row: its module, or the object there that the row names."""
    # Searches come here at every solution, and `import_module` is slow even for a loaded module.
    module: Any = sys.modules.get(row.module) or import_module(row.module)
    return getattr(module, row.part) if row.part else module


def known(name: str) -> Solver:
    """The module of a method by name.

    >>> known("mva").CLASSES
    'closed'
    """
    return solver(next(row for row in TABLE if row.name == name))
