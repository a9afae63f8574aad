"""Why a system responds as it does, in words: one finding after the other, each with its number beside it."""

from __future__ import annotations

from qnet.model.model import Model
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.bottleneck.bottleneck import Bottleneck, bottleneck
from qnet.questions.why.findings import Finding
from qnet.questions.why.limits import full, helps, software
from qnet.questions.why.order import order
from qnet.questions.why.parallel import parallel
from qnet.questions.why.time import answer, question, routes, time
from qnet.questions.why.trust import assumed, laws, sources, trust
from qnet.questions.why.work import works
from qnet.record import Record

_TOLD = (question, answer, time, order, parallel, routes, full, software, works, helps, laws, trust, assumed, sources)
"""What there is to say, in this order within each section."""


class Why(Record):
    """The answer in figures and in words."""

    figures: Bottleneck
    findings: tuple[Finding, ...]


def why(model: Model, faster: float = 2.0, wanted: Wanted = AUTO) -> Why:
    """Say why a model responds as it does at its stated point; arguments and failures are those of `bottleneck`.

    Returns   the figures, and findings in the order of the sections: what is asked, the answer, where the time goes,
              what is full first and second, what would help most, the laws with the numbers put in, how far the
              answer can be trusted, what is assumed, and where the numbers come from.
    """
    found = bottleneck(model, faster, wanted)
    return Why(found, tuple(finding for section in _TOLD for finding in section(found)))
