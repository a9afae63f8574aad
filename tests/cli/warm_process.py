"""Processes for golden commands that find the libraries of others loaded already, of which loading is most of the time.

Each command still is a process of its own, forked where no line of qnet has been loaded.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from cli_process import Answer, environment

SERVER = """
import json, os, sys
import click, numpy, rich.console, rich.table, sympy
for line in sys.stdin:
    asked = json.loads(line)
    child = os.fork()
    if child == 0:
        os.chdir(asked["folder"])
        for number, (name, mode) in enumerate((("in", os.O_RDONLY), ("out", os.O_WRONLY), ("err", os.O_WRONLY))):
            os.dup2(os.open(os.path.join(asked["streams"], name), mode), number)
        sys.argv = ["qnet", *asked["arguments"]]
        code = 1
        try:
            from qnet.__main__ import main
            code = main() or 0
        except SystemExit as end:
            code = end.code or 0
        finally:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class WarmProcess:
    """One command at a time, each forked from a process that waits with the libraries loaded."""

    def __init__(self) -> None:
        self.server = subprocess.Popen(
            [sys.executable, "-c", SERVER],
            env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def run(self, arguments: Sequence[str], folder: Path, stdin: bytes = b"") -> Answer:
        """Run `qnet ARGUMENTS` in a folder and wait for its end."""
        assert self.server.stdin and self.server.stdout
        with tempfile.TemporaryDirectory() as streams:
            places = {name: Path(streams, name) for name in ("in", "out", "err")}
            for name, place in places.items():
                place.write_bytes(stdin if name == "in" else b"")
            asked = {"arguments": list(arguments), "folder": str(folder), "streams": streams}
            self.server.stdin.write(json.dumps(asked) + "\n")
            self.server.stdin.flush()
            code = int(self.server.stdout.readline())
            return Answer(places["out"].read_bytes().decode(), places["err"].read_bytes().decode(), code)

    def close(self) -> None:
        """End the process that waits."""
        assert self.server.stdin and self.server.stdout
        self.server.stdin.close()
        self.server.wait()
        self.server.stdout.close()
