"""Files that are meant to do harm, or are cut off: refused with a message, in bounded time."""

from __future__ import annotations

import random
from collections.abc import Callable, Container
from typing import Any

import pytest
from many import many

import qnet
from qnet.errors import QnetError
from qnet.exchange import intervals, prometheus, xml_tree
from qnet.exchange.formats import FORMATS, read_format, write_format
from qnet.exchange.imported import MAX_BYTES, Reading
from qnet.exchange.measured import measured

LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><model>&b;</model>'
XML = {
    "entities": LAUGHS,
    "external entity": '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><model>&a;</model>',
    "external document type": '<!DOCTYPE model SYSTEM "http://example.com/x.dtd"><model/>',
    "parameter entity": '<!DOCTYPE x [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]><model/>',
    "plain document type": "<!DOCTYPE model><model/>",
}


@pytest.mark.parametrize("format", ["jmva", "lqnx"])
@many("case", XML)
def test_document_types_and_entities_are_refused(case: str, format: str) -> None:
    with pytest.raises(QnetError, match="document type or entities"):
        read_format(format, XML[case].encode(), Reading(name="x"))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"<a>" * 40 + b"</a>" * 40, "nests too deeply"),
        (b"<a><b/><b/><b/></a>", "too many elements"),
        (b"<a>" + b"x" * 200 + b"</a>", "too long a text"),
        (b"<a>&undefined;</a>", "not well-formed"),
        (b"<a><b></a>", "not well-formed"),
        (b'<a b="1" b="2"/>', "not well-formed"),
        (b'<?xml version="1.0" encoding="nonsense"?><a/>', "encoding|not well-formed"),
        (b"", "not well-formed"),
        (b"\x00\x01", "not well-formed"),
    ],
)
def test_xml_is_bounded(data: bytes, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_tree, "MAX_TEXT", 100)
    if b"<b/>" in data:
        monkeypatch.setattr(xml_tree, "MAX_ELEMENTS", 3)
    with pytest.raises(QnetError, match=message):
        xml_tree.parse_xml(data, "x")


@many("format", FORMATS)
def test_a_file_that_is_too_large_is_refused(format: str) -> None:
    with pytest.raises(QnetError, match="larger than"):
        read_format(format, b" " * (MAX_BYTES + 1), Reading(name="x"))


LQN = b"""G "t" 1e-5 50 1 0.9 -1
P 2
p A i
p B f
-1
T 2
t R r e1 -1 A m 3
t S n e2 -1 B m 2
-1
E 2
s e1 1 -1
y e1 e2 2 -1
s e2 1 0.5 -1
-1
"""
LQNX = b"""<lqn-model name="t"><processor name="A" scheduling="inf"><task name="R" scheduling="ref" multiplicity="3">
<entry name="e1" type="PH1PH2"><entry-phase-activities><activity name="a" phase="1" host-demand-mean="1">
<synch-call dest="e2" calls-mean="2"/></activity></entry-phase-activities></entry></task></processor>
<processor name="B" scheduling="fcfs"><task name="S" scheduling="fcfs" multiplicity="2"><entry name="e2" type="PH1PH2">
<entry-phase-activities><activity name="b" phase="1" host-demand-mean="1"/></entry-phase-activities></entry></task>
</processor></lqn-model>"""
SOURCES: dict[str, Callable[[], bytes]] = {
    "jmva": lambda: write_format("jmva", qnet.load("terminals-and-web")).text.encode(),
    "csv": lambda: write_format("csv", qnet.load("terminals-and-web")).text.encode(),
    "lqn": lambda: LQN,
    "lqnx": lambda: LQNX,
}
MEASURED = (
    b'{"sysstat":{"hosts":[{"number-of-cpus":2,"statistics":[{"timestamp":{"date":"2024-01-01","time":"00:10:00"},'
    b'"cpu-load":[{"cpu":"all","idle":90}],"disk":[{"disk-device":"sda","tps":5,"util":10}]}]}]}}',
    b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"job":"a"},"values":[[1,"2"],[3,"4"]]}]}}',
    b" r  b swpd us sy id wa\n 1  0 0 1 2 97 0\n 2 0 0 5 5 90 0\n",
)


def damaged(data: bytes, number: int) -> bytes:
    """A file with a few bytes removed, repeated, or replaced."""
    draw = random.Random(number)
    result = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        place = draw.randrange(len(result))
        length = draw.randint(1, 30)
        change: Any = draw.choice(
            [b"", bytes(result[place : place + length]) * 2, b"-1", b"1e999", b"\xff", b"nan", b'"', b"<", b"\n", b"[]"]
        )
        result[place : place + draw.choice([0, 1, length])] = change
    return bytes(result)


@many("format", FORMATS)
def test_a_damaged_file_is_read_or_refused(format: str) -> None:
    data = SOURCES[format]()
    for number in range(150):
        try:
            text = read_format(format, damaged(data, number), Reading(name="x")).text
        except QnetError as error:
            assert str(error)
        else:
            assert text.startswith("#")


@many("data", MEASURED)
def test_damaged_measurements_are_read_or_refused(data: bytes) -> None:
    for number in range(150):
        try:
            assert measured([("x", damaged(data, number))]).csv()
        except QnetError as error:
            assert str(error)


@pytest.mark.parametrize("data", [b"[" * 100_000, b'{"a":' * 100_000, b"{}", b"[1]", b"x", b'{"sysstat": 5}',
                                  b'{"status":"success","data":[]}', b'{"status":"error","error":"x"}',
                                  b'{"sysstat":{"hosts":[{"statistics":[{"disk":[{"disk_device":"a","util":1e999}]}]}]}}',
                                  b'{"a":' + b"9" * 10_000 + b"}"])  # fmt: skip
def test_strange_json_is_refused(data: bytes) -> None:
    with pytest.raises(QnetError, match="QN800"):
        measured([("x", data)])


def test_many_stations_and_classes_are_refused_at_once() -> None:
    rows = "".join(f"s{number},c{number % 300},1,3\n" for number in range(3000))
    with pytest.raises(QnetError, match="too many stations and classes"):
        read_format("csv", f"station,class,demand,population\n{rows}".encode(), Reading(name="x"))


class Asked(Container[str]):
    """Names that count how often one of them was asked for."""

    def __init__(self, names: Container[str]) -> None:
        self.names, self.questions = names, 0

    def __contains__(self, name: object) -> bool:
        self.questions += 1
        return name in self.names


def test_series_of_one_name_get_names_in_time_that_grows_with_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def unused(title: str, taken: Container[str], first: int = 2) -> str:
        names = Asked(taken)
        result = intervals.unused(title, names, first)
        asked.append(names.questions)
        return result

    monkeypatch.setattr(prometheus, "unused", unused)
    series = ",".join('{"metric":{"a":"!"},"values":[[1,"1"]]}' for _ in range(20_000))
    result = measured([("x", f'{{"status":"success","data":{{"result":[{series}]}}}}'.encode())])
    assert len(set(result.columns)) == 20_000
    assert len(asked) == 20_000
    assert max(asked) <= 2


def test_calls_that_multiply_are_bounded() -> None:
    """Each of twelve tasks calls the next twice: written out they would be thousands of steps."""
    names = range(12)
    tasks = "\n".join(f"t T{n} {'r' if n == 0 else 'n'} e{n} -1 P" for n in names)
    calls = "\n".join(f"s e{n} 1 -1\n" + f"y e{n} e{n + 1} 1 -1\n" * 2 * (n < 11) for n in names)
    text = f"P 0\np P f\n-1\nT 0\n{tasks}\n-1\nE 0\n{calls}\n-1\n"
    with pytest.raises(QnetError, match="more than 3000 steps"):
        read_format("lqn", text.encode(), Reading(name="x"))
