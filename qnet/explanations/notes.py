"""Notes on an answer: the codes that begin with QN6 and QN7."""

from __future__ import annotations

from qnet.explanations.explanation import Explanation as _T

CODES: dict[str, _T] = {
    "QN601": _T("the answer is approximate",
        "The model has a feature without a known exact solution; the note names it, and QN741 states the errors "
        "that were measured. Typical ones are a few per cent at moderate load and grow near saturation.",
        "The answer is exact for the network without the named feature."),
    "QN602": _T("some points have no answer",
        "At some points of the grid the limit cannot be met or holds at every value, or there is no steady state.",
        "Read the status of those rows."),
    "QN603": _T("summary of a study",
        "The number of claims by role, how many predictions hold, and their errors. Only predictions are evidence for "
        "the model."),
    "QN604": _T("claims are missed",
        "A prediction is outside its tolerance, or a trend is not reproduced. The table lists the errors.",
        "Missed claims of a published source show the limits of the model."),
    "QN605": _T("a source",
        "The bibliographic record behind a key cited by a value."),
    "QN606": _T("--plot, --log or --safe-csv has no effect",
        "Charts are drawn in tables, Markdown and HTML, and in files; --log is about charts, --safe-csv about CSV.",
        "Omit the format for a table with a chart, use --md or --html, or --plot FILE.svg."),
    "QN607": _T("which method, and why",
        "There is more than one method for closed classes: the note names the one used and the reason. An "
        "answer that is not exact comes with bounds that enclose the exact one, where theory provides them.",
        "To change it, use --method, or raise --operations and --memory."),
    "QN608": _T("an assertion is false",
        "The answer is on standard output, and an --assert condition is false. A point of a grid without an answer "
        "fails every assertion.",
        "Check the value in the message; a pipeline detects it by exit code 6."),
    "QN609": _T("how percentiles are computed",
        "The times that a passage spends at the stations of its route are taken as independent, each gamma distributed "
        "with its mean and variance; in open networks the wait for an exponential service is zero or exponential. "
        "That is exact, and labelled so, for Poisson streams through exponential servers first come first served, "
        "several of them at the first and the last station of a route, single ones between, without overtaking: at "
        "most one path between any two stations. With feedback percentiles are off by a few per cent. Delays are "
        "exponential, as all times are that state no scv; constant ones, such as that of a link, give shorter ones.",
        "State scv = 0 for constant delays. The accuracy of the mean is that of the answer."),
    "QN610": _T("assumptions of a formula, or why there is none",
        "A formula may hold only while the same branch or station is binding as at the model's numbers, or may leave "
        "out waiting; or a metric of the model has no formula.",
        "Read the note before using the formula at other numbers."),
    "QN611": _T("how to read a formula",
        "Parameters that determine the structure of the network are numbers in formulas; functions that are not "
        "arithmetic keep a name.",
        "Set such a parameter with -p for another formula."),
    "QN612": _T("one side of a comparison is approximate",
        "The model of that side has a feature without a known exact solution; the note names it. A difference smaller "
        "than the error of the approximation is not significant.",
        "Compare the difference with the errors in qnet explain QN601."),
    "QN613": _T("one side of a comparison has no answer",
        "It has no steady state, or was not computed; the other sides are reported without it.",
        "Change its load or its settings; qnet solve gives the details."),
    "QN615": _T("a limit is crossed several times",
        "The metric of the limit rises and falls along the curve, as where a system thrashes. The knee is the "
        "first crossing, up to which the limit holds throughout; the others are listed.",
        "Look at the curve with --plot before using the later crossings."),
    "QN616": _T("the reference of a knee",
        "The response time of the first customer along the curve, delays and waits for other classes included: the "
        "basis of a multiple, and the unit of response time for curvature. Curvature of a long curve is measured over "
        "more than one customer."),
    "QN617": _T("demands depend on the number of customers",
        "Service times, visits or stations change along the curve, as where users page. N* is then the number that "
        "solves N = (Z + R0(N)) / Dmax(N).",
        "Compare n_star with n_star_unloaded: the difference is the cost of the dependence."),
    "QN618": _T("some knees do not exist",
        "A limit holds up to the end of the range or is exceeded by the first customer, or a metric still rises at "
        "the end of the range.",
        "Read the status of the row; widen the range of the parameter, or use another limit."),
    "QN619": _T("limits that hold again",
        "The largest value of an envelope is the end of the lowest interval in which the limits hold; the smallest is "
        "the beginning of the highest interval. There are others, as where a system thrashes.",
        "Use --crossings, which lists every interval and its binding constraint."),
    "QN620": _T("the resolution of an envelope",
        "Between two values of the search a limit may be crossed twice undetected. Values are denser near turning "
        "points of the metric close to its limit, so only intervals narrower than their distance may be missed.",
        "Narrow the range of the parameter in the model where you expect more."),
    "QN623": _T("waits inside holds limit the throughput",
        "A station held under simultaneous resource possession is also occupied by the waits for inner stations, so it "
        "saturates at a smaller load than its service alone would allow.",
        "Relieve the inner stations; the column waits inside shows their share of the time."),
    "QN624": _T("demands depend on the population, or on the solution",
        "Times or visits of the model change with a parameter that sets a population, or with a metric of the solution "
        "such as busy_servers('path'). Saturation points and N* hold for the present demands only.",
        "Repeat at another population with -p, or sweep the population."),
    "QN625": _T("some changes have no answer",
        "With one of the changes tried the model has no steady state or cannot be computed.",
        "Read the column status, and make the change in the model to investigate it."),
    "QN626": _T("not every station was changed",
        "A model of many stations would take long with each of them faster and with one more server: only the stations "
        "that saturate first and those with the largest residence times were tried.",
        "Change a station in the model to see its effect."),
    "QN627": _T("changes are less exact than the answer",
        "The changes tried share the budget of one answer, so they may be approximate where the answer is exact, or "
        "solved by another approximation. Their ratios compare them with the present system, solved in the same way.",
        "Raise --operations for exact changes, or use one --method for all."),
    "QN628": _T("elements of only one of two models",
        "Two models are compared, and a cost, a station, a class or a route exists in only one of them.",
        "Use the same names in both models. A missing part costs nothing there."),
    "QN629": _T("a metric has a kink at this value",
        "The derivatives from below and above differ, as at the edge of a max, a min or a where; both are listed, each "
        "for changes to its side.",
        "Use the side to which the parameter will move."),
    "QN630": _T("corners do not enclose the answer",
        "A parameter raises the metric at some combinations of the others and lowers it at others, so the metric is "
        "not monotone, and may be lower or higher inside the ranges than at any corner.",
        "Sample the ranges with --sample, which covers the interior."),
    "QN631": _T("the uncertain parameters",
        "These parameters vary over these ranges: low and high of the catalog, given ranges and spreads, and a "
        "percentage of every other.",
        "Narrow or widen them with --range, --spread and --within; select among them with --by."),
    "QN632": _T("derivatives are missing",
        "Some parameters have no derivative: there is no answer next to the given point, or the differences do not "
        "converge as the steps are shortened. The status of the row gives the reason.",
        "Sweep the metric around that value."),
    "QN633": _T("the error model",
        "The assumed errors of measurements determine the best fit and the width of intervals. Without --error and "
        "without a column of errors they are one common relative error, estimated from the scatter of the "
        "residuals, plus half of the last printed digit of each cell. Errors of the model are not included.",
        "Use --error 1%, --absolute, a column with the suffix _error, or a column weight."),
    "QN634": _T("parameters that cannot be distinguished",
        "The measurements respond in the same way, or nearly, to several parameters, so only a combination of them is "
        "determined.",
        "Measure at other conditions, at which they differ; or take one of them from another source."),
    "QN635": _T("a parameter that was not determined by the fit",
        "It has no effect on the measured metrics, or the fit stopped at the end of its range and would be better "
        "beyond.",
        "Omit it from --fit, widen its range where possible, or question the model."),
    "QN636": _T("several minima",
        "Searches from other starts ended at other local minima, with residuals up to twice as large, or within the "
        "errors of the measurements: of two identical stations, either may be the slow one. The best minimum is "
        "reported, and among equal ones the one reached from the model's values. Intervals hold around that one: a "
        "parameter has the status `another minimum agrees as well` where its value there is beyond.",
        "Narrow the ranges with --between to feasible values."),
    "QN637": _T("what a calibration left out",
        "Columns with names unknown to the model were ignored; or settings of the run are not in the written model.",
        "Name columns like parameters, metrics or outputs; repeat the settings where the model is used."),
    "QN638": _T("the order-of-arrival correction outside its measured region",
        "Waiting times of closed classes at a station first come first served are approximated from the customers "
        "ahead. Where service times differ by a factor of up to 3 and have an scv from 0.5 to 4, errors are those of "
        "qnet methods --error; beyond, with times up to 20 apart and an scv of up to 10, single errors were 20 to "
        "90 %, and with constant times 20 % of the throughput and 50 % of a queue length. The note names "
        "stations with times that differ by more than a factor of 3, or with an scv below 0.5 or above 4; and "
        "several servers together with parallel steps or second-phase work; and those next to a station that serves "
        "several closed classes last come first served, where the order of arrival decides which class is served "
        "next: throughputs were off by 20 %; and those of several classes with times more than a factor of 2 apart or "
        "an scv above 2, of which one soon returns or is served several times in a row: responses were 124 % off.",
        "Only the sign of a difference is reliable; compare with discipline = \"ps\", whose answer is exact for that "
        "discipline."),
    "QN640": _T("waiting times of the method of layers outside their measured region",
        "Under simultaneous resource possession, the waiting time at a station first come first served was "
        "measured against Markov chains of small networks whose holding times there differ by a "
        "factor of up to 3 between visits (qnet methods --error). The note names stations where they differ by more, "
        "or have an scv above 4: short visits then wait up to tens of per cent too long. It names stations whose "
        "times have an scv below 0.5, too: with constant times throughputs were within 1 %, and the queue in front of "
        "a station that is not the bottleneck twice as long as simulated. It names stations that "
        "classes hold for times more than a factor of 1.5 apart, or after the response, and one of them soon returns: "
        "responses were 49 % off, with second phases 129 %. It also names "
        "features that were not measured: a station with processor sharing or last come first served that is held "
        "while another is requested, or after the response, where single metrics were off by half and more; and open "
        "classes together with closed ones that hold servers.",
        "Only the sign of a difference is reliable."),
    "QN641": _T("a software bottleneck",
        "The servers of a station, such as agents or threads, are at least 80 % held, mostly while at inner stations "
        "that are themselves less than 80 % busy: more servers help, faster inner stations too, "
        "and the utilizations of the inner stations alone show no bottleneck: Neilson, Woodside, Petriu, Majumdar, "
        "IEEE TSE 21 (1995) 776-782.",
        "Give the station more servers, until an inner station limits."),
    "QN643": _T("two modes",
        "The number of customers in a limited subnetwork has a bimodal distribution, as where paging sets in: the "
        "system works well or thrashes for long, and occasionally changes between the two. The means lie between and "
        "are seldom observed.",
        "Lower the limit with qnet sweep --over until one mode is left; solve --states gives the probabilities."),
    "QN644": _T("the flow-equivalent approximation is unreliable around rare, long visits",
        "The rate of the one station that replaces a limited subnetwork depends on the number inside alone. Where a "
        "visit inside is rare and long, responses were up to 25 % too short in small closed networks, 75 % in open "
        "ones near capacity; 27 % where one customer at a time enters, or several are served in order of arrival, for "
        "an scv above 2; and too long where closed classes visit different stations inside, and estimates differ.",
        "Give the rare work a separate route and limit; or rely on the throughput more than on the response time."),
    "QN645": _T("a limited subnetwork near its capacity",
        "Arrivals wait for a place in a limited subnetwork at more than 70 % of its maximum throughput. It is replaced "
        "by one flow-equivalent station; up to that load the response had a median error of 0.23 % against Markov "
        "chains, and up to 20 %; at 90 % errors reached 40 %. Or such a subnetwork contains another one, which admits "
        "few customers at a time and regularly: the response was 25 % too long; or stations whose waits are "
        "approximate. Where each station inside is visited once, the wait for a place is corrected by the variability "
        "of the time inside and of the demands at the bottleneck: errors were 0.4 % in the median, and at most 2.9 %; "
        "where places are kept for work after the response, the median error was 0.32 %, and the largest 4.3 %.",
        "Rely on the capacity, and the trend, more than on the response time; or choose a lower load."),
    "QN646": _T("higher-priority classes leave little capacity",
        "A lower class receives the capacity that higher classes leave; the smaller the remainder, the larger its "
        "relative error: where higher classes use at most 60 % of a server, and service times differ by at most a "
        "factor of 3 to 10 as qnet methods --error states, the error of throughputs is 0.2 % in the median for one to "
        "four customers a class and 1 % for up to 25, and up to 19 %, of responses 24 % (consecutive visits of the "
        "first-served class, long services of higher classes, and long ones of lower classes without preemption have "
        "larger errors); between 60 and 90 % single errors reached 80 %, and more is refused (QN589). Without "
        "preemption, where higher classes would keep the server more than 80 % busy if they never waited, lower "
        "classes had several times their exact throughput; so they had where classes share a last-come-first-served "
        "station. Closed customers with short think times return at once, often while the customers they preempted "
        "still wait: there errors reached 40 % at 60 % already, in the networks of Bondi and Chuang, Performance "
        "Evaluation 8 (1988).",
        "Rely on the metrics of the higher classes; those of the lowest only show that it starves."),
    "QN647": _T("more than one solution",
        "Times of the model depend on its solution. Iterating from zero load converges to the reported solution; from "
        "a heavy load to another. Both are consistent: a real system remains near one for long and changes to the "
        "other by chance, as where paging sets in. Unstable solutions are not searched for.",
        "Lower the load until one is left; model a limit (hold a station around the steps) and use inside(), whose "
        "answer has the probability of every number of customers."),
    "QN648": _T("a mix of customers in its exact proportions",
        "Along a mix the customers of each parameter are rarely integers: ten of 25 users and 4 jobs are 8.62 "
        "and 1.38. Rates and numbers of customers are interpolated between the solved integer populations around that, "
        "and times are means weighted by passages, so that Little's law holds. Rounded to integers the curve "
        "would have steps, each a step of one class.",
        "Solve the setting in the row for integer populations, or vary one parameter alone."),
    "QN650": _T("the definition of a metric",
        "A remark on the station, without which its metrics could be misread."),
    "QN651": _T("no percentiles",
        "The distribution of the times of this station is not known in closed form.",
        "Use the mean, or a similar station whose percentiles are known."),
    "QN652": _T("what a standard deviation needs",
        "The standard deviation of a time or number at this station depends on more than mean and scv: on "
        "the third moment, or with processor sharing on the full distribution.",
        "Give the skewness (2 for an exponential time, 0 for a symmetric one), or the scv; or use means only."),
    "QN654": _T("variability outside its measured region",
        "In open networks each stream of customers is described by its rate and the squared coefficient of variation "
        "of its interarrival times, which is exact only for Poisson streams. Against exact chains of random networks "
        "of single servers at loads up to 0.95 the response had a median error of 0.35 % and a worst one of 6 % with "
        "Poisson arrivals (16 % with constant times in a row), by simulation 1.7 % and 12 % with routes and priorities "
        "of several classes; 2.3 % and 12 % with others, without feedback to a station; and 10 % and 25 % with others "
        "with feedback. The note names what is beyond: a queue behind others that change the variability of its "
        "arrivals, or behind routes that split and merge again, so much that it affects more than 10 % of the time "
        "there, such as constant times in a row at a high load, where errors reached 60 %; customers that go on to "
        "another queue from a station where others before them use more than 40 % of it, which they leave in bursts, "
        "so that times at that queue were a quarter too short; feedback, by route or through priorities; several "
        "servers that are not the only station; stations that are not first come first served behind streams that are "
        "not Poisson; several classes of which one does not arrive in a Poisson stream; an scv of services above 4, "
        "and of arrivals above 4, or above 2 where they continue to another queue. Second-phase work counts as "
        "feedback: it arrives in step with the customers, and responses were off by 60 % and more where it takes 20 "
        "times the service before it at the same queue. --method open takes all arrivals as Poisson: the note names "
        "the stations where qna would not.",
        "Only the sign of a difference is reliable there. qnet methods --error lists the measured errors."),
    "QN657": _T("a finite-capacity station outside its measured region",
        "A station with a capacity and Poisson arrivals is solved exactly with one exponential time for all visits, "
        "with one server first come first served, with one exponential time for each priority, with processor sharing, "
        "or without waiting room. The note names what differs: several servers, or priorities, with times that are not "
        "identical exponentials; visits made of several times; immediate feedback with such times. It is then taken as "
        "M/M/c/K of the mean time, or as one visit of the total time, which was not measured. Or it names a station "
        "that loses more than 10 % of its arrivals and whose customers continue to a queue, or return later: its "
        "output is taken as Poisson, which is wrong by up to 30 % of the response there; below 10 % it was 14 % at "
        "most. Or a queue before the station whose output is not Poisson. For a solved Markov chain: more than 10 % of "
        "the passages are lost after some time, and are assumed to take as long as the others: responses were off by "
        "up to 17 %.",
        "Give its visits one mean time and scv = 1, or discipline = \"ps\" where that matches the system."),
    "QN658": _T("a buffer outside its measured region",
        "The places of a buffer are taken as one queue at the station that drains them most slowly. That is exact "
        "where a dedicated single server drains them, and nothing happens between the fill and the response. Against "
        "Markov chains of 200 small buffers each, occupancies had a median error of 0.07 % and 0.7 % at most where "
        "customers wait for a place and all times are exponential; throughputs 1.5 % and 15 % where customers are lost "
        "and a single server does other work first, the places taken then 2.5 % and 42 %. Several copies drain as the "
        "stations of a closed network whose customers are the places: responses were off by 0.27 % in the median and "
        "1.3 % at most. The note names features that were not measured, or are inaccurate: other work that is long or "
        "highly variable compared with the time to free all places, where the throughput was up to twice the exact "
        "one; several servers that drain; copies whose services are not exponential, or that do other work for more "
        "than 10 % of the time; several places at once; more than one place in ten taken by work that cannot be "
        "drained yet, where responses were off by up to 70 %, and the drain rate is that of places that can.",
        "Solve a smaller model with --method states, which is exact for exponential times, and compare; or rely on the "
        "drain rate where places are drained as soon as they are filled."),
    "QN660": _T("parallel steps outside their measured region",
        "The time until the slowest of parallel branches has finished was measured against Markov chains of 400 small "
        "systems: the worst error was 1.2 %, for branches with exponential service times at separate stations or "
        "copies; for queue lengths of closed classes, 12 %. The warning names what goes beyond that. Customers that "
        "visit the station of a branch before or after it as well queue behind their branches there. Branches that "
        "share a station wait for each other as well, which is neglected, so the answer is too short, by up to 30 % in "
        "simulations. Closed customers that continue before all branches have finished queue behind the remaining "
        "ones: responses were off by up to 18 %, numbers at stations by up to 43 % in simulations of 18 random "
        "networks. At several servers the branches of closed customers seem to wait even where there are enough of "
        "them: responses were up to 23 % too long. Service that varies less than exponential times makes branches more "
        "similar, and the answer too long, by up to 20 %.",
        "Give branches separate stations or copies; treat the answer as rough."),
    "QN662": _T("second-phase work of closed classes outside its measured region",
        "Second-phase work of closed customers delays customers that use the same station. Against Markov chains of "
        "200 small systems each, at any load, the median error of the response was 0.7 % and the worst 11 % first come "
        "first served at single servers, 0.2 % and 17 % where one closed class shares the servers with its second "
        "phase. One customer alone first come first served is exact. The warning names several servers first come "
        "first served, where the worst was 21 %, rates, where a queue was 26 % off, and several classes that share a "
        "station with the second phase of one of them, which was not measured.",
        "Treat the answer as rough; move the second-phase work to a separate station."),
    "QN663": _T("percentiles outside their measured region",
        "Percentiles take the times at the stations of a route as independent gamma times. Against exact chains that "
        "follow one customer, the worst of the 90th, 95th and 99th percentiles was off by 0.1 % in open networks of "
        "exponential servers and 3 % in closed ones (median of 200 each; worst 1 % and 19 %), by 3 % with processor "
        "sharing, and by 4 % with service times of an scv up to 2 (14 % at worst), less at several servers, where "
        "those of an scv above 1 are hyperexponential times apart from the wait. Against simulations it was off by 1 % "
        "on routes through several servers (5 % at worst), by 4 % (12 %) where customers of open classes visit a "
        "station again, by 7 % (15 %) where several of them share service, and by 4 % (28 %) in networks of single "
        "servers with an scv up to 2. The warning names what is beyond, and for a sweep at how many points: "
        "percentiles below the 50th, which depend on whether customers wait at all, and above the 99.9th, which depend "
        "on the tails of times (those between are as good as these, 24 % off at worst); longer-tailed services; "
        "classes with different times at a queue, where short times that rarely wait for long ones put it 20 to 60 % "
        "off; visits inside holds that are no integer, since some passages then leave a station out (routes with "
        "probabilities state that as it is); several visits of a station in a row, more than four of open classes, or "
        "two of closed ones, which meet the same long queue again and again, so that the percentile is too short by a "
        "third and more; open customers with probabilistic feedback, which see long queues repeatedly, so that the "
        "percentile is too short by 11 % mostly and 27 % at worst; many closed customers at two stations of similar "
        "utilization, whose queues are negatively correlated, so that it is too long by half and more; and features "
        "that were not measured, such as parallel steps, priorities, capacities, and holds.",
        "Rely on the mean; the percentile is an indication. qnet methods --error lists the measured errors."),
    "QN670": _T("buffers of closed classes outside their measured region",
        "The occupancy of a buffer or a station filled by closed classes rises and falls at the throughputs of the "
        "rest of the network, given its customers. Against Markov chains of 1200 small systems of one to six customers "
        "the throughput had a median error of 0.1 to 0.5 %, and 5 % at most; the places taken 1 to 4 %, and 35 % at "
        "most where the station that frees them does other work as well; queue lengths 2 %, and 15 % at most; with "
        "classes of long and short think times, or a slow station in front, throughputs 4 %, responses 8 % and queue "
        "lengths 24 % at most. The note names features that were not measured, or are inaccurate: times to free a "
        "place that are not exponential, or differ; delays with a place above a tenth of the time to free it, where "
        "throughputs were off by up to 69 %; several places taken at once; losses where the station that frees places "
        "does other work, or the filling customers use it for other work too, a single customer, and queues between "
        "taking a place and the response, where single systems were off by 10 to 40 % of the response and by a factor "
        "of the places taken; more than 10 % lost, where throughputs were off by 16 % and the rate at which passages "
        "begin by 86 %, since lost customers retry while it is still full.",
        "Rely on the throughput more than on blocking probabilities; limits and drain rates do not depend on them."),
    "QN675": _T("the largest load by capacities alone",
        "Near saturation the waits inside holds change so steeply that the fixed point was not proven to converge, or "
        "an approximation saturates where the Markov chain of all states has a steady state. The saturation load by "
        "service times alone is reported instead: there is no steady state beyond it, and the steady state may end "
        "somewhat earlier.",
        "Solve the relevant loads; qnet sweep shows which of them have an answer."),
    "QN679": _T("bounds of the response with parallel steps",
        "The exact mean response lies between two bounds. In open networks whose branches share no station, a step "
        "takes at least as long as its slowest branch, and at most the maximum of independent exponential times with "
        "the means of its branches, if each is a line of single exponential servers, first come first served; "
        "otherwise at most the sum of all branches. If only some branches are waited for, the lower bound is the "
        "smallest of the slow ones and the upper bound the largest of the fast ones. For one closed class the bounds "
        "are asymptotic: no queueing, or a station that is always busy; and everything in sequence.",
        "The measured errors of the answer itself are much smaller (qnet methods --error)."),
    "QN690": _T("no data left to test the model",
        "There are as many measurements as parameters, so any model fits them, right or wrong. The intervals are "
        "only as wide as the stated errors, or those of the printed digits.",
        "Measure more rows, hold some out with --hold-out, or fit fewer parameters."),
    "QN691": _T("the model does not fit the measurements",
        "The residuals scatter more than the stated errors of the measurements explain, at the 99 % level: the errors "
        "are larger, or the model is wrong. Intervals use the scatter. A factor of 2 or more suggests a wrong unit.",
        "Look for rows whose residuals have one sign; compare other models: qnet calibrate A.toml B.toml "
        "MEASURED.csv."),
    "QN692": _T("intervals by profile",
        "Where the sum of squares is not quadratic around its minimum, because the model has kinks, steps, "
        "or hardly depends on a parameter, its interval ends where the sum of squares, with all other parameters "
        "fitted again, has risen by Student's t squared times the variance (Bates and Watts 1988, chapter 6)."),
    "QN693": _T("an interval with an open end",
        "The sum of squares does not rise enough on one side, or both, within the range of the parameter: "
        "these rows bound it on one side only, or do not determine it.",
        "Measure at conditions where the parameter matters, or set it from another source with -p."),
    "QN694": _T("a minimum that is not proven",
        "The model has jumps in a parameter, as where a number is rounded, so that no derivative proves a "
        "minimum: it is the best of the values tried along every parameter, and intervals are by profile.",
        "Narrow the ranges with --between to see whether the minimum persists."),
    "QN695": _T("held-out measurements outside their prediction intervals",
        "A prediction interval contains a new measurement in 95 of 100 cases, given the errors of the measurements "
        "and of the parameters. If more lie outside, the model has larger errors than the fitted rows show, as may "
        "happen when the held-out rows extrapolate.",
        "Do not rely on the model there, or fit to rows similar to those to be predicted."),
    "QN696": _T("the uncertainty of a calibration",
        "The model states how well its fitted parameters are known. Intervals are 95 %, from their covariance, "
        "propagated by derivatives of each metric, for positive ones in their logarithm. Two systems with the same "
        "calibration vary together, so their difference may be known better than either. At a knee its position "
        "has an interval, and throughput and response time have those at the reported point. Parameters that the rows "
        "did not determine, and the error of the model itself, are not included.",
        "Calibrate with more rows; -p sets a parameter to a value without uncertainty."),
    "QN697": _T("the uncertainty of a calibration is incomplete",
        "Some fitted parameters were not determined by the measurements, or a metric has no answer next to its "
        "point, so that its interval would be too narrow, or is omitted.",
        "Take these parameters from another source, or measure where they matter."),
    "QN698": _T("candidates ranked by prediction of left-out rows",
        "Each model is fitted again without each row, and judged by its error at the rows left out. The model with the "
        "most parameters often has the smallest residuals, and the largest prediction error.",
        "Take the first one, and calibrate it alone for its parameters; models that differ little cannot be "
        "distinguished by these rows."),
    "QN700": _T("columns that were not used",
        "These columns are no parameters of the model, with or without a unit suffix, and are passed through "
        "unchanged.",
        "If they are meant as parameters, rename them; qnet catalog show lists the parameters."),
    "QN701": _T("a change without effect",
        "A parameter was set or varied, and no reported metric depends on it; or a side of a comparison equals the "
        "first side.",
        "Check the name of the parameter: qnet catalog show, or the file, lists all of them."),
    "QN702": _T("a class without customers",
        "A closed class has population 0: its throughput is 0, and it has no response time. The response reported is "
        "that of its demands alone, without waiting; a first customer would wait for those of the other classes.",
        "Give the class a population of 1 for the response time of a first customer."),
    "QN703": _T("simultaneous events",
        "Two services, or a service and a think time, take zero time. The answer is exact for the order defined in "
        "qnet help semantics: zero times are the limit of short times, in the order in which they begin. Another order "
        "may give other results, by several per cent with few customers.",
        "Remove steps of zero time, or give them a short time, so that the model determines the order."),
    "QN704": _T("a truncated chain",
        "No other method applies, and the Markov chain has too many states: those with more open customers are "
        "truncated, with the probability in the note. It is at most 1e-3, and metrics are off "
        "by a small multiple of it.",
        "Raise --operations with --method states, or lower the load, for an exact answer."),
    "QN707": _T("the largest load is approximate",
        "The answer is exact, by the Markov chain of all states. Near saturation that chain is unbounded, and the "
        "saturation load is that of another method: the output of a full station is taken as Poisson, or waits inside "
        "holds are approximated.",
        "Solve loads near it; qnet sweep shows which of them have an answer."),
    "QN716": _T("open classes with dominant waits inside holds",
        "Under simultaneous resource possession, the inner waiting time is estimated from the load, and from the "
        "number of possible requests. Its weight is measured by making all inner waits 10 % longer: "
        "against exact chains of 200 or 400 small systems each, at loads up to 0.95, the response had a "
        "median error below 1 % and was off by 20 % at most where it then grows by at most 2 %. Beyond that, as where "
        "holders nearly saturate the inner station, or the held one nearly saturates because of it, responses were off "
        "by half and more, and a steady state may be reported where there is none. The note also names features that "
        "were not measured: "
        "times in or around holds that vary more than exponential ones (scv above 1; from 1/4 to 1 they were measured, "
        "and constant ones agreed with simulations); a given scv of an entire hold with other stations inside, instead "
        "of that of its steps; a station that is held, or kept after the response, and "
        "is not first come first served; customers that go from a held station to the one its holders request, and "
        "so find fewer of them than on average; and, with second phases, a queue first come first "
        "served whose times are not one exponential time. Errors there reached 60 %.",
        "Lower the load; or simulate the model if it must run at that load."),
    "QN717": _T("rates at a station without product form",
        "A station whose speed depends on the number present is solved as processor sharing, and so are the other "
        "stations of its network where a station is held while another is used, or there is second-phase work or "
        "parallel steps. First come first served that is right only for one exponential service time for all visits.",
        "Give the station the discipline \"ps\", whose answer is exact for that discipline; or one exponential time."),
    "QN727": _T("the method ignores the order of arrival",
        "A station first come first served has times that differ between classes or are not exponential, and the "
        "method solves it like processor sharing: because it was requested by name, or because the station has rates, "
        "for which no order-of-arrival correction is known. Throughputs of small networks were "
        "wrong by 15 % in the median, and by more than 100 % where times are far apart.",
        "Omit --method, or give the station servers instead of rates; with discipline = \"ps\" the answer is "
        "exact for that discipline."),
    "QN728": _T("last come first served with several servers",
        "Last come first served by several servers has product form, and is exact, if all visits have one exponential "
        "service time. Otherwise it is solved like processor sharing: in 527 random closed networks whose "
        "times differed by up to a factor of 3, or had an scv from 0.5 to 4, throughputs were off by up to 140 %.",
        "Use --method states, which is exact where the network is small; or simulate it."),
    "QN729": _T("arrivals correlated with holds",
        "The waits of layers are averages over time. A customer that requests a station right after a hold in which it "
        "was requested, or starts second-phase work there, arrives together with the next holder, and finds other "
        "queues than on average: responses were off by 23 % and numbers at stations by 77 % in small random networks.",
        "Use --method states, which is exact where the network is small; or simulate it."),
    "QN730": _T("constant times as a few phases",
        "No other method applies, and a Markov chain has no constant times. Those with a squared coefficient of "
        "variation below 0.05 are taken as four exponential phases, with an scv of 0.25: queues that depend "
        "on their variation are too long, by up to a fifth.",
        "Set scv = 0.05 or more where that is closer, or remove the feature that no other method solves."),
    "QN731": _T("an output that is also read",
        "The file of -o or --write, or the one that standard output goes to, is the model, the rows, the "
        "measurements, a part that the model uses, standard input or another output: it would be lost.",
        "Write to another file; rename it when it is complete: -o new && mv new old."),
    "QN732": _T("rows of an incomplete run",
        "qnet map, sweep or calibrate ended before its work was done. The file of -o is unchanged; what is finished, "
        "complete lines, is in the file named in the message, which ends in .partial.",
        "Use these rows, or delete the file, and run the command again."),
    "QN733": _T("a row without an answer, with --strict",
        "The row cannot be read, has no answer, or has an undefined metric, and --strict stops there. "
        "The rows before it are answered.",
        "Correct the row, or leave out --strict: its status then gives the reason, and processing continues."),
    "QN734": _T("an interrupted run",
        "The run was interrupted, as by Ctrl-C, before its last point. The points that are reported are finished; "
        "the exit code is 130.",
        "Run the command again for the others, with fewer points if it takes too long."),
    "QN735": _T("an undefined figure",
        "An output, a metric or an assertion is an expression whose arithmetic fails at this point, such as a division "
        "by zero, the logarithm of zero or a value above 1e308; or it uses a figure that is infinite. All other "
        "figures are computed; an assertion on an undefined figure is false.",
        "Change the values that the message names; or guard the expression, as in where(rate > 0, work / rate, 0)."),
    "QN736": _T("a fit that ended early",
        "The operations of the command were spent, or it was interrupted, before the search of qnet calibrate had "
        "proven a minimum or computed the errors of the values. The values with the smallest residuals so far are "
        "reported, without errors; the exit code is 5, or 130.",
        "Allow more with --operations, fit fewer parameters, narrow --between, or name a faster --method."),
    "QN737": _T("rows of measurements that cannot be read",
        "Rows with a cell that is not a number or a quantity of the right dimension, or with more or fewer cells than "
        "the header, are left out of the fit. The report lists each with its text and the reason.",
        "Correct the rows; empty the cells where nothing was measured; --strict stops at the first such row."),
    "QN738": _T("a number that depends on the solution leaves its domain",
        "Times, visits or probabilities that use figures of the solution, such as wait('cpu'), are computed again in "
        "every round of a fixed point. In one of the rounds a time is negative, a probability above one or an "
        "expression has no value. The model without load is valid.",
        "Bound the expression, such as max(0 s, 5 ms - wait('cpu')), or choose a smaller load."),
    "QN739": _T("it is not stated whether a class visits a station",
        "A network of demands without visits says nothing of a class whose demand at a station is 0: one that visits "
        "it for no service time still waits behind others where they are served in order of arrival, one that does not "
        "visit it does not wait. Without visits the class is taken not to visit the station, and the answer is that of "
        "such a network.",
        "Give qnet.Network visits: 0 where a class does not come, above 0 where it does."),
    "QN740": _T("a fit by approximations",
        "qnet calibrate searches by approximations, and then moves the minimum to that of the exact method, where the "
        "rows of the measurements have one. That was not possible here: values, residuals and figures are all those of "
        "the approximation that is named.",
        "Allow more with --operations, or fit on rows with fewer customers."),
    "QN741": _T("measured errors",
        "The method was compared with exact answers of at least 200 random systems for each feature that is named: "
        "none had an error above the first number, and half of them were below the second, for the class where it is "
        "largest. Figures whose errors may be larger are named. Outside the regions of these systems (qnet methods "
        "--error) there is a warning instead, and no note where a combination of features was not measured.",
        "Read differences between two answers with these errors in mind."),
    "QN742": _T("a class with hardly any arrivals",
        "No method solves the network with it: it is left out for others, its response its demand.", "Remove it."),
    "QN745": _T("a null that was not an input of the model",
        "The null of a prediction is the nearest figure that was an input of the model: a claim of the same study and "
        "dimension that is given, fitted or an identity. Its error is that of a forecast without the model.",
        'Name such a claim, or write null = "none: " and the reason why no input can be compared.'),
    "QN746": _T("a study that cannot be fitted again",
        "With this alternative of a free choice no values of the fitted parameters satisfy the claims "
        "they were fitted to: there may be none.",
        "Choose an alternative closer to the chosen one, or describe it in words, without parameter and claim."),
    "QN747": _T("a search for the largest load that was stopped",
        "Loads contain waits, or times depend on the solution, so that every load that is tried is a fixed point; the "
        "searches for the end of the steady state may take a fifth of the operations. The largest load is then the "
        "largest one tried with a steady state, or that of the capacities at the present times, which can be too large "
        "where waits or times grow with the load. Changes whose search was stopped have no saturation throughput.",
        "Raise the limit with --operations, or ask qnet envelope for the largest load that meets a limit."),
    "QN748": _T("--value with more than one number",
        "--value prints one bare number, for scripts; it was given with no metric or with several, or with a format.",
        "Give exactly one --metric or --percentile, or leave out --value."),
    "QN749": _T("the load of a station is stated in two ways",
        "service_rate replaces the service time, offered erlangs and utilization the arrival rate; they were "
        "given together with what they replace, without what they need, or for a station to which they do not apply.",
        "Give one statement of each: arrival rate or offered erlangs or utilization; service time or service rate."),
    "QN750": _T("n in a formula of rates",
        "In rates = \"FORMULA\" the name n is the number of customers present, so that no parameter can be called n.",
        "Rename the parameter."),
    "QN751": _T("an answer on a system without a steady state",
        "The system of qnet why is saturated: at some station more work arrives than it can process. No mean response "
        "exists; the report compares demand with capacity and states the smallest changes that cure it.",
        "Apply one of the changes with a margin: at the stated limit the response is still unbounded."),
    "QN752": _T("a station held around delays",
        "A pool of connections held around delays alone is a station with as many servers, whose service time is the "
        "sum of the delays: means and percentiles are those of that station.",
        "Put a station inside the hold where calls wait for each other."),
    "QN753": _T("an argument of another type",
        "A function of the Python interface was called with an argument of a type that it does not take, such as a "
        "list instead of a text. Any real number is accepted: numpy's, Decimal, Fraction.",
        "Use the types of the signature; help(qnet.System) lists them."),
    "QN755": _T("measurements that cannot be brought into shape",
        "--column COLUMN=NAME gives a column of the measurements another name; --melt PATTERN makes one row for each "
        "condition that titles of columns state. The text cannot be read, fits no column, or would make two columns of "
        "one name.",
        "Name a column as it is in the header; write a pattern such as 'rt_{rate}_ms=response_ms' or '{}@{rate}'. "
        "qnet help measurements has examples."),
    "QN756": _T("how a table was read",
        "Cells are separated by commas, or by semicolons or tabs where the header has no comma; then numbers such as "
        "1,5 have a decimal comma, unless the column has decimal points too. Lines that begin with # are comments.",
        "Where a number is read wrongly, write a decimal point; put a cell that begins with # in quotation marks. A "
        "cell in quotation marks may run over lines; unless it is meant, a stray mark hides rows: write it twice."),
    "QN757": _T("a model that is not tidy",
        "qnet check --format --diff prints what tidy spacing would change: one space around signs, two for each open "
        "bracket, a blank line before each table. The model itself is valid.",
        "Run qnet check FILE --format, which rewrites the file; comments and order remain."),
    "QN758": _T("a model of service demands",
        "calibrate --demands --write states the estimated demands as an open model. The utilization law determines "
        "demands only: stations are taken as processor sharing, which is insensitive to the distribution of service "
        "times, and classes arrive at random at the mean throughput of the rows fitted.",
        "Edit disciplines, populations and think times of the written model where they are known."),
    "QN760": _T("a file of another tool that cannot be read",
        "qnet convert was given a JMVA, LQN or CSV file that is not what its format says: not well-formed, a number "
        "out of range, a name that is missing or repeated. XML with a document type or entities is refused, and so "
        "are files that are too large or nest too deeply.",
        "Correct the line that the message names; qnet help exchange describes what is read of each format."),
    "QN761": _T("PNG and PDF figures need matplotlib",
        "Figures are written as SVG without any other package; PNG and PDF are drawn by matplotlib, an optional extra.",
        "Write --plot FILE.svg, or install the extra: pip install 'qnet-solver[plot]'."),
    "QN762": _T("unknown format of a figure",
        "The suffix of the file decides the format of a figure.",
        "Name a file that ends in .svg, .png or .pdf."),
    "QN763": _T("there is nothing to draw",
        "The answer has no curve: a single point, no number on both axes, or none above 0 on a logarithmic axis.",
        "Ask along a grid, as with qnet sweep --over or qnet envelope --over; leave out --log."),
    "QN764": _T("pandas or polars is not installed",
        "report.to_pandas() and report.to_polars() make tables of these packages, which qnet does not need otherwise.",
        "Install the package; or use report.records(), a list of dicts, or dict(report.columns), arrays by name."),
    "QN765": _T("a report has no column of that name",
        "report.columns[name] takes the names that CSV has, such as response_s, or the same without the unit.",
        "list(report.columns.keys()) has the names of this report."),
    "QN766": _T("something that the other format cannot express",
        "qnet convert lists every item that the target format cannot express, with its line or key: names of "
        "parameters, questions, results. Unless the note states a change, the solution remains the same.",
        "State such items again where the converted model is used."),
    "QN767": _T("a conversion that would change the solution",
        "The model has features that the target format cannot express and that affect the solution, such as "
        "simultaneous resource possession or forwarded calls. All of them are listed.",
        "Keep the model in its format. From a model of qnet, --lossy accepts the difference."),
    "QN768": _T("Markov chains that were not tried any more",
        "Small networks without product form are solved by the Markov chain of all their states. All chains of a "
        "command may take three quarters of its operations; the rest is for approximations. At some points nothing "
        "was left for the chain, and an approximation answered that the point alone might not need.",
        "Allow more with --operations, ask for fewer points, or solve the point alone."),
    "QN800": _T("a file of a monitoring tool that cannot be read",
        "qnet measured reads JSON of sysstat (sadf, iostat, mpstat), the text of vmstat and answers of Prometheus. The "
        "file is none of these, is cut off, has no measurements, or covers another period than the first file.",
        "Write the file again, with a count so that the tool ends its JSON; qnet help exchange has the commands."),
    "QN801": _T("how a file of a monitoring tool was read",
        "The first report of iostat and vmstat is the mean since the system started and is left out. Utilization of "
        "processors is the mean of all of them, so that the number of processors is that of servers.",
        "Keep the first report with --first; give qnet calibrate --servers cpu=NUMBER."),
}  # fmt: skip
