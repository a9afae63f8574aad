"""A Python session: what a system shows of itself, what it is loaded from, and what the package shows of itself."""

from __future__ import annotations

import inspect
import json
import os
import pydoc
import re
import subprocess
import sys
import tomllib
from collections import OrderedDict
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import python_door
from many import many

import qnet
from qnet import errors, opened
from qnet.catalog.find import EXAMPLE, entries, examples
from qnet.model.from_data import document_of
from qnet.model.overview import WIDTH, lines

SYSTEMS = [entry.id for entry in [*entries(), *examples()] if entry.kind in ("system", EXAMPLE)]
TINY = """qnet = 1
title = "tiny"
[parameters]
rate = {{ value = "{rate}", range = ["1/s", "29/s"] }}
[stations]
cpu = {{ servers = 2 }}
[classes.job]
arrival_rate = "rate"
steps = [ {{ station = "cpu", time = "0.1 s" }} ]
"""
DATA: dict[str, Any] = {
    "title": "tiny",
    "parameters": {"rate": {"value": "10/s", "range": ["1/s", "29/s"]}},
    "stations": {"cpu": {"servers": 2}},
    "classes": {"job": {"arrival_rate": "rate", "steps": [{"station": "cpu", "time": "0.1 s"}]}},
}


def changed(*path: Any, value: Any) -> dict[str, Any]:
    """The data with one value changed."""
    key, *rest = path
    result = dict(DATA)
    inner = result
    for part in [key, *rest][:-1]:
        inner[part] = dict(inner.get(part, {}))
        inner = inner[part]
    inner[[key, *rest][-1]] = value
    return result


# What a system shows


@many("name", SYSTEMS)
def test_a_system_is_five_lines(name: str):
    lines = repr(qnet.load(name)).splitlines()
    assert len(lines) == 5
    assert max(map(len, lines)) <= WIDTH
    assert lines[0].startswith(f"System {name}: ")


def test_a_solved_system_lists_no_more_names():
    system = qnet.load("web-pool")
    system.solve()
    assert all(name.isidentifier() for name in dir(system))


@pytest.mark.parametrize(("classes", "words"), [(1, "1 station, 1 class:"), (2, "1 station, 2 classes:")])
def test_a_network_counts_in_words(classes: int, words: str):
    assert words in repr(qnet.Network([[1.0] * classes], population=[1] * classes))


def test_the_lines_name_stations_classes_and_parameters():
    assert repr(qnet.load("web-tier").set(workers=6)).splitlines() == [
        "System web-tier: Web tier with a cache, a server pool and a database",
        "  stations    network (delay), application (servers = workers), database, disk",
        "  classes     page (open, rate), upload (open, upload_rate)",
        "  parameters  workers = 6, rate = 300/s, upload_rate = 10/s, cache_hit = 0.8",
        "  defines     outputs database_load; envelopes quarter_second",
    ]


@pytest.mark.parametrize(("system", "word"), [(qnet.load("ibm-3990-6"), "track"),
                                              (qnet.load("ibm-3990-6").set(staging="record"), "record")])  # fmt: skip
def test_a_choice_is_shown_by_its_word(system: qnet.System, word: str):
    cells = re.search(r"<tr><td[^>]*>staging</td><td[^>]*>([^<]*)</td>", system._repr_html_())
    assert cells and cells[1] == word


def test_long_lists_end_with_their_number():
    stations = {f"station_{index}": {} for index in range(40)}
    steps = [{"station": name, "time": "1 ms"} for name in stations]
    system = qnet.loads({**DATA, "stations": stations, "classes": {"job": {"arrival_rate": "rate", "steps": steps}}})
    line = repr(system).splitlines()[1]
    shown = line.count("station_")
    assert 3 < shown < 40 and line.endswith(f"{40 - shown} more")


@many("name", SYSTEMS)
def test_a_notebook_shows_every_station_class_and_parameter(name: str):
    system = qnet.load(name)
    html = system._repr_html_()
    every = [*system.stations, *system.customers, *system.parameters.values()]
    assert [item.name for item in every if f">{item.name}</td>" not in html] == []


def test_every_cell_of_a_notebook_has_its_style_and_nothing_else():
    cells: dict[str, set[tuple[tuple[str, str | None], ...]]] = {"td": set(), "th": set()}

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            cells.get(tag, set()).add(tuple(attrs))

    Reader().feed(qnet.load("web-tier")._repr_html_())
    assert cells["td"] == cells["th"] and len(cells["td"]) == 1
    ((style,),) = cells["td"]
    assert style[0] == "style" and all(len(item.split(":")) == 2 for item in str(style[1]).split(";"))


def test_texts_of_a_model_are_no_markup():
    html = qnet.loads(changed("title", value="<script>&\"'"), name="\x1b<b>")._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;&amp;&quot;" in html
    assert "\x1b" not in html and "<b>" not in html.replace("<b>&lt;", "")


def test_a_report_is_one_line():
    line = repr(qnet.load("one-queue").sweep("rate=10/s:90/s:10/s"))
    assert line.startswith("Report('One queue: rate varied', 9 rows, ") and "\n" not in line and len(line) < 200


# What it is loaded from


@pytest.mark.parametrize("name", ["tiny.toml", "tiny", "-", "web-tier"])
def test_a_path_is_a_file_whatever_its_name(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / name).write_text(TINY.format(rate="10/s"))
    monkeypatch.chdir(tmp_path)
    assert qnet.load(Path(name)).title == qnet.load(tmp_path / name).title == "tiny"


def test_a_path_that_is_missing_is_named():
    with pytest.raises(qnet.UsageError, match=r"\./web-tier: cannot be read"):
        qnet.load(Path("web-tier"))


def test_measurements_are_read_from_a_path(tmp_path: Path):
    rows = [{"rate": rate, "response_s": response} for rate, response in ((5, 0.11), (10, 0.13), (15, 0.24))]
    table = tmp_path / "measured"
    table.write_text("rate,response_s\n" + "".join(f"{row['rate']},{row['response_s']}\n" for row in rows))
    job = {"arrival_rate": "rate", "steps": [{"station": "cpu", "time": "time"}]}
    system = qnet.loads({**DATA, "parameters": {"rate": "10/s", "time": "50 ms"}, "classes": {"job": job}})
    by_path, by_text = (system.calibrate(item, "time", error="1%") for item in (table, str(table)))
    assert by_path.records() == by_text.records()


def test_a_text_and_a_dict_are_the_same_system_as_their_file(tmp_path: Path):
    text = TINY.format(rate="10/s")
    (tmp_path / "tiny.toml").write_text(text)
    every = (qnet.load(tmp_path / "tiny.toml"), qnet.loads(text), qnet.loads(DATA))
    first, *others = [system.solve().records() for system in every]
    assert others == [first, first]
    assert qnet.loads(text).metric("response") == pytest.approx(0.1 / (1 - 0.25), rel=1e-14)
    assert [system.name for system in every[1:]] == ["<text>", "<dict>"]
    assert qnet.loads(DATA, name="mine").name == "mine"


@pytest.mark.parametrize("model", [DATA, TINY.format(rate="10/s")], ids=["dict", "text"])
def test_the_command_of_an_answer_reads_the_model_from_standard_input(model: Any):
    system = qnet.loads(model, name="mine")
    command = system.why().meta["command"]
    assert command == f"qnet why -  # the model of digest {system.document.digest} on standard input"
    done = subprocess.run([sys.executable, "-m", *command.split()[:3], "--json"], input=system.document.text.encode(),
                          capture_output=True, check=True)  # fmt: skip
    # The first row has the question, with the name of the system.
    assert json.loads(done.stdout)["rows"][1:] == system.why().records()[1:]


@many("name", SYSTEMS)
def test_a_dict_of_every_shipped_model_has_the_digits_of_its_file(name: str):
    system = qnet.load(name)
    data = tomllib.loads(system.document.text)
    again = qnet.loads(data)
    assert tomllib.loads(again.document.text) == data
    assert [item.name for item in again.stations] == [item.name for item in system.stations]
    assert again.parameters == system.parameters


def test_any_sequence_and_any_number_are_taken():
    data = {
        "a": (1, 2.5, True, "x"), "b": np.array([[1.0, 2.0]]), "c": np.int64(3), "d": Decimal("0.5"), "e": range(2),
        "f": OrderedDict(g=np.bool_(False)), "a key": {"with \"quotes\"": "\x7f\t\n\\"}, "h": [], "i": {},
        "j": [{"k": [{"l": 1}]}, {}], "m": {"n": {"o": {"p": [1]}}, "q": 2}, "r": 1e300,
    }  # fmt: skip
    assert document_of(data).data == {
        "qnet": 1, "a": [1, 2.5, True, "x"], "b": [[1.0, 2.0]], "c": 3, "d": 0.5, "e": [0, 1], "f": {"g": False},
        "a key": {"with \"quotes\"": "\x7f\t\n\\"}, "h": [], "i": {}, "j": [{"k": [{"l": 1}]}, {}],
        "m": {"n": {"o": {"p": [1]}}, "q": 2}, "r": 1e300,
    }  # fmt: skip


def endless() -> dict[str, Any]:
    """A dict inside itself."""
    result: dict[str, Any] = {}
    result["x"] = [result, result]
    return result


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (changed("stations", "cpu", "servers", value=None), r"stations\.cpu\.servers: found None; expected a text, "),
        (changed("stations", "cpu", "servers", value=1j), r"stations\.cpu\.servers: found 1j"),
        (changed("stations", "cpu", "servers", value=10**5000), r"stations\.cpu\.servers: found an integer of thous"),
        (changed("stations", 7, value={}), r"stations: the key 7 is no text"),
        (changed("stations", "cpu", "server", value=2), r'<dict>: stations\.cpu\.server: unknown key "server"'),
        (changed("classes", "job", "arrival_rate", value="rat"), r"<dict>: classes\.job\.arrival_rate: "),
        (changed("title", value="\ud800"), "not UTF-8"),
        (endless(), "values, or nested more than"),
        ("stations = 3\n[x", r"<text>:2: not valid TOML"),
        ("model.toml", r"the model is 'model\.toml'; .*\n.*qnet\.load\(path\) reads a file"),
        (Path("model.toml"), r"qnet\.load\(path\) reads a file"),
        (b"qnet = 1", "the text of a model, or a dict"),
        ("", "the file is empty"),
    ],
)  # fmt: skip
def test_what_is_no_model_is_refused_by_its_key(model: Any, words: str):
    with pytest.raises(qnet.QnetError, match=words):
        qnet.loads(model)


def test_the_text_of_a_model_is_no_name():
    with pytest.raises(qnet.UsageError, match=r"qnet\.loads\(text\) reads the text of a model"):
        qnet.load(TINY)


def test_a_file_that_has_changed_is_read_again(tmp_path: Path):
    path = tmp_path / "tiny.toml"
    for rate in (10, 16):
        path.unlink(missing_ok=True)
        path.write_text(TINY.format(rate=f"{rate}/s"))
        assert qnet.load(path).metric("throughput") == rate


def test_files_are_listed_while_a_command_runs_and_never_by_a_session(tmp_path: Path):
    path = tmp_path / "tiny.toml"
    path.write_text(TINY.format(rate="10/s"))
    qnet.load(path)
    assert opened.read_as(str(path)) == ""
    with opened.listed():
        qnet.load(path)
        os.link(path, tmp_path / "same")
        assert opened.read_as(str(tmp_path / "same")) == str(path)
    assert opened.read_as(str(path)) == ""


# What the package shows


def test_dir_is_the_doors_before_and_after_their_use():
    shown = {name for name in dir(qnet) if not name.startswith("__")}
    assert shown == set(qnet.__all__) - {"__version__"}
    program = "import qnet, sys; print(*dir(qnet), *(name for name in sys.modules if name.startswith('qnet.')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == dir(qnet)


@many("name", python_door.methods())
def test_help_describes_every_question(name: str):
    text = pydoc.render_doc(getattr(qnet.System, name), renderer=pydoc.plaintext)
    stated = inspect.signature(getattr(qnet.System, name)).parameters
    # Python 3.13 begins a line for each argument.
    assert f"\n{name}(self" in text.replace("(\n    self", "(self") and all(item in text for item in stated)
    assert "(*given" not in text.replace("(\n    *given", "(*given") and len(text.splitlines()) > 3


def test_errors_are_exported_with_their_kinds():
    every = [item for item in vars(errors).values() if isinstance(item, type) and issubclass(item, errors.QnetError)]
    assert [getattr(qnet, item.__name__) for item in every] == every
    with pytest.raises(qnet.NoAnswer) as caught:
        qnet.loads(DATA).set(rate=21).metric("response")
    assert isinstance(caught.value, qnet.QnetError) and caught.value.exit_code == 4


def test_a_model_in_a_notebook_names_the_discipline_and_the_rates_of_its_stations() -> None:
    text = """qnet = 1
title = "TITLE"
[stations]
cpu = { discipline = "ps", rates = [10, 15] }
disk = {}
user = { delay = true }
[classes.a]
arrival_rate = "5/s"
steps = [ { station = "cpu", time = "1 s" }, { station = "disk", time = "1 ms" }, { station = "user", time = "1 s" } ]
"""
    system = qnet.loads(text)
    cells = re.findall(r"<td[^>]*>(.*?)</td>", system._repr_html_())
    assert cells[cells.index("cpu") + 1 :][:3] == ["ps with rates", "", "1"], "servers are told where they count"
    assert cells[cells.index("disk") + 1 :][:3] == ["fcfs", "1", "1"]
    assert cells[cells.index("user") + 1 :][:3] == ["delay", "", "1"]


def test_the_lines_of_a_model_with_a_long_title_fit() -> None:
    title = "x" * 300
    text = f'qnet = 1\ntitle = "{title}"\n[stations]\na = {{}}\n[classes.c]\narrival_rate = "1/s"\n'
    first = lines(qnet.loads(text + 'steps = [ { station = "a", time = "1 ms" } ]\n'))[0]
    assert len(first) == WIDTH and first.endswith(" ...")
