"""Models and data: the codes that begin with QN2."""

from __future__ import annotations

from qnet.explanations.explanation import Explanation as _T

CODES: dict[str, _T] = {
    "QN201": _T("a table or a list is expected",
        "The value of the key has the wrong type.",
        "Write it as the message says; qnet example lists a model for every construct."),
    "QN202": _T("an unknown key",
        "The language has no such key there; a misspelt key would otherwise be ignored silently.",
        "Use the nearest key that the message suggests."),
    "QN203": _T("a key is missing",
        "A required key is missing or empty: a model has stations, and classes or chains.",
        "Add it; the message states its purpose."),
    "QN204": _T("a value that the key does not take",
        "The key takes one of a few words, a line of text or a list of different ones, a truth value, a number or an "
        "expression, two ends of a range, or a special form such as that of split; or two keys exclude each other.",
        "Give one of the values that the message lists."),
    "QN205": _T("another version of the model language",
        "The file was written for another version of the language; this qnet reads version 1.",
        "Write qnet = 1, or get a newer qnet."),
    "QN206": _T("the model is too large",
        "The model has more stations, envelopes or other entries, or more steps, than qnet accepts; or more problems "
        "than it lists.",
        "Use copies = n for identical stations, and visits for repeated steps; correct the first problems."),
    "QN207": _T("a name that cannot be used",
        "Names of parameters, parts and outputs have letters, digits and _, and may not be those of a unit, of a "
        "function, or of each other. Other names are short and printable.",
        "Choose another name."),
    "QN208": _T("a class needs either routes or steps",
        "A class has either several routes with probabilities, or steps for its only route.",
        "Write steps = [ ... ], or [[classes.NAME.routes]] with name, probability and steps."),
    "QN209": _T("an unknown form of step",
        "A step is a delay; a station and a time; a hold and steps; parallel branches; inside a hold, a time; or a "
        "fill. Keys about a queue, such as priority, need station or hold; join needs parallel; "
        "causes needs work; remainder needs a time in a hold. A route that fills a buffer has one step "
        "that drains it: after the fill, of phase 2, at a queueing station and outside of any hold.",
        "Give the step the keys of one form."),
    "QN210": _T("circular parameters",
        "The parameters depend on each other, so none of them can be computed first.",
        "Break the cycle shown in the message: give one of the parameters a value."),
    "QN211": _T("a value outside its range",
        "A time is negative, a share above one, a number of servers not an integer, or a parameter outside the "
        "range given in the model. If an option set the value, the message begins with the option.",
        "Change the value, or the parameters it is computed from, which the message lists."),
    "QN212": _T("unknown station or buffer",
        "A step or a service time names a station that [stations] does not have, or a buffer that [buffers] does not "
        "have.",
        "Use the nearest name that the message suggests, or add it."),
    "QN213": _T("a key that another key of the station rules out",
        "follows means one copy for each copy of another station, used by the same share of the work; a delay has no "
        "queue, and none of the keys of a queue.",
        "Give copies and split to the followed station only, follow a station that follows none, and omit servers and "
        "discipline at a delay."),
    "QN214": _T("a class is open or closed",
        "An open class or chain has an arrival_rate; a closed one a population and optionally a think_time.",
        "Give it either."),
    "QN215": _T("two routes of one name",
        "Results are reported by route, so the routes of a class need distinct names.",
        "Rename one of them."),
    "QN216": _T("keeps names a station that is not held",
        "keeps lists the enclosing holds that continue in phase 2, after the response.",
        "Name enclosing holds, and only together with phase = 2."),
    "QN217": _T("a priority at a station that ignores it",
        "The priority of a class applies at stations with discipline \"priority\" (head of line, non-preemptive) or "
        "\"preemptive\" (preemptive resume); the priority of a step also at stations \"fcfs\".",
        "Give the station one of these disciplines, or omit the priority."),
    "QN218": _T("circular holds",
        "A station is held while it is requested again, directly or through others: a deadlock.",
        "Nest holds in the same order everywhere."),
    "QN219": _T("no such route to limit",
        "--route and the route of an envelope limit the response of one route of the model.",
        "Use a name that the message suggests, with a limit of the form response <= 10 ms."),
    "QN220": _T("a split, a copy or branches that do not exist",
        "There are more hot copies, more shares or a higher number of a copy than copies; or join exceeds the "
        "number of branches, or there are more branches than can be solved.",
        "Count from 1 to the number of copies, or of branches, and give one share for each copy."),
    "QN221": _T("shares that do not sum to one",
        "Probabilities of routes, those of each row of a routing, and shares of copies must sum to one for all values "
        "of the parameters that are used.",
        "Write the last one as 1 minus the others."),
    "QN230": _T("arrays that do not make a network",
        "A network given as arrays has entries of the wrong shape, size, sign or type.",
        "Give every station and class what the message requires; entries of a batch have its size, or 1."),
    "QN231": _T("customers are stranded",
        "From the named stations and classes there is no route out of an open network, no route back to the reference "
        "station of a closed one, or no route to the rest of their chain.",
        "Add such a route with a positive probability, or put the stranded customers in separate classes."),
    "QN232": _T("a class defined twice",
        "Results are reported by class and by chain, each under one name. A class either has routes under [classes], "
        "or belongs to one chain, whose routing determines its path.",
        "Rename one of the two, or define the class once: under [chains.NAME.classes] if customers change to it."),
    "QN233": _T("a routing with an unknown class or station",
        "The keys of a routing, and of each of its rows, are CLASS.STATION, with a service time of the class at that "
        "station; and think in a closed chain, outside in an open one.",
        "Use the nearest name that the message suggests, or give the class a service time at the station."),
    "QN234": _T("an incomplete routing",
        "Every reachable state needs a row with its successors; every service time must be reachable; an open chain "
        "needs the row outside, which states where customers arrive.",
        "Add the row or the route that the message names, or remove the service time."),
    "QN235": _T("it is not clear what a passage of a chain is",
        "Throughput and response of a closed chain are per visit to its reference: think, or a station. An open "
        "chain has no reference: its passages are its arrivals. A think time needs think in the routing.",
        "Route customers through think, or name a station as the reference."),
    "QN240": _T("the columns of the rows cannot be used",
        "Rows for qnet map need a header; at least one column is named like a parameter of the system, names are "
        "unique, and none is that of a result column. A column whose name differs from a parameter by an edit or two, "
        "or by a suffix that is not one of its units, is refused instead of being passed through.",
        "Name columns like parameters, with or without a unit suffix: rate, rate_per_s or rate_per_min; rename other "
        "columns; for clashes with result columns use --prefix new_."),
    "QN241": _T("rows that cannot be read",
        "No row of the data could be used, or a line is too long. The status of every row gives the reason.",
        "Write one row per line, with as many cells as the header, and numbers or quantities in the parameter "
        "columns."),
    "QN245": _T("a cost of an unknown class, route or kind of work",
        "The class, route or kind of work of a cost does not exist in the model, or the route is of another class.",
        "Use the nearest name that the message suggests; omit it for all passages and all work."),
    "QN250": _T("measurements that cannot be read",
        "Measurements are a CSV file with a header. At least one column is named like a metric or an output, with or "
        "without a unit suffix, as qnet sweep writes them; column names are unique.",
        "Name columns response_s, throughput_per_s, utilization_cpu; for --demands utilization_STATION and "
        "throughput_CLASS."),
    "QN251": _T("a measurement that cannot be read",
        "The cell is not a number or a quantity of the right dimension, a weight is not above 0, or the number of "
        "cells differs from the header.",
        "Correct the cell; leave it empty where nothing was measured."),
    "QN252": _T("too few measurements",
        "There are fewer measurements than parameters, or no row has data of a class.",
        "Measure more rows, or fit fewer parameters; held-out rows do not count."),
    "QN253": _T("a measurement of 0 has no relative error",
        "A proportional error is undefined for a measurement of 0 or below.",
        "Use --absolute, or leave the cell empty."),
    "QN254": _T("a fitted value that the model does not define",
        "The value belongs to a part of the catalog, which other models share.",
        "Define a parameter in the model instead, and fit that."),
    "QN255": _T("a calibration that cannot be replaced",
        "The model has an earlier [calibration] as an inline table, or over several lines, which cannot be replaced.",
        "Write [calibration] with one line for each key, or remove it."),
}  # fmt: skip
