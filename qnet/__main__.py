"""The entry point: answers `--version` before anything else is imported, then hands over to the command line."""

from __future__ import annotations

import os
import sys


def run() -> None:
    """Run the command line, and end the process.

    The interpreter is not finalized where that is safe, because it takes as long as a small answer.
    """
    code = None
    try:
        main()
    except SystemExit as end:
        code = end.code
    try:
        if isinstance(code, int | None) and not _is_watched() and _written():
            os._exit(code or 0)
        _let_interrupts_end()
    except KeyboardInterrupt:
        os._exit(130)
    raise SystemExit(code)


def _written() -> bool:
    """Run exit handlers and flush the outputs; False where one cannot be written.

    The interpreter reports that then, and ends with another code.
    """
    if atexit := sys.modules.get("atexit"):
        atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:  # pyright: ignore[reportUnnecessaryComparison]
                stream.flush()
        except (OSError, ValueError):
            return False
    return True


def _let_interrupts_end() -> None:
    """Let an interrupt end the process, instead of a traceback from the end of the interpreter."""
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _is_watched() -> bool:
    """Whether something continues after the command: a profiler, a debugger, threads, or a prompt."""
    threading = sys.modules.get("threading")
    return bool(sys.flags.inspect or sys.getprofile() or sys.gettrace() or (threading and threading.active_count() > 1))


def main() -> None:
    """Run the command line with the arguments of the process; an interrupt ends it without a traceback."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from qnet.version import __version__

        # Nothing else is loaded.
        _write(f"qnet {__version__}\n")
        return
    try:
        _run()
    except KeyboardInterrupt:
        _end("qnet: interrupted", 130)


def _run() -> None:
    import gc

    # A short process leaves little garbage; looking for it while modules load takes a tenth of the time.
    gc.set_threshold(200_000, 20, 20)
    # Small arrays gain nothing from threads, and starting them costs time and memory.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from qnet.cli.group import qnet

    qnet(prog_name="qnet")


def _write(text: str) -> None:
    """Write a line; a closed or missing reader of the output is not a failure, a full disk is."""
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _end(f"qnet: standard output: {error.strerror or error} [QN005]", 2)


def _end(message: str, code: int) -> None:
    """End the run with a message on standard error, if it is open."""
    try:
        sys.stderr.write(message + "\n")
        sys.stderr.flush()
    except (AttributeError, OSError, ValueError):
        pass
    raise SystemExit(code)


if __name__ == "__main__":
    run()
