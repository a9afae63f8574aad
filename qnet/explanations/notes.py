"""Notes on an answer: the codes that begin with QN6 and QN7."""

from __future__ import annotations

from qnet.explanations.explanation import Explanation as _T

CODES: dict[str, _T] = {
    "QN601": _T("the answer is approximate",
        "The model has something that no exact solution is known for; the note names it. Typical errors are a few "
        "per cent at moderate load and grow near saturation. Closed classes whose service times differ at a station "
        "first come first served, or are not exponential there, are corrected for the order of arrival (median error "
        "of throughputs of small networks 2 %, QN638); by a method of product form they are solved like processor "
        "sharing, which may be wrong by tens of per cent.",
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
        "of its mean and variance. That is exact, and told as such, where Poisson streams go through single servers "
        "first come first served with exponential times and nobody can overtake: between any two stations there is one "
        "way at most. Where customers overtake each other or come back, the times depend on each other, and the "
        "percentile is some per cent off.",
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
    "QN624": _T("demands depend on the population, or on the solution",
        "Times or visits of the model change with a parameter that sets a population, or with a figure of the solution "
        "such as busy_servers('path'). So where a station is full, and N*, hold for the demands of now only.",
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
        "What is assumed of the errors of measurements decides what is the best fit, and how wide intervals "
        "are. Without --error and without a column of errors they are one common share, as large as the "
        "residuals scatter, and beside it half of the last printed digit of each cell. They know nothing of "
        "errors of the model itself.",
        "Say --error 1%, --absolute, or give a column with _error behind its name, or a column weight."),
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
    "QN638": _T("the order of arrival is corrected beyond where that is trusted",
        "Closed classes at a station first come first served wait for what an approximation says of those before them. "
        "Where service times differ by a factor of up to 3 and have an scv from 0.5 to 4, errors are those that qnet "
        "methods --error tells; beyond, with times up to 20 apart and an scv of up to 10, single ones of 20 to 90 % "
        "were found, and with constant times 20 % of the throughput and 50 % of a queue length. The note names "
        "stations with times that differ by more than a factor of 3, or with an scv below 0.5 or above 4; and "
        "several servers beside parallel steps or work left behind; and those beside a station that serves several "
        "closed classes last come first served, where the order of arrival elsewhere decides which class comes round: "
        "20 % of a throughput.",
        "Trust differences less than signs; compare with discipline = \"ps\", whose answer is exact for what it says."),
    "QN640": _T("a wait of layers is estimated beyond where that is trusted",
        "Where servers are held while others are waited for, the wait for a station first come first served was "
        "measured against Markov chains of small networks whose servers there are held for times that differ by a "
        "factor of up to 3 between visits (qnet methods --error). The note names stations where they differ by more, "
        "or where the time has an scv above 4: short visits then wait up to tens of per cent too long. It also names "
        "what was not measured: a station with processor sharing or last come first served that is kept while others "
        "are waited for, or after the response, where single figures were off by half and more; and open classes "
        "beside closed ones that hold servers.",
        "Trust differences less than signs."),
    "QN641": _T("a software bottleneck",
        "The servers of a station, such as agents or threads, are at least 80 % held, for the most part of that time "
        "at stations inside which are themselves less than 80 % busy: more servers help, faster inner stations too, "
        "and a look at the inner stations alone finds nothing: Neilson, Woodside, Petriu, Majumdar, IEEE TSE 21 "
        "(1995) 776-782.",
        "Give the station more servers, until an inner station limits."),
    "QN643": _T("two modes",
        "The number of customers at a subnetwork with limited room has two likely values with an unlikely one between, "
        "as where paging sets in: the system works well or thrashes for long, and now and then goes from one to the "
        "other. The means lie between and are seldom observed.",
        "Lower the limit with qnet sweep --vary until one mode is left; solve --states tells the probabilities."),
    "QN644": _T("a limit around stations with rare, long visits",
        "A subnetwork in which only so many may be is taken as one station with its throughput, as if customers left "
        "it at a rate that depends on their number alone. Where a visit inside is rare and takes longer than a passage "
        "through the subnetwork on average, a few customers fill the places for long: responses were up to 25 % too "
        "short in small closed networks, and up to 75 % in open ones near their capacity.",
        "Give the rare work a route and, where it has one, a limit of its own; or trust the throughput more than the "
        "response."),
    "QN645": _T("a limit around stations, near its capacity",
        "Arrivals wait for a place in a subnetwork in which only so many may be, and ask for more than 70 % of what it "
        "lets through when it is full. It is taken as one station with its throughput; up to that load the response "
        "had a median error of 0.5 % against Markov chains, and up to 20 %; at 90 % errors of 40 % were seen. Or "
        "such a subnetwork has another one inside, which lets few through at a time and evenly: the response was 25 % "
        "too long.",
        "Trust the capacity, and the trend, more than the response; or ask for a lower load."),
    "QN646": _T("customers served before others leave them little",
        "What a class gets at a station where others are served before it is what these leave, and the less that is, "
        "the larger the relative error of the difference: where higher classes keep no server more than 60 % busy, the "
        "error of throughputs is 0.3 % in the median for one to four customers a class and 1 % for up to 25, and up to "
        "17 %, of responses 27 % (qnet methods --error; visits in a row of those served first err more); "
        "between 60 and 90 % single ones of 80 % were found, and more is refused "
        "(QN589). Closed customers who hardly think come back "
        "at once, and often while those they have interrupted still wait: there errors of up to 40 % were found at "
        "60 % already, in the networks of Bondi and Chuang, Performance Evaluation 8 (1988).",
        "Trust the figures of the higher classes; take those of the lowest as a sign that it starves."),
    "QN647": _T("more than one solution",
        "Times of the model depend on its own solution. From no load the rounds settle at what is told; from a heavy "
        "load they settle elsewhere. Both are consistent: a real system stays near one for long and goes to the other "
        "by chance, as where paging sets in. Others that no round leads to are not looked for.",
        "Lower the load until one is left; state a limit (hold a station around the steps) and use inside(), whose "
        "answer has the probability of every number of customers."),
    "QN648": _T("a mix of customers in its exact proportions",
        "Along a mix the customers of each parameter are mostly no whole numbers: ten of 25 users and 4 jobs are 8.62 "
        "and 1.38. Rates and numbers of customers are interpolated between the solved whole populations around that, "
        "and times are means weighted by passages, so that Little's law holds. Rounded to whole customers the curve "
        "would go in steps, each a step of one class.",
        "Solve the setting that is told for the figures of whole customers, or vary one parameter alone with --vary."),
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
    "QN654": _T("variability is followed beyond where that is trusted",
        "In open networks each stream of customers is told by its rate and by the squared coefficient of variation of "
        "its interarrival times, which is exact only for Poisson streams. Against exact chains of random networks of "
        "single servers at loads up to 0.95 the response had a median error of 0.3 % and a worst one of 6 % with "
        "Poisson arrivals; 2.3 % and 12 % with others, where nobody returns to a station; and 10 % and 25 % with "
        "others where customers do. The note names what is beyond: a queue behind others that change the variability "
        "of what comes to it, or behind routes that part and meet again, so much that more than 10 % of the time "
        "there rest on it, such as constant times in a row at a high load, where errors of 60 % were seen; customers "
        "who come back, by plan or where some are served before others; several servers that are not the only "
        "station; stations that are not first come first served behind streams that are not Poisson; several classes "
        "of which one does not arrive in a Poisson stream; an scv of services above 4, and of arrivals above 4, or "
        "above 2 where they go on to another queue. Work that is left after the response counts as customers who come "
        "back for it: they come in step, and responses were off by 60 % and more where it takes 20 times the service "
        "before it at the same queue.",
        "Trust differences less than signs there. qnet methods --error tells what was measured."),
    "QN657": _T("a full station beyond where its loss is trusted",
        "A station with a capacity that gets Poisson arrivals is solved exactly with one exponential time for all "
        "visits, with one server first come first served, with one exponential time for each priority, with processor "
        "sharing, or without room to wait. The note names what is otherwise: several servers, or priorities, with "
        "times that are not exponential and alike; visits made of several times; customers who come back at once with "
        "such times. It is then taken as M/M/c/K of the mean time, or as one stay of all visits, which was not "
        "measured. Or it names a station that loses more than 10 % of what comes and whose customers go on to a "
        "queue, or come back later: what goes on is taken as Poisson, which is wrong by up to 30 % of the response "
        "there; below 10 % it was 14 % at most. Or a queue before the station that does not pass its customers on as "
        "Poisson. Of a solved Markov chain: more than 10 % of the passages are lost after some time, and the times of "
        "the others are taken as theirs: responses were off by up to 17 %.",
        "Give its visits one mean time and scv = 1, or discipline = \"ps\" where that is how it serves."),
    "QN658": _T("a buffer beyond where its figures are trusted",
        "The places of a buffer are taken as one line before the station that drains them most slowly. That is exact "
        "where a single server of its own drains them, and nobody goes elsewhere between the fill and the response. "
        "Against Markov chains of 200 small buffers each, occupancies had a median error of 0.04 % and 0.8 % at most "
        "where others wait for a place and all is exponential; throughputs 1.5 % and 15 % where they are lost and a "
        "single server does other work first, the places taken then 2.5 % and 42 %. The note names what was not "
        "measured, or not good: other work that is long or uneven beside the time to free all places, where the "
        "throughput was up to twice what is right; several servers or copies that drain; several places at once; more "
        "than one place in ten taken by what cannot be drained yet, where responses were off by up to 70 %.",
        "Trust limits and drain rates, which do not rest on it, more than small probabilities of finding it full."),
    "QN660": _T("parallel steps beyond where their time is trusted",
        "The time until the slowest of parallel branches has finished was measured against Markov chains of 400 small "
        "systems: the worst error was 1.2 %, of branches with exponential service times at stations or copies of their "
        "own; of queue lengths of closed classes, 12 %. The warning says what goes beyond that. Customers who come to "
        "the station of a branch before or after it as well meet their own branches there. Branches that meet at one "
        "station wait for each other as well, which is left out, so that the answer is too short, by up to 30 % in "
        "simulations. Closed customers who go on before all branches have finished meet what they have left: responses "
        "were off by up to 18 %, numbers at stations by up to 43 % in simulations of 18 random networks. Service that "
        "varies less than exponential times makes branches more alike, and the answer too long, by up to 20 %.",
        "Give branches stations or copies of their own; take the answer as rough."),
    "QN662": _T("work left behind beyond where its effect is trusted",
        "Work that closed customers leave behind at a station which they use themselves is met by those who come next. "
        "Against Markov chains of 200 small systems each, at any load, the median error of the response was 0.7 % and "
        "the worst 11 % first come first served at single servers, 0.2 % and 17 % where one closed class shares the "
        "servers with what it leaves. One customer alone first come first served is exact. The warning names several "
        "servers first come first served, where the worst was 22 %, rates, where a queue was 26 % off, and several "
        "classes that share a station with what one of them leaves, which was not measured.",
        "Take the answer as rough; let the work be done at a station of its own, where nobody waits for it."),
    "QN663": _T("percentiles beyond where they are trusted",
        "Percentiles take the times at the stations of a route as independent gamma times. Against exact chains that "
        "follow one customer, the worst of the times within which 90, 95 and 99 % are answered was off by 0.5 % in "
        "open networks of exponential servers and 3 % in closed ones (median of 200 each; worst 2 % and 19 %), by 3 % "
        "where service is shared, and by 4 % with service times of an scv up to 2 (14 % at worst). The warning "
        "names what is beyond, and of a sweep at how many points: "
        "longer-tailed services; classes at a queue whose times are unlike, where short times that rarely wait for "
        "long ones put it 20 to 60 % off; open customers who come back by chance, who find much when they have found "
        "much before, so that the percentile is too short by 11 % mostly and 27 % at worst; many closed customers at "
        "two stations about as full, where one lacks whom the other has, so that it is too long by half and more; and "
        "what was not measured, such as parallel steps, priorities, capacities, and stations held around others.",
        "Trust the mean; take the percentile as a sign. qnet methods --error tells what was measured."),
    "QN670": _T("what closed classes fill, beyond where its figures are trusted",
        "The places of a buffer or a station that closed classes fill go up and down at the throughputs of what is "
        "around, with the customers who are there. Against Markov chains of 1000 small systems of one to six "
        "customers the throughput had a median error of 0.1 to 0.5 %, and 10 % at most; the places taken 1 to 4 %, "
        "and 35 % at most where the station that frees them does other work as well; queue lengths 2 %, and 13 % at "
        "most. The note names what was not "
        "measured, or not good: times to free a place that are not exponential; several places taken at once; losses "
        "where the station that frees places does other work, or those who fill it come there for other work too, one "
        "customer alone, and queues between taking a "
        "place and the response, where single systems were off by 10 to 40 % of the response and by a factor of the "
        "places taken; more than 10 % lost, where throughputs were off by 16 % and the rate at which passages begin by "
        "86 %, since those who are lost come again while it still is full.",
        "Trust the throughput more than how often the buffer is full; limits and drain rates do not rest on it."),
    "QN675": _T("the largest load by capacities alone",
        "Near the load at which the steady state ends, the waits inside holds of a network with open and closed "
        "classes change so steeply that their fixed point was not proven. What the stations can do by their service "
        "times alone is told in its place: there is no steady state beyond it, and there may be none somewhat before.",
        "Solve the loads that matter; qnet sweep tells which of them have an answer."),
    "QN679": _T("what encloses the response with parallel steps",
        "The exact mean response lies between two bounds. In open networks whose branches share no station, a step is "
        "at least as long as its slowest branch, and at most the longest of independent exponential times with the "
        "means of its branches, where each is a line of single exponential servers, first come first served; else at "
        "most all branches one after the other. Where only some of the branches are waited for, the smallest of the "
        "slow ones is the least and the largest of the fast ones the most. For one closed class the bounds are "
        "asymptotic: as if nobody waited, or a station were always busy; and as if everything in the system were done "
        "one after the other.",
        "Nothing: the answer itself was measured to be much nearer than its bounds, as qnet methods --error tells."),
    "QN690": _T("nothing is left to test the model",
        "There are as many measurements as parameters, so that any model fits them, right or wrong. The intervals are "
        "only as wide as the errors that were stated, or that the printed digits leave open.",
        "Measure more rows, hold some out with --hold-out, or fit fewer parameters."),
    "QN691": _T("the model does not fit within the stated errors",
        "The residuals scatter more than the stated errors of the measurements explain, in 99 of 100 cases. Either the "
        "errors are larger, or the model is wrong. Intervals are those of the scatter, with Student's t.",
        "Look for rows whose residuals have one sign; compare other models: qnet calibrate A.toml B.toml "
        "MEASURED.csv."),
    "QN692": _T("intervals by profile",
        "Where the sum of squares does not rise as the derivatives at its minimum say, because the model bends, steps, "
        "or hardly depends on a parameter, its interval is where the sum of squares, all other parameters "
        "fitted again, has risen by Student's t squared times the variance (Bates and Watts 1988, chapter 6).",
        "Nothing."),
    "QN693": _T("an interval with an open end",
        "The sum of squares does not rise enough to one side, or to both, however far the parameter goes in its range: "
        "these rows bound it on one side only, or do not determine it.",
        "Measure at conditions where the parameter counts, or state it from another source with -p."),
    "QN694": _T("a minimum that is not proven",
        "The answer of the model jumps with a parameter, as where a number is rounded, so that no derivative proves a "
        "minimum: it is the best of what was tried along every parameter, and intervals are by profile.",
        "Narrow the ranges with --between to see whether it stays."),
    "QN695": _T("held-out measurements outside their prediction intervals",
        "A prediction interval holds a new measurement in 95 of 100 cases, by the errors of the measurements "
        "and of the parameters. Where more lie outside, the model errs by more than the rows that it was fitted "
        "on show, as it may where the rows that are held out lie beyond them.",
        "Doubt the model there, or fit on rows like those that are to be predicted."),
    "QN696": _T("the doubt that a calibration leaves",
        "The model states how well its fitted parameters are known. Intervals hold 95 % by their covariance, "
        "carried on by derivatives of each figure: of positive ones in their logarithm. Two systems with the same "
        "calibration move together, so that their difference may be known better than either. At a knee its place "
        "has an interval, and throughput and response have those at the place that is told. What the rows did not "
        "determine, and the error of the model itself, is not in them.",
        "Calibrate with more rows; -p sets a parameter to a value without doubt."),
    "QN697": _T("the doubt of a calibration is not told whole",
        "Some fitted parameters were not determined by the measurements, or a figure has no answer beside its "
        "point, so that its interval would be too narrow, or is left out.",
        "State these parameters from another source, or measure where they count."),
    "QN698": _T("candidates by what they say of rows that they have not seen",
        "Each model is fitted again without each row, and judged by its error at the rows left out. The model with the "
        "most parameters mostly has the smallest residuals, and often the largest error there.",
        "Take the first one, and calibrate it alone for its parameters; models that differ little cannot be told apart "
        "by these rows."),
    "QN700": _T("columns of rows that nobody read",
        "These columns are no parameters of the model, with or without a unit at their end, and are passed through as "
        "they are.",
        "Nothing, where they are meant for the reader; else name them like parameters, which qnet catalog show lists."),
    "QN701": _T("a change without effect",
        "A parameter was set, varied or asked about, and nothing that is told rests on it; or a side of a comparison "
        "has the figures of the first side.",
        "Look for the parameter that is meant: qnet catalog show, or the file, has all of them."),
    "QN702": _T("a class without customers",
        "A closed class has population 0: its throughput is 0, and nobody has its response. The response that is told "
        "is that of its demands alone, without any wait; a first customer would wait for those of the other classes.",
        "Give the class a population of 1 for the response of a first customer."),
    "QN703": _T("several things at one moment",
        "A service takes no time, and so does another one, or thinking. The answer is exact for the order that the "
        "README tells: what takes no time is the limit of short times, in the order in which it begins. Another order "
        "may give other figures, by several per cent where few customers are there.",
        "Leave steps of no time out, or give them a short time, so that the order follows from the model."),
    "QN704": _T("a chain that is cut",
        "No other method answers, and the chain of all states has too many of them: those with more customers from "
        "outside than the note's probability tells are left out. That probability is at most 1e-3, and figures are off "
        "by a small multiple of it.",
        "Allow more --operations with --method states, or lower the load, for an exact answer."),
    "QN707": _T("the largest load is that of an approximation",
        "The answer is exact, by the Markov chain of all states. Near the load at which the steady state ends that "
        "chain has no end, and where customers may be lost before, the load is found by an approximation: what passes "
        "a full station is taken as Poisson.",
        "Solve loads near it; qnet sweep tells which of them have an answer."),
    "QN716": _T("open classes whose response rests on waits inside holds",
        "Where a server is held while another is waited for, the wait inside is estimated from the load, and from how "
        "many can ask at once. How much an error of it matters is found by making all waits inside 10 % longer: "
        "against exact chains of 200 small systems each, at loads up to 0.95, the response had a "
        "median error below 1 % and was off by 19 % at most where it then grows by at most 2 %. Beyond that, as where "
        "holders nearly fill the inner station, or the held one is nearly full because of it, responses were off by "
        "half and more, and a steady state may be told where there is none. The note also names what was not measured: "
        "times in or around holds that vary more than exponential ones (scv above 1; from 1/4 to 1 they were measured, "
        "and constant ones were near simulations); a given scv of a whole hold with other stations inside, instead of "
        "that of its steps; a station that is held, or kept after the response, and "
        "is not first come first served; customers who come from a held station to the one its holders ask for, and "
        "so meet these less than on average; and, where others work on after the response, a queue first come first "
        "served whose times are not one exponential time. Errors of 60 % were seen there.",
        "Lower the load; or simulate the model where it must run at that load."),
    "QN717": _T("rates at a station without product form",
        "A station whose speed depends on the number present is solved as one that shares its speed among all who are "
        "there, and so are the other stations of its network. First come first served that is right only for one "
        "exponential service time for all visits.",
        "Give the station the discipline \"ps\", whose answer is exact for what it says; or one exponential time."),
    "QN727": _T("the order of arrival is not known to the method",
        "A station first come first served has times that differ between classes or are not exponential, and the "
        "method solves it like processor sharing: because it was asked for by name, or because the station has rates "
        "of its own, for which no correction of the order of arrival is known. Throughputs of small networks were "
        "wrong by 15 % in the median, and by more than 100 % where times are far apart.",
        "Leave --method out, or give the station servers in place of rates; with discipline = \"ps\" the answer is "
        "exact for what it says."),
    "QN728": _T("several servers that serve the last first",
        "Last come first served by several servers has product form where all who come have one exponential service "
        "time, and is exact there. Otherwise it is solved like processor sharing: in 1000 random closed networks whose "
        "times differed by up to a factor of 3, or had an scv from 0.5 to 4, throughputs were off by up to 71 %.",
        "Ask for --method states, which is exact where the network is small; or simulate it."),
    "QN729": _T("customers who come to a station in step with holds",
        "The waits of layers are means over all moments. Who asks for a station right after a hold in which it was "
        "asked for, or leaves work there, comes just when the next holder does, and meets other queues than on "
        "average: responses were off by 23 % and numbers at stations by 77 % in small random networks.",
        "Ask for --method states, which is exact where the network is small; or simulate it."),
    "QN730": _T("constant times as a few phases",
        "No other method answers, and a Markov chain has no constant times. Those with a squared coefficient of "
        "variation below 0.05 are taken as four exponential phases, which vary with 0.25: queues that "
        "grow of their variation come out longer, by up to a fifth.",
        "State scv = 0.05 or more where that is nearer, or leave out what no other method solves."),
    "QN745": _T("a null that the model was not given",
        "The null of a prediction is the nearest figure that the model was given: a claim of the same study and "
        "dimension that is given, fitted or an identity. Its error is the error of doing nothing.",
        'Name such a claim, or write null = "none: " and why nothing given can be compared.'),
    "QN746": _T("a study that cannot be fitted again",
        "With this alternative of a free choice no values of the fitted parameters were found that meet the claims "
        "they were fitted on: there may be none.",
        "Choose an alternative nearer to what is chosen, or tell it in words, without parameter and claim."),
}  # fmt: skip
