"""One test of a property for many values, such as the seeds of random systems: pytest's time for each of thousands of
tests is that of many of the systems."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

Test = Callable[..., None]


def many(name: str, values: Iterable[Any]) -> Callable[[Test], Test]:
    """Call a test with each of some values for one of its arguments; it fails with all failures, each with its value.

    Its fixtures are made once for all values. It does not skip.
    """
    every = list(values)
    assert every

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)
        assert name in signature.parameters

        @wraps(test)
        def with_every_value(**given: Any) -> None:
            failures: list[Exception] = []
            for value in every:
                try:
                    test(**given, **{name: value})
                except Exception as error:
                    error.add_note(f"{name} = {value!r}")
                    failures.append(error)
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {len(every)} values of {name}", failures)

        others = [item for item in signature.parameters.values() if item.name != name]
        with_every_value.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return with_every_value

    return decorate
