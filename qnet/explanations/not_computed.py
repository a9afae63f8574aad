"""What is not computed: the codes that begin with QN5."""

from __future__ import annotations

from qnet.explanations.explanation import Explanation as _T

CODES: dict[str, _T] = {
    "QN501": _T("closed classes beside what they cannot have yet",
        "Closed classes, and rates that depend on the number present, are solved by the demands of their routes; by "
        "layers where stations are held while others are waited for, or kept after the response. Rates, priorities and "
        "parallel steps are solved without such holds, or in networks with at most 40,000 states.",
        "Leave one or the other out of the model, or give the classes an arrival_rate in place of a population."),
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
        "Leave --method out, so that qnet chooses, or take one that applies: qnet methods lists them."),
    "QN514": _T("a method is not well asked for",
        "There is no such variant of the method, or the network has something that makes it meaningless.",
        "qnet methods lists the methods, their variants and bounds, and what each applies to."),
    "QN515": _T("too large for an exact answer",
        "The work and the memory of every exact method were estimated, and are more than allowed.",
        "Use an approximation or bounds, or allow more."),
    "QN516": _T("no second moments for percentiles",
        "Percentiles of response are built from means and variances of the waits, which this method does not give: "
        "limits on how many are inside, layers, and priorities beside closed classes have means alone.",
        "Ask for means: response in place of response_p95. Open classes have percentiles at every station that is not "
        "held while others are waited for."),
    "QN517": _T("no single steady state",
        "The Markov chain of all states of the network has states that are never left or never come back, or its "
        "probabilities were not found to be in balance, so that none of them is told.",
        "Use another method, such as auto; or give every class time to spend and a way through the network."),
    "QN520": _T("no closed form: a fixed point",
        "A formula was asked of something that qnet finds by a fixed point: a wait inside a hold, or a time that uses "
        "a figure of the solution, such as wait('disk'). Such numbers have no formula.",
        "qnet solve tells the number, qnet envelope how large a parameter may be. Demands and capacities of stations "
        "that wait for no other have formulas."),
    "QN521": _T("no closed form of this",
        "A formula was asked of what has none: figures of closed classes are found by recursions, and only demands, "
        "N* and bounds are formulas, for stations with servers and without holds. Waits of open networks whose "
        "services or arrivals vary otherwise than exponential times are found by linear equations.",
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
        "a load that was measured. The message names such a row, and why, at the start at which most rows have one.",
        "Give values with -p, or ranges with --between, at which all rows have an answer; or doubt the model."),
    "QN535": _T("a regression did not end",
        "The columns differ by less than rounding.",
        "Report the measurements: this is a fault of qnet."),
    "QN540": _T("the waits of layers did not converge",
        "What is waited for while servers are held is a fixed point of many unknowns; it is only told where one more "
        "round changes nothing by more than 1e-10 of the time of a passage.",
        "Change the load a little; leave out holds that nobody waits for; or let the classes that hold stations arrive "
        "at a rate, with an arrival_rate in place of a population."),
    "QN541": _T("too many holds in holds",
        "The method of layers takes the requests of all routes for all stations squared, for every way to hold "
        "servers.",
        "Put routes that differ little together, or fewer holds into each other."),
    "QN543": _T("too many numbers of customers inside",
        "Where only so many customers may be inside a subnetwork, it is solved at every number inside and around it, "
        "at every point of a grid.",
        "Ask for fewer points at a time, or for fewer customers; or leave out a limit that is never reached."),
    "QN544": _T("times depend on a number inside that is not known",
        "inside('memory') is known where memory is held first come first served by one class, the only closed one if "
        "any is closed, around stations that nobody else uses and that hold no others. Elsewhere the number inside "
        "depends on more than itself, and only networks with at most 40,000 states are solved.",
        "Give what is held its own stations, or a parameter in the place of inside(), and vary it with qnet sweep."),
    "QN546": _T("priorities that closed classes cannot have yet",
        "Beside closed classes every class has one priority at each station, and stations have servers, not rates that "
        "depend on the number present; but in networks with at most 40,000 states.",
        "Make classes of the parts that have priorities of their own; leave exempt out; give servers, not rates."),
    "QN547": _T("an interruption of what holds another station",
        "At a station with discipline \"preemptive\" a server is taken from its customer at once. What that means "
        "while the customer holds, or waits for, a server elsewhere is not known.",
        "Use discipline = \"priority\", which serves the highest first and interrupts nobody."),
    "QN548": _T("arrivals that are not Poisson, where that is not followed",
        "The variability of arrivals is followed through open networks whose stations are visited one after the other. "
        "Beside closed classes, rates that depend on the number present, holds of several stations, work left after "
        "the response and limits all arrivals are taken as Poisson, and so they are by the method open.",
        "Say arrival_scv = 1, or leave it out, to take arrivals as Poisson; or make a model of the stations that "
        "bursts go through, without what the message names."),
    "QN549": _T("what is lost was not found",
        "The shares of customers who find something full depend on each other, and did not settle.",
        "Try a lower load, and report the model with its parameters: this is a fault of qnet."),
    "QN550": _T("a figure is not known in closed form",
        "The station has no closed form for this figure, or its numbers would lose their digits.",
        "Ask for means only, a lower load, or another figure."),
    "QN551": _T("something may be full where that cannot be computed",
        "Stations with a capacity and buffers are solved in networks of open classes with fixed routes: beside "
        "chains, rates and inside holds they are not, nor what is lost where a station serves others in turn "
        "with the work that frees places; but by the chain of all states, where it has at most 40,000 of them.",
        "Take an open class; put the station outside of holds; give what drains a lower priority than other work."),
    "QN552": _T("parallel steps that are not computed",
        "A parallel step stands inside a hold, or a station in a branch has rates that depend on the number present, "
        "and the network is too large for --method states.",
        "Put the hold inside the branches, or before the step; give the station servers."),
    "QN553": _T("what parallel steps and work left behind do not have",
        "A formula was asked of the time until the slowest branch has finished, which is an integral; or a percentile "
        "of a network whose closed classes have parallel steps or leave work behind.",
        "Ask for numbers and means: qnet solve tells them."),
    "QN555": _T("what may be full beside closed classes where that cannot be computed",
        "Beside closed classes one buffer, or one station with a capacity, may be full: outside of holds, for closed "
        "classes alone, and for one of them where those who find it full are lost. A wait for a place while a station "
        "is held keeps that station from others, which changes what comes to the buffer in a way that is not followed. "
        "Small networks are solved by the chain of all their states, at most 40,000, whatever is full in them.",
        "Take the way out that the message names; or give all classes an arrival rate."),
    "QN556": _T("too many places and customers",
        "Beside closed classes a buffer is looked at with every number of places taken and of customers who wait, at "
        "every point of a grid.",
        "Ask for fewer points at a time; or leave out a buffer so large that it is never full."),
    "QN557": _T("who waits for a place, or is lost, was not found",
        "The shares of the classes among those who wait for a place, of those who are lost, and how long places are "
        "kept, depend on each other. They are only told where one more round changes nothing by more than 1e-10.",
        "Change the load a little, or put classes together that differ little."),
    "QN558": _T("work that a station cannot do",
        "What closed classes fill is solved with every number of places taken, and the estimates of all numbers are "
        "put together. Where they ask more of a station than its servers can do, they are too far from each other to "
        "be told: mostly at a station that frees places and does much other work first come first served.",
        "Give what frees places a lower priority, or the station processor sharing; or change the load a little."),
    "QN563": _T("no bounds of parallel steps",
        "Bounds were asked for, and theory has none: branches meet at a station, or meet what is before the step; "
        "customers queue again after it; a branch is no part of a network of product form; or there are closed classes "
        "beside others, capacities, rates, or stations held while others are asked for.",
        "Solve without bounds; qnet methods --error tells how far the answer was from exact ones."),
    "QN586": _T("customers who are served for ever",
        "A closed class without think time spends all its time at one station that serves the last arrival first. Who "
        "comes back at once is served before all others, for ever: who that is depends on how it began, and the others "
        "are never served. Product form does not hold, as the states do not all reach each other.",
        "Give the class a think time or another station to visit, or use ps, where all present are served."),
    "QN587": _T("too many places at a station with general times",
        "The chain of a full station whose service times are not exponential and alike has a state for every place.",
        "State fewer places: a number that is hardly ever reached gives the same answer. Or scv = 1 and one mean time, "
        "or discipline = \"ps\", which have closed forms."),
    "QN588": _T("too many states of a full station with priorities",
        "The chain of a full station with priorities has a state for every number of every priority.",
        "State fewer places, or fewer priorities; or leave the capacity out where it is hardly ever reached."),
    "QN589": _T("classes served before others leave them next to nothing",
        "What a class gets where others are served before it is what these leave. Where closed classes keep a station "
        "more than 90 % busy, that is the difference of two numbers that are nearly the same, and one of them is "
        "estimated: against simulations of wide families of networks the answer was wrong by factors of 2 to 1000.",
        "Leave the lower class out, since the others hardly notice it where it is interrupted; give the higher classes "
        "fewer customers, or the station more servers. Small networks are solved exactly, by all their states."),
}  # fmt: skip
