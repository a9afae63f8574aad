"""Shell completion of arguments that depend on a model: parameters, metrics, envelopes.

The model is parsed, not checked, so that names of an unfinished one are completed as well. Where it cannot be read,
nothing is completed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def complete_setting(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """`NAME=` for every parameter; after it, the words of a choice."""
    name, equals, _ = incomplete.partition("=")
    known = _parameters(ctx)
    if equals:
        return _items({f"{name}={word}": "" for word in _options(known.get(name))}, incomplete)
    return _items({f"{name}=": _note(value) for name, value in known.items()}, incomplete)


def complete_parameter(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Every parameter of the model."""
    return _items({name: _note(value) for name, value in _parameters(ctx).items()}, incomplete)


def complete_parameters(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Every parameter of the model, after the text up to the last comma."""
    before, comma, _ = incomplete.rpartition(",")
    return _items({before + comma + name: _note(value) for name, value in _parameters(ctx).items()}, incomplete)


def complete_settings(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """As `complete_setting`, also after `&`: `users=250 & mem` becomes `users=250 & memory=`."""
    before, sign, begun = incomplete.rpartition("&")
    space = begun[: len(begun) - len(begun.lstrip())]
    items = complete_setting(ctx, param, begun.lstrip())
    for item in items:
        item.value = before + sign + space + item.value
    return items


def complete_unit(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Usual units, after the text up to the last comma."""
    before, comma, begun = incomplete.rpartition(",")
    return _items({before + comma + name: "" for name in UNITS if name.startswith(begun)}, incomplete)


UNITS = ("ns", "us", "ms", "s", "min", "h", "/s", "/min", "/h", "B", "KiB", "MiB", "GiB", "kB", "MB", "GB", "MB/s",
         "GB/s", "%")  # fmt: skip
"""Units that are completed."""


def complete_metric(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The metrics of the model: response, throughput, those of stations and classes, and its outputs."""
    data = _model(ctx)
    stations = [*_table(data, "stations"), *(_name(text) for text in _texts(ctx, "stations"))]
    metrics = dict.fromkeys(["response", "throughput", "response_p95", *_table(data, "outputs")], "")
    customers = [*_table(data, "classes"), *_table(data, "chains")]
    if len(customers) > 1:
        metrics |= {f"{name}('{item}')": "" for item in customers for name in ("response", "throughput")}
    metrics |= {f"{name}('{item}')": "" for item in stations for name in ("utilization", "queue_length", "wait")}
    # bash inserts the text unchanged; the other shells quote it.
    bash = os.environ.get("_QNET_COMPLETE") == "bash_complete"
    begun = incomplete.lstrip("\"'")
    return _items({f'"{name}"' if bash and "(" in name else name: text for name, text in metrics.items()}, begun)


def complete_envelope(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The envelopes that the model states."""
    return _items({name: _title(value) for name, value in _table(_model(ctx), "envelopes").items()}, incomplete)


def complete_entry(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The parts and systems of the catalog, and the examples."""
    from qnet.catalog.find import DATA, NOTEBOOK, entries, examples

    known = [entry for entry in (*entries(), *examples()) if entry.kind not in ("study", DATA, NOTEBOOK)]
    return _items({entry.id: entry.title for entry in known if entry.id.startswith(incomplete)}, incomplete)


def _items(known: Mapping[str, str], incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    matching = {name: text for name, text in known.items() if name.strip('"').startswith(incomplete)}
    return [CompletionItem(name, help=text or None) for name, text in matching.items()]


def _model(ctx: click.Context) -> dict[str, Any]:
    """The data of the SYSTEM before the cursor; empty where there is none that can be read."""
    from qnet.catalog.find import system_path
    from qnet.documents import read
    from qnet.errors import QnetError

    # Where the option before the cursor has no value yet, click leaves the arguments unassigned.
    given: Any = ctx.params.get("system") or ctx.params.get("systems") or ctx.params.get("given") or tuple(ctx.args)
    system: Any = cast("tuple[Any, ...]", given)[0] if isinstance(given, tuple) and given else cast("Any", given)
    if not isinstance(system, str) or system == "-":
        return {}
    try:
        is_path = "/" in system or system.endswith(".toml")
        return read(system if is_path else system_path(system)).data
    except QnetError:
        return {}


def _parameters(ctx: click.Context) -> dict[str, Any]:
    """The parameters of the model, those of its parts, and those of a network without a file."""
    from qnet.catalog.find import part_path
    from qnet.documents import read
    from qnet.errors import QnetError

    data = _model(ctx)
    result = dict(_table(data, "parameters"))
    for namespace, part in _table(data, "uses").items():
        try:
            inside = _table(read(part_path(part)).data, "parameters") if isinstance(part, str) else {}
        except QnetError:
            continue
        result |= {f"{namespace}.{name}": value for name, value in inside.items()}
    for key, prefix in (("stations", "demand_"), ("delays", "delay_"), ("servers", "servers_")):
        result |= dict.fromkeys((prefix + _name(text) for text in _texts(ctx, key)), "")
    return result | {key: "" for key in ("arrival_rate", "population", "think_time") if ctx.params.get(key)}


def _table(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = data.get(key)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _texts(ctx: click.Context, key: str) -> Iterable[str]:
    value = ctx.params.get(key)
    return cast("tuple[str, ...]", value) if isinstance(value, tuple) else ()


def _name(text: str) -> str:
    return text.partition("=")[0].strip()


def _options(value: Any) -> list[str]:
    """The words of a choice parameter."""
    options = cast("dict[str, Any]", value).get("options") if isinstance(value, dict) else None
    return [item for item in cast("list[Any]", options) if isinstance(item, str)] if isinstance(options, list) else []


def _note(value: Any) -> str:
    """The note of a parameter; empty where it is not one line."""
    note = cast("dict[str, Any]", value).get("note", "") if isinstance(value, dict) else ""
    return note if isinstance(note, str) and note.isprintable() else ""


def _title(value: Any) -> str:
    title = cast("dict[str, Any]", value).get("title", "") if isinstance(value, dict) else ""
    return title if isinstance(title, str) and title.isprintable() else ""
