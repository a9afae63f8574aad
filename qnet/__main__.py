"""The entry point: answers `--version` before anything else is imported, then hands over to the command line."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line with the arguments of the process."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from qnet import __version__

        _tell(f"qnet {__version__}\n")
        return
    import atexit
    import gc

    # A short process leaves little garbage; looking for it while modules load takes a tenth of the time, and looking
    # once more through everything at the end, when the memory goes back anyway, as much again.
    gc.set_threshold(200_000, 20, 20)
    atexit.register(gc.freeze)
    # Small arrays gain nothing from threads, and starting them costs time and memory.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from qnet.cli.group import qnet

    qnet(prog_name="qnet")


def _tell(text: str) -> None:
    """Write a line; a reader who has gone, or was never there, is no failure."""
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
