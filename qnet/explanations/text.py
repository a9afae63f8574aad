"""Text, units and expressions: the codes that begin with QN1."""

from __future__ import annotations

from qnet.explanations.explanation import Explanation as _T

CODES: dict[str, _T] = {
    "QN100": _T("not valid TOML",
        "The file has a TOML syntax error at the position shown; nothing after it was read.",
        "Look for a missing quote, bracket or comma at or just before that position; expressions are quoted."),
    "QN101": _T("an unknown or ambiguous unit",
        "Units are strict: kB is 1000 bytes and KiB 1024; KB, K and a bare m are ambiguous.",
        "Use s ms us ns min h d; B kB MB GB TB KiB MiB GiB TiB; bit kbit Mbit Gbit; %, Hz, rpm; and /, as in MB/s."),
    "QN102": _T("an option is not a quantity",
        "The option takes a number with its unit.",
        "Write a number and a unit, such as 20ms or 80/s."),
    "QN103": _T("this is not a model file",
        "The file is empty, larger than a model may be, not UTF-8 text, or its values are more, "
        "deeper or longer than a model needs.",
        "Give a model in TOML; qnet example one-queue prints the smallest one, qnet new a commented one."),
    "QN110": _T("an expression is not understood",
        "Expressions have numbers with units, names, + - * / // **, one comparison, and functions such as min, max, "
        "where and interp. The caret marks the position of the error.",
        "Correct the text at the caret; powers are written **, and names of parts have a dot, as in disk.seek."),
    "QN111": _T("an expression is too long or too deep",
        "Length and nesting are limited, so that parsing always ends quickly.",
        "Define parts of the expression under [parameters]."),
    "QN112": _T("an unknown name in an expression",
        "An expression may use the parameters, those of the parts under [uses] with a dot, and figures such as "
        "utilization('cpu'); limits and outputs may also use throughput, response and other outputs.",
        "Use the nearest name that the message suggests, or define the parameter."),
    "QN120": _T("incompatible units",
        "Seconds are added to bytes, quantities of different dimensions are compared, or an exponent has a unit.",
        "Multiply or divide by the missing quantity, such as a rate; both sides of + - and <= need the same "
        "dimension."),
    "QN121": _T("a choice used as a number, or a word as a choice",
        "A parameter with options is not a number: it can only be compared with one of its words.",
        "Write where(staging == 'track', a, b)."),
    "QN122": _T("a quantity of the wrong dimension",
        "The value is, for instance, a plain number or bytes where a time is expected.",
        'Add the unit: "10 ms" for a time, "600/s" for a rate, "4 KiB" for data; divide bytes by a rate to get '
        "time."),
    "QN123": _T("a value that needs the solution before there is one",
        "The numbers that define the structure of the network, such as servers and copies, must be known before it is "
        "solved, so they cannot use wait(), utilization() or queue_length(). inside('memory') is the number of "
        "customers that hold a station; only times and visits of the steps inside that hold can use it.",
        "Use a parameter instead; times and outputs can use metrics of the solution, such as busy_servers('memory')."),
    "QN124": _T("a column that may be several metrics",
        "Names of columns stand for their metrics, utilization_cpu_1 for utilization('cpu_1'), but a station cpu.1 has "
        "a column of the same name.",
        "Write the metric itself, with the name in parentheses."),
    "QN130": _T("an expression has no value",
        "Its arithmetic fails for these parameters: division by zero, the root or logarithm of a negative number, "
        "or a result that is too large.",
        "Check the values that the message lists; where() excludes a branch where it does not apply."),
}  # fmt: skip
