"""The story of a study: the question of its authors, the answer, a picture, what-ifs, and limits.

A reference between claims, such as `[lpar/kernel-build/wall]`, denotes what that claim states.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

from qnet.documents import Path
from qnet.errors import suggest
from qnet.record import Record

_REFERENCE = re.compile(r"\[([^\[\]]*)\]")


def references_in(text: str) -> tuple[str, ...]:
    """The ids of the claims that a text refers to, each once, in order."""
    return tuple(dict.fromkeys(match[1].strip() for match in _REFERENCE.finditer(text)))


def fill_references(text: str, expression_of: Callable[[str], str]) -> str:
    """The text with every reference `[id]` replaced by the text that `expression_of` returns for the id."""
    return _REFERENCE.sub(lambda match: expression_of(match[1].strip()), text)


class StoryQuestion(Record):
    """A question to a system, as a command of qnet answers it: the picture or a what-if of a story."""

    command: str
    """The name of the command, one of `PICTURES`."""
    system: str
    settings: dict[str, str]
    """Expressions by parameter of the system, with references filled in."""
    options: dict[str, tuple[str, ...]]
    """The values of the other options of the command, by option."""
    other: str
    """The system to compare with (`against` in the file); empty for none."""
    other_settings: dict[str, str]
    path: Path
    """Where the question stands in the study file."""
    measured: tuple[str, ...] = ()
    """Ids of the claims that are drawn as points."""
    text: str = ""
    """Description of the change in a what-if."""


class Story(Record):
    """The `[story]` of a study."""

    question: str
    """The question of the authors."""
    answer: str
    """One sentence with references filled in; `{id}` denotes the modelled figure of a claim, `{id over choices}` its
    interval over the free choices."""
    machine: str
    """The system that was measured."""
    picture: StoryQuestion | None
    what_ifs: tuple[StoryQuestion, ...]
    cannot_tell: str
    """The limits of the study."""
    glossary: dict[str, str]
    """Definitions of the terms of the study, by term."""


_OPTIONS: dict[str, tuple[str, ...]] = {
    "envelope": ("name", "vary", "limit", "over", "route"),
    "knee": ("vary", "limit", "definition"),
    "sweep": ("over", "metric"),
    "cost": ("name", "over"),
    "compare": ("metric",),
}
"""The keys of a question by its command, with the meaning of the options of that name."""
_NEEDED = {"sweep": "over", "compare": "against"}
"""The key that a question must have, by its command."""
_COMPARING = ("cost", "compare")
"""The commands that compare a system with another one."""
_SINGLE = ("vary", "route")
"""Options that take one text."""
PICTURES = ("envelope", "knee", "sweep", "cost", "compare")
"""The commands that a picture may be the answer of."""
CURVES = ("envelope", "knee", "sweep")
"""Pictures in which measured points can be drawn."""
FIGURE = re.compile(r"\{([^{}]*)\}")
"""A modelled figure in a sentence, by the id of its claim."""
OVER_CHOICES = " over choices"

Table = dict[str, Any]


class StoryReader:
    """Reads the story of a study.

    fail       records the problem at a path of the study file; reading then continues.
    fill       fills references into the text at a path.
    computed   the ids of the claims that are computed with the model.
    stated     the figures that claims state, as printed, by id.
    """

    def __init__(
        self, fail: Callable[..., None], fill: Callable[[str, Path], str], computed: set[str], stated: dict[str, str]
    ) -> None:
        self.fail = fail
        self.fill = fill
        self.computed = computed
        self.stated = stated

    def story(self, raw: Any) -> Story | None:
        """Read `[story]`, whose value is `raw`; None if the file has none, or no table."""
        if raw is None:
            return None
        if not isinstance(raw, dict):
            self.fail(("story",), f"found {raw!r}", "a table [story]")
            return None
        table = cast("Table", raw)
        known = ("question", "answer", "machine", "picture", "what_ifs", "cannot_tell", "glossary")
        for key in table:
            if key not in known:
                self.fail(("story", key), f'unknown key "{key}"', "a key of a story", suggest(key, list(known)))
        question = table.get("question")
        if not isinstance(question, str) or not question.strip():
            self.fail(("story", "question"), "the story has no question", "question = what the authors asked")
        stated = {
            key: self.sentence(table.get(key, ""), ("story", key)) for key in ("answer", "machine", "cannot_tell")
        }
        for id in [match[1].removesuffix(OVER_CHOICES) for match in FIGURE.finditer(stated["answer"])]:
            if id not in self.computed:
                help = suggest(id, sorted(self.computed))
                self.fail(("story", "answer"), f'found "{id}"', "the id of a claim with a figure or a search", help)
        for id in references_in(stated["answer"]):
            if id not in self.stated:
                help = suggest(id, sorted(self.stated))
                self.fail(("story", "answer"), f"[{id}] states nothing", "the id of a claim", help, "QN322")
        stated["answer"] = fill_references(stated["answer"], lambda id: self.stated.get(id, id))
        picture = self.question(table.get("picture"), ("story", "picture"), PICTURES)
        for index, id in enumerate(picture.measured if picture else ()):
            if id not in self.computed:
                help, path = suggest(id, sorted(self.computed)), ("story", "picture", "measured", index)
                self.fail(path, f'found "{id}"', "the id of a claim with a figure or a search", help)
        raw_what_ifs: Any = table.get("what_ifs", [])
        items = cast("list[Any]", raw_what_ifs) if isinstance(raw_what_ifs, list) else [raw_what_ifs]
        what_ifs = [self.question(item, ("story", "what_ifs", index), ("compare",)) for index, item in enumerate(items)]
        return Story(
            question=str(question or "").strip(),
            picture=picture,
            what_ifs=tuple(item for item in what_ifs if item),
            glossary=self.glossary(table.get("glossary", {})),
            **stated,
        )

    def sentence(self, raw: Any, path: Path) -> str:
        """Read a text, which may be empty; line breaks and repeated spaces become one space."""
        if not isinstance(raw, str):
            self.fail(path, f"found {raw!r}", "a text")
            return ""
        return " ".join(raw.split())

    def glossary(self, raw: Any) -> dict[str, str]:
        """Read a table of terms and their definitions."""
        table = cast("Table", raw) if isinstance(raw, dict) else {}
        if not isinstance(raw, dict) or not all(isinstance(text, str) and text.strip() for text in table.values()):
            self.fail(("story", "glossary"), f"found {raw!r}", "a table of terms and texts")
            return {}
        return {term: " ".join(text.split()) for term, text in table.items()}

    def texts(self, raw: Any, path: Path) -> tuple[str, ...]:
        """Read a text or a list of texts."""
        items = [raw] if isinstance(raw, str) else cast("list[Any]", raw) if isinstance(raw, list) else [raw]
        if not all(isinstance(item, str) and item.strip() for item in items):
            self.fail(path, f"found {raw!r}", "a text, or a list of texts")
            return ()
        return tuple(items)

    def question(self, raw: Any, path: Path, commands: tuple[str, ...]) -> StoryQuestion | None:
        """Read a question to one of the commands; None if `raw` is None or does not name one command and its system."""
        if raw is None:
            return None
        table = cast("Table", raw) if isinstance(raw, dict) else {}
        named = [key for key in table if key in commands]
        if len(named) != 1 or not isinstance(table[named[0]], str):
            self.fail(path, "the question names no command with its system", f"{' or '.join(commands)} = SYSTEM")
            return None
        command = named[0]
        options = _OPTIONS[command]
        against = ("against", "against_set") if command in _COMPARING else ()
        extra = ("measured",) if command in CURVES else ("text",) if command == "compare" else ()
        allowed = (command, "set", *against, *options, *extra)
        for key in table:
            if key not in allowed:
                help = suggest(key, list(allowed))
                self.fail((*path, key), f'unknown key "{key}"', f"an option of qnet {command}", help)
        needed = _NEEDED.get(command)
        if needed and needed not in table:
            self.fail(path, f"a {command} without {needed}", needed)
        texts_by_option = {key: self.texts(table[key], (*path, key)) for key in options if key in table}
        for key in _SINGLE:
            if len(texts_by_option.get(key, ())) > 1:
                self.fail((*path, key), f"found {len(texts_by_option[key])} texts", "one")
        texts_by_option = {
            key: tuple(self.fill(text, (*path, key)) if key in ("limit", "over") else text for text in texts)
            for key, texts in texts_by_option.items()
        }
        other = "".join(self.texts(table.get("against", []), (*path, "against"))[:1])
        settings = self.settings(table.get("set", {}), (*path, "set"))
        other_settings = self.settings(table.get("against_set", {}), (*path, "against_set"))
        # qnet compare has no other settings for another system, and adds those of --with to those of -p.
        missing = settings.keys() - other_settings.keys()
        if command == "compare" and (missing if other == table[command] else settings != other_settings):
            expected = "the parameters of set" if other == table[command] else "the settings of set"
            self.fail((*path, "against_set"), "no command of qnet compare has these two sides", expected)
        return StoryQuestion(
            command=command,
            system=table[command],
            settings=settings,
            options=texts_by_option,
            other=other,
            other_settings=other_settings,
            path=path,
            measured=self.texts(table.get("measured", []), (*path, "measured")),
            text=self.sentence(table.get("text", ""), (*path, "text")),
        )

    def settings(self, raw: Any, path: Path) -> dict[str, str]:
        """Read settings of parameters, with references filled in; numbers become texts."""
        result: dict[str, str] = {}
        if not isinstance(raw, dict):
            self.fail(path, f"found {raw!r}", "a table of parameter values")
            return result
        for name, value in cast("Table", raw).items():
            if isinstance(value, bool) or not isinstance(value, (int, float, str)):
                self.fail((*path, name), f"found {value!r}", "a number or an expression in quotes")
                continue
            result[name] = self.fill(str(value), (*path, name))
        return result
