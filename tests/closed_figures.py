"""The figures of closed networks that follow from throughputs and residence times by the operational laws."""

from __future__ import annotations

import importlib
from typing import Any

from qnet.networks.closed.problem import ClosedFigures, ClosedNetwork

np: Any = importlib.import_module("numpy")


def queue_length(found: ClosedFigures) -> Any:
    """(K, R) or (B, K, R) numbers present, by Little's law."""
    throughput = np.asarray(found.throughput)
    return throughput[..., None, :] * _rows(found.residence, throughput)


def shares(network: ClosedNetwork) -> Any:
    """(K,) one over the peak capacity of each station; 0 for delays."""
    return np.array([0.0 if away else 1.0 / network.peak(place) for place, away in enumerate(network.delay)])


def busy_servers(network: ClosedNetwork, found: ClosedFigures) -> Any:
    """(K, R) or (B, K, R) mean capacities in use, by the utilization law."""
    throughput = np.asarray(found.throughput)
    return throughput[..., None, :] * _rows(network.demands, throughput)


def utilization(network: ClosedNetwork, found: ClosedFigures) -> Any:
    """(K, R) or (B, K, R) shares of the peak capacities in use; 0 at delays."""
    return busy_servers(network, found) * shares(network)[:, None]


def _rows(values: Any, throughput: Any) -> Any:
    """A table by station and class, of no station too."""
    return np.reshape(values, (*throughput.shape[:-1], -1, throughput.shape[-1])) if np.size(throughput) else throughput
