"""qnet: queueing networks solved without simulating; the command line and the Python front door.

`qnet.Network(...)` is a network as numbers with `.solve()` and `.bounds()`, `qnet.queue(name, ...)` answers for one
station, `qnet.load(system)` reads a model that answers every question of the command line, `qnet.loads(text)` one that
is a text or a dict, `qnet.validate(study)` compares models with the figures of their sources, `qnet.study(name)`
reports a study. A system answers with a `Report`, a network with a `Solution`, both have `Note`s. Every failure is a
`qnet.QnetError`: `UsageError`, `InvalidInput`, `NoAnswer`, `NotComputed` or `AssertionFailed`. Nothing is
imported before use. To read the code, begin at `qnet.system.load`, or with `qnet help architecture`.

>>> qnet.queue("M/M/1", arrival_rate=5.0, service_time=0.1).response
0.2
>>> float(qnet.Network([[0.5]], population=[3]).solve().throughput[0])
2.0
>>> qnet.load("one-queue").title
'One queue'
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from qnet.errors import AssertionFailed, InvalidInput, NoAnswer, NotComputed, QnetError, UsageError
    from qnet.networks.product.network import Network
    from qnet.networks.product.solution import Solution
    from qnet.note import Note
    from qnet.queues.stations.queue import queue
    from qnet.reports.report import Report
    from qnet.system import System, load, loads, study, validate
    from qnet.version import __version__

__all__ = [
    "AssertionFailed", "InvalidInput", "Network", "NoAnswer", "NotComputed", "Note", "QnetError", "Report", "Solution",
    "System", "UsageError", "__version__", "load", "loads", "queue", "study", "validate",
]  # fmt: skip

_DOORS = {
    "AssertionFailed": "qnet.errors",
    "InvalidInput": "qnet.errors",
    "Network": "qnet.networks.product.network",
    "NoAnswer": "qnet.errors",
    "NotComputed": "qnet.errors",
    "Note": "qnet.note",
    "QnetError": "qnet.errors",
    "Report": "qnet.reports.report",
    "Solution": "qnet.networks.product.solution",
    "System": "qnet.system",
    "UsageError": "qnet.errors",
    "__version__": "qnet.version",
    "load": "qnet.system",
    "loads": "qnet.system",
    "queue": "qnet.queues.stations.queue",
    "study": "qnet.system",
    "validate": "qnet.system",
}


def __getattr__(name: str) -> Any:
    """A public name, imported when it is first used."""
    if name not in _DOORS:
        raise AttributeError(f"module 'qnet' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_DOORS[name]), name)


def __dir__() -> list[str]:
    """The public names, also those not yet imported; submodules in use are left out."""
    return sorted({*__all__, "__doc__", "__file__", "__name__", "__path__"})
