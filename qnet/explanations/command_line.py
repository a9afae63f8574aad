"""The command line: the codes that begin with QN0."""

from __future__ import annotations

from qnet.explanations.explanation import Explanation as _T

CODES: dict[str, _T] = {
    "QN001": _T("the command line is not understood",
        "A command, an option or a word is not one that qnet knows, or something that it needs is missing or empty.",
        "Take the nearest name that the message offers, or read the help of the command with --help."),
    "QN002": _T("the model file cannot be read",
        "There is no such file, it is a folder, or it must not be read.",
        "Check the path. A name without / that does not end in .toml is looked for in the catalog, not among files."),
    "QN003": _T("-p does not set a parameter",
        "A setting has the form NAME=VALUE. The value is a quantity with its unit, an expression over other "
        "parameters, or one of the words of a choice. Each parameter has one: of two the first would be lost.",
        "Write -p rate=600/s, or -p staging=record for a choice."),
    "QN004": _T("no such parameter to set or vary",
        "The model has no parameter of that name, so nothing can be set, varied or laid along a grid by it; or it is a "
        "choice of words, which has no largest value.",
        "qnet catalog show SYSTEM lists the parameters of a catalog system; in a file they stand under "
        "[parameters]."),
    "QN005": _T("the answer cannot be written",
        "The file of -o cannot be opened, its suffix stands for no form, or standard output is closed or full.",
        "Name a file in a folder that can be written; say --format where the suffix is another."),
    "QN006": _T("an incomplete network on the command line",
        "A network without a file needs at least one --station or --delay, each with a name of its own, and an "
        "--arrival-rate; --servers names a station.",
        "Write qnet solve --station cpu=120ms --station disk=50ms --arrival-rate 3/s."),
    "QN010": _T("a grid is wrong",
        "A grid is NAME=first:last:step, NAME=first:last, NAME=log(first, last, count) or NAME=a, b, c, with the "
        "unit of the parameter at every value. It may not hold the parameter that is varied, nor one that is set or is "
        "in the grid already, and has a largest size.",
        "Write --over write_fraction=0:0.5:0.1, or --over 'block=4 KiB, 8 KiB'."),
    "QN011": _T("it is not clear which envelope is asked for",
        "There is no limit to hold, no envelope of that name, or no single parameter to vary.",
        "Give --limit 'response <= 10 ms' and --vary NAME, or the --envelope of the model that is meant."),
    "QN012": _T("a study without claims",
        "There is nothing to hold against the model.",
        "Add [[claims]] to the study."),
    "QN013": _T("no such formula",
        "--of names a metric, a station or a parameter that there is no formula of, or --value and --solve-for do not "
        "fit to it.",
        "Take the nearest name that the message offers; qnet formula --help lists the metrics."),
    "QN014": _T("grids that go in step are not of one length",
        "Grids that are joined by & pair the first value of each with the first of the others, so that they need as "
        "many values each.",
        "Give them the same number of values, or one --vary for each to get every combination."),
    "QN015": _T("there is nothing to compare, or no way to",
        "A comparison needs two systems or more, or one with settings that are changed; a metric of the same name "
        "must be of the same unit on all sides.",
        "Name another SYSTEM, or say --with NAME=VALUE; choose metrics with --metric."),
    "QN017": _T("it is not clear what brings the customers",
        "A knee is looked for along a number of customers or a rate of arrivals. The population or the arrival rate of "
        "a class rests on several parameters, or the one that was named brings no customers at all.",
        "Say --vary NAME with a parameter on which a population or an arrival rate rests."),
    "QN018": _T("no such definition of a knee",
        "A knee is one of the definitions that qnet knee --help lists, and a multiple of the floor is above 1. Some "
        "are of a number of customers only, some of a rate of arrivals, and a service level is that of a limit.",
        "Take a name that the message offers, or leave the choice out for all of them."),
    "QN019": _T("envelopes that do not fit one table",
        "Of some of the envelopes the largest value is asked, of others the smallest.",
        "Ask for one by --envelope NAME, or for one kind of all of them by --largest or --smallest."),
    "QN022": _T("a station must get faster",
        "bottleneck and why try every station with its speed multiplied by the number of --faster, and a number of 1 "
        "or less makes nothing faster.",
        "Give a number above 1, such as --faster 2."),
    "QN024": _T("it is not clear which cost is asked for",
        "The model states no cost of that name, or none at all; or a cost is both named and described.",
        "Name a cost that stands under [costs], or describe one: qnet cost SYSTEM --of cpu --per faults."),
    "QN025": _T("a range is wrong",
        "A range is NAME=low:high with the unit of the parameter, around its stated value; a spread is NAME=10%, of a "
        "value above 0; --within is a share. Or no parameter has a range at all.",
        "Write --range disk.seek=8ms:12ms, --spread disk.seek=10%, or --within 10% for every parameter."),
    "QN026": _T("there is nothing to move",
        "No number that the model states as a parameter counts for the network or for the metric.",
        "Name a parameter with --by, or give numbers a name under [parameters]."),
    "QN027": _T("a parameter or metric that cannot be fitted",
        "A calibration finds stated numbers that may be any: no choice of words, no number of servers or customers, "
        "nothing that follows from other parameters, and nothing that the rows state. It fits on metrics that are "
        "columns of the measurements.",
        "Name parameters with --fit that have a value of their own in the model."),
    "QN028": _T("where to look for a parameter is not clear",
        "A range has the form NAME=LOW:HIGH with units, low below high, inside the range that the model states. A "
        "parameter that is 0, or may be negative, needs one.",
        "Write --between seek=1ms:20ms."),
    "QN029": _T("rows or servers of measurements are wrong",
        "Rows are held out by a number of them at the end, fewer than there are, or by a condition over parameters and "
        "measured figures. Servers of a demand are NAME=NUMBER for a station that is measured. An error is a share of "
        "every measurement, or a quantity with the unit of a metric, above 0.",
        "Write --hold-out 5, --hold-out 'rate > 900/s', --servers cpu=4, or --error 1%."),
    "QN050": _T("a station of qnet queue is not well asked for",
        "The station has no such name or parameter, lacks one, or gets a value outside its domain.",
        "Take the nearest name that the message offers; qnet queue --help lists the stations and their parameters."),
}  # fmt: skip
