"""Small catalogs made for one test each, beside the one that comes with qnet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

MARKER = 'schema = 1\ntitle = "Catalog of a test"\n'

SOURCES = '[book]\ntitle = "A book"\n'

DRIVE = """schema = 1
id = "disk/drive"
title = "A drive"

[parameters.latency]
value = "4 ms"
low = "3 ms"
high = "5 ms"
grade = "datasheet"
source = "book"

[parameters.rotation]
value = "2 * latency"
grade = "derived"
source = "book"
"""

STUDY = 'title = "A study"\nsource = "book"\n'

GOOD = {
    "CATALOG.toml": MARKER,
    "sources.toml": SOURCES,
    "parts/disk/drive.toml": DRIVE,
    "studies/a-study.toml": STUDY,
}
"""A catalog that lints clean."""

MakeCatalog = Callable[[Mapping[str, str]], Path]


@pytest.fixture
def make_catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeCatalog:
    """Write files over the good catalog, by path, and make it the catalog in use."""

    def make(files: Mapping[str, str]) -> Path:
        for name, text in {**GOOD, **files}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        monkeypatch.setenv("QNET_CATALOG", str(tmp_path))
        return tmp_path

    return make


@pytest.fixture
def drive() -> str:
    """The text of a part without fault, to spoil."""
    return DRIVE


@pytest.fixture(autouse=True)
def shipped_catalog(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests see the catalog beside the package, whatever the environment of the person who runs them says."""
    monkeypatch.delenv("QNET_CATALOG", raising=False)
