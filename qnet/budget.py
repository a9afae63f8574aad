"""The account of a command: the limits on operations and memory that all its loops share, and the operations spent.

An account is opened once, by the command line, by a question in Python, or by a solver where none is open. Every loop
whose length depends on its input uses it: `reserve` before a large array is made, `spend` in every round. Operations
are elementary ones, about 1e9 a second, and counted, not timed: the same command stops at the same point on every
machine.

Work beyond the budget is refused by `NotComputed` QN515. A refusal of memory concerns one attempt, and a smaller batch
may fit. `OverBudget`, for operations, ends the command even if it is caught on the way, because `settle` raises it
again before anything is answered. Optional work gets a `share`, a search for further figures is an `extra`,
and work that an approximation can replace is a `trial`: all leave operations for the rest.
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
"""Default limit on the elementary operations of a command: about ten seconds."""
MEMORY = 1e9
"""Default limit on its memory, in bytes."""

FLOOR = 1e9
"""The smallest limit on operations, whatever is stated: about a second."""

STEP = 100.0
"""Operations of one step of a Python loop over numbers."""
CALL = 20_000.0
"""Least operations of a round over arrays, however small these are."""

_RATE = 1e9
"""Operations a second."""
_TRIALS = 0.75
"""The share of the operations of a command that all its trials together may spend."""
_SEARCHES = 0.2
"""The same for its searches for further figures: about two seconds by default."""


class OverBudget(NotComputed):
    """The operations of a command are spent."""


class Account:
    """The limits of a command, and the operations that it has spent."""

    __slots__ = (
        "announce", "announced", "fixed", "given_up", "kept", "memory", "operations", "over", "refused",
        "searched", "spent", "stop", "structures", "tried",
    )  # fmt: skip

    def __init__(
        self, operations: float = OPERATIONS, memory: float = MEMORY, announce: Callable[[str], None] | None = None
    ) -> None:
        self.operations, self.memory, self.announce = max(operations, FLOOR), memory, announce
        self.spent = 0.0
        self.refused = 0.0
        """The operations among those spent that were refused, and so not executed."""
        self.stop = float("inf")
        """A further limit on operations, which does not affect the sizes of shares and trials."""
        self.tried = 0.0
        """Operations spent by trials."""
        self.searched = 0.0
        """Operations spent by searches for figures besides the answer."""
        self.given_up: dict[Any, Any] = {}
        """Trials that exceeded their part, by what was tried; they are not repeated."""
        self.kept: list[Any] = []
        """Solutions of some points of a batch that others ended, for when these points are solved apart."""
        self.structures: list[Any] = []
        """The structures of the latest Markov chains, shared by those that differ in rates only."""
        self.fixed = True
        """Whether `limit` leaves the limits unchanged."""
        self.over: OverBudget | None = None
        """The first refusal of operations; None before it."""
        self.announced = operations <= OPERATIONS
        """Whether a limit above the default has been announced, or need not be."""

    def limit(self, operations: float, memory: float, announce: Callable[[str], None] | None = None) -> None:
        """Change the limits: operations, bytes of memory, and the function that announces long work."""
        self.operations, self.memory = max(operations, FLOOR), memory
        self.announce = announce or self.announce
        self.announced = operations <= OPERATIONS

    def spend(self, operations: float, what: str = "") -> None:
        """Count operations; raises `OverBudget` where they exceed those left.

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
        """The refusal of further work in `what`; later calls return the first one."""
        if self.over is None:
            most = min(self.operations, self.stop)
            found = f"stopped after {most:.1e} operations"
            found += f", in {what}" if what else ""
            help = f"allow more with --operations {10 * most:.0e}; or ask less: fewer points or parameters, "
            help += 'smaller numbers, or a cheaper method, such as --method "bard-schweitzer" for closed classes'
            self.over = OverBudget(Problem("QN515", found, f"at most {most:.1e} operations", help=help))
        return self.over

    def reserve(self, size: float, what: str) -> None:
        """Raise `NotComputed` QN515 where arrays exceed the memory.

        size   their size in bytes.
        what   their contents, such as "the states of a finite source".
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
    Raises      `OverBudget` where they exceed those left.
    """
    account = _current.get()
    if account is not None:
        account.spend(operations, what)


def reserve(size: float, what: str) -> None:
    """Refuse arrays that exceed the memory of the account that is open, or the default without one.

    size    bytes.
    what    the contents of the arrays.
    Raises  `NotComputed` QN515 where they are too large.
    """
    (_current.get() or _DEFAULT).reserve(size, what)


def memory() -> float:
    """Bytes that arrays may take together."""
    return (_current.get() or _DEFAULT).memory


def settle() -> None:
    """Raise `OverBudget` where operations were refused and work continued, because the answer is then incomplete."""
    account = _current.get()
    if account is not None and account.over is not None:
        raise account.over


@contextmanager
def opened(account: Account) -> Generator[Account]:
    """Open an account for the work inside; at the end `settle` is called."""
    token = _current.set(account)
    try:
        yield account
        settle()
    finally:
        _current.reset(token)


@contextmanager
def door(operations: float = OPERATIONS, memory: float = MEMORY) -> Generator[None]:
    """Open an account for one question from Python, unless a command or another question has one.

    operations, memory  its limits, elementary operations and bytes, which the question may change by `limit`.
    """
    if _current.get() is not None:
        yield
        return
    account = Account(operations, memory)
    account.fixed = False
    with opened(account):
        yield


def limit(operations: float, memory: float = MEMORY) -> None:
    """Change the limits of the account that `door` has opened; those of a command remain."""
    account = _current.get()
    if account is not None and not account.fixed:
        account.limit(operations, memory)


def asked(question: Callable[_P, _R]) -> Callable[_P, _R]:
    """A decorator of questions that opens an account by `door`."""

    @wraps(question)
    def with_account(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        with door():
            return question(*args, **kwargs)

    return with_account


@contextmanager
def share(part: float) -> Generator[None]:
    """Open an account of a part of the operations left, for optional work.

    part    above 0, at most 1.
    Raises  `OverBudget` from inside where the part is spent; the caller that catches it continues with the rest.
    """
    parent = _current.get()
    if parent is None:
        yield
        return
    with _inside(parent, part * max(parent.operations - parent.spent, 0.0)):
        yield


@contextmanager
def extra(part: float) -> Generator[None]:
    """Open an account for a search for figures besides the answer: all of them together get a fifth of the operations.

    part    of the operations left for such searches, above 0, at most 1.
    Raises  `OverBudget` from inside where the part is spent; the caller that catches it continues with the rest.
    """
    parent = _current.get()
    if parent is None:
        yield
        return
    before = parent.spent
    left = min(_SEARCHES * parent.operations - parent.searched, parent.operations - parent.spent)
    try:
        with _inside(parent, part * max(left, 0.0)):
            yield
    finally:
        parent.searched += parent.spent - before


def spent() -> float:
    """The operations that the account has spent; 0 where none is open."""
    account = _current.get()
    return account.spent if account else 0.0


def trial_left() -> float:
    """The operations left for trials."""
    account = _current.get()
    if account is None:
        return float("inf")
    return max(min(_TRIALS * account.operations - account.tried, account.operations - account.spent), 0.0)


@contextmanager
def trial(most: float = float("inf")) -> Generator[None]:
    """Open an account for an exact answer that an approximation replaces where it takes too many operations.

    most    the most operations of this trial.
    Raises  `OverBudget` from inside where this trial, or all trials of the command together, have spent their part;
            the caller that catches it continues with the rest.
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
    """Open an account of some of the operations of another, which is charged for them."""
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
