"""Rows in, the same rows with answers out: nothing is lost, nothing stops the stream, nothing depends on the chunks."""

import io
import json
from pathlib import Path

import pytest

import qnet
from qnet.errors import AssertionFailed, InvalidInput, NoAnswer, NotComputed
from qnet.questions.map.csv_rows import MAX_FIELD_LINES
from qnet.questions.map.map import CHUNK, MAX_LINE, Lines, Mapper, chunks, map_csv, map_jsonl, map_rows


@pytest.fixture
def queue(tmp_path):
    path = tmp_path / "queue.toml"
    path.write_text(
        'qnet = 1\ntitle = "queue"\n[parameters]\nrate = "10/s"\n'
        'service = { value = "20 ms", range = ["0 s", "1 s"] }\n'
        'size = "4 KiB"\nmood = { value = "calm", options = ["calm", "busy"] }\n[stations]\ncpu = {}\n'
        "[classes.job]\narrival_rate = \"where(mood == 'calm', rate, 2 * rate)\"\n"
        'steps = [ { station = "cpu", time = "service" } ]\n'
    )
    return qnet.load(str(path))


def through(mapper, text, chunk=CHUNK, jsonl=False):
    return "".join((map_jsonl if jsonl else map_csv)(mapper, Lines(io.StringIO(text, newline="")), chunk))


def response(queue, text, **options):
    return through(Mapper(queue, ["response"]), text, **options).splitlines()


def test_a_row_is_answered_by_the_closed_form(queue):
    header, row = response(queue, "rate\n30\n")
    assert header == "rate,response_s,method,exactness,status"
    cells = row.split(",")
    assert float(cells[1]) == pytest.approx(0.02 / (1 - 0.6))
    assert cells[2:] == ["open", "exact", "ok"]


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("rate", "30"),
        ("rate_per_s", "30"),
        ("rate", "30/s"),
        ("rate", " 1800/min "),
        ("rate_per_s", "3e1"),
        (" rate ", "30"),
        ("rate_per_min", "1800"),
        ("rate_per_ms", "0.03"),
        ("rate_Hz", "30"),
        ("rate_per_min", "30/s"),
    ],
)
def test_how_a_parameter_may_be_written(queue, column, cell):
    row = response(queue, f"{column}\n{cell}\n")[1]
    assert row.split(",")[1] == response(queue, "rate\n30\n")[1].split(",")[1]


def test_words_of_a_choice(queue):
    calm, busy = response(queue, "mood,rate\ncalm,10\nbusy,10\n")[1:]
    assert float(calm.split(",")[2]) == pytest.approx(0.02 / 0.8)
    assert float(busy.split(",")[2]) == pytest.approx(0.02 / 0.6)


def test_other_columns_pass_through_as_they_are(queue):
    text = '"a ""b""",rate,,note\r\n"1,5",10,x,"two\nlines"\r\n\r\n 007 ,20,é,\udcff\r\n'
    header, *rest = through(Mapper(queue, ["throughput"]), text).split("\n")
    assert header == '"a ""b""",rate,,note,throughput_per_s,method,exactness,status'
    assert "\n".join(rest) == '"1,5",10,x,"two\nlines",10.0,open,exact,ok\n 007 ,20,é,\udcff,20.0,open,exact,ok\n'


@pytest.mark.parametrize(
    ("row", "status"),
    [
        ("abc,1", 'rate: "abc" is not a quantity'),
        (",1", "rate is empty"),
        ("nan,1", 'rate: "nan" is not a quantity'),
        ("1e999,1", 'rate: "1e999" is too large a number'),
        ("10 ms,1", 'rate: "10 ms" is a time (such as 10 ms); expected a rate (such as 600/s)'),
        ("5", "the row has 1 cells for 2 columns"),
        ("5,1,2", "the row has 3 cells for 2 columns"),
        ("60,1", "no steady state: cpu"),
        ("-1,1", "the value is -1/s"),
    ],
)
def test_a_row_without_an_answer_says_why_and_stops_nothing(queue, row, status):
    import csv

    _, broken, sound = csv.reader(response(queue, f"rate,id\n{row}\n10,2\n"))
    assert broken[2:5] == ["", "", ""]
    assert broken[5].startswith(status)
    assert sound[5] == "ok"


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("1,2", "no column is named like a parameter"),
        ("rate,rate", "appears twice"),
        ("rate,rate_per_s", "two columns are the parameter"),
        ("rate,status", "of the rows and of the answers"),
        ("id,rate,id", "appears twice"),
        ("rate,servce", r'"servce" is nearly named like the parameter "service"; expected "service" or "service_s"'),
        ("rate,servcie_ms", 'is nearly named like the parameter "service"'),
        ("rate,Service", 'is nearly named like the parameter "service"'),
        ("rate,service_msec", '"_msec" after it is not a unit of a parameter that is in s'),
        ("rate,service_msec", r'expected "service_ms" \[QN240'),
        ("rate_per_Min,service", r'expected "rate_per_min" \[QN240'),
        ("rate,service_KB", r'expected "service" or "service_s" \[QN240'),
        ("rate,size_KB", r'expected "size_kB" or "size_KiB" \[QN240'),
        ("rate,service_KiB", '"_KiB" after it'),
        ("rate,mood_ms", '"_ms" after it'),
        ("rates,service", 'is nearly named like the parameter "rate"'),
    ],
)
def test_headers_that_cannot_be_answered(queue, header, words):
    with pytest.raises(InvalidInput, match=words):
        through(Mapper(queue), header + "\n1,2,3\n")


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("rate,host", 'the column "host" is not a parameter'),
        ("host,rate,weight", 'the columns "host", "weight" are not parameters'),
    ],
)
def test_strict_refuses_columns_that_are_not_used(queue, header, words):
    with pytest.raises(InvalidInput, match=words):
        through(Mapper(queue, ["response"], strict=True), f"{header}\n1,2,3\n")


def test_strict_stops_at_the_first_object_with_a_key_that_is_not_used(queue):
    mapper = Mapper(queue, ["response"], strict=True)
    answered: list[str] = []
    with pytest.raises(InvalidInput, match='row 2: the key "host" is not a parameter'):
        answered += map_jsonl(mapper, ['{"rate": 1}\n', '{"rate": 1, "host": "a"}\n'])
    assert '"status":"ok"' in answered[0]
    assert not any(answered[1:])


def test_a_prefix_keeps_answers_apart_from_the_rows(queue):
    text = through(Mapper(queue, ["response"], prefix="new_"), "rate,response_s,status\n10,1,fine\n")
    assert text.startswith(
        "rate,response_s,status,new_response_s,new_method,new_exactness,new_status\n10,1,fine,0.025,"
    )


def test_no_rows_are_no_failure(queue):
    mapper = Mapper(queue, ["response"])
    assert through(mapper, "") == "response_s,method,exactness,status\n"
    assert through(mapper, "\ufeffrate\n".removeprefix("\ufeff")) == "rate,response_s,method,exactness,status\n"
    mapper.finish()


def test_rows_that_all_fail_are_refused_at_the_end(queue):
    saturated, broken = Mapper(queue), Mapper(queue)
    through(saturated, "rate\n60\nx\n")
    with pytest.raises(NoAnswer):
        saturated.finish()
    through(broken, "rate\nx\n")
    with pytest.raises(InvalidInput, match="no row can be used"):
        broken.finish()


@pytest.mark.long
def test_the_answers_do_not_depend_on_the_chunks(queue):
    text = "rate,service\n" + "".join(f"{rate},{rate % 7} ms\n" for rate in range(300))
    whole = through(Mapper(queue), text)
    assert through(Mapper(queue), text, chunk=1) == whole
    assert through(Mapper(queue), text, chunk=100) == whole


def test_the_first_answer_comes_before_the_second_row_is_read(queue):
    read = []

    def lines():
        for text in ("rate\n", "10\n", "20\n"):
            read.append(text)
            yield text

    answers = map_csv(Mapper(queue), lines())
    assert next(answers).startswith("rate,")
    assert next(answers).startswith("10,")
    assert read == ["rate\n", "10\n"]


def test_chunks_grow_to_their_most():
    assert [len(chunk) for chunk in chunks(range(20), 4)] == [1, 2, 4, 4, 4, 4, 1]


def test_an_endless_line_is_refused(queue):
    with pytest.raises(InvalidInput, match="a line is longer"):
        through(Mapper(queue), "rate\n" + "1" * (MAX_LINE + 1))


def test_an_open_quote_does_not_eat_the_memory(queue):
    read = 0

    def lines():
        nonlocal read
        for text in ("rate,note\n", '10,"open\n', *["x\n"] * 10 * MAX_FIELD_LINES):
            read += 1
            yield text

    answers = map_csv(Mapper(queue), lines())
    assert next(answers).startswith("rate,")
    assert "the row cannot be read" in next(answers)
    assert read == 1 + MAX_FIELD_LINES
    assert sum(text.count("\n") for text in answers) == 10 * MAX_FIELD_LINES


@pytest.mark.parametrize(
    ("rows", "text", "fault"),
    [
        ('rate\n10\n"10\n', '"""10"', "a quotation mark is opened and never closed"),
        ('rate\n10\n"10"0\n', '"""10""0"', "a quotation mark is closed inside a cell"),
    ],
)
def test_a_row_with_a_stray_quotation_mark_is_not_read_and_keeps_its_text(queue, rows: str, text: str, fault: str):
    answered, refused = through(Mapper(queue, ["response"]), rows).splitlines()[1:]
    assert answered.endswith(",ok")
    assert refused == f"{text},,,,the row cannot be read: {fault}"


def test_a_header_with_an_open_quotation_mark_is_refused(queue):
    with pytest.raises(InvalidInput, match="the header cannot be read: a quotation mark is opened"):
        through(Mapper(queue), '"rate\n10\n')


def test_assertions_are_counted_over_the_whole_stream(queue):
    mapper = Mapper(queue, ["response"], asserted=["response < 30 ms"])
    through(mapper, "rate\n1\n40\nx\n45\n", chunk=1)
    with pytest.raises(AssertionFailed, match="found 100 ms at 3 of 4 rows, first at row 2"):
        mapper.finish()


def test_objects_in_and_out(queue):
    lines = '{"id": 1.50, "rate": 30}\n\n{"rate": "30/s", "service": "10 ms"}\n{"service": 0.01}\n'
    first, second, third = response(queue, lines, jsonl=True)
    assert first.startswith('{"id": 1.50, "rate": 30,"response_s":')
    assert json.loads(first)["response_s"] == pytest.approx(0.05)
    assert json.loads(second)["response_s"] == pytest.approx(0.01 / 0.7)
    assert json.loads(third)["response_s"] == pytest.approx(0.01 / 0.9)


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("[1]", "the line is not a JSON object"),
        ("rate=1", 'the line is not JSON: "rate=1"'),
        ('{"x": 1}', "no key is named like a parameter"),
        ('{"rate": NaN}', "NaN is not a number"),
        ('{"rate": null}', "rate is empty"),
        ('{"rate": true}', "rate is not a number"),
        ('{"rate": 1, "rate": 2}', "the line has a key twice"),
        ("[" * 100_000, "the line nests too deeply"),
    ],
)
def test_lines_that_are_no_rows(queue, line, status):
    broken, sound = response(queue, f'{line}\n{{"rate": 1}}\n', jsonl=True)
    assert json.loads(broken)["status"] == status
    assert json.loads(sound)["status"] == "ok"


def test_rows_of_python(queue):
    found = list(map_rows(queue, [{"rate": 30, "id": "a"}, {"rate": "x"}], ["response"]))
    assert found[0] == {"rate": 30, "id": "a", **dict(found[0])}
    assert found[0]["response_s"] == pytest.approx(0.05)
    assert found[1]["status"] == 'rate: "x" is not a quantity'


@pytest.mark.parametrize(
    ("column", "cell"),
    [("service", "0.02"), ("service_ms", "20"), ("service_us", "20000"), ("service_min", "3.3333333333333335e-4"),
     ("service_us", "20 ms")],
)  # fmt: skip
def test_a_column_may_have_any_unit_of_its_parameter(queue, column, cell):
    """20 ms at 10/s: a number is in the unit of its column, a quantity in its own."""
    told = float(response(queue, f"{column}\n{cell}\n")[1].split(",")[1])
    assert told == pytest.approx(0.02 / 0.8, rel=1e-12)
    (row,) = map_rows(queue, [{column: cell if " " in cell else float(cell)}], ["response"])
    assert row["response_s"] == told


def test_columns_of_answers_and_short_names_are_no_slips_of_the_pen(queue):
    """`rate` and `date` begin otherwise; figures of the model are columns that a sweep writes."""
    text = through(Mapper(queue, ["throughput"], prefix="new_"), "rate,date,ra,response_s,utilization_cpu\n1,2,3,4,5\n")
    assert text.endswith("1,2,3,4,5,1.0,open,exact,ok\n")


def test_columns_that_nobody_reads_are_noted(queue):
    mapper = Mapper(queue, ["response"])
    through(mapper, "id,rate,comment\n7,10,x\n8,20,y\n")
    (note,) = mapper.notes()
    assert (note.code, note.severity) == ("QN700", "note")
    assert note.text == 'columns that are not parameters, passed through unread: "id", "comment"'
    mapper = Mapper(queue, ["response"])
    through(mapper, "rate\n10\n")
    assert mapper.notes() == []


def test_warnings_of_rows_are_told_at_the_end(queue):
    path = Path(queue.name)
    path.write_text(path.read_text().replace('time = "service"', 'time = "service", scv = 4'))
    mapper = Mapper(qnet.load(str(path)), ["response_p95"])
    through(mapper, "rate\n10\n20\n")
    assert [note.code for note in mapper.notes()] == ["QN663"]


def test_a_line_with_a_slip_of_the_pen_says_so_and_stops_nothing(queue):
    text = '{"rate": 10}\n{"rates": 10}\n{"rate_per_min": 600, "id": 3}\n'
    first, second, third = map(json.loads, through(Mapper(queue, ["response"]), text, jsonl=True).splitlines())
    assert second["status"] == 'the key "rates" is nearly named like the parameter "rate"'
    assert first["response_s"] == third["response_s"] == pytest.approx(0.02 / 0.8)


def test_a_column_that_nothing_rests_on_is_told(queue):
    mapper = Mapper(queue, ["response"])
    through(mapper, "rate,size\n10,4 KiB\n")
    assert [(note.code, note.text) for note in mapper.notes()] == [
        ("QN701", 'no reported figure depends on "size": no effect')
    ]


def test_rows_that_run_over_lines_are_counted_once(queue):
    text = 'rate,note\n20/s,"b\n30/s,c\n40/s,d"\n50/s,e\n10/s,"two\nlines"\n'
    mapper = Mapper(queue, ["response"])
    assert through(mapper, text, chunk=1).startswith('rate,note,response_s,method,exactness,status\n20/s,"b\n30/s,c\n')
    (note,) = [note for note in mapper.notes() if note.code == "QN756"]
    assert note.text == "2 rows run over 5 lines, the first from line 2, inside quotation marks"
    assert note.severity == "warning"


@pytest.mark.parametrize("chunk", [1, 4, CHUNK])
def test_a_key_of_the_answers_that_comes_later_is_a_fault_of_its_row(queue, chunk):
    text = 5 * '{"rate": 10}\n' + '{"rate": 11, "status": "x"}\n{"rate": 12}\n'
    *_, sixth, last = map(json.loads, response(queue, text, jsonl=True, chunk=chunk))
    assert sixth["line"] == '{"rate": 11, "status": "x"}'
    assert sixth["status"] == '"status" is a key of the row and of the answers'
    assert last["status"] == "ok"
    with pytest.raises(InvalidInput, match="QN240"):
        response(queue, '{"rate": 11, "status": "x"}\n', jsonl=True, chunk=chunk)


BESIDE = """qnet = 1
title = "a class that some rows leave empty"
[parameters]
few = 1
time = "0.2 s"
rest = "0.3 s"
rate = "0"
[stations]
desk = {}
[classes.first]
population = "few"
think_time = "1 s"
steps = [ { station = "desk", time = "time" } ]
[classes.other]
population = 2
think_time = "1 s"
steps = [ { station = "desk", time = "rest" } ]
"""
VISITED = BESIDE.replace('rate = "0"', 'rate = "0/s"') + (
    '[classes.guest]\narrival_rate = "rate"\nsteps = [ { station = "desk", time = "0.1 s" } ]\n'
)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (BESIDE, "few,time,rest\n0,0.2,0.3\n1,0.2,0.3\n2,0,0.3\n2,0,0\n3,0.2,0\n60,0.2,0.3\n"),
        (BESIDE.replace("population = 2", "population = 40"), "few,time\n0,0.2\n1,0.2\n60,0.2\n"),
        (BESIDE.replace("population = 2", "population = 0"), "few,time\n0,0.2\n1,0.2\n"),
        (VISITED, "few,rate\n0,0\n0,1\n2,0\n2,1\n"),
    ],
    ids=["exact in part", "many", "none", "open ones too"],
)
def test_a_row_is_answered_as_if_it_were_alone(tmp_path, text, rows):
    """An empty class had the method of its neighbours, and exact rows the label of those that are not."""
    path = tmp_path / "model.toml"
    path.write_text(text)
    model = qnet.load(str(path))
    asked = ["response('first')", "response('other')", "throughput('other')"]
    head, *lines = rows.splitlines()
    together = through(Mapper(model, asked), rows).splitlines()[1:]
    alone = [through(Mapper(model, asked), f"{head}\n{line}\n").splitlines()[1] for line in lines]
    for one, other in zip(together, alone, strict=True):
        *figures, method, exactness, status = one.split(",")
        assert [method, exactness, status] == other.split(",")[-3:]
        assert [float(item) for item in figures] == pytest.approx([float(item) for item in other.split(",")[:-3]])


RANKED = BESIDE.replace("desk = {}", 'desk = { discipline = "priority" }').replace(
    'population = "few"', 'population = "few"\npriority = 1'
)


def test_rows_whose_method_gives_no_percentiles_say_so_and_stop_nothing(tmp_path):
    path = tmp_path / "model.toml"
    path.write_text(RANKED)
    model = qnet.load(str(path))
    mapper = Mapper(model, ["response", "response_p95('other')"])
    rows = through(mapper, "few\n0\n1\n0\n2\n").splitlines()[1:]
    assert [row.endswith(",ok") for row in rows] == [True, False, True, False]
    assert all("percentiles need the variances of waits" in row for row in (rows[1], rows[3]))
    mapper.finish()
    swept = model.sweep("few=0,1,2", metric=["response_p95('other')"]).records()
    assert [row["status"] == "ok" for row in swept] == [True, False, False]
    with pytest.raises(NotComputed):
        model.sweep("few=1,2", metric=["response_p95('other')"])
