"""Finding the catalog and its entries by name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from qnet.catalog.find import entries, is_name, part_path, root, study_path, system_path
from qnet.errors import InvalidInput, UsageError


def test_root_is_the_catalog_beside_the_package():
    assert Path(root(), "CATALOG.toml").is_file()


def test_root_is_the_folder_of_the_environment(make_catalog):
    folder = make_catalog({})
    assert root() == str(folder)


def test_an_environment_that_names_no_catalog_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv("QNET_CATALOG", str(tmp_path))
    with pytest.raises(InvalidInput, match=r"catalog was not found; expected CATALOG.toml in .*\n.*QNET_CATALOG"):
        root()


def test_paths_by_name(make_catalog):
    folder = make_catalog({"systems/net.toml": 'title = "A net"'})
    assert Path(part_path("disk/drive")) == folder / "parts" / "disk" / "drive.toml"
    assert Path(system_path("net")) == folder / "systems" / "net.toml"
    assert Path(study_path("a-study")) == folder / "studies" / "a-study.toml"


def test_an_unknown_name_suggests_the_nearest(make_catalog):
    make_catalog({"systems/ibm-3990-6.toml": 'title = "A controller"', "systems/sfs.toml": 'title = "A server"'})
    with pytest.raises(UsageError, match=r'unknown system "ibm-399" \[QN301\]\n  help: did you mean "ibm-3990-6"\?'):
        system_path("ibm-399")


def test_an_unknown_name_in_capitals_suggests_the_name():
    with pytest.raises(UsageError, match=r'did you mean "dasd/ibm-3390-3"'):
        part_path("DASD/IBM-3390-3")


def test_an_unknown_name_without_a_near_one_lists_what_there_is(make_catalog):
    make_catalog({})
    with pytest.raises(UsageError, match="known names: disk/drive"):
        part_path("zzz")
    with pytest.raises(UsageError, match="many-tenants"):
        system_path("zzz")


@pytest.mark.parametrize(
    "name",
    [
        "", ".", "..", "../a", "a/../b", "a..b", "/a", "a/", "a//b", "/etc/passwd", "a\\b", "C:a", "A", "a b", "a_b",
        "-a", ".a", "a/.b", "a\0b", "a\nb", "a\x1b[31m", "é", "a" * 201, "~a", "$HOME",
    ],
)  # fmt: skip
def test_names_that_could_leave_the_catalog_are_refused(name, make_catalog):
    folder = make_catalog({})
    (folder / "a.toml").write_text('title = "outside"')
    assert not is_name(name)
    for path_of in (part_path, system_path, study_path):
        with pytest.raises(UsageError) as caught:
            path_of(name)
        assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("name", ["a", "3390", "ibm-3390-3", "dasd/ibm-3390-3", "a.b/c-d.e", "a" * 200])
def test_names_that_are_accepted(name):
    assert is_name(name)


def test_entries_are_sorted_by_kind_and_id(make_catalog):
    make_catalog(
        {"systems/b.toml": 'title = "B"', "systems/a.toml": 'title = "A"', "parts/Bad_Name.toml": 'title = "C"'}
    )
    assert [(entry.kind, entry.id, entry.title) for entry in entries()] == [
        ("part", "disk/drive", "A drive"),
        ("study", "a-study", "A study"),
        ("system", "a", "A"),
        ("system", "b", "B"),
    ]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ('title = "Plain"', "Plain"),
        ("# a comment\n\nschema = 1\ntitle = 'Literal'  # said so", "Literal"),
        ('title = "A \\"quoted\\" word"', 'A "quoted" word'),
        ('title = """\nOn its own line"""', "On its own line"),
        ("schema = 1\n[parameters.title]\nvalue = 1", ""),
        ('description = """\ntitle = "A wrong title"\n"""\ntitle = "A title"', "A title"),
        ("description = '''\ntitle = 1\n'''", ""),
        ("title = 3", ""),
        ('title = "\\u001b[31mred"', ""),
        ("this is not TOML", ""),
        ("", ""),
    ],
)
def test_titles_of_any_file(text, title, make_catalog):
    make_catalog({"systems/it.toml": text})
    (entry,) = [entry for entry in entries() if entry.kind == "system"]
    assert entry.title == title


def test_finding_loads_no_parser_and_no_arrays():
    program = (
        "import sys; from qnet.catalog import find; find.entries(); find.part_path('dasd/ibm-3390-3');"
        "[entry.title for entry in find.entries() if entry.kind == 'part'];"
        "heavy = {'tomllib', 'numpy', 'pathlib', 'dataclasses', 'importlib.resources', 'ast'};"
        "print(*sorted(heavy & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-S", "-c", program], capture_output=True, text=True, check=True, cwd=_package_folder()
    )
    assert result.stdout.strip() == ""


def _package_folder() -> str:
    import qnet

    assert qnet.__file__
    return str(Path(qnet.__file__).parent.parent)
