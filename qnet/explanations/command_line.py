"""The command line: the codes that begin with QN0."""

from __future__ import annotations

from qnet.explanations.explanation import Explanation as _T

CODES: dict[str, _T] = {
    "QN001": _T("the command line is not understood",
        "A command, option or argument is unknown, missing or empty.",
        "Use the nearest name that the message suggests, or run the command with --help."),
    "QN002": _T("the model file cannot be read",
        "The file does not exist, is a folder, or is not readable.",
        "Check the path. A name without / that does not end in .toml is that of a catalog system or an "
        "example, not of a file."),
    "QN003": _T("-p does not set a parameter",
        "A setting has the form NAME=VALUE. The value is a quantity with its unit, an expression over other "
        "parameters, or one of the words of a choice. Each parameter can be set once.",
        "Write -p rate=600/s, or -p staging=record for a choice."),
    "QN004": _T("no such parameter to set or vary",
        "The model has no parameter of that name to set or vary; or the parameter is a choice of words, which has no "
        "largest value.",
        "qnet catalog show SYSTEM lists the parameters of a catalog system; in a file they are under [parameters]."),
    "QN005": _T("the output cannot be written",
        "The file of -o cannot be opened, its suffix is no known output format, or standard output is closed or full.",
        "Name a file in a writable folder; add --format for another suffix."),
    "QN006": _T("an incomplete network on the command line",
        "A network without a file needs at least one --station or --delay, each with a distinct name, and either "
        "--arrival-rate or --population; --servers refers to a station.",
        "Write qnet solve --station cpu=120ms --station disk=50ms --arrival-rate 3/s."),
    "QN010": _T("a grid is wrong",
        "A grid is NAME=first:last:step, NAME=first:last, NAME=log(first, last, count) or NAME=a, b, c, with the "
        "unit of the parameter at every value. It may not contain the parameter that is varied, nor one that is set or "
        "already in the grid, and its size is limited.",
        "Write --over write_fraction=0:0.5:0.1, or --over 'block=4 KiB, 8 KiB'."),
    "QN011": _T("it is not clear which envelope is requested",
        "There is no limit, no envelope of that name, or no single parameter to vary.",
        "Give --limit 'response <= 10 ms' and --vary NAME, or select an --envelope of the model."),
    "QN012": _T("a study without claims",
        "There is nothing to compare with the model.",
        "Add [[claims]] to the study."),
    "QN013": _T("no such formula",
        "--metric names a metric, a station or a parameter without a formula, or --equals and --solve-for do not "
        "match it.",
        "Use the nearest name that the message suggests; qnet formula --help lists the metrics."),
    "QN014": _T("paired grids differ in length",
        "Grids joined by & are varied together, value by value, so they need the same number of values.",
        "Give them the same number of values, or a separate option for each to get every combination."),
    "QN015": _T("there is nothing to compare, or no way to",
        "A comparison needs at least two systems, or one with changed settings; a metric of the same name must have "
        "the same unit on all sides.",
        "Name another SYSTEM, or add --with NAME=VALUE; select metrics with --metric."),
    "QN016": _T("an unknown column",
        "--columns selects columns of the answer, by the names that CSV gives them (response_s) or without the unit.",
        "Take a name from the list; --csv shows all columns."),
    "QN017": _T("it is not clear which parameter sets the load",
        "A knee is computed along a number of customers or an arrival rate. The population or arrival rate of a class "
        "depends on several parameters, or the given parameter affects none.",
        "Use --vary NAME with a parameter on which a population or an arrival rate depends."),
    "QN018": _T("no such definition of a knee",
        "A knee is one of the definitions listed by qnet knee --help, and a multiple is above 1. Some definitions "
        "apply to numbers of customers only, some to arrival rates, and service_level needs a limit.",
        "Use a name that the message suggests, or omit --definition for all of them."),
    "QN019": _T("envelopes that do not fit one table",
        "Some of the envelopes compute the largest value, others the smallest.",
        "Select one by --envelope NAME, or use --largest or --smallest for all of them."),
    "QN022": _T("a station must get faster",
        "bottleneck and why multiply the speed of every station by the factor of --faster; a factor of 1 or less makes "
        "nothing faster.",
        "Give a number above 1, such as --faster 2."),
    "QN024": _T("it is not clear which cost is requested",
        "The model has no cost of that name, or none at all; or a cost is both named and described.",
        "Name a cost under [costs], or describe one: qnet cost SYSTEM --of cpu --per faults."),
    "QN025": _T("a range is wrong",
        "A range is NAME=low:high with the unit of the parameter, around its value in the model; a spread is NAME=10%, "
        "of a value above 0; --within is a percentage. Or no parameter has a range at all.",
        "Write --range disk.seek=8ms:12ms, --spread disk.seek=10%, or --within 10% for every parameter."),
    "QN026": _T("no parameter to vary",
        "No number that the model defines as a parameter affects the network or the metric.",
        "Name a parameter with --by, or define numbers under [parameters]."),
    "QN027": _T("a parameter or metric that cannot be fitted",
        "A calibration fits real-valued parameters with a stated number: no choices of words, no numbers of servers or "
        "customers, no parameters derived from others, and none given by the rows. It fits to metrics that are columns "
        "of the measurements.",
        "Name parameters with --fit that have a number in the model."),
    "QN028": _T("the search range of a parameter is not clear",
        "A range has the form NAME=LOW:HIGH with units, low below high, within the range given in the model. A "
        "parameter that is 0, or may be negative, needs one.",
        "Write --between seek=1ms:20ms."),
    "QN029": _T("rows or servers of measurements are wrong",
        "Rows are held out by a number of last rows, fewer than there are, or by a condition over parameters and "
        "measured metrics. Servers of a demand are NAME=NUMBER for a measured station. An error is a percentage of "
        "every measurement, or a quantity with the unit of a metric, above 0.",
        "Write --hold-out 5, --hold-out 'rate > 900/s', --servers cpu=4, or --error 1%."),
    "QN050": _T("arguments of qnet queue are wrong",
        "The station or the parameter is unknown, a parameter is missing, or a value is outside its domain.",
        "Use the nearest name that the message suggests; qnet queue --help lists the stations and their parameters."),
}  # fmt: skip
