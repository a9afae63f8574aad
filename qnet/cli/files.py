"""The one module that writes: a file is replaced atomically or not changed, a stream gets every byte or an error.

A file is written under a temporary name in the folder of its target, synchronised with the disk and renamed.
Of two writers the last complete one wins. A failure, a signal or a full disk leaves the old file and removes the new.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from typing import Any

from qnet.errors import Problem, UsageError
from qnet.opened import identity, read_as

_STREAMS = ("/dev/", "/proc/")
"""Folders of devices and open files, which cannot be replaced."""
_MAX_NAME = 60
"""Bytes of the target's name in that of a temporary file, whose length remains below the usual limit of 255."""
_ENDING = ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGXCPU", "SIGALRM", "SIGUSR1", "SIGUSR2")
"""Signals that end a process at once, unless they are handled; SIGINT is an exception already."""


class Sink:
    """A file that is being written, under a temporary name until `commit`."""

    def __init__(self, target: str, suffix: str, hidden: bool) -> None:
        self.target = os.path.realpath(target)
        folder, name = os.path.split(self.target)
        short = os.fsdecode(os.fsencode(name)[:_MAX_NAME])
        unique = os.urandom(4).hex()
        self.path = os.path.join(folder, f"{'.' if hidden else ''}{short}.{unique}.{suffix}")
        """The temporary name."""
        self.descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        self.size = 0
        """The number of bytes of all complete pieces."""
        with suppress(OSError):
            os.fchmod(self.descriptor, stat.S_IMODE(os.stat(self.target).st_mode))

    def write(self, data: bytes) -> None:
        """Write a piece; raises `OSError` where not every byte is written."""
        put(self.descriptor, data)
        self.size += len(data)

    def commit(self) -> None:
        """Make the temporary file the target."""
        os.fsync(self.descriptor)
        os.close(self.descriptor)
        self.descriptor = -1
        os.replace(self.path, self.target)
        _synchronise(os.path.dirname(self.target))

    def keep(self) -> bool:
        """Keep the complete pieces under the temporary name; returns whether there are any."""
        if self.descriptor >= 0:
            with suppress(OSError):
                os.ftruncate(self.descriptor, self.size)
                os.fsync(self.descriptor)
            if self.size:
                os.close(self.descriptor)
                self.descriptor = -1
                return True
        self.discard()
        return False

    def discard(self) -> None:
        """Remove the temporary file."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
        with suppress(OSError):
            os.unlink(self.path)


def put(descriptor: int, data: bytes) -> None:
    """Write every byte, also after short writes and to a pipe that does not block. Raises `OSError`."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            import select

            select.select([], [descriptor], [])


def replace(path: str, data: bytes, rewrite: bool = False) -> None:
    """Replace a file atomically, or write the bytes to a pipe or device.

    rewrite  whether the file may be one that this command has read.
    Raises   `UsageError` QN005 where it cannot be written, QN731 where it was read.
    """
    if not rewrite:
        refuse_read(path)
    if is_stream(path):
        with _stream(path) as descriptor:
            put(descriptor, data)
        return
    with _ended_by_signals():
        sink = None
        try:
            sink = Sink(path, "tmp", hidden=True)
            sink.write(data)
            sink.commit()
        except BaseException as error:
            if sink is not None:
                sink.discard()
            if isinstance(error, OSError):
                raise unwritable(path, error) from None
            raise


@contextmanager
def _stream(path: str) -> Generator[int]:
    """A pipe or a device, open for writing; raises `UsageError` where that fails."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        try:
            yield descriptor
        finally:
            os.close(descriptor)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise unwritable(path, error) from None


@contextmanager
def streaming(path: str, kept: Callable[[str], None]) -> Generator[Callable[[bytes], None]]:
    """A function that writes pieces of a long answer to a file named `.partial`, which becomes the file at the end.

    path    the file, or `-` for standard output.
    kept    called with the name of the partial file where the run ends early and that has complete pieces.
    Raises  `UsageError` where the file cannot be written.
    """
    if path == "-":
        yield put_out
        return
    refuse_read(path)
    if is_stream(path):
        with _stream(path) as descriptor:
            yield lambda data: put(descriptor, data)
        return
    with _ended_by_signals():
        try:
            sink = Sink(path, "partial", hidden=False)
        except OSError as error:
            raise unwritable(path, error) from None
        try:
            yield sink.write
            sink.commit()
        except BaseException as error:
            if sink.keep():
                kept(sink.path)
            if isinstance(error, OSError) and not error.filename:
                raise unwritable(path, error) from None
            raise


def put_out(data: bytes) -> None:
    """Write every byte to standard output; raises `UsageError` where it is closed, `OSError` where it fails."""
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]
        raise UsageError(Problem("QN005", "standard output is closed", "-o FILE"))
    sys.stdout.flush()
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):  # A stream of memory, as in tests.
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    put(descriptor, data)


def say(text: str) -> None:
    """Write lines to standard output, for output that is no report."""
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    if not text.isprintable() and sys.stdout is not None and sys.stdout.isatty():  # pyright: ignore[reportUnnecessaryComparison]
        from qnet.reports.text import visible

        text = visible(text)
    put_out((text + "\n").encode(encoding, "backslashreplace"))


def is_stream(path: str) -> bool:
    """Whether a path is a pipe or a device, which opening would affect."""
    if os.path.abspath(path).startswith(_STREAMS):
        return True
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def refuse_unwritable(path: str) -> None:
    """Refuse a file that cannot be written, before any work and without opening it; raises `UsageError`."""
    if is_stream(path):
        if not os.access(path, os.W_OK):
            raise unwritable(path, PermissionError(13, "Permission denied"))
        return
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    try:
        if os.path.isdir(target) or path.endswith("/"):
            raise IsADirectoryError(21, "Is a directory")
        os.stat(folder)
        if not os.path.isdir(folder):
            raise NotADirectoryError(20, "Not a directory")
        with suppress(FileNotFoundError):
            os.lstat(target)
            if not os.access(target, os.W_OK):
                raise PermissionError(13, "Permission denied")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(13, "its folder is not writable, and files are written under a temporary name there")
    except (OSError, ValueError) as error:
        raise unwritable(path, error) from None


def refuse_same(outputs: Iterable[str], inputs: Iterable[str]) -> None:
    """Refuse an output that is the same file as an input, standard input or output, or another output; opens nothing.

    Raises  `UsageError` QN731.
    """
    taken: dict[Any, str] = {}
    read: set[Any] = set()
    for name in inputs:
        key = identity(name) if name != "-" else None
        if key is not None:
            taken[key] = name
            read.add(key)
    for stream, name in ((sys.stdin, "standard input"), (sys.stdout, "standard output")):
        key = _identity(stream)
        if key is not None and name == "standard output" and key in taken:
            raise _same("standard output", taken[key])
        if key is not None:
            taken.setdefault(key, name)
    for name in outputs:
        if name == "-" or is_stream(name):
            continue
        key = identity(name) or os.path.realpath(name)
        if key in taken:
            raise _same(name, taken[key], key in read)
        taken[key] = name


def refuse_read(path: str) -> None:
    """Refuse to overwrite a file that this command has read, such as a part used by a model."""
    if name := read_as(path):
        raise _same(path, name, True)


def unwritable(path: str, error: OSError | ValueError) -> UsageError:
    """The error for a file that cannot be written."""
    sentence = getattr(error, "strerror", None) or error
    return UsageError(Problem("QN005", f"cannot write {path}: {sentence}", "a writable file"))


def _same(output: str, other: str, read: bool = False) -> UsageError:
    """The refusal of an output that is the same file as another one of the command.

    read   whether that is an input.
    """
    help = "write to another file; when it is complete, rename it: -o new && mv new old"
    twice = "is read as well, and would be overwritten" if read else "is named for two outputs"
    same = twice if output == other else f"is the same file as {other}, which would be overwritten"
    text = f"{output} {same}"
    return UsageError(Problem("QN731", text, "a file that this command does not use otherwise", help=help))


def _identity(stream: Any) -> tuple[int, int] | None:
    try:
        return identity(stream.fileno())
    except (AttributeError, OSError, ValueError):
        return None


def _synchronise(folder: str) -> None:
    """Make a rename durable, where the file system supports it."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _ended_by_signals() -> Generator[None]:
    """Turn the signals that end a process into exceptions, so that temporary files are removed."""
    import signal

    def end(number: int, _: Any) -> None:
        raise SystemExit(128 + number)

    before: dict[int, Any] = {}
    try:
        for number in filter(None, (getattr(signal, name, None) for name in _ENDING)):
            if signal.getsignal(number) == signal.SIG_DFL:
                before[number] = signal.signal(number, end)
    except ValueError:  # Not the main thread.
        pass
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
