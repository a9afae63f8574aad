"""A program `qnet` for shells whose modules are loaded: a fork of a process that waits, with the streams of the caller.

A line of a shell, with its pipes and files, is as it is with `python -m qnet`: arguments, streams, folder, environment
and exit code are those of the caller. What is about the start of an interpreter takes a new one: `run_shell`.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import once
from cli_process import Answer, environment, run_shell
from warm_process import LOADED, SEEN_LATER

CLIENT = """#!{python} -IS
import os, sys, _socket
end = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
end.connect("{socket}")
streams = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2))
end.sendmsg([b"."], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
words = [os.getcwd(), str(len(os.environ))]
words += [word for pair in os.environ.items() for word in pair]
end.sendall(b"\\0".join(os.fsencode(word) for word in words + sys.argv[1:]))
end.shutdown(_socket.SHUT_WR)
sys.stdout = sys.stderr = None
code = end.recv(16)
os._exit(int(code) if code else 141)
"""
"""Hands its streams over, and waits for the exit code; none is that of a process that a closed pipe has ended."""

SERVER = (
    LOADED
    + """
import signal, socket, threading
from once import FOLDER

shared = os.environ[FOLDER]
listening = socket.socket(socket.AF_UNIX)
listening.bind(sys.argv[2])
listening.listen(64)
print(flush=True)

def answer(end):
    _, streams, _, _ = socket.recv_fds(end, 1, 3)
    folder, count, *words = os.fsdecode(b"".join(iter(lambda: end.recv(1 << 16), b""))).split("\\0")
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    given = words[: 2 * int(count)]
    os.environ.clear()
    os.environ.update(zip(given[::2], given[1::2]))
    os.environ[FOLDER] = shared
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.stdin, sys.stdout = open(0, encoding="utf-8", closefd=False), open(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = open(2, "w", encoding="utf-8", buffering=1, errors="backslashreplace", closefd=False)
    code = code_of(words[2 * int(count) :])
    try:
        sys.stdout.flush()
    except OSError:
        code = 120  # as the interpreter does
    end.send(str(code).encode())

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
while True:
    end, _ = listening.accept()
    if os.fork() == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        listening.close()
        try:
            answer(end)
        finally:
            os._exit(0)
    end.close()
"""
)
"""Forks for every client; ends where its standard input does."""


@cache
def program() -> Path:
    """The program `qnet`, in a folder without anything else, as long as this session of tests lasts."""
    # Not a `TemporaryDirectory`: from Python 3.13 on, forks of a pool drop what waits for the exit, and remove it.
    folder = Path(tempfile.mkdtemp(prefix="qnet-forks-"))
    result, socket = folder / "qnet", folder / "socket"
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(Path(__file__).parents[1]), str(socket)],
        env=environment({once.FOLDER: os.environ.get(once.FOLDER, "")}),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert server.stdin and server.stdout and server.stdout.readline()
    result.write_text(CLIENT.format(python=sys.executable, socket=socket))
    result.chmod(0o755)

    def end() -> None:
        assert server.stdin and server.stdout
        server.stdin.close()
        server.wait()
        server.stdout.close()
        shutil.rmtree(folder)

    atexit.register(end)
    return result


def run_forked(line: str, folder: Path, changes: Mapping[str, str] | None = None) -> Answer:
    """As `run_shell`, where it does not matter how the interpreter starts."""
    forks = os.name == "posix" and set(changes or ()) <= SEEN_LATER
    return run_shell(line, folder, changes, program() if forks else None)
