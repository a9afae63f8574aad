"""Where no answer exists: the codes that begin with QN4."""

from __future__ import annotations

from qnet.explanations.explanation import Explanation as _T

CODES: dict[str, _T] = {
    "QN401": _T("no steady state",
        "More work arrives than the named station or limit can do, so queues grow without end and no response time "
        "exists. This is an answer about the system, not a fault of the model.",
        "Lower the load, or give what is saturated more servers or less work; qnet envelope tells the largest load."),
    "QN402": _T("the limit cannot be met",
        "Even at the lowest load the metric exceeds the limit, or at the highest it does not reach one from below, or "
        "a limit holds at no value between, or several limits hold nowhere together, or there is no steady state at "
        "any value that was looked at; or every value keeps the limits, so that there is no largest or no smallest "
        "one.",
        "Ask for what is possible, or make the service faster; vary what loads the system, or what relieves it."),
    "QN403": _T("a throughput without limit",
        "A closed class has customers, and neither demand on any station nor think time: it would pass without end.",
        "Give the class a time at some station, or a think time."),
    "QN404": _T("a curve without a knee",
        "The customers that grow in number never queue, so that their response does not grow with them; or the range "
        "of their parameter ends before the first of them; or none of the definitions that were asked for has a knee, "
        "for the reasons that the message tells.",
        "Vary what loads a queueing station, widen the range, or ask for another definition with --definition."),
}  # fmt: skip
