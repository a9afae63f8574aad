"""Models and data: the codes that begin with QN2."""

from __future__ import annotations

from qnet.explanations.explanation import Explanation as _T

CODES: dict[str, _T] = {
    "QN201": _T("a table or a list is expected",
        "The key holds a value of another shape than the language gives it.",
        "Write it as the message says; examples/ has a model for every form."),
    "QN202": _T("an unknown key",
        "The language has no such key there; a misspelt one would otherwise be ignored in silence.",
        "Take the nearest key that the message offers."),
    "QN203": _T("a key is missing",
        "The table cannot be understood without it, or it is there and empty: a model has stations, and classes or "
        "chains.",
        "Add it; the message says what it is for."),
    "QN204": _T("a value that the key does not take",
        "The key takes one of a few words, a line of text or a list of different ones, a truth value, a number or an "
        "expression, two ends of a range, or a form of its own such as that of split; or two keys shut each other out.",
        "Give one of the values that the message lists."),
    "QN205": _T("another version of the model language",
        "The file says for which version of the language it was written, and this qnet reads version 1.",
        "Write qnet = 1, or get a newer qnet."),
    "QN206": _T("the model is too large",
        "There are more entries of one kind, such as stations or envelopes, or more steps than qnet reads; or more "
        "problems than it shows.",
        "Say copies = n for identical stations, and visits for repeated steps; correct the first problems."),
    "QN207": _T("a name that cannot be used",
        "Names of parameters, parts and outputs have letters, digits and _, and may not be those of a unit, of a "
        "function, or of each other. Other names are short and can be printed.",
        "Choose another name."),
    "QN208": _T("a class needs either routes or steps",
        "A class has several routes with probabilities, or steps for its only route; not both, and not neither.",
        "Write steps = [ ... ], or [[classes.NAME.routes]] with name, probability and steps."),
    "QN209": _T("a step of no known form",
        "A step is a delay; a station and a time; a hold and steps; parallel branches; inside a hold, a time; or a "
        "fill. Keys about a queue, such as priority, stand only beside station or hold, join only beside parallel, "
        "causes only beside work, and remainder only beside a time in a hold. A route that fills a buffer has one step "
        "that drains it: after the fill, of phase 2, at a queueing station and outside of any hold.",
        "Give the step the keys of one form."),
    "QN210": _T("circular parameters",
        "The parameters need each other, so none of them can be computed first.",
        "Break the circle that the message shows: give one of them a value of its own."),
    "QN211": _T("a value outside its range",
        "A time is negative, a share above one, a number of servers no whole number, or a parameter outside the "
        "range that its model states. Where an option set what the value rests on, the message begins with the option.",
        "Change the value, or the parameters that it is computed from; the message lists them."),
    "QN212": _T("unknown station or buffer",
        "A step or a service time names a station that [stations] does not have, or a buffer that [buffers] has not.",
        "Take the nearest name that the message offers, or add it."),
    "QN213": _T("a key that another key of the station rules out",
        "follows means one copy for each copy of another station, used by the same share of the work; a delay has no "
        "queue, and so nothing that only queues have.",
        "Leave copies and split to the station that is followed, follow one that follows none, and say nothing of "
        "servers or their order at a delay."),
    "QN214": _T("a class is open or closed",
        "An open class or chain has an arrival_rate; a closed one a population and perhaps a think_time.",
        "Give it one of the two."),
    "QN215": _T("two routes of one name",
        "Results are told by route, so that the routes of a class need names of their own.",
        "Rename one of them."),
    "QN216": _T("keeps names what is not held",
        "keeps says which of the enclosing holds go on in phase 2, after the response.",
        "Name enclosing holds, and only beside phase = 2."),
    "QN217": _T("a priority without an order of service",
        "Only where customers wait in line have they an order that priorities can change: the priority of a class is "
        "heeded by stations with discipline \"priority\", which interrupt nobody, or \"preemptive\", where a higher "
        "class interrupts a lower one that resumes later; the priority of a step at stations \"fcfs\" as well.",
        "Give the station one of these disciplines, or leave the priority out."),
    "QN218": _T("holds in a circle",
        "A station is held while it is waited for, directly or through others: nobody would ever go on.",
        "Let holds nest in the same order everywhere."),
    "QN219": _T("no such route to limit",
        "--route and the route of an envelope limit the response of one route of the model.",
        "Take a name that the message offers, with a limit of the form response <= 10 ms."),
    "QN220": _T("a split, a copy or branches that are not there",
        "There are more hot copies, more shares or a higher number of a copy than copies; or more branches are waited "
        "for than start, or more start than can be solved.",
        "Count from 1 to the number of copies, or of branches, and give one share for each copy."),
    "QN221": _T("shares that do not sum to one",
        "Probabilities of routes, those of each row of a routing, and shares of copies must sum to one for all values "
        "of the parameters that are used.",
        "Write the last one as 1 minus the others."),
    "QN230": _T("arrays that do not make a network",
        "A network that is given as arrays has entries of the wrong shape, size, sign or kind.",
        "Give every station and class what the message asks for; entries of a batch have its size, or 1."),
    "QN231": _T("customers are stranded",
        "From the stations and classes that the message names there is no way out of an open network, no way back to "
        "the reference of a closed one, or no way to the rest of their chain.",
        "Give the routing such a way with a positive probability, or the customers who stay there classes of their "
        "own."),
    "QN232": _T("a class in two places",
        "Results are told by class and by chain, each under one name. A class either has routes of its own, under "
        "[classes], or belongs to one chain, whose routing says where its customers go.",
        "Rename one of the two, or state the class once: under [chains.NAME.classes] where customers change to it."),
    "QN233": _T("a routing names what its chain does not have",
        "The keys of a routing, and of each of its rows, are CLASS.STATION, with a service time of the class at that "
        "station; and think in a closed chain, outside in an open one.",
        "Take the nearest name that the message offers, or give the class a service time at the station."),
    "QN234": _T("a routing with a gap",
        "Every state that customers come to needs a row that says what comes next; every service time needs a way that "
        "leads there; an open chain needs the row outside, which says where its customers arrive.",
        "Add the row or the way that the message names, or take the service time out."),
    "QN235": _T("it is not clear what a passage of a chain is",
        "Throughput and response of a closed chain are told per visit to its reference: think, or a station. An open "
        "chain has none: its passages are its arrivals. A think time needs think in the routing.",
        "Route customers over think, or name a station as the reference."),
    "QN240": _T("the columns of the rows cannot be used",
        "Rows for qnet map need a header; one column at least is named like a parameter of the system, none is there "
        "twice, and none has the name of a column of the answers. A column that is a parameter but for an edit or two, "
        "or with something behind its name that is no unit of it, is refused: it would be passed through unread.",
        "Name columns like parameters, with or without a unit of theirs: rate, rate_per_s or rate_per_min; name others "
        "otherwise; for names that clash with answers say --prefix new_."),
    "QN241": _T("rows that cannot be read",
        "No row of the data could be used, or a line never ends. The status of every row says why.",
        "Give each row in a line of its own, with as many cells as the header has, and numbers or quantities in the "
        "columns that are parameters."),
    "QN245": _T("a cost of what the model does not have",
        "The class, a route or a kind of work of a cost is not one of the model, or the route is of another class.",
        "Take the nearest name that the message offers; leave it out for all passages and all work."),
    "QN250": _T("measurements that cannot be read",
        "Measurements are a CSV file with a header and rows below it. At least one column is named like a figure or an "
        "output, with or without the unit at its end, as qnet sweep writes them; no column is there twice.",
        "Name columns response_s, throughput_per_s, utilization_cpu; for --demands utilization_STATION and "
        "throughput_CLASS."),
    "QN251": _T("a measurement that cannot be read",
        "The cell is no number and no quantity of the right kind, a weight is not above 0, or the row has another "
        "number of cells than the header.",
        "Correct the cell; leave it empty where nothing was measured."),
    "QN252": _T("too few measurements",
        "There are fewer measurements than parameters, or no row tells anything of a class.",
        "Measure more rows, or fit fewer parameters; rows that are held out do not count."),
    "QN253": _T("a measurement of 0 has no relative error",
        "Errors proportional to the measurement have no size where it is 0 or negative.",
        "Say --absolute, or leave the cell empty."),
    "QN254": _T("a fitted value that the model does not state",
        "The value stands in a part of the catalog, which is shared by others and vouches for its own sources.",
        "Give the model a parameter of its own in its place, and fit that."),
    "QN255": _T("a calibration that cannot be replaced",
        "The model states the doubt of an earlier calibration as an inline table, or over several lines, where the new "
        "one cannot be written in its place.",
        "Write [calibration] with one line for each key, or take it out."),
}  # fmt: skip
