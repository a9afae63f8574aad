"""Where no answer exists: the codes that begin with QN4."""

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
}  # fmt: skip
