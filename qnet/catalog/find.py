"""Locate the catalog, the examples and their files by name, without reading them: cheap enough for completion."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from qnet.errors import InvalidInput, Problem, QnetError, UsageError, suggest
from qnet.lazy import lazy
from qnet.record import Record

if TYPE_CHECKING:
    from qnet import documents
else:
    documents = lazy("qnet.documents")

MARKER = "CATALOG.toml"
"""The file that marks a folder as a catalog, so that an unrelated folder of that name is not mistaken for one."""

FOLDERS = {"part": "parts", "study": "studies", "system": "systems"}
"""Kind of entry -> its folder in the catalog."""

EXAMPLE, DATA, NOTEBOOK = "example", "data", "notebook"
"""The kinds of examples: models, measurements for `qnet calibrate`, and Python notebooks as text."""

MAX_NAME_LENGTH = 200
"""The most characters of a name; any limit well above the longest name works."""

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_STARTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_CHARACTERS = _STARTERS | frozenset(".-")
_TITLE_LINES = 40
"""Lines that are searched for a title before the file is parsed; any number works, as titles are near the top."""
_EXAMPLE = "one-queue.toml"
"""A file that every folder of examples has."""
_EXAMPLE_KINDS = {"toml": EXAMPLE, "csv": DATA, "md": NOTEBOOK}


class CatalogFile(Record):
    """A file of the catalog or of the examples."""

    kind: str
    """`part`, `study` or `system`; of examples `example`, `data` or `notebook`."""
    id: str
    """Its name on the command line and in models."""
    path: str

    @property
    def title(self) -> str:
        """The title that the file states, read at each access; empty if it has none or cannot be read."""
        return _heading(self.path) if self.kind == NOTEBOOK else _title(self.path)


def root() -> str:
    """The folder of the catalog: `QNET_CATALOG` if set, else the one in the installed package or next to its source.

    Raises   `InvalidInput` QN300 if there is none. If `QNET_CATALOG` is not the folder of a catalog, no other one is
             tried: a mistyped variable must not silently give the answers of another catalog.
    """
    chosen = os.environ.get("QNET_CATALOG")
    if chosen:
        candidates = [chosen]
        help = f"QNET_CATALOG names the folder that holds {MARKER}; unset it to use the catalog that comes with qnet"
    else:
        candidates = [os.path.join(_PACKAGE, "_catalog"), os.path.join(os.path.dirname(_PACKAGE), "catalog")]
        help = "install qnet again, or set QNET_CATALOG to the folder of a catalog"
    for folder in candidates:
        if os.path.isfile(os.path.join(folder, MARKER)):
            return folder
    looked = " or ".join(candidates)
    raise InvalidInput(Problem("QN300", "the catalog was not found", f"{MARKER} in {looked}", help=help))


def part_path(name: str) -> str:
    """The path of the TOML file of a part.

    name     folder and name, such as `dasd/ibm-3390-3`.
    Raises   `UsageError` QN301, with the nearest names, if the catalog has no such part.
    """
    return _path("part", name)


def system_path(name: str) -> str:
    """The path of the TOML file of a system or of an example.

    name     of a system, such as `ibm-3990-6`, or of an example, such as `web-tier`.
    Raises   `UsageError` QN301, with the nearest names, if neither the catalog nor the examples have it.
    """
    return _path("system", name)


def examples() -> list[CatalogFile]:
    """The examples that come with qnet, models first, sorted by id; empty if they are not installed."""
    folder = _examples_folder()
    names = sorted(os.listdir(folder)) if folder else []
    result = [
        CatalogFile(kind, stem, os.path.join(folder, name))
        for name in names
        for stem, dot, suffix in (name.rpartition("."),)
        if dot and is_name(stem)
        for kind in (_EXAMPLE_KINDS.get(suffix),)
        if kind
    ]
    return sorted(result, key=lambda entry: (entry.kind != EXAMPLE, entry.id))


def example(name: str) -> CatalogFile:
    """An example by name: a model, a data file or a notebook.

    name     of the example, with or without `examples/` and the suffix of its file.
    Raises   `UsageError` QN301, with the nearest names, if there is none.
    """
    known = {entry.id: entry for entry in examples()}
    name = name.removeprefix("examples/")
    name = next((stem for stem, dot, suffix in [name.rpartition(".")] if dot and suffix in _EXAMPLE_KINDS), name)
    if name in known:
        return known[name]
    shown = ascii(name[:MAX_NAME_LENGTH])[1:-1]
    help = suggest(name[:MAX_NAME_LENGTH].lower(), list(known)) or "qnet example lists the examples"
    raise UsageError(Problem("QN301", f'unknown example "{shown}"', help=help))


def _examples_folder() -> str:
    """The folder of the examples, in the installed package or next to its source; empty if there is none."""
    candidates = (os.path.join(_PACKAGE, "_examples"), os.path.join(os.path.dirname(_PACKAGE), "examples"))
    return next((folder for folder in candidates if os.path.isfile(os.path.join(folder, _EXAMPLE))), "")


def study_path(name: str) -> str:
    """The path of the TOML file of a study.

    name     such as `p390`.
    Raises   `UsageError` QN301, with the nearest names, if the catalog has no such study.
    """
    return _path("study", name)


def entries() -> list[CatalogFile]:
    """All entries of the catalog, sorted by kind and id; files whose path is no valid name are left out.

    Raises   `InvalidInput` QN300 if there is no catalog.
    """
    folder = root()
    result = [CatalogFile(kind, id, path) for kind in FOLDERS for id, path in files(folder, kind) if is_name(id)]
    return sorted(result)


def files(folder: str, kind: str) -> Iterator[tuple[str, str]]:
    """The TOML files of one `kind` in the catalog at `folder`: pairs of id and path.

    The id is the path inside the folder of the kind, with `/` and without the suffix.
    """
    top = os.path.join(folder, FOLDERS[kind])
    for parent, _, names in os.walk(top):
        for name in names:
            if name.endswith(".toml"):
                path = os.path.join(parent, name)
                yield os.path.relpath(path, top).removesuffix(".toml").replace(os.sep, "/"), path


def is_name(name: str) -> bool:
    """Whether a text is a valid name: lower-case letters, digits, dots and hyphens, with `/` between folders.

    Names come from command lines and models; this check prevents access to files outside the catalog.
    """
    if not 0 < len(name) <= MAX_NAME_LENGTH or ".." in name:
        return False
    return all(segment[:1] in _STARTERS and _CHARACTERS.issuperset(segment) for segment in name.split("/"))


def _path(kind: str, name: str) -> str:
    """The path of the TOML file of an entry; raises `UsageError` QN301 if there is none of that name."""
    folder = root()
    usable = is_name(name)
    if usable:
        path = os.path.join(folder, FOLDERS[kind], *name.split("/")) + ".toml"
        if os.path.isfile(path):
            return path
    models = {entry.id: entry.path for entry in examples() if entry.kind == EXAMPLE} if kind == "system" else {}
    if name in models:
        return models[name]
    known = sorted({*models, *(id for id, _ in files(folder, kind) if is_name(id))})
    shown = ascii(name[:MAX_NAME_LENGTH])[1:-1]
    expected = "" if usable else "lower-case letters, digits, dots and hyphens, with / between folders"
    help = suggest(name[:MAX_NAME_LENGTH].lower(), known) or f"this catalog has no {FOLDERS[kind]}"
    raise UsageError(Problem("QN301", f'unknown {kind} "{shown}"', expected, help=help))


def _title(path: str) -> str:
    """The title of a TOML file: from its first lines if it is a plain string there, else by parsing the document."""
    try:
        with open(path, encoding="utf-8-sig", errors="replace") as stream:
            for _, line in zip(range(_TITLE_LINES), stream, strict=False):
                key, equals, rest = line.partition("=")
                if line.startswith("["):
                    break
                if any(quotes in line for quotes in ('"""', "'''")):
                    break  # The lines of a multi-line string may look like keys.
                if equals and key.strip() == "title":
                    return _plain_string(rest.strip()) or _parsed_title(path)
    except OSError:
        return ""
    return _parsed_title(path)


def _heading(path: str) -> str:
    """The first line of a Markdown file, without the marks of a heading; empty if it cannot be read."""
    try:
        with open(path, encoding="utf-8") as stream:
            return stream.readline().strip("# \n")
    except (OSError, ValueError):
        return ""


def _plain_string(text: str) -> str:
    """The content of a TOML string on one line; empty if it needs a complete parser."""
    quote = text[:1]
    if quote not in ("'", '"') or "\\" in text or text.startswith(quote * 3):
        return ""
    content, closed, after = text[1:].partition(quote)
    alone = not after.strip() or after.strip().startswith("#")
    return content if closed and alone and content.isprintable() else ""


def _parsed_title(path: str) -> str:
    """The title of a TOML file, by parsing it; empty if it has none or is invalid."""
    try:
        title = documents.read(path).data.get("title", "")
    except QnetError:
        return ""
    return title if isinstance(title, str) and title.isprintable() else ""
