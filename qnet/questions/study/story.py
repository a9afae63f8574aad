"""The story of a study: what its authors asked, which claims answer it, and what shows it.

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


def referred(text: str) -> tuple[str, ...]:
    """The ids that a text refers to, each once, in order."""
    return tuple(dict.fromkeys(match[1].strip() for match in _REFERENCE.finditer(text)))


def filled(text: str, reported: Callable[[str], str]) -> str:
    """The text with every reference replaced by an expression; `told` gives that of an id."""
    return _REFERENCE.sub(lambda match: reported(match[1].strip()), text)


class Ask(Record):
    """A question to a system of the study, as the command of its name asks it."""

    command: str
    system: str
    settings: dict[str, str]
    options: dict[str, tuple[str, ...]]
    """What else the command is asked, by its options; each a list of texts."""
    other: str
    """Another system to compare with; empty for none."""
    other_settings: dict[str, str]
    path: Path
    measured: tuple[str, ...] = ()
    """Ids of claims that are drawn as points."""
    text: str = ""
    """What is changed, in words."""


class Story(Record):
    """The `[story]` of a study."""

    question: str
    answer: str
    """One sentence, in which what claims state is filled in; `{id}` denotes what the model has, `{id over choices}`
    for what the free choices leave of it."""
    machine: str
    picture: Ask | None
    what_ifs: tuple[Ask, ...]
    cannot_tell: str
    glossary: dict[str, str]
    """What the terms of the study mean."""


_OPTIONS: dict[str, tuple[str, ...]] = {
    "envelope": ("name", "vary", "limit", "over", "route"),
    "knee": ("vary", "limit", "definition"),
    "sweep": ("over", "metric"),
    "cost": ("name", "over"),
    "compare": ("metric",),
}
_NEEDED = {"sweep": "over", "compare": "against"}
_BESIDE = ("cost", "compare")
"""The commands that compare a system with another one."""
_SINGLE = ("vary", "route")
PICTURES = ("envelope", "knee", "sweep", "cost", "compare")
CURVES = ("envelope", "knee", "sweep")
"""Pictures that have room for measured points."""
FIGURE = re.compile(r"\{([^{}]*)\}")
"""A figure of the model in a sentence, by the id of a claim."""
OVER_CHOICES = " over choices"

Table = dict[str, Any]


class Teller:
    """What reads a study, as far as a story needs it: how it fails, and how it fills in references."""

    def __init__(
        self, fail: Callable[..., None], fill: Callable[[str, Path], str], asking: set[str], stated: dict[str, str]
    ) -> None:
        self.fail = fail
        self.fill = fill
        self.asking = asking
        """The ids of the claims that ask the model for something."""
        self.stated = stated
        """What the claims state, as printed, by id."""

    def story(self, raw: Any) -> Story | None:
        """The story as far as it can be read; None where there is none."""
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
            self.fail(("story", "question"), "the story asks nothing", "question = what the authors asked")
        stated = {
            key: self.sentence(table.get(key, ""), ("story", key)) for key in ("answer", "machine", "cannot_tell")
        }
        for id in [match[1].removesuffix(OVER_CHOICES) for match in FIGURE.finditer(stated["answer"])]:
            if id not in self.asking:
                help = suggest(id, sorted(self.asking))
                self.fail(("story", "answer"), f'found "{id}"', "a claim that asks the model for something", help)
        for id in referred(stated["answer"]):
            if id not in self.stated:
                help = suggest(id, sorted(self.stated))
                self.fail(("story", "answer"), f"[{id}] states nothing", "the id of a claim", help, "QN322")
        stated["answer"] = filled(stated["answer"], lambda id: self.stated.get(id, id))
        picture = self.ask(table.get("picture"), ("story", "picture"), PICTURES)
        for index, id in enumerate(picture.measured if picture else ()):
            if id not in self.asking:
                help, path = suggest(id, sorted(self.asking)), ("story", "picture", "measured", index)
                self.fail(path, f'found "{id}"', "a claim that asks the model for something", help)
        raw_ifs: Any = table.get("what_ifs", [])
        asks = cast("list[Any]", raw_ifs) if isinstance(raw_ifs, list) else [raw_ifs]
        result = [self.ask(item, ("story", "what_ifs", index), ("compare",)) for index, item in enumerate(asks)]
        return Story(
            question=str(question or "").strip(),
            picture=picture,
            what_ifs=tuple(item for item in result if item),
            glossary=self.glossary(table.get("glossary", {})),
            **stated,
        )

    def sentence(self, raw: Any, path: Path) -> str:
        """A text, which may be empty."""
        if not isinstance(raw, str):
            self.fail(path, f"found {raw!r}", "a text")
            return ""
        return " ".join(raw.split())

    def glossary(self, raw: Any) -> dict[str, str]:
        """Terms and what they mean."""
        table = cast("Table", raw) if isinstance(raw, dict) else {}
        if not isinstance(raw, dict) or not all(isinstance(text, str) and text.strip() for text in table.values()):
            self.fail(("story", "glossary"), f"found {raw!r}", "a table of terms and texts")
            return {}
        return {term: " ".join(text.split()) for term, text in table.items()}

    def texts(self, raw: Any, path: Path) -> tuple[str, ...]:
        """A text or a list of texts."""
        items = [raw] if isinstance(raw, str) else cast("list[Any]", raw) if isinstance(raw, list) else [raw]
        if not all(isinstance(item, str) and item.strip() for item in items):
            self.fail(path, f"found {raw!r}", "a text, or a list of texts")
            return ()
        return tuple(items)

    def ask(self, raw: Any, path: Path, commands: tuple[str, ...]) -> Ask | None:
        """A question; None where there is none, or it cannot be read."""
        if raw is None:
            return None
        table = cast("Table", raw) if isinstance(raw, dict) else {}
        named = [key for key in table if key in commands]
        if len(named) != 1 or not isinstance(table[named[0]], str):
            self.fail(path, "it is not clear what is asked of which system", f"{' or '.join(commands)} = SYSTEM")
            return None
        command = named[0]
        options = _OPTIONS[command]
        beside = ("against", "against_set") if command in _BESIDE else ()
        points = ("measured",) if command in CURVES else ("text",) if command == "compare" else ()
        allowed = (command, "set", *beside, *options, *points)
        for key in table:
            if key not in allowed:
                help = suggest(key, list(allowed))
                self.fail((*path, key), f'unknown key "{key}"', f"an option of qnet {command}", help)
        needed = _NEEDED.get(command)
        if needed and needed not in table:
            self.fail(path, f"a {command} without {needed}", needed)
        details = {key: self.texts(table[key], (*path, key)) for key in options if key in table}
        for key in _SINGLE:
            if len(details.get(key, ())) > 1:
                self.fail((*path, key), f"found {len(details[key])} texts", "one")
        details = {
            key: tuple(self.fill(text, (*path, key)) if key in ("limit", "over") else text for text in texts)
            for key, texts in details.items()
        }
        other = self.texts(table.get("against", []), (*path, "against"))
        return Ask(
            command=command,
            system=table[command],
            settings=self.settings(table.get("set", {}), (*path, "set")),
            options=details,
            other="".join(other[:1]),
            other_settings=self.settings(table.get("against_set", {}), (*path, "against_set")),
            path=path,
            measured=self.texts(table.get("measured", []), (*path, "measured")),
            text=self.sentence(table.get("text", ""), (*path, "text")),
        )

    def settings(self, raw: Any, path: Path) -> dict[str, str]:
        """Settings of parameters, with references filled in."""
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
