"""Text, units and expressions: the codes that begin with QN1."""

from __future__ import annotations

from qnet.explanations.explanation import Explanation as _T

CODES: dict[str, _T] = {
    "QN100": _T("not valid TOML",
        "The file breaks the syntax of TOML at the place shown, so nothing after it could be read.",
        "Look for a missing quote, bracket or comma at that place or just before it; expressions stand in quotes."),
    "QN101": _T("an unknown or ambiguous unit",
        "Units are strict: kB is 1000 bytes and KiB 1024; KB, K and a bare m have more than one reading.",
        "Use s ms us ns min h d; B kB MB GB TB KiB MiB GiB TiB; bit kbit Mbit Gbit; %, Hz, rpm; and /, as in MB/s."),
    "QN102": _T("an option is no quantity",
        "The option takes a number with its unit, and the text is something else.",
        "Write a number and a unit, such as 20ms or 80/s."),
    "QN103": _T("this is no model file",
        "The file is empty, larger than a model may be, not UTF-8 text, or its values are more, "
        "deeper or longer than a model needs.",
        "Give a model in TOML; the smallest one is examples/one-queue.toml."),
    "QN110": _T("an expression is not understood",
        "Expressions have numbers with units, names, + - * / // **, one comparison, and functions such as min, max, "
        "where and interp. The caret shows the place where that ended.",
        "Correct the text at the caret; powers are written **, and names of parts have a dot, as in disk.seek."),
    "QN111": _T("an expression is too long or too deep",
        "Length and nesting are limited, so that no file can keep qnet busy before it is understood.",
        "Give parts of the expression names under [parameters]."),
    "QN112": _T("an unknown name in an expression",
        "An expression may use the parameters, those of the parts under [uses] with a dot, and figures such as "
        "utilization('cpu'); limits and outputs may also use throughput, response and outputs.",
        "Take the nearest name that the message offers, or define the parameter."),
    "QN120": _T("units that do not go together",
        "Seconds are added to bytes, or unlike things are compared, or a power has a unit.",
        "Multiply or divide by the quantity that is missing, such as a rate; both sides of + - and <= need one "
        "kind."),
    "QN121": _T("a choice used as a number, or a word as a choice",
        "A parameter with options is no number: it can only be compared with one of its words.",
        "Write where(staging == 'track', a, b)."),
    "QN122": _T("a quantity of the wrong kind",
        "The value is, for instance, a plain number or bytes where a time is expected.",
        'Add the unit: "10 ms" for a time, "600/s" for a rate, "4 KiB" for data; divide bytes by a rate to get '
        "time."),
    "QN123": _T("a value that needs the solution before there is one",
        "The numbers that give the network its shape, such as servers and copies, must be known before it is "
        "solved, and so may not use wait(), utilization() or queue_length(). inside('memory') is the number of those "
        "who hold a station, and known to the times and visits of the steps that they do meanwhile, nowhere else.",
        "Use a parameter there; times and outputs may use figures of the solution, such as busy_servers('memory')."),
    "QN130": _T("an expression has no value",
        "Its arithmetic fails for these parameters: division by zero, the root or logarithm of a negative number, "
        "or a result that is too large.",
        "Check the values that the message lists; where() keeps a branch from being used where it does not apply."),
}  # fmt: skip
