"""The account of a command: the operations and the memory that all its loops share, and what they have spent.

An account is opened once, by the command line, by a question in Python, or by the door of the solvers where none is
open. Every loop whose length depends on its input asks it: `reserve` before a large array is made, `spend` while
rounds go by. Operations are elementary ones, about 1e9 a second, and counted, not timed: the same command stops at the
same point on every machine.

What is over the budget is refused by `NotComputed` QN515. Of memory that is the refusal of one attempt, and a smaller
batch may do; what is spent is spent: `OverBudget` ends the command, whoever catches it on the way, because `settle`
raises it again before anything is answered. Work that an answer can do without is given a `share`, and what an
approximation can replace is a `trial`: both leave operations to the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from qnet.errors import NotComputed, Problem

_P = ParamSpec("_P")
_R = TypeVar("_R")

OPERATIONS = 1e10
"""Elementary operations of a command, by default: some ten seconds."""
MEMORY = 1e9
"""Bytes, likewise."""

FLOOR = 1e9
"""Operations that every command has, however little is allowed for exact answers: about a second."""

STEP = 100.0
"""Operations of one step of a plain loop over numbers."""
CALL = 20_000.0
"""Operations that a round over small arrays takes, however small they are."""

_RATE = 1e9
"""Operations a second."""
_TRIALS = 0.75
"""The part of the operations of a command that all its trials together may spend."""


class OverBudget(NotComputed):
    """The operations of a command are spent."""


class Account:
    """What a command may spend, and what it has spent."""

    __slots__ = (
        "announce", "announced", "fixed", "given_up", "kept", "memory", "operations", "over", "refused", "spent",
        "stop", "structures", "tried",
    )  # fmt: skip

    def __init__(
        self, operations: float = OPERATIONS, memory: float = MEMORY, announce: Callable[[str], None] | None = None
    ) -> None:
        self.operations, self.memory, self.announce = max(operations, FLOOR), memory, announce
        self.spent = 0.0
        self.refused = 0.0
        """What of it was refused, before it was done."""
        self.stop = float("inf")
        """Operations at which it ends besides, which change nothing of what trials and shares have before."""
        self.tried = 0.0
        """What trials have spent."""
        self.given_up: dict[Any, Any] = {}
        """What trials have shown to take too much, by what was tried: it is not tried again."""
        self.kept: list[Any] = []
        """What was solved for some points of a batch that others ended, and their part will ask for."""
        self.structures: list[Any] = []
        """Of the latest chains of states: what those that differ in rates have in common."""
        self.fixed = True
        """Whether questions inside leave its limits as they are."""
        self.over: OverBudget | None = None
        """Why nothing more is computed."""
        self.announced = operations <= OPERATIONS
        """Whether a larger budget than usual has been announced, or need not be."""

    def limit(self, operations: float, memory: float, announce: Callable[[str], None] | None = None) -> None:
        """Change what may be spent."""
        self.operations, self.memory = max(operations, FLOOR), memory
        self.announce = announce or self.announce
        self.announced = operations <= OPERATIONS

    def spend(self, operations: float, what: str = "") -> None:
        """Count operations; raises `OverBudget` where they are more than there are left.

        what   the work they are for, such as "the states of the chain".
        """
        self.spent += operations
        if self.spent > self.operations or self.spent > self.stop:
            self.refused += operations
            raise self.refusal(what)
        if not self.announced and self.spent > OPERATIONS:
            self.announced = True
            if self.announce:
                seconds = min(self.operations, self.stop) / _RATE
                self.announce(f"more than {OPERATIONS:.0e} operations: up to {seconds:.0f} s by --operations")

    def refusal(self, what: str) -> OverBudget:
        """The refusal of further work; the first one remains."""
        if self.over is None:
            most = min(self.operations, self.stop)
            found = f"stopped after {most:.1e} operations"
            found += f", in {what}" if what else ""
            help = f"allow more with --operations {10 * most:.0e}; or ask less: fewer points or parameters, "
            help += 'smaller numbers, or a cheaper method, such as --method "bard-schweitzer" for closed classes'
            self.over = OverBudget(Problem("QN515", found, f"at most {most:.1e} operations", help=help))
        return self.over

    def reserve(self, size: float, what: str) -> None:
        """Raise `NotComputed` QN515 where arrays of that size exceed the memory.

        what   what they hold, such as "the states of a finite source".
        """
        if size > self.memory:
            found = f"too large: {what} would take {size:.1e} bytes"
            help = f"allow more with --memory '{2 * size / 1e9:.2g} GB'; or ask less: fewer points, smaller numbers"
            raise NotComputed(Problem("QN515", found, f"at most {self.memory:.1e} bytes", help=help))


_current: ContextVar[Account | None] = ContextVar("account", default=None)


def current() -> Account | None:
    """The account that is open; None where nothing limits the work."""
    return _current.get()


def spend(operations: float, what: str = "") -> None:
    """Count operations against the account that is open, if one is.

    operations  elementary ones, at least 0.
    what        the work they are for.
    Raises      `OverBudget` where they are more than there are left.
    """
    account = _current.get()
    if account is not None:
        account.spend(operations, what)


def reserve(size: float, what: str) -> None:
    """Refuse arrays of more bytes than the account that is open allows, or, without one, the default.

    size    bytes.
    what    the arrays hold.
    Raises  `NotComputed` QN515 where they are too many.
    """
    (_current.get() or _DEFAULT).reserve(size, what)


def memory() -> float:
    """Bytes that arrays may take together."""
    return (_current.get() or _DEFAULT).memory


def settle() -> None:
    """Raise `OverBudget` where the operations were spent and work has gone on without them: no answer is complete."""
    account = _current.get()
    if account is not None and account.over is not None:
        raise account.over


@contextmanager
def opened(account: Account) -> Generator[Account]:
    """An account for what is done inside; nothing is answered beyond it."""
    token = _current.set(account)
    try:
        yield account
        settle()
    finally:
        _current.reset(token)


@contextmanager
def door(operations: float = OPERATIONS, memory: float = MEMORY) -> Generator[None]:
    """An account for one question from Python, where no command or larger question has one.

    operations, memory  its limits, elementary operations and bytes; a question may change them by `limit`.
    """
    if _current.get() is not None:
        yield
        return
    account = Account(operations, memory)
    account.fixed = False
    with opened(account):
        yield


def limit(operations: float, memory: float = MEMORY) -> None:
    """The limits of the account that a `door` has opened; those of a larger question remain."""
    account = _current.get()
    if account is not None and not account.fixed:
        account.limit(operations, memory)


def asked(question: Callable[_P, _R]) -> Callable[_P, _R]:
    """A question that has an account, as `door` opens it."""

    @wraps(question)
    def with_account(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        with door():
            return question(*args, **kwargs)

    return with_account


@contextmanager
def share(part: float) -> Generator[None]:
    """A part of what is left, for work that an answer can do without.

    part    above 0, at most 1.
    Raises  `OverBudget` from inside where the part is spent: whoever catches it outside goes on with the rest.
    """
    parent = _current.get()
    if parent is None:
        yield
        return
    with _inside(parent, part * max(parent.operations - parent.spent, 0.0)):
        yield


def trial_left() -> float:
    """The operations that trials have left."""
    account = _current.get()
    if account is None:
        return float("inf")
    return max(min(_TRIALS * account.operations - account.tried, account.operations - account.spent), 0.0)


@contextmanager
def trial(most: float = float("inf")) -> Generator[None]:
    """Work for an exact answer that an approximation replaces where it takes too much.

    most    operations of this trial.
    Raises  `OverBudget` from inside where it, or all trials of the command together, have spent their part: whoever
            catches it outside goes on with the rest.
    """
    parent = _current.get()
    if parent is None:
        alone = Account()
        alone.operations = most
        with opened(alone):
            yield
        return
    before = parent.spent
    try:
        with _inside(parent, min(trial_left(), most)):
            yield
    finally:
        parent.tried += parent.spent - before


@contextmanager
def _inside(parent: Account, operations: float) -> Generator[None]:
    """An account of fewer operations, which are those of another."""
    inner = Account(memory=parent.memory, announce=parent.announce)
    inner.operations, inner.announced = operations, parent.announced
    inner.given_up, inner.kept, inner.structures = parent.given_up, parent.kept, parent.structures
    inner.stop = parent.stop - parent.spent
    try:
        with opened(inner):
            yield
    finally:
        parent.spent, parent.announced = parent.spent + inner.spent, inner.announced
        parent.refused += inner.refused
        if parent.spent > parent.stop:
            parent.refusal("")


_DEFAULT = Account()
