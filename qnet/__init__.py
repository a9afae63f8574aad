"""qnet: queueing networks solved without simulating; the command line and the Python front door.

`qnet.Network(...)` is a network as numbers with `.solve()` and `.bounds()`, `qnet.queue(name, ...)` answers for one
station, `qnet.load(system)` reads a model that answers every question of the command line, `qnet.validate(study)` holds
models against the figures of their sources, `qnet.study(name)` tells a study as a story. Nothing is imported before
use.

>>> qnet.queue("M/M/1", arrival_rate=5.0, service_time=0.1).response
0.2
>>> float(qnet.Network([[0.5]], population=[3]).solve().throughput[0])
2.0
>>> qnet.load("examples/one-queue.toml").title
'One queue'
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from qnet.networks.product.network import Network
    from qnet.queues.stations.front import queue
    from qnet.system import System, load, study, validate

__version__ = "0.1.0"
__all__ = ["Network", "System", "__version__", "load", "queue", "study", "validate"]

_DOORS = {
    "Network": "qnet.networks.product.network",
    "System": "qnet.system",
    "load": "qnet.system",
    "queue": "qnet.queues.stations.front",
    "study": "qnet.system",
    "validate": "qnet.system",
}


def __getattr__(name: str) -> Any:
    """What the front door has, imported when they are first named."""
    if name not in _DOORS:
        raise AttributeError(f"module 'qnet' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_DOORS[name]), name)
