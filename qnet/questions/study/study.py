"""What a study is: systems, the published figures that they are compared with, and what could be chosen otherwise."""

from __future__ import annotations

from qnet.documents import Document, Path
from qnet.errors import Problem
from qnet.questions.study.printed import Printed
from qnet.questions.study.story import Story
from qnet.record import Record

KINDS = ("form", "reading", "value")


class FreeChoice(Record):
    """A choice that no claim decides."""

    id: str
    kind: str
    """`form` of a model, `reading` of a source, or assumed `value`."""
    chosen: str
    alternatives: tuple[str, ...]
    """In words; values of `parameter`, or figures for `claim` to state, where one of these is named."""
    why: str
    parameter: str
    """Of every system of the study that has it; empty for none."""
    claim: str
    """A fitted claim whose printed figure is read otherwise; empty for none."""

    @property
    def varied(self) -> bool:
        """Whether the study is fitted again with each alternative."""
        return bool(self.parameter or self.claim)


ROLES = {
    "given": "an input of the model; where a figure is named, the model has that value to the printed digit",
    "fitted": "sets the parameter it names",
    "predicted": "not computable by arithmetic from given, fitted and identity claims: evidence for or against the "
    "model",
    "failed assumption": "follows from an assumption of the model, and is false: shown first, never dropped",
    "carried": "a value that the model says does not change: counted apart",
    "identity": "follows from other claims by an operational law, to the printed digit",
    "trend": "a direction or an insensitivity that the model must show",
    "disputed": "in conflict with another figure of the same source: reported, not required",
    "outside": "nothing that a queueing model touches: kept as data, with the reason",
}


class Where(Record):
    """The system and the settings at which a claim is computed."""

    system: str
    settings: dict[str, str]
    """Parameters of the system as expressions, those of the case included; references are filled in."""
    paths: dict[str, Path]
    """Where the file states each setting, and the system as `system`."""


class Claim(Record):
    """One published figure and how to compute it with the model."""

    id: str
    role: str
    metric: str
    """What is stated, in plain words; empty where the figure states it."""
    at: Where
    base: Where | None
    """What it is compared with."""
    stated: str
    at_least: str
    at_most: str
    tolerance: float | str | None
    """Relative, or an absolute quantity as text; None where only the rounding of the figure is asked for."""
    vary: str
    """The parameter whose largest or smallest value is asked for; empty to ask for a figure at one point."""
    smallest: bool
    limit: str
    figure: str
    """What to read there, with references as written; empty for the value of `vary` itself."""
    over: str
    take: str
    """What to make of several points: their mean, the largest, or the trend; of two: ratio, change or difference."""
    sets: str
    counts_with: str
    null: str
    """The claim that states the nearest figure that the model was given, `unchanged`, or `none: ` and the reason."""
    by_construction: bool
    in_view: bool
    """Whether the form of the model was chosen with this figure in view."""
    miss: str
    short: str
    """The remark, or the reason for a miss, in few words."""
    remark: str
    position: int
    """Where it stands in the file, from 0."""

    @property
    def counted(self) -> bool:
        """Whether it is a separate prediction: not one repeated in another unit or as a ratio, nor one that the form
        of the model was chosen for."""
        return self.role == "predicted" and not self.counts_with and not self.in_view

    @property
    def asks(self) -> bool:
        """Whether there is anything to compute."""
        return bool(self.figure or self.vary)


class Study(Record):
    """A study: title, main system, and claims."""

    id: str
    title: str
    system: str
    source: str
    claims: tuple[Claim, ...]
    story: Story | None
    choices: tuple[FreeChoice, ...]
    printed: dict[str, Printed]
    """The figures that claims state, by id; those that state a text or bounds only are not here."""
    document: Document

    def problem(self, problem: Problem, path: Path) -> Problem:
        """What is wrong with a key of the file, with file and line."""
        return self.document.located(problem.replace(path=path, line=0))


def bounds_of(claim: Claim) -> str:
    """The bounds that a claim states, in words; empty for none."""
    bounds = [f"{word} {text}" for word, text in (("at least", claim.at_least), ("at most", claim.at_most)) if text]
    return " and ".join(bounds)
