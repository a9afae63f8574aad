"""The notebook among the examples: all of its code runs, in order, and prints what stands below it.

`python tests/front/test_notebook.py` writes what it prints today into the file.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).resolve().parents[2] / "examples" / "notebook.md"
_CELL = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<printed>.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def output(code: str, names: dict[str, Any]) -> str:
    """What a cell prints, and below it the value of the expression that it ends with."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with redirect_stdout(io.StringIO()) as stream:
        exec(compile(tree, str(NOTEBOOK), "exec"), names)
        value = eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names) if last else None
        if value is not None:
            print(repr(value))
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().rstrip().splitlines())


def cells(text: str) -> list[tuple[str, str, str]]:
    """The code of every cell, what it is to print, and what it prints."""
    names: dict[str, Any] = {"__name__": "__main__"}
    return [(match["code"], match["printed"] or "", output(match["code"], names)) for match in _CELL.finditer(text)]


def test_every_cell_prints_what_stands_below_it():
    every = cells(NOTEBOOK.read_text())
    assert len(every) > 10
    assert [(code, printed) for code, printed, _ in every] == [(code, now) for code, _, now in every]


def test_text_and_code_fit_a_page():
    written = re.sub(r"^```text\n.*?^```$", "", NOTEBOOK.read_text(), flags=re.MULTILINE | re.DOTALL)
    assert max(map(len, written.splitlines())) <= 120


def test_the_notebook_is_an_example_to_print():
    done = subprocess.run([sys.executable, "-m", "qnet", "example", "notebook"], capture_output=True, check=True)
    assert done.stdout.decode() == NOTEBOOK.read_text()


def regenerate() -> None:
    """Write what every cell prints below it."""
    names: dict[str, Any] = {"__name__": "__main__"}

    def rewritten(match: re.Match[str]) -> str:
        printed = output(match["code"], names)
        return f"```python\n{match['code']}```\n" + (f"\n```text\n{printed}```\n" if printed else "")

    NOTEBOOK.write_text(_CELL.sub(rewritten, NOTEBOOK.read_text()))


if __name__ == "__main__":
    regenerate()
