"""The data of a study: its claims (published figures and how to compute them), its free choices, and its story."""

from __future__ import annotations

from qnet.documents import Document, Path
from qnet.errors import Problem
from qnet.questions.study.printed import Printed
from qnet.questions.study.story import Story
from qnet.record import Record

KINDS = ("form", "reading", "value")


class FreeChoice(Record):
    """A modelling choice that no claim of the study determines."""

    id: str
    kind: str
    """One of `KINDS`: `form` of a model, `reading` of a source, or assumed `value`."""
    chosen: str
    """The alternative that the study uses."""
    alternatives: tuple[str, ...]
    """The other alternatives: values of `parameter`, printed figures of `claim`, or words if neither is given."""
    why: str
    """The reason why the choice is free."""
    parameter: str
    """The parameter that takes the alternatives, in every system of the study that has it; empty for none."""
    claim: str
    """The id of the fitted claim that states the alternatives instead of its figure; empty for none."""

    @property
    def varied(self) -> bool:
        """Whether `qnet validate --fits` fits the study again with each alternative."""
        return bool(self.parameter or self.claim)


ROLES = {
    "given": "an input of the model; if the claim has a figure, the model has that value to the printed digit",
    "fitted": "determines the parameter that it sets",
    "predicted": "not computable by arithmetic from given, fitted and identity claims: evidence for or against the "
    "model",
    "failed assumption": "follows from an assumption of the model, and is false: listed first, never dropped",
    "carried": "a value that the model leaves unchanged: counted separately",
    "identity": "follows from other claims by an operational law, to the printed digit",
    "trend": "a direction or an insensitivity that the model must reproduce",
    "disputed": "contradicts another figure of the same source: reported, not required",
    "outside": "outside the scope of a queueing model: kept as data, with the reason",
}
"""The roles of claims, and what each means."""


class Where(Record):
    """The system and the settings at which a claim is computed."""

    system: str
    """The name of the system in the catalog."""
    settings: dict[str, str]
    """Expressions by parameter of the system, including the settings of the case, with references filled in."""
    paths: dict[str, Path]
    """The path in the study file of each setting, by parameter, and of the system, by `system`."""


class Claim(Record):
    """One published figure and how to compute it with the model. Keys that the file does not have are empty texts."""

    id: str
    role: str
    """One of `ROLES`."""
    metric: str
    """Description of the stated figure; may be empty if `figure` describes it."""
    at: Where
    """The system and settings of the claim."""
    base: Where | None
    """The system and settings with which the claim is compared; None for no comparison."""
    stated: str
    """The figure as printed, or the direction of a trend."""
    at_least: str
    """The lower bound as printed."""
    at_most: str
    """The upper bound as printed."""
    tolerance: float | str | None
    """Relative, or an absolute quantity as text; None if the model must have the stated digits."""
    vary: str
    """The parameter whose largest or smallest value is searched; empty if `figure` is computed at `at` itself."""
    smallest: bool
    """Whether the smallest value of `vary` is searched, not the largest."""
    limit: str
    """The condition on the searched value, with references filled in; empty to require a steady state only."""
    figure: str
    """The expression to evaluate, with references as written; empty for the value of `vary` itself."""
    over: str
    """A grid of one parameter, such as `users = 10:50:10`."""
    take: str
    """The aggregation of the values on the grid `over` (mean, largest or trend), or of those at `base` and `at` (ratio,
    change or difference)."""
    sets: str
    """The parameter that a fitted claim determines."""
    counts_with: str
    """The id of the prediction that this one repeats in another unit or as a ratio."""
    null: str
    """The id of the claim that states the nearest given figure, `unchanged`, or `none: ` and the reason."""
    by_construction: bool
    """Whether the model cannot but show the trend."""
    in_view: bool
    """Whether the form of the model was chosen with this figure in view."""
    miss: str
    """The reason why the model misses the figure."""
    short: str
    """The remark, or the reason for a miss, in a few words for the screen."""
    remark: str
    position: int
    """The index of the claim in the study file, from 0; of a copy with moved parameters, an index beyond the last."""

    @property
    def counted(self) -> bool:
        """Whether its role makes it a separate prediction: predicted, no repetition of another one, and no figure that
        the form of the model was chosen with in view."""
        return self.role == "predicted" and not self.counts_with and not self.in_view

    @property
    def computed(self) -> bool:
        """Whether the claim has an expression or a search to compute."""
        return bool(self.figure or self.vary)


class Study(Record):
    """A study of the catalog as read from its file."""

    id: str
    title: str
    system: str
    """The name of its main system in the catalog."""
    source: str
    """The key of its source in `sources.toml`."""
    claims: tuple[Claim, ...]
    """In the order of the file."""
    story: Story | None
    choices: tuple[FreeChoice, ...]
    printed: dict[str, Printed]
    """The stated quantities by claim id; claims that state a text, or bounds only, are left out."""
    document: Document

    def problem(self, problem: Problem, path: Path) -> Problem:
        """The problem located at the key `path` of the study file, with file and line."""
        return self.document.located(problem.replace(path=path, line=0))


def bounds_of(claim: Claim) -> str:
    """The bounds that a claim states, such as "at least 3 ms and at most 5 ms"; empty for none."""
    bounds = [f"{word} {text}" for word, text in (("at least", claim.at_least), ("at most", claim.at_most)) if text]
    return " and ".join(bounds)
