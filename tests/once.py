"""What takes seconds and several tests look at: computed once in a run, by the first of its processes that asks."""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import unwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from qnet.questions.study.fits_report import Freedom
    from qnet.questions.study.study import Study
    from qnet.questions.study.validate import Validation

FOLDER = "QNET_TESTS_SHARED"
"""The name in the environment of the folder that the processes of a run share; without it, each computes for itself."""

Answer = TypeVar("Answer")
_known: dict[str, Any] = {}


def once(name: str, compute: Callable[[], Answer]) -> Answer:
    """The answer of a computation, as the first process of this run that asked for it under this name computed it."""
    if name not in _known:
        folder = os.environ.get(FOLDER)
        _known[name] = _kept(Path(folder, hashlib.sha256(name.encode()).hexdigest()), compute) if folder else compute()
    return _known[name]


def _kept(path: Path, compute: Callable[[], Answer]) -> Answer:
    with _alone(path.with_suffix(".lock")):
        if path.exists():
            return pickle.loads(path.read_bytes())
        answer = compute()
        part = path.with_suffix(".part")
        part.write_bytes(pickle.dumps(answer))
        part.replace(path)
        return answer


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One process at a time; where locks are unknown, several may compute the same."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with path.open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def validated(study: Study) -> Validation:
    """The verdicts on a study, which several tests and commands look at; for commands, this stands for `validate`."""
    from qnet.catalog.find import root
    from qnet.questions.study.validate import validate

    return once(f"validate {root()} {study!r}", lambda: unwrap(validate)(study))


def refitted_at_cost(study: Study) -> tuple[Freedom, float]:
    """A study fitted again under each of its free choices, and the operations that it takes."""
    from qnet import budget
    from qnet.catalog.find import root
    from qnet.questions.study.fits_report import freedom

    def compute() -> tuple[Freedom, float]:
        account = budget.Account(1e12)
        with budget.opened(account):
            return unwrap(freedom)(study, judged), account.spent

    judged = validated(study)
    return once(f"freedom {root()} {study!r}", compute)


def refitted(study: Study, _: Validation | None = None) -> Freedom:
    """As `freedom`, of a study of the catalog; for commands, this stands for it."""
    return refitted_at_cost(study)[0]
