"""The rules of the catalog: each is a function that returns its violations, with the reason in its docstring.

`RULES` names them; `lint` runs all of them over the catalog in use.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from qnet.catalog import checks
from qnet.catalog.drafts import Draft, DraftParameter, draft, shown
from qnet.catalog.find import FOLDERS, MARKER, files, is_name, root
from qnet.catalog.sources import ASSUMPTION, Source, records, source_document
from qnet.documents import Document, Path, read
from qnet.errors import Problem, QnetError, suggest
from qnet.record import Record

_PREDICTED = ("predicted", "failed assumption", "carried")
"""Roles that a claim to which a value was fitted cannot have."""


class Catalog(Record):
    """A catalog as far as it can be read."""

    folder: str
    marker: Document | None
    source_list: Document | None
    sources: dict[str, Source]
    parts: tuple[Draft, ...]
    others: tuple[Document, ...]
    """Systems and studies as plain data, which other modules interpret."""
    problems: list[Problem]
    """Problems of files that cannot be read, and of malformed records of sources."""


Rule = Callable[[Catalog], list[Problem]]

_ADDRESS = re.compile(r"https://([a-z0-9-]+\.)+[a-z]{2,}(/|$)", re.IGNORECASE)
"""The last label of a host's name has letters only: that of a numeric address has none, and a port is refused."""


def lint() -> list[Problem]:
    """Everything that is wrong with the catalog, by file and line; empty for a sound one.

    Raises `InvalidInput` only where there is no catalog.
    """
    catalog = gather(root())
    problems = dict.fromkeys(problem for rule in RULES.values() for problem in rule(catalog))
    return sorted(problems, key=lambda problem: (problem.file, problem.line))


def gather(folder: str) -> Catalog:
    """Read the catalog at `folder`; what cannot be read is left out and kept as a problem."""
    problems: list[Problem] = []

    def attempt(reader: Callable[[str], Document], path: str) -> Document | None:
        try:
            return reader(path)
        except QnetError as error:
            problems.extend(error.problems)
            return None

    marker = attempt(read, os.path.join(folder, MARKER))
    source_list = attempt(source_document, folder)
    known: dict[str, Source] = {}
    if source_list is not None:
        known, malformed = records(source_list)
        problems += malformed
    parts = [(id, attempt(read, path)) for id, path in sorted(files(folder, "part"))]
    others = [attempt(read, path) for kind in ("study", "system") for _, path in sorted(files(folder, kind))]
    drafts = tuple(draft(id, document) for id, document in parts if document is not None)
    documents = tuple(document for document in others if document is not None)
    return Catalog(
        folder=folder,
        marker=marker,
        source_list=source_list,
        sources=known,
        parts=drafts,
        others=documents,
        problems=problems,
    )


def readable(catalog: Catalog) -> list[Problem]:
    """Every file is TOML and every source is a well-formed record, so that nothing is skipped unnoticed."""
    return catalog.problems


def file_names(catalog: Catalog) -> list[Problem]:
    """Every file can be asked for by name, so that none lies in the catalog unreachable."""
    return [
        Problem(
            "QN301",
            f"no name can reach this {kind}",
            "lower-case letters, digits, dots, hyphens in its path",
            file=path,
        )
        for kind in FOLDERS
        for id, path in sorted(files(catalog.folder, kind))
        if not is_name(id)
    ]


def form(catalog: Catalog) -> list[Problem]:
    """Part files have the keys and types of a part and nothing else, so that a mistyped key is not ignored."""
    return _each_part(catalog, checks.form)


def identity(catalog: Catalog) -> list[Problem]:
    """The id in a part file is the one given by its path, so that what a result cites can be traced."""
    return _each_part(catalog, checks.identity)


def provenance(catalog: Catalog) -> list[Problem]:
    """Every value has a grade and a source, so that no result rests on an unsourced number."""
    return _each_part(catalog, checks.provenance)


def names(catalog: Catalog) -> list[Problem]:
    """No parameter is called like a unit or a function, so that an expression has one reading."""
    return _each_part(catalog, checks.names)


def derivations(catalog: Catalog) -> list[Problem]:
    """Derived values, and only they, are expressions over other values of the part, and can be recomputed."""
    return _each_part(catalog, checks.derivations)


def ranges(catalog: Catalog) -> list[Problem]:
    """A range holds its value, so that a mistyped digit is detected."""
    return _each_part(catalog, checks.ranges)


def fittings(catalog: Catalog) -> list[Problem]:
    """A fitted value names the claims it was fitted on, so that no study counts them as predicted."""
    return _each_part(catalog, checks.fittings)


def claims_exist(catalog: Catalog) -> list[Problem]:
    """Claims that a value was fitted on are in the studies, so that a renamed claim does not become a prediction.

    Judged only where some study holds claims of the same subject, which is what stands before the first `/` of the id.
    """
    return unknown(catalog.parts, catalog.others)


def claims_fitted(catalog: Catalog) -> list[Problem]:
    """No value was fitted on what a study calls predicted, and every fitted claim is named by the value it sets."""
    return disagreeing(catalog.parts, catalog.others)


def study_names(catalog: Catalog) -> list[Problem]:
    """The id in a study is the one given by its file, so that what a result cites can be traced."""
    names = {path: id for id, path in files(catalog.folder, "study")}
    return [
        document.located(
            Problem(
                code="QN303",
                found=f"the id is {shown(str(stated))}",
                expected=f'id = "{names[document.name]}", as the file is named',
                path=("id",),
            )
        )
        for document in catalog.others
        if document.name in names and (stated := document.data.get("id")) is not None and stated != names[document.name]
    ]


def sources_exist(catalog: Catalog) -> list[Problem]:
    """Every source that a part or a study cites is in the list of sources, so that each value can be looked up."""
    if catalog.source_list is None:
        return []
    known = list(catalog.source_list.data)
    expected = "the key of a record in sources.toml"
    problems: list[Problem] = []
    for part, name, parameter in _parameters(catalog):
        for key in parameter.sources or ():
            if key not in known:
                path = ("parameters", name, "source")
                problem = Problem(
                    code="QN312",
                    found=f"unknown source {shown(key)}",
                    expected=expected,
                    path=path,
                    help=suggest(key, known),
                )
                problems.append(part.document.located(problem))
    for document in catalog.others:
        key = document.data.get("source")
        if isinstance(key, str) and key not in known:
            problem = Problem(
                code="QN312",
                found=f"unknown source {shown(key)}",
                expected=expected,
                path=("source",),
                help=suggest(key, known),
            )
            problems.append(document.located(problem))
    return problems


def sources_used(catalog: Catalog) -> list[Problem]:
    """Every record in the list of sources is cited, so that the list says what the catalog rests on and no more.

    Parts, systems and studies may cite it. A catalog without studies is not judged: they cite most of the records.
    """
    if catalog.source_list is None or not any(True for _ in files(catalog.folder, "study")):
        return []
    used = {key for _, _, parameter in _parameters(catalog) for key in parameter.sources or ()}
    for document in catalog.others:
        used.update(_texts_under(document.data, ("source", "sources")))
    unused = [key for key in catalog.sources if key not in used and key != ASSUMPTION]
    help = "remove the record if nothing rests on it"
    return [
        catalog.source_list.located(
            Problem(
                code="QN313",
                found="nothing cites this source",
                expected="a part, system or study that does",
                path=(key,),
                help=help,
            )
        )
        for key in unused
    ]


def families(catalog: Catalog) -> list[Problem]:
    """Parts of one family agree where the product does, so that a typing error in one model shows.

    A family is a table of the marker file: `[families.NAME]` with `prefix`, which the ids of its parts start with, and
    `agree`, the parameters that are the same in all of them.
    """
    if catalog.marker is None:
        return []
    problems: list[Problem] = []
    for name, table in _tables(catalog.marker.data.get("families", {})):
        prefix, agree = table.get("prefix"), table.get("agree")
        members = [part for part in catalog.parts if isinstance(prefix, str) and part.path_id.startswith(prefix)]
        if members and isinstance(agree, list):
            for parameter in cast("list[Any]", agree):
                problems += _disagreement(name, str(parameter), members)
        else:
            text = "the family has no parts" if isinstance(agree, list) else "the family agrees on nothing"
            expected = 'prefix = "dasd/ibm-3390-" and agree = ["track_bytes"]'
            problems.append(
                catalog.marker.located(Problem(code="QN314", found=text, expected=expected, path=("families", name)))
            )
    return problems


def _disagreement(family: str, parameter: str, members: list[Draft]) -> list[Problem]:
    """Problems of members without the value, or with another than most have; in a tie the first value is expected."""
    amounts = [member.derivation.amounts.get(parameter) for member in members]
    present = [amount for amount in amounts if amount is not None]
    usual = max(present, key=present.count, default=None)
    pattern = members[amounts.index(usual)].path_id
    problems: list[Problem] = []
    for member, amount in zip(members, amounts, strict=True):
        if amount is None:
            text, expected = f"there is no usable {parameter}", f"one, as in every part of the family {family}"
        elif amount != usual:
            text, expected = f"{parameter} is not that of the family {family}", f"the same as in {pattern}"
        else:
            continue
        problems.append(
            member.document.located(
                Problem(code="QN314", found=text, expected=expected, path=("parameters", parameter))
            )
        )
    return problems


def addresses(catalog: Catalog) -> list[Problem]:
    """Addresses of sources are https with the name of a host: anything else is a mirror that may be gone tomorrow."""
    problems: list[Problem] = []
    for source in catalog.sources.values():
        if ("://" in source.where or source.where.startswith("www.")) and not _ADDRESS.match(source.where):
            text, expected = f"found {shown(source.where)}", "https:// and the name of a host, or no address"
            problems.append(Problem("QN311", text, expected, path=(source.key, "where")))
    return [] if catalog.source_list is None else [catalog.source_list.located(problem) for problem in problems]


RULES: dict[str, Rule] = {
    "readable": readable,
    "file-names": file_names,
    "form": form,
    "identity": identity,
    "provenance": provenance,
    "names": names,
    "derivations": derivations,
    "ranges": ranges,
    "fittings": fittings,
    "claims-exist": claims_exist,
    "claims-fitted": claims_fitted,
    "study-names": study_names,
    "sources-exist": sources_exist,
    "sources-used": sources_used,
    "addresses": addresses,
    "families": families,
}
"""Every rule by the name it is reported under."""


def _each_part(catalog: Catalog, check: checks.Check) -> list[Problem]:
    return [part.document.located(problem) for part in catalog.parts for problem in check(part)]


def _parameters(catalog: Catalog) -> Iterator[tuple[Draft, str, DraftParameter]]:
    for part in catalog.parts:
        for name, parameter in part.parameters.items():
            yield part, name, parameter


def _tables(value: object) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, dict):
        for key, table in cast("dict[str, Any]", value).items():
            if isinstance(table, dict):
                yield key, cast("dict[str, Any]", table)


def _texts_under(value: object, keys: tuple[str, ...]) -> Iterator[str]:
    """Every text that stands under one of some keys, alone or in a list, anywhere in a document."""
    if isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            if key in keys:
                yield from _texts(item)
            yield from _texts_under(item, keys)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _texts_under(item, keys)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _texts(item)


class Claims(Record):
    """The claims of all studies, as plain data."""

    by_id: dict[str, tuple[Document, Path, dict[str, Any]]]
    """Id -> document, path and keys of the claim."""

    @property
    def subjects(self) -> set[str]:
        """The parts of the ids before their first `/`."""
        return {_subject(id) for id in self.by_id}


def claims(documents: Sequence[Document]) -> Claims:
    """The claims of the documents that have some."""
    result: dict[str, tuple[Document, Path, dict[str, Any]]] = {}
    for document in documents:
        listed: Any = document.data.get("claims", [])
        for index, claim in enumerate(cast("list[Any]", listed) if isinstance(listed, list) else []):
            if isinstance(claim, dict):
                table = cast("dict[str, Any]", claim)
                result[str(table.get("id", ""))] = (document, ("claims", index), table)
    return Claims(result)


def fitted_on(parts: Sequence[Draft], documents: Sequence[Document]) -> Iterator[tuple[Document, Path, str]]:
    """Every claim that a value of a part or a system was fitted on, with the document and path of the value."""
    for part in parts:
        for name, parameter in part.parameters.items():
            for claim in parameter.fitted_on or ():
                yield part.document, ("parameters", name, "fitted_on"), claim
    for document in documents:
        parameters: Any = document.data.get("parameters", {})
        for name, table in cast("dict[str, Any]", parameters).items() if isinstance(parameters, dict) else ():
            listed: Any = cast("dict[str, Any]", table).get("fitted_on", []) if isinstance(table, dict) else []
            for claim in cast("list[Any]", listed) if isinstance(listed, list) else [listed]:
                yield document, ("parameters", name, "fitted_on"), str(claim)


def unknown(parts: Sequence[Draft], documents: Sequence[Document]) -> list[Problem]:
    """Values fitted on claims that no study has, though it has others of the same subject."""
    known = claims(documents)
    ids = sorted(known.by_id)
    return [
        document.located(
            Problem(
                code="QN310",
                found=f"unknown claim {shown(id)}",
                expected="the id of a claim of a study",
                path=path,
                help=suggest(id, ids),
            )
        )
        for document, path, id in fitted_on(parts, documents)
        if id not in known.by_id and _subject(id) in known.subjects
    ]


def disagreeing(parts: Sequence[Draft], documents: Sequence[Document]) -> list[Problem]:
    """Values fitted on what a study counts as predicted, and fitted claims that no value was fitted on."""
    known = claims(documents)
    problems: list[Problem] = []
    used: set[str] = set()
    for document, path, id in fitted_on(parts, documents):
        used.add(id)
        role = known.by_id[id][2].get("role") if id in known.by_id else None
        if role in _PREDICTED:
            text = f"{shown(id)} is {role} in its study, and the value was fitted on it"
            problems.append(
                document.located(Problem(code="QN310", found=text, expected='role = "fitted" for the claim', path=path))
            )
    for id, (document, path, table) in known.by_id.items():
        if table.get("role") == "fitted" and id not in used:
            text = f"{shown(id)} is fitted, and no value names it"
            expected = "fitted_on with its id at the parameter that it sets"
            problems.append(
                document.located(Problem(code="QN310", found=text, expected=expected, path=(*path, "sets")))
            )
    return problems


def _subject(claim: str) -> str:
    return claim.partition("/")[0]
