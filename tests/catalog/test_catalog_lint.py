"""Each rule of the linter against a catalog that breaks it, and all of them against the shipped catalog."""

from __future__ import annotations

import pytest

from qnet.catalog.find import root
from qnet.catalog.lint import RULES, gather, lint


def broken(rule: str, catalog: object) -> list[str]:
    """What one rule says of the catalog in use; the linter as a whole must say it too."""
    found = RULES[rule](gather(root()))
    assert set(found) <= set(lint())
    return [problem.render().replace(f"{catalog}/", "") for problem in found]


def test_the_shipped_catalog_is_clean():
    assert [problem.render() for problem in lint()] == []


def test_a_good_catalog_is_clean(make_catalog):
    make_catalog({})
    assert lint() == []


def test_every_rule_says_what_it_protects_and_has_a_test():
    for name, rule in RULES.items():
        assert rule.__doc__, name
        assert f"test_{name.replace('-', '_')}" in globals(), f"no test of the rule {name}"


def test_readable(make_catalog):
    catalog = make_catalog({"parts/disk/drive.toml": "schema = ", "sources.toml": '[book]\nauthor = ""\nisbn = "1"\n'})
    texts = broken("readable", catalog)
    assert any("parts/disk/drive.toml:1: not valid TOML" in text for text in texts)
    assert any("sources.toml:2: book.author: found ''" in text for text in texts)
    assert any("sources.toml:3: book.isbn: unknown key" in text for text in texts)
    assert any("sources.toml:1: book: the source has no title" in text for text in texts)


def test_readable_wants_a_list_of_sources(make_catalog):
    catalog = make_catalog({})
    (catalog / "sources.toml").unlink()
    assert [problem.code for problem in lint()] == ["QN300"]


def test_file_names(make_catalog, drive):
    catalog = make_catalog({"parts/disk/Drive_2.toml": drive.replace("disk/drive", "disk/Drive_2")})
    (text,) = broken("file-names", catalog)
    assert text.startswith("parts/disk/Drive_2.toml: no name can reach this part")


def test_form(make_catalog, drive):
    catalog = make_catalog({"parts/disk/drive.toml": drive.replace("low =", "lowest =")})
    (text,) = broken("form", catalog)
    assert text.startswith("parts/disk/drive.toml:7: parameters.latency.lowest: unknown key") and '"low"' in text


def test_identity(make_catalog, drive):
    catalog = make_catalog({"parts/disk/drive.toml": drive.replace('"disk/drive"', '"disk/driver"')})
    (text,) = broken("identity", catalog)
    assert text.startswith("parts/disk/drive.toml:2: id: the id is 'disk/driver'; expected id = \"disk/drive\"")


def test_provenance(make_catalog, drive):
    text = drive.replace('grade = "datasheet"\nsource = "book"', 'grade = "certain"').replace('grade = "derived"\n', "")
    catalog = make_catalog({"parts/disk/drive.toml": text})
    found = broken("provenance", catalog)
    assert len(found) == 3
    assert "unknown grade 'certain'" in found[0] and "no source" in found[1] and "no grade" in found[2]


def test_provenance_wants_a_reason_for_an_assumption(make_catalog, drive):
    catalog = make_catalog({"parts/disk/drive.toml": drive.replace('"datasheet"', '"assumed"')})
    (text,) = broken("provenance", catalog)
    assert "does not say why" in text


def test_names(make_catalog, drive):
    for name, said in {
        "ms": "is a unit",
        "max": "is a function",
        "wait": "is a function",
        "lambda": "is a reserved word",
    }.items():
        catalog = make_catalog(
            {"parts/disk/drive.toml": drive.replace("latency]", f"{name}]").replace("2 * latency", "1 ms * 2")}
        )
        (text,) = broken("names", catalog)
        assert text.startswith(f"parts/disk/drive.toml:5: parameters.{name}: the name '{name}' {said}")
    catalog = make_catalog({"parts/disk/drive.toml": drive.replace("latency]", "seek-time]")})
    (text,) = broken("names", catalog)
    assert "cannot stand in an expression" in text


def test_derivations(make_catalog, drive):
    catalog = make_catalog({"parts/disk/drive.toml": drive.replace("2 * latency", "8 ms")})
    (text,) = broken("derivations", catalog)
    assert text.startswith(
        "parts/disk/drive.toml:13: parameters.rotation.value: the value is derived and names nothing"
    )
    catalog = make_catalog({"parts/disk/drive.toml": drive.replace('"derived"', '"measured"')})
    (text,) = broken("derivations", catalog)
    assert "the value is measured and computed from latency" in text
    catalog = make_catalog({"parts/disk/drive.toml": drive.replace("2 * latency", "2 / (latency - latency)")})
    (text,) = broken("derivations", catalog)
    assert "division by zero" in text


def test_ranges(make_catalog, drive):
    catalog = make_catalog({"parts/disk/drive.toml": drive.replace('"3 ms"', '"4.1 ms"').replace('"5 ms"', '"5 us"')})
    low, high = broken("ranges", catalog)
    assert low.startswith("parts/disk/drive.toml:7: parameters.latency.low: low is 4.1 ms and above the value")
    assert high.startswith("parts/disk/drive.toml:8: parameters.latency.high: high is 5 us and below the value")
    catalog = make_catalog(
        {"parts/disk/drive.toml": drive.replace('"3 ms"', '"3 KiB"').replace('"5 ms"', '"rotation"')}
    )
    low, high = broken("ranges", catalog)
    assert "an amount of data" in low and 'unknown name "rotation"' in high


def test_a_range_may_be_closed_at_the_value_and_begin_at_nothing(make_catalog, drive):
    make_catalog({"parts/disk/drive.toml": drive.replace('"3 ms"', "0").replace('"5 ms"', '"4 ms"')})
    assert lint() == []


def test_ranges_hold_derived_values_too(make_catalog, drive):
    catalog = make_catalog({"parts/disk/drive.toml": drive + 'high = "7 ms"\n'})
    (text,) = broken("ranges", catalog)
    assert "parameters.rotation.high" in text


def test_fittings(make_catalog, drive):
    catalog = make_catalog({"parts/disk/drive.toml": drive.replace('"datasheet"', '"fitted"')})
    (text,) = broken("fittings", catalog)
    assert text.startswith("parts/disk/drive.toml:5: parameters.latency: the value is fitted and names no claim")
    catalog = make_catalog({"parts/disk/drive.toml": drive + 'fitted_on = ["a/b"]\n'})
    (text,) = broken("fittings", catalog)
    assert "the value is derived and names claims" in text


def test_claims_exist(make_catalog, drive):
    fitted = drive.replace('"datasheet"', '"fitted"\nfitted_on = ["study/max", "elsewhere/max"]')
    study = 'source = "book"\n[[claims]]\nid = "study/maximum"\n'
    catalog = make_catalog({"parts/disk/drive.toml": fitted, "studies/a-study.toml": study})
    (text,) = broken("claims-exist", catalog)
    assert text.startswith("parts/disk/drive.toml:10: parameters.latency.fitted_on: unknown claim 'study/max'")
    assert '"study/maximum"' in text


def test_claims_exist_for_systems_too(make_catalog):
    system = '[parameters.rate]\nvalue = "1/s"\nfitted_on = ["study/max"]\n'
    study = 'source = "book"\n[[claims]]\nid = "study/maximum"\n'
    catalog = make_catalog({"systems/net.toml": system, "studies/a-study.toml": study})
    (text,) = broken("claims-exist", catalog)
    assert text.startswith("systems/net.toml:3: parameters.rate.fitted_on: unknown claim 'study/max'")


def test_claims_fitted(make_catalog):
    system = '[parameters.rate]\nvalue = "1/s"\nfitted_on = ["study/max", "study/least"]\n'
    claims = {"max": "predicted", "least": "fitted", "mean": "fitted"}
    study = 'source = "book"\n' + "".join(
        f'[[claims]]\nid = "study/{id}"\nrole = "{role}"\nsets = "rate"\n' for id, role in claims.items()
    )
    catalog = make_catalog({"systems/net.toml": system, "studies/a-study.toml": study})
    predicted, unnamed = broken("claims-fitted", catalog)
    assert predicted.startswith("systems/net.toml:3: parameters.rate.fitted_on: 'study/max' is predicted in its study")
    assert unnamed.startswith("studies/a-study.toml:13: claims[2].sets: 'study/mean' is fitted, and no value names it")


def test_study_names(make_catalog):
    catalog = make_catalog({"studies/a-study.toml": 'id = "study"\nsource = "book"\n'})
    (text,) = broken("study-names", catalog)
    assert text.startswith("studies/a-study.toml:1: id: the id is 'study'; expected id = \"a-study\"")


def test_sources_exist_for_studies_too(make_catalog):
    catalog = make_catalog({"studies/a-study.toml": 'source = "boook"\n'})
    assert "studies/a-study.toml:1: source: unknown source 'boook'" in "".join(broken("sources-exist", catalog))


def test_sources_exist(make_catalog, drive):
    catalog = make_catalog({"parts/disk/drive.toml": drive.replace('source = "book"', 'source = "boook"', 1)})
    (text,) = broken("sources-exist", catalog)
    assert text.startswith("parts/disk/drive.toml:10: parameters.latency.source: unknown source 'boook'")
    assert 'did you mean "book"?' in text


def test_sources_used(make_catalog):
    records = "".join(
        f'[{key}]\ntitle = "{key}"\n' for key in ("book", "of-study", "of-system", "unused", "assumption")
    )
    systems = {
        "systems/net.toml": '[parameters.rate]\nvalue = "1/s"\nsource = ["of-system"]\n',
        "studies/a-study.toml": '[[claims]]\nid = "a"\nsource = "of-study"\n',
    }
    catalog = make_catalog({"sources.toml": records, **systems})
    (text,) = broken("sources-used", catalog)
    assert text.startswith("sources.toml:7: unused: nothing cites this source")


@pytest.mark.parametrize(
    "where",
    ["http://example.org/a", "https://192.0.2.7/a", "https://example.org:8080/a", "www.example.org", "ftp://x.org"],
)
def test_addresses(make_catalog, where):
    make_catalog({"sources.toml": f'[book]\ntitle = "B"\nwhere = "{where}"\n'})
    (text,) = broken("addresses", make_catalog)
    assert f"book.where: found {where!r}" in text and "https:// and the name of a host" in text


@pytest.mark.parametrize("where", ["https://www.example.org", "https://a-b.example.org/x?y=1", "GC26-4193, page 3"])
def test_addresses_that_are_sound(make_catalog, where):
    make_catalog({"sources.toml": f'[book]\ntitle = "B"\nwhere = "{where}"\n'})
    assert broken("addresses", make_catalog) == []


def test_families(make_catalog, drive):
    marker = 'schema = 1\ntitle = "T"\n[families.drives]\nprefix = "disk/"\nagree = ["latency"]\n'
    parts = {
        f"parts/disk/drive-{number}.toml": drive.replace("disk/drive", f"disk/drive-{number}") for number in (2, 3, 4)
    }
    parts["parts/disk/drive-3.toml"] = parts["parts/disk/drive-3.toml"].replace('"4 ms"', '"4.5 ms"')
    parts["parts/disk/drive-4.toml"] = parts["parts/disk/drive-4.toml"].replace("latency", "delay")
    catalog = make_catalog({"CATALOG.toml": marker, **parts})
    different, missing = broken("families", catalog)
    assert different.startswith(
        "parts/disk/drive-3.toml:5: parameters.latency: latency is not that of the family drives"
    )
    assert missing.startswith("parts/disk/drive-4.toml:5: parameters.latency: there is no usable latency")


def test_families_have_parts(make_catalog):
    catalog = make_catalog({"CATALOG.toml": 'title = "T"\n[families.drives]\nprefix = "disc/"\nagree = ["latency"]\n'})
    (text,) = broken("families", catalog)
    assert text.startswith("CATALOG.toml:2: families.drives: the family has no parts")
