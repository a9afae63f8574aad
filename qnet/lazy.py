"""Modules by name at the top of a file, loaded when they are first used: numpy, and what some cases alone need.

A small network needs no arrays, and numpy takes longer to load than such a network to solve. A module that works on
arrays alone imports numpy at its top, as any other; one that small networks pass through as well takes `np` from here.
That a command loads nothing it does not use is held by the tests of loaded modules.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any


class _Lazy(ModuleType):
    """A module that is loaded when one of its names is first asked for."""

    def __getattr__(self, name: str) -> Any:
        # As an import statement loads it, which `python -X importtime` lists; `import_module` is not listed.
        module: ModuleType = __import__(self.__name__, fromlist=("__name__",))
        # From now on names resolve directly, as in the module itself.
        self.__dict__.update(vars(module))
        return getattr(module, name)


def lazy(name: str) -> Any:
    """A module by its full name, loaded when one of its names is first asked for.

    For what a module needs in some cases only; type checkers get the import itself.
    """
    return _Lazy(name)


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Indices = NDArray[np.intp]
else:
    np = lazy("numpy")
    # Names of types alone: annotations are not evaluated.
    Array = Flags = Indices = Any

__all__ = ["Array", "Flags", "Indices", "lazy", "np"]
