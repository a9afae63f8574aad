"""What every code means and what to do about it: the table behind `qnet explain`.

A code never changes its meaning. A new one takes the next free number of its family.
"""

from __future__ import annotations

from qnet.record import Record


class Explanation(Record):
    """One code: what it is about in a few words, what it means, and what to do."""

    title: str
    means: str
    action: str


FAMILIES = {
    "QN0": "The command line (exit code 2)",
    "QN1": "Text, units and expressions (3 in a file, 2 on the command line)",
    "QN2": "Models and rows of data (3 in a file, 2 on the command line)",
    "QN3": "The catalog and its studies (3; 2 for a name that is not there)",
    "QN4": "No answer exists (4)",
    "QN5": "Not computed (5)",
    "QN6": "Notes on an answer (0; 6 for QN604 and QN608)",
}
"""The first digit of a code, and the exit codes of its family."""

_T = Explanation

EXPLANATIONS: dict[str, Explanation] = {
    "QN001": _T("the command line is not understood",
        "A command, an option or a word is not one that qnet knows, or something that it needs is missing or empty.",
        "Take the nearest name that the message offers, or read the help of the command with --help."),
    "QN002": _T("the model file cannot be read",
        "There is no such file, it is a folder, or it must not be read.",
        "Check the path. A name without / that does not end in .toml is looked for in the catalog, not among files."),
    "QN003": _T("-p does not set a parameter",
        "A setting has the form NAME=VALUE. The value is a quantity with its unit, an expression over other "
        "parameters, or one of the words of a choice.",
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
    "QN018": _T("no such definition of a knee",
        "A knee is one of the definitions that qnet knee --help lists, and a multiple of the floor is above 1.",
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
        "measured figures. Servers of a demand are NAME=NUMBER for a station that is measured.",
        "Write --hold-out 5, --hold-out 'rate > 900/s', or --servers cpu=4."),
    "QN050": _T("a station of qnet queue is not well asked for",
        "The station has no such name or parameter, lacks one, or gets a value outside its domain.",
        "Take the nearest name that the message offers; qnet queue --help lists the stations and their parameters."),
"QN017": _T("it is not clear what brings the customers",
        "A knee is looked for along a number of customers or a rate of arrivals. The population or the arrival rate of "
        "a class rests on several parameters, or the one that was named brings no customers at all.",
        "Say --vary NAME with a parameter on which a population or an arrival rate rests."),
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
        "solved, and so may not use wait(), utilization() or queue_length().",
        "Use a parameter there; times and outputs may use figures of the solution."),
    "QN130": _T("an expression has no value",
        "Its arithmetic fails for these parameters: division by zero, the root or logarithm of a negative number, "
        "or a result that is too large.",
        "Check the values that the message lists; where() keeps a branch from being used where it does not apply."),
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
        "A step is a delay; a station and a time; a hold and steps; or, inside a hold, a time. Keys about a queue, "
        "such as priority, stand only beside station or hold.",
        "Give the step the keys of one form."),
    "QN210": _T("circular parameters",
        "The parameters need each other, so none of them can be computed first.",
        "Break the circle that the message shows: give one of them a value of its own."),
    "QN211": _T("a value outside its range",
        "A time is negative, a share above one, a number of servers no whole number, or a parameter outside the "
        "range that its model states. Where an option set what the value rests on, the message begins with the option.",
        "Change the value, or the parameters that it is computed from; the message lists them."),
    "QN212": _T("unknown station",
        "A step or a service time names a station that [stations] does not have.",
        "Take the nearest name that the message offers, or add the station."),
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
        "Only a first-come-first-served queue has an order that priorities can change.",
        "Leave the priority out, or give the station the discipline fcfs."),
    "QN218": _T("holds in a circle",
        "A station is held while it is waited for, directly or through others: nobody would ever go on.",
        "Let holds nest in the same order everywhere."),
    "QN219": _T("no such route to limit",
        "--route and the route of an envelope limit the response of one route of the model.",
        "Take a name that the message offers, with a limit of the form response <= 10 ms."),
    "QN220": _T("a split or a copy that the station does not have",
        "There are more hot copies, more shares or a higher number of a copy than copies.",
        "Count from 1 to the number of copies, and give one share for each."),
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
        "twice, and none has the name of a column of the answers.",
        "Name columns like parameters, with or without their unit: rate or rate_per_s; for names that clash say "
        "--prefix new_."),
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
    "QN300": _T("the catalog was not found",
        "The folder with parts, systems and studies is not where this installation, or QNET_CATALOG, says.",
        "Unset QNET_CATALOG, or install qnet again."),
    "QN301": _T("a name that the catalog does not have",
        "There is no part, system or study of that name.",
        "qnet catalog list shows all names. A model in a file is named by a path: ./model.toml."),
    "QN302": _T("a part is not well formed",
        "A key of the part is unknown, missing, or holds a value that does not belong there.",
        "Write it as the message says."),
    "QN303": _T("the id of a part is not its file name",
        "A part is found by its file name, which must therefore be its id.",
        "Rename the file, or correct the id."),
    "QN304": _T("a value without a grade",
        "Every value of the catalog says how well it is known.",
        "Add grade = measured, datasheet, derived, textbook, fitted or assumed."),
    "QN305": _T("a value without a source",
        "Every value of the catalog says where it comes from; an assumed one says why.",
        "Add source, a key of catalog/sources.toml, or a note to an assumption."),
    "QN306": _T("a name that parts cannot use",
        "The name of a parameter is that of a unit, a function or something else with a meaning of its own.",
        "Choose another name."),
    "QN307": _T("a derived value without a formula, or a formula without that grade",
        "A derived value is computed from others, and only a derived one is.",
        'Write a number with its unit, or a formula and grade = "derived".'),
    "QN308": _T("derived values in a circle",
        "The formulas need each other, so none of them can be computed first.",
        "Derive values from values that stand on their own."),
    "QN309": _T("a range that does not hold its value",
        "low is above the value, high is below it, or they are of another kind than the value.",
        "Correct the range or the value."),
    "QN310": _T("a fitted value and its claims do not agree",
        "A fitted value names the claims of a study that it was fitted on, and only a fitted one does.",
        "Add fitted_on with claims that exist, or correct the grade."),
    "QN311": _T("a source is not well formed",
        "A record of catalog/sources.toml has an unknown key, an empty text or no title.",
        "Write it as the message says."),
    "QN312": _T("an unknown source",
        "A value cites a key that catalog/sources.toml does not have.",
        "Take the nearest key that the message offers, or add the record."),
    "QN313": _T("a source that nothing cites",
        "The list of sources holds what the catalog rests on and nothing else.",
        "Cite it, or take it out."),
    "QN314": _T("a family of parts out of order",
        "Members of a family have a parameter that should rise or fall along it, and do not.",
        "Check the value against its source, or correct the family in CATALOG.toml."),
    "QN320": _T("a study is not well formed",
        "A claim has an unknown key, a role that does not exist, or states or asks for nothing.",
        "Write it as the message says."),
    "QN321": _T("two claims of one name",
        "Fitted values name claims, so that each claim needs an id of its own.",
        "Rename one of them."),
    "QN401": _T("no steady state",
        "More work arrives than the named station or limit can do, so queues grow without end and no response time "
        "exists. This is an answer about the system, not a fault of the model.",
        "Ask below the largest possible rate that the message states, or give the station more servers or less "
        "work."),
    "QN402": _T("the limit cannot be met",
        "Even at the lowest load the metric exceeds the limit, or at the highest it does not reach one from below, or "
        "several limits hold nowhere together, or there is no steady state at any value that was looked at; or every "
        "value keeps the limits, so that there is no largest or no smallest one.",
        "Ask for what the message says is possible, or make the service faster; vary what loads the system, or what "
        "relieves it."),
    "QN403": _T("a throughput without limit",
        "A closed class has customers, and neither demand on any station nor think time: it would pass without end.",
        "Give the class some demand or a think time."),
    "QN404": _T("a curve without a knee",
        "The customers that grow in number never queue, so that their response does not grow with them; or the range "
        "of their parameter ends before the first of them.",
        "Vary what loads a queueing station, or widen the range."),
    "QN501": _T("closed classes beside what they cannot have yet",
        "Closed classes, and rates that depend on the number present, are solved by the demands of their routes. "
        "Stations held while others are waited for, work left after the response, and priorities are solved for open "
        "classes and servers only.",
        "Take one or the other out of the model, or give the class an arrival_rate."),
    "QN502": _T("a number is too large",
        "Values on the way to the answer exceed what a floating-point number holds, about 1e308.",
        "Look for a unit that is wrong by many powers of ten."),
    "QN503": _T("the answer does not fit into memory",
        "The grid is solved as a whole, and has too many points for this machine.",
        "Use fewer values, or solve parts of the grid one after the other."),
    "QN510": _T("a finite-source wait did not converge",
        "The wait for an inner station is computed by an iteration that should always end.",
        "Report the model: this is a fault of qnet."),
    "QN511": _T("a fixed point did not converge",
        "Times or waits depend on the solution, or a closed network is approximated, and the rounds of computing one "
        "from the other do not settle, or settle where no network can be. An answer that is not proven is not given.",
        "Try a lower load; a model whose times grow with the load may have no steady state, or several. For closed "
        'networks the method "bard-schweitzer" answers almost always.'),
    "QN512": _T("a search did not end",
        "The search for the largest load should always end.",
        "Report the model: this is a fault of qnet."),
    "QN513": _T("the method does not apply",
        "The method that was asked for does not cover something in the network; the message names it.",
        "Leave the choice of the method to qnet, or take one that applies."),
    "QN514": _T("a method is not well asked for",
        "There is no such variant of the method, or the network has something that makes it meaningless.",
        "Take what the message offers."),
    "QN515": _T("too large for an exact answer",
        "The work and the memory of every exact method were estimated, and are more than allowed.",
        "Use an approximation or bounds, or allow more."),
    "QN516": _T("no second moments for percentiles",
        "Percentiles of response are built from means and variances of the waits. Those of closed classes need state "
        "probabilities, which approximate methods do not give.",
        "Ask for the mean, for fewer customers, or allow more --operations and --memory."),
    "QN520": _T("no closed form: a fixed point",
        "A formula was asked of something that qnet finds by a fixed point: a wait inside a hold, or a time that uses "
        "a figure of the solution, such as wait('disk'). Such numbers have no formula.",
        "qnet solve tells the number, qnet envelope how large a parameter may be. Demands and capacities of stations "
        "that wait for no other have formulas."),
    "QN521": _T("no closed form of this",
        "A formula was asked of what has none: figures of closed classes are found by recursions, and only demands, "
        "N* and bounds are formulas, for stations with servers and without holds.",
        "Ask for demand, n_star, throughput_upper, response_lower and the like; qnet solve tells the number."),
    "QN522": _T("algebra does not solve this for the parameter",
        "The parameter stands in the metric so that no formula tells it: rounded, in an exponential or logarithm, in "
        "Erlang's C of several servers, in a polynomial of degree 3 or more, or not at all.",
        "qnet envelope finds the value numerically: --vary the parameter, --limit the metric."),
    "QN523": _T("the network is too large for formulas",
        "A formula over so many visits could not be read by anybody.",
        "Ask for one station of a smaller model, or let qnet solve tell numbers."),
    "QN530": _T("a cost per nothing",
        "The units per passage are 0 at every point, so there is nothing that the server time could be divided among.",
        "Ask at a point where there are some: no page moves before memory is full."),
    "QN531": _T("too many corners",
        "Every uncertain parameter doubles the combinations of ends of ranges.",
        "Choose the parameters with --by, after a --tornado has shown which ones count; or take --sample."),
    "QN532": _T("no derivative",
        "The metric has no value at the stated point, or no parameter can be moved from it with an answer.",
        "Ask at a point with room around it: set another one with -p."),
    "QN533": _T("least squares found no minimum",
        "No step makes the residuals smaller, and yet they are not at right angles to what the parameters do: the "
        "answer of the model jumps or bends there; or the search did not end.",
        "Start elsewhere with -p, narrow the range with --between, or search more often with --starts 20."),
    "QN534": _T("no start with an answer at every row",
        "At every start that was tried the model has no answer at some of the rows, mostly because it is saturated at "
        "a load that was measured.",
        "Give values with -p, or ranges with --between, at which all rows have an answer; or doubt the model."),
    "QN535": _T("a regression did not end",
        "The columns differ by less than rounding.",
        "Report the measurements: this should not happen."),
    "QN550": _T("a figure is not known in closed form",
        "The station has no closed form for this figure, or its numbers would lose their digits.",
        "Ask for means only, a lower load, or another figure."),
    "QN601": _T("the answer is approximate",
        "The model has something that no exact solution is known for; the note names it. Typical errors are a few "
        "per cent at moderate load and grow near saturation. Closed classes whose service times differ at a station "
        "first come first served, or are not exponential there, are solved like processor sharing: that may be wrong "
        "by tens of per cent.",
        "Nothing, where that is good enough; the answer is exact for the network without what is named."),
    "QN602": _T("some points have no answer",
        "At some points of the grid the limit cannot be met or holds at every value, or there is no steady state.",
        "Read the status of those rows."),
    "QN603": _T("how a study fares",
        "How many claims have which role, how many predictions are met, and their errors. Only predictions are "
        "evidence for the model.",
        "Nothing."),
    "QN604": _T("claims are missed",
        "A prediction is outside its tolerance, or a trend is not shown. The table tells by how much.",
        "Nothing, where the source is to be reproduced; the claims that are missed are the limits of the model."),
    "QN605": _T("a source",
        "The bibliographic record behind a key that a value cites.",
        "Nothing."),
    "QN606": _T("--plot draws nothing here",
        "A drawing has no place in a form for machines.",
        "Leave the form out for a table with a chart, or use --md."),
    "QN607": _T("which method, and why",
        "There is more than one method for closed classes: the note names the one that was taken and the reason. An "
        "answer that is not exact comes with bounds that enclose the exact one, where theory has them.",
        "Nothing; or name another with --method, or allow more with --operations and --memory."),
    "QN608": _T("an assertion is false",
        "The answer stands on standard output, and it does not meet what --assert says of it. A point of a grid that "
        "has no answer meets no assertion.",
        "Look at the value that the message tells; a pipeline sees it by the exit code 6."),
    "QN609": _T("how percentiles are found",
        "The times that a passage spends at the stations of its route are taken as independent, each as a gamma time "
        "of its mean and variance. That is exact for exponential times in tandem queues; where customers overtake each "
        "other or come back, the times depend on each other, and the percentile is some per cent off.",
        "Use it for orientation; the mean has the trust that the answer tells."),
    "QN610": _T("what a formula takes for granted, or why there is none",
        "A formula may hold only where the same branch or station decides as at the model's numbers, or leave out "
        "waits; or a metric of the model has no formula.",
        "Read it before using the formula at other numbers."),
    "QN611": _T("how to read a formula",
        "Parameters that the structure of the network rests on are numbers in formulas; functions that are no "
        "arithmetic keep a name.",
        "Set such a parameter with -p for another formula."),
    "QN612": _T("one side of a comparison is approximate",
        "The model of that side has something that no exact solution is known for; the note names it. A difference "
        "that is small beside the error of the approximation says little.",
        "Nothing, where the difference is large; qnet explain QN601 says how large errors are."),
    "QN613": _T("one side of a comparison has no answer",
        "It has no steady state, or was not computed; the others are told without it.",
        "Change its load or its settings; qnet solve says more about it."),
    "QN615": _T("a limit is crossed several times",
        "The figure of the limit rises and falls along the curve, as it does where a system thrashes. The knee is the "
        "first crossing, up to which the limit holds without a break; the others are told.",
        "Look at the curve with --plot before the later crossings are used."),
    "QN616": _T("what a knee is measured against",
        "The response of the first customer along the curve, delays and the wait for other classes included: the floor "
        "of a multiple, and the unit of response for curvature. Curvature of a long curve is measured over more than "
        "one customer.",
        "Nothing needs to be done."),
    "QN617": _T("demands depend on the number of customers",
        "Service times, visits or stations change along the curve, as they do where users page. N* is then the number "
        "that solves N = (Z + R0(N)) / Dmax(N).",
        "Compare n_star with n_star_unloaded: the difference is what the dependence costs."),
    "QN618": _T("some knees do not exist",
        "A limit holds up to the end of the range or is exceeded by the first customer, or a figure still rises where "
        "the range ends.",
        "Read the status of the row; widen the range of the parameter, or ask for another limit."),
    "QN619": _T("limits that hold again",
        "The largest value of an envelope is the end of the lowest interval in which the limits hold, so that they "
        "hold at every value up to it from where they first do; the smallest is the beginning of the highest "
        "interval. There are others, as where a system thrashes.",
        "Look at --crossings, which tells every interval with what ends it."),
    "QN620": _T("how finely an envelope was looked at",
        "Between two values that were looked at a limit may be crossed twice unseen. More values are taken where the "
        "metric turns near its limit, so that only what is narrower than their distance can be missed.",
        "Give the parameter a narrower range in the model where you expect more."),
    "QN623": _T("waits inside holds are the limit",
        "A station that is held while others are waited for is kept busy by these waits as well, and so is full at a "
        "smaller load than its own work alone would fill it.",
        "Relieve the stations that are waited for inside; the column waits inside says how much of the time it is."),
    "QN624": _T("demands depend on the population",
        "Times or visits of the model change with a parameter that sets a population, so where a station is full, and "
        "N*, hold for the demands at the present population only.",
        "Ask again at another population with -p, or solve along a grid of populations."),
    "QN625": _T("some changes have no answer",
        "With one of the changes that were tried the model has no steady state or cannot be computed.",
        "Read the column status, and make the change in the model to see more of it."),
    "QN626": _T("not every station was changed",
        "A model of many stations would take long with each of them faster and with one server more: those that are "
        "full first and those where most of the time is spent were tried.",
        "Change a station in the model itself to see what comes of it."),
    "QN627": _T("changes are not as exact as the answer",
        "The changes that are tried share the budget of one answer, so each has less of it, and may be approximate "
        "where the answer is exact. Their ratios compare them with the system as it is, solved in the same way.",
        "Raise --operations for exact changes, or choose one --method for all."),
    "QN628": _T("what only one of two models has",
        "Two models are compared, and a cost, a station, a class or a route is in one of them alone.",
        "Compare models that name alike what is alike. A part that is missing costs nothing there."),
    "QN629": _T("a metric bends where it is stated",
        "The derivative from below is another than the one from above, as at the edge of a max, a min or a where; both "
        "are told, each for moves to its own side.",
        "Take the side that the parameter will move to."),
    "QN630": _T("corners do not enclose the answer",
        "A parameter raises the metric at some combinations of the others and lowers it at others, so the metric is "
        "not monotone, and may be lower or higher inside the ranges than at any corner.",
        "Sample the ranges with --sample, which looks inside."),
    "QN631": _T("what is uncertain",
        "These parameters are taken to lie in these ranges: the catalog's low and high, ranges and spreads of one's "
        "own, and a share of every other.",
        "Narrow or widen them with --range, --spread and --within; choose among them with --by."),
    "QN632": _T("derivatives are missing",
        "Some parameters have no derivative: there is no answer beside the stated point, or the differences do not "
        "settle however short the steps. The status of the row says which.",
        "Look at the metric around that value with a grid."),
    "QN633": _T("how errors are taken",
        "What is assumed of the errors of measurements decides what is the best fit, and how wide intervals are. They "
        "know nothing of errors of the model itself.",
        "Say --absolute, or give a column weight, where errors are others."),
    "QN634": _T("parameters that cannot be told apart",
        "The measurements change in the same way, or nearly, with several parameters, so that only a combination of "
        "them is determined, and each alone hardly or not at all.",
        "Measure at other conditions, at which they differ; or state one of them from another source."),
    "QN635": _T("a parameter that was not really fitted",
        "It has no effect on what was measured, or the fit would be better beyond the end of its range, where it was "
        "stopped.",
        "Leave it out of --fit, widen its range where it may be wider, or doubt the model."),
    "QN636": _T("several minima",
        "Searches from other starts ended at other values, each better than all around it, with residuals up to twice "
        "as large, or as small: where two stations are alike, either may be the slow one. Told is the best, and of "
        "those that are as good the one that the stated values lead to.",
        "Narrow the ranges with --between to what is possible."),
    "QN637": _T("what a calibration left out",
        "Columns with no name that the model knows were not used; or settings of the run are not in the model that was "
        "written.",
        "Name columns like parameters, figures or outputs; give settings again where the model is used."),
    "QN650": _T("how a figure is meant",
        "A word about the station that was asked for, without which its figures could be misread.",
        "Nothing."),
    "QN651": _T("no percentiles",
        "The distribution of the times of this station is not known in closed form.",
        "Use the mean, or a station of the same kind whose percentiles are known."),
    "QN652": _T("what a deviation needs",
        "The deviation of a time or number at this station depends on more of a distribution than its mean and scv: on "
        "its third moment, or with processor sharing on all of it.",
        "State the skewness (2 for an exponential time, 0 for a symmetric one), or the scv; or do without."),
}  # fmt: skip
"""Every code that qnet prints."""
