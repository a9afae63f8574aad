"""Worker processes that are watched: one that does not come back in time, or whose process dies, is replaced, and the
item it had is reported as lost."""

from __future__ import annotations

import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Generic, TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")

DIED, SILENT = "its process died", "no answer"
"""Why an item is lost."""


def answers(
    items: Iterable[Item],
    prepare: Callable[[Path], Callable[[Item], Answer]],
    lost: Callable[[Item, str], Answer],
    jobs: int,
    patience: float,
    renewed: int | None = None,
) -> Iterator[Answer]:
    """The answer to every item, as they come.

    prepare   run once in each worker, in a folder that is removed after it: returns what answers an item.
    lost      the answer to an item whose worker died (`DIED`) or did not come back (`SILENT`).
    patience  seconds on the wall after which a worker is given up.
    renewed   items after which a worker is replaced; None for never.
    """
    waiting = iter(items)
    workers = [_Worker(prepare, renewed) for _ in range(max(jobs, 1))]
    try:
        busy = [worker for worker in workers if worker.give(waiting)]
        while busy:
            ready = wait([worker.pipe for worker in busy], timeout=1.0)
            for worker in list(busy):
                item = worker.item
                if worker.pipe in ready:
                    try:
                        answer = worker.pipe.recv()
                    except (EOFError, ConnectionError):
                        worker.restart()
                        answer = lost(item, DIED)
                elif time.monotonic() - worker.since > patience:
                    worker.restart()
                    answer = lost(item, SILENT)
                else:
                    continue
                yield answer
                if not worker.give(waiting):
                    busy.remove(worker)
    finally:
        for worker in workers:
            worker.end()


class _Worker(Generic[Item, Answer]):
    """A process that answers one item after the other."""

    item: Item
    """The one that it was given last."""

    def __init__(self, prepare: Callable[[Path], Callable[[Item], Answer]], renewed: int | None) -> None:
        self.prepare, self.renewed = prepare, renewed
        self.since = 0.0
        self.start()

    def start(self) -> None:
        context = get_context("fork")
        self.count = 0
        self.folder = Path(tempfile.mkdtemp(prefix="qnet-worker-"))
        self.pipe, child = context.Pipe()
        self.process = context.Process(target=_serve, args=(child, self.folder, self.prepare), daemon=True)
        self.process.start()
        child.close()

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def restart(self) -> None:
        self.end()
        self.start()

    def give(self, waiting: Iterator[Item]) -> bool:
        """Send the next item; False where there is none."""
        try:
            self.item = next(waiting)
        except StopIteration:
            return False
        if self.renewed is not None and self.count >= self.renewed:
            self.restart()
        self.count += 1
        self.since = time.monotonic()
        self.pipe.send(self.item)
        return True


def _serve(pipe: Connection, folder: Path, prepare: Callable[[Path], Callable[[Item], Answer]]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answer = prepare(folder)
    while True:
        try:
            item = pipe.recv()
        except EOFError:
            return
        pipe.send(answer(item))
