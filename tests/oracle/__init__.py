"""An independent oracle: what the model language says, as an exact Markov chain or, beyond it, a small simulation.

It reads the checked model and evaluates its expressions; nothing of qnet's networks and solvers is used.
"""

from __future__ import annotations

from time import monotonic

from qnet.model.model import Model

from .answer import Answer
from .chain import exact
from .phases import Unsupported
from .sparse import TooLarge

__all__ = ["Answer", "TooLarge", "Unsupported", "exact", "load", "number", "simulated", "solve"]


def load(text: str) -> Model:
    """A checked model from TOML text (anything with a line break), a path, or a catalog name."""
    from qnet.documents import parse
    from qnet.model.load import build
    from qnet.model.load import load as load_system

    if "\n" in text:
        return build(parse(text.encode(), "model.toml"), "model.toml")
    return load_system(text)


def simulated(model: Model, seconds: float = 5.0, seed: int = 1) -> Answer:
    """The answer of a simulation that takes so many seconds."""
    from .simulation import simulate

    return simulate(model, seconds, seed)


def solve(model: Model, max_states: int = 60_000, seconds: float = 5.0, seed: int = 1) -> Answer:
    """The exact answer, or that of a simulation where there is none in time; raises `Unsupported`.

    Where customers are lost on the way, the response of the others is that of a simulation.
    """
    begin = monotonic()
    try:
        answer = exact(model, max_states, seconds * 0.6)
    except TooLarge:
        return simulated(model, max(seconds - (monotonic() - begin), seconds * 0.3), seed)
    except Unsupported as error:
        if "constant" not in str(error):
            raise
        return simulated(model, seconds, seed)
    missing = [name for name, value in answer.throughput.items() if value > 0 and name not in answer.response]
    if missing:
        other = simulated(model, max(seconds - (monotonic() - begin), seconds * 0.3), seed)
        for name in missing:
            if name in other.response:
                answer.response[name] = other.response[name]
                answer.half_width["response", name] = other.half_width.get(("response", name), float("inf"))
    return answer


def number(model: Model) -> int:
    """How many states the chain of a model has; raises as `exact`."""
    return exact(model).states
