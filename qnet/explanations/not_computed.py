"""Where no answer exists, or none is computed: the codes that begin with QN4 and QN5."""

from __future__ import annotations

from qnet.explanations.explanation import Explanation as _T

CODES: dict[str, _T] = {
    "QN401": _T("no steady state",
        "More work arrives than the named station or limit can process, so queues grow without bound and no response "
        "time exists. This is a result about the system, not a defect of the model.",
        "Reduce the load, or give the saturated station more servers or less work; qnet envelope computes the largest "
        "load."),
    "QN402": _T("the limit cannot be met",
        "The metric exceeds the limit even at the lowest load, or does not reach a lower limit at the highest; or no "
        "value between meets it, several limits never hold together, or no value tried has a steady state; "
        "or every value satisfies the limits, so that there is no maximum or no minimum.",
        "Choose a feasible limit, or make the service faster; vary a parameter that loads or relieves the system."),
    "QN403": _T("an unbounded throughput",
        "A closed class has customers, zero demand and zero think time.",
        "Give the class a demand or a think time."),
    "QN404": _T("a curve without a knee",
        "The customers that grow in number never queue, so their response time is constant; or the range of the "
        "parameter ends below one customer; or none of the requested definitions has a knee, for the reasons in the "
        "message.",
        "Vary a parameter that loads a queueing station, widen the range, or select another --definition."),
    "QN501": _T("closed classes with a feature they do not support yet",
        "Closed classes, and rates that depend on the number present, are solved by the demands of their routes; by "
        "the method of layers for simultaneous resource possession and servers kept after the response. Rates, "
        "priorities and parallel steps are solved without such holds, or in networks with at most 40,000 states.",
        "Remove one of the two features from the model, or give the classes an arrival_rate instead of a population."),
    "QN502": _T("a number is too large",
        "Intermediate values exceed the floating-point range, about 1e308.",
        "Look for a unit that is wrong by many powers of ten."),
    "QN503": _T("the answer does not fit into memory",
        "The grid is solved as one batch, and has too many points for this machine.",
        "Use fewer values, or solve parts of the grid one after the other."),
    "QN510": _T("a finite-source wait did not converge",
        "The waiting time for an inner station is computed by an iteration that should always end.",
        "Report the model: this is a defect of qnet."),
    "QN511": _T("a fixed point did not converge",
        "Times or waits depend on the solution, or a closed network is approximated, and the iteration does not "
        "converge, or converges outside the feasible range. A solution whose convergence is not proven is not "
        "reported.",
        "Try a lower load; a model whose times grow with the load may have no steady state, or several. For closed "
        'networks the method "bard-schweitzer" almost always converges.'),
    "QN512": _T("a search did not end",
        "The search for the largest load should always end.",
        "Report the model: this is a defect of qnet."),
    "QN513": _T("the method does not apply",
        "The requested method does not support a feature of the network; the message names it.",
        "Omit --method, so that qnet chooses, or use one that applies: qnet methods lists them."),
    "QN514": _T("arguments of a method are wrong",
        "There is no such method or variant, or a feature of the network makes it meaningless.",
        "qnet methods lists the methods, their variants and bounds, and where each applies."),
    "QN515": _T("more work or memory than the limits allow",
        "A command may spend --operations (about 1e9 a second, 1e10 if not given) and --memory (1 GB if not given): "
        "searches, approximations, fixed points and Markov chains as well as exact answers. What is estimated to need "
        "more is refused before it begins; the rest is counted and stopped.",
        "Raise the limits, or ask less: fewer points, smaller populations, an approximation or bounds."),
    "QN516": _T("no second moments for percentiles",
        "Percentiles of response time are built from means and variances of the waiting times. This method computes "
        "means only, as do layers, priorities with closed classes, and limits on the number inside where the classes "
        "are closed, other customers visit the stations inside, or there is another limit inside, other than around "
        "one visit to a station with no more servers.",
        "Ask for means: response instead of response_p95. Open classes without simultaneous resource possession have "
        "percentiles, and so have those that hold a pool around stations that no other class visits."),
    "QN517": _T("no single steady state",
        "The Markov chain of the network has several recurrent sets of states, or its balance equations were not "
        "solved to the required accuracy, so no probabilities are reported.",
        "Use another method, such as auto; or give every class time to spend and a route through the network."),
    "QN520": _T("no closed form: a fixed point",
        "The formula involves the solution of a fixed point: a waiting time inside a hold, or a time that uses a "
        "metric of the solution, such as wait('disk'). Such numbers have no formula.",
        "qnet solve computes the number, qnet envelope the largest value of a parameter. Demands and capacities of "
        "stations that wait for no other have formulas."),
    "QN521": _T("no closed form of this metric",
        "Metrics of closed classes are computed by recursions; only demands, N* and bounds have formulas, for stations "
        "with servers and without holds. Waiting times of open networks with service or interarrival times that are "
        "not exponential are solutions of linear equations.",
        "Ask for demand, n_star, throughput_upper, response_lower and the like; qnet solve computes the number."),
    "QN522": _T("the formula cannot be solved for the parameter",
        "The metric contains the parameter in a form without an algebraic inverse: rounded, in an exponential or "
        "logarithm, in Erlang's C of several servers, in a polynomial of degree 3 or more, or not at all.",
        "qnet envelope solves it numerically: --vary the parameter, --limit the metric."),
    "QN523": _T("the network is too large for formulas",
        "A formula over this many visits would be unreadable.",
        "Ask for one station of a smaller model, or use qnet solve for numbers."),
    "QN530": _T("a cost with no units",
        "The units per passage are 0 at every point, so the server time cannot be divided among them.",
        "Choose a point with units above 0: no page moves before memory is exhausted."),
    "QN531": _T("too many corners",
        "Every uncertain parameter doubles the combinations of ends of ranges.",
        "Select the parameters with --by, after a --tornado has shown which ones matter; or use --sample."),
    "QN532": _T("no derivative",
        "The metric has no value at the given point, or no parameter can be changed there without losing the answer.",
        "Choose an interior point: set another value with -p."),
    "QN533": _T("least squares did not converge",
        "No step reduces the residuals, yet they are not orthogonal to the derivatives: the model has a jump or kink "
        "there; or the search did not end.",
        "Start elsewhere with -p, narrow the range with --between, or use more starts: --starts 20."),
    "QN534": _T("no start with an answer at every row",
        "At every starting point tried the model has no answer for some of the rows, mostly because it saturates at a "
        "load that was measured. The message names such a row, and the reason, for the start with the most answers.",
        "Give values with -p, or ranges with --between, at which all rows have an answer; or question the model."),
    "QN535": _T("a regression did not end",
        "The columns differ by less than rounding.",
        "Report the measurements: this is a defect of qnet."),
    "QN540": _T("the method of layers did not converge",
        "Waiting times under simultaneous resource possession are a fixed point of many unknowns; it is only reported "
        "if another iteration changes nothing by more than 1e-10 of the time of a passage.",
        "Change the load a little; remove holds without queueing; or give the classes that hold stations an "
        "arrival_rate instead of a population."),
    "QN541": _T("too many nested holds",
        "The work of the method of layers grows with the square of the requests of all routes for all stations, times "
        "the number of ways to hold servers.",
        "Combine similar routes, or nest fewer holds."),
    "QN543": _T("too many customers inside a limited subnetwork",
        "A subnetwork that admits a limited number of customers is solved for every number inside and around it, at "
        "every point of a grid.",
        "Use fewer points at a time, or fewer customers; or remove a limit that is never reached."),
    "QN544": _T("times depend on an unknown number inside",
        "inside('memory') is known where memory is held first come first served by one class, the only closed one if "
        "any is closed, around stations used by nothing else that hold no others. Otherwise the number inside depends "
        "on more than itself, and only networks with at most 40,000 states are solved.",
        "Give the hold separate stations, or replace inside() by a parameter and vary it with qnet sweep."),
    "QN546": _T("priorities that closed classes do not support yet",
        "With closed classes every class has one priority at each station, and stations have servers, not rates that "
        "depend on the number present; except in networks with at most 40,000 states.",
        "Split a class whose parts have different priorities; omit exempt; give servers, not rates."),
    "QN547": _T("preemption of a customer that holds another station",
        "At a station with discipline \"preemptive\" a customer can lose its server at any time. What that means while "
        "the customer holds, or waits for, another server is not defined.",
        "Use discipline = \"priority\" (head of line, non-preemptive)."),
    "QN548": _T("non-Poisson arrivals where their variability is not modelled",
        "The variability of arrivals is propagated through open networks whose stations are visited one after the "
        "other. With closed classes, rates that depend on the number present, holds of several stations, second-phase "
        "work and limits, and by the method open, all arrivals are taken as Poisson. Small networks at single points "
        "are solved as Markov chains, with their bursts; so qnet solve, sweep, map and envelope may answer, and qnet "
        "knee does not.",
        "Set arrival_scv = 1, or omit it, for Poisson arrivals; or model only the stations that bursts pass through, "
        "without the feature that the message names; or try qnet sweep over the parameter."),
    "QN549": _T("the loss fixed point did not converge",
        "The loss probabilities of full stations and buffers depend on each other, and the iteration did not converge.",
        "Try a lower load, and report the model with its parameters: this is a defect of qnet."),
    "QN550": _T("a metric is not known in closed form",
        "The station has no closed form for this metric, or its evaluation would lose all digits.",
        "Ask for means only, a lower load, or another metric."),
    "QN551": _T("blocking or loss that cannot be computed",
        "Stations with a capacity and buffers are solved in networks of open classes with fixed routes, but not with "
        "chains, inside holds, next to rates without a capacity or with rates and priorities, nor losses at a station "
        "that serves others in turn with the work that frees places; except by the Markov chain of networks with at "
        "most 40,000 states. No method computes a station with a capacity that parallel branches visit.",
        "Use an open class; put the station outside of holds; give the draining work a lower priority than other "
        "work."),
    "QN552": _T("parallel steps that are not computed",
        "A parallel step is inside a hold, which no method computes; or a station in a branch has rates that depend on "
        "the number present, and the network is too large for --method states.",
        "Put the hold inside the branches, or before the step; give the station servers."),
    "QN553": _T("no formula or percentile with parallel steps or second phases",
        "The time until the slowest branch has finished is an integral without a closed form; and closed classes with "
        "parallel steps or second phases have no percentiles.",
        "Ask for numbers and means: qnet solve computes them."),
    "QN554": _T("no distribution of the wait at a station",
        "The wait of a visit follows from the customers present on arrival, whose distribution theory has in networks "
        "of product form: exponential service with one mean in order of arrival at that station, no priorities, "
        "finite capacities or simultaneous resource possession. Elsewhere means alone are known.",
        "Ask for the mean, wait('NAME'); for percentiles of the response; or take the station alone with qnet queue, "
        "which has percentiles of the wait for many kinds of service time."),
    "QN555": _T("blocking with closed classes that cannot be computed",
        "With closed classes one buffer, or one station with a capacity, can be full: outside of holds, for closed "
        "classes alone, and for one of them if customers are lost. Waiting for a place while a station is held blocks "
        "that station for others, which changes the arrivals at the buffer in a way that is not modelled. "
        "Networks with at most 40,000 states are solved by their Markov chain in all cases.",
        "Follow the advice of the message; or give all classes an arrival rate."),
    "QN556": _T("too many places and customers",
        "With closed classes a buffer is solved for every number of places taken and of waiting customers, at every "
        "point of a grid.",
        "Use fewer points at a time; or remove a buffer so large that it is never full."),
    "QN557": _T("the blocking fixed point did not converge",
        "The shares of the classes among waiting and lost customers and the holding times of places depend on each "
        "other. They are only reported if another iteration changes nothing by more than 1e-10.",
        "Change the load a little, or combine classes that differ little."),
    "QN558": _T("a station would exceed its capacity",
        "A buffer of closed classes is solved for every number of places taken, and the estimates of all numbers are "
        "combined. Here they exceed the capacity of a station, so they are too inaccurate to be reported: mostly at a "
        "station that frees places and does much other work first come first served.",
        "Give the work that frees places a lower priority, or the station processor sharing; or change the load a "
        "little."),
    "QN563": _T("no bounds of parallel steps",
        "Theory has no bounds here: branches share a station, or a station with the steps before them; customers queue "
        "again after them; a branch is no part of a product-form network; or there are closed classes together with "
        "others, capacities, rates, or simultaneous resource possession.",
        "Solve without bounds; qnet methods --error lists the measured errors."),
    "QN586": _T("customers that never leave service",
        "A closed class without think time spends all its time at one station that serves the last arrival first. A "
        "customer that returns at once is served before all others, indefinitely: which customer that is depends on "
        "the initial state. Product form does not hold, because the states do not all communicate.",
        "Give the class a think time or another station to visit, or use ps, where all customers are served."),
    "QN587": _T("too many places at a station with general times",
        "The Markov chain of a finite-capacity station whose service times are not identical exponentials has a state "
        "for every place.",
        "Use fewer places: a capacity that is hardly ever reached gives the same answer. Or scv = 1 and one mean time, "
        "or discipline = \"ps\", which have closed forms."),
    "QN588": _T("too many states of a finite-capacity station with priorities",
        "The Markov chain of a finite-capacity station with priorities has a state for every number at every priority.",
        "Use fewer places, or fewer priorities; or omit a capacity that is hardly ever reached."),
    "QN589": _T("higher-priority classes leave almost no capacity",
        "A lower class receives the capacity that higher classes leave. Where closed classes use more than 90 % of a "
        "station, that is the difference of two nearly equal numbers, one of them an estimate: in simulations of wide "
        "families of networks the answer was wrong by factors of 2 to 1000. Also where the Markov chain of a small "
        "network shows that a closed class is never served.",
        "Give the higher classes fewer customers, or the station more servers; or remove the lower class, which hardly "
        "affects the others if it is preempted. Small networks are solved exactly, by their Markov chain: of up to "
        "40,000 states without being asked, of 50,000 by --method states."),
}  # fmt: skip
