"""Names of stations and of their parameters. Imports nothing, so that help and completion are fast."""

from __future__ import annotations

STATIONS: dict[str, tuple[str, str, tuple[str, ...], tuple[str, ...]]] = {
    "M/M/1": ("m_m_c.m_m_1", "one server; exponential times", ("arrival_rate", "service_time"), ()),
    "M/M/c": ("m_m_c.m_m_c", "several servers, one queue (Erlang C)", ("arrival_rate", "service_time", "servers"), ()),
    "M/M/inf": ("m_m_inf.m_m_inf", "infinite server; no queueing", ("arrival_rate", "service_time"), ()),
    "M/M/1/K": ("m_m_c_k.m_m_1_k", "capacity K, excess lost", ("arrival_rate", "service_time", "capacity"), ()),
    "M/M/c/K": (
        "m_m_c_k.m_m_c_k", "several servers, capacity K, excess lost",
        ("arrival_rate", "service_time", "servers", "capacity"), (),
    ),
    "M/M/c/c": ("m_m_c_k.m_m_c_c", "no waiting room (Erlang B)", ("arrival_rate", "service_time", "servers"), ()),
    "Erlang B": ("m_m_c_k.erlang_b_station", "M/G/c/c, any service", ("arrival_rate", "service_time", "servers"), ()),
    "Erlang C": ("m_m_c.erlang_c_station", "the same as M/M/c", ("arrival_rate", "service_time", "servers"), ()),
    "Engset": (
        "m_m_c_k_n.engset", "M/M/c/c/N: N sources, no waiting room",
        ("service_time", "servers", "sources"), ("source_rate", "arrival_rate"),
    ),
    "M/M/c/K/N": (
        "m_m_c_k_n.m_m_c_k_n", "N sources, capacity K, excess lost",
        ("service_time", "servers", "sources"), ("source_rate", "arrival_rate", "capacity"),
    ),
    "M/D/1": ("m_d_c.m_d_1", "constant service time", ("arrival_rate", "service_time"), ()),
    "M/D/c": ("m_d_c.m_d_c", "several servers, constant service time", ("arrival_rate", "service_time", "servers"), ()),
    "M/G/1": (
        "m_g_1.m_g_1", "any service time (Pollaczek-Khinchine)",
        ("arrival_rate", "service_time", "scv_service"), ("skewness_service",),
    ),
    "M/G/1-PS": ("sharing.m_g_1_ps", "processor sharing", ("arrival_rate", "service_time"), ("scv_service",)),
    "M/G/1-priority": (
        "priorities.non_preemptive", "head-of-line priorities, non-preemptive",
        ("arrival_rate", "service_time", "scv_service"), ("skewness_service",),
    ),
    "M/G/1-preemptive": (
        "priorities.preemptive_resume", "preemptive-resume priorities",
        ("arrival_rate", "service_time", "scv_service"), ("skewness_service",),
    ),
    "M/G/1-vacations": (
        "vacations.vacations", "server vacations whenever the station is empty",
        ("arrival_rate", "service_time", "scv_service", "vacation_time"),
        ("scv_vacation", "skewness_service", "skewness_vacation"),
    ),
    "M[X]/M/1": (
        "batches.m_x_m_1", "arrivals in batches", ("arrival_rate", "service_time", "batch_size"),
        ("scv_batch", "skewness_batch"),
    ),
    "M[X]/G/1": (
        "batches.m_x_g_1", "arrivals in batches, any service time",
        ("arrival_rate", "service_time", "scv_service", "batch_size"),
        ("scv_batch", "skewness_service", "skewness_batch"),
    ),
    "M/Ek/1": ("m_e_1.m_e_1", "Erlang service of k phases", ("arrival_rate", "service_time", "phases"), ()),
    "M/H2/1": (
        "m_h_1.m_h_1", "hyperexponential service, balanced means", ("arrival_rate", "service_time", "scv_service"), (),
    ),
    "GI/M/1": (
        "gi_m_1.gi_m_1", "gamma or hyperexponential interarrival times",
        ("arrival_rate", "service_time", "scv_arrival"), (),
    ),
    "GI/G/1": (
        "gi_g_c.gi_g_1", "approximations and Kingman's bound",
        ("arrival_rate", "service_time", "scv_arrival", "scv_service"), ("approximation",),
    ),
    "GI/G/c": (
        "gi_g_c.gi_g_c", "approximations for several servers",
        ("arrival_rate", "service_time", "servers", "scv_arrival", "scv_service"), ("approximation",),
    ),
}  # fmt: skip
"""Name -> module.function of this package, one line, required parameters, optional parameters."""

PARAMETERS: dict[str, tuple[str, str, str]] = {
    "arrival_rate": (
        "/s",
        "at least 0",
        "arrivals of customers, the total of all sources; by class for priorities",
    ),
    "source_rate": ("/s", "above 0", "rate of an idle source, 1 / think time"),
    "service_time": ("s", "above 0", "mean; by class for priorities"),
    "servers": ("", "an integer, at least 1", "identical servers"),
    "capacity": ("", "an integer, at least the servers", "largest number in system, including service"),
    "sources": ("", "an integer, at least 1", "number of finite sources"),
    "phases": ("", "an integer, at least 1", "phases of Erlang service"),
    "scv_service": ("", "at least 0", "scv of service times (1: exponential)"),
    "scv_arrival": ("", "at least 0", "scv (variance / mean^2) of interarrival times: 1 Poisson"),
    "skewness_service": ("", "a number", "skewness of the service time: 2 exponential; for standard deviations"),
    "vacation_time": ("s", "above 0", "mean vacation of the server"),
    "scv_vacation": ("", "at least 0", "scv (variance / mean^2) of the vacation (default: 1)"),
    "skewness_vacation": ("", "a number", "skewness of the vacation: 2 exponential"),
    "batch_size": ("", "at least 1", "mean batch size"),
    "scv_batch": ("", "at least 0", "scv (variance / mean^2) of the batch size (default: the smallest possible)"),
    "skewness_batch": ("", "a number", "skewness of the batch size"),
    "approximation": ("", "kraemer-langenbach-belz, kingman, allen-cunneen or whitt", "formula of the mean wait"),
}
"""Name -> unit, domain, meaning."""

BY_CLASS = ("M/G/1-priority", "M/G/1-preemptive")
"""Stations whose parameters are one value per class, the highest priority first."""

INTEGER = ("servers", "capacity", "sources", "phases")
"""Parameters that are counts."""

CONVERTED: dict[str, tuple[str, str, str]] = {
    "service_rate": ("/s", "above 0", "1 / service time"),
    "offered": ("", "at least 0", "offered load in erlangs, instead of the arrival rate"),
    "utilization": ("", "at least 0", "utilization, instead of the arrival rate, where none are lost"),
}
"""Name -> unit, domain, meaning of quantities that are converted to parameters."""
