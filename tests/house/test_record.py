"""Records: immutable tuples with names, defaults and a useful text."""

from __future__ import annotations

import pickle

import pytest

from qnet.record import Record


class Size(Record):
    """A record of this test."""

    width: int
    height: int = 2


class Often(Size):
    """Another, so often made that its constructor is compiled."""

    depth: int = 9


@pytest.fixture(scope="module", autouse=True)
def often_made() -> None:
    for width in range(1000):
        assert Often(width, depth=3) == (width, 2, 3)


def test_a_record_that_is_often_made_is_made_like_others():
    assert Often.__new__ is not Size.__new__
    assert Often(1, 3) == Often(width=1, height=3) == (1, 3, 9)
    assert isinstance(Often(1), Often) and pickle.loads(pickle.dumps(Often(1))) == Often(1)
    for values, named in (((), {}), ((1, 2, 3, 4), {}), ((1,), {"colour": 4}), ((1,), {"width": 1})):
        with pytest.raises(TypeError, match="Often"):
            Often(*values, **named)


def test_a_subclass_of_one_that_is_often_made_has_its_own_fields():
    class Longer(Often):
        length: int

    class Same(Often):
        pass

    assert Longer(1, 2, 3, 4) == Longer(1, length=4, depth=3) == (1, 2, 3, 4)
    assert Same(1) == (1, 2, 9) and isinstance(Same(1), Same)
    with pytest.raises(TypeError, match="missing"):
        Longer(1)


def test_a_class_without_a_compiled_constructor_counts_its_records_to_a_limit():
    class Late(Size):
        required: int

    for width in range(1000):
        assert Late(width, 2, 3) == (width, 2, 3)
    assert Late.__new__ is Size.__new__ is Record.__new__ and len(Late._made) < 1000


def test_fields_are_given_by_place_or_by_name():
    assert Size(1, 3) == Size(width=1, height=3) == (1, 3)


def test_a_missing_field_takes_its_default():
    assert Size(1).height == 2


@pytest.mark.parametrize("values", [((), {}), ((1, 2, 3), {}), ((1,), {"depth": 4}), ((1,), {"width": 1})])
def test_missing_unknown_and_double_fields_are_refused(values: tuple[tuple[int, ...], dict[str, int]]):
    with pytest.raises(TypeError):
        Size(*values[0], **values[1])


def test_replace_changes_only_what_is_named():
    assert Size(1, 3).replace(width=7) == Size(7, 3)
    with pytest.raises(TypeError, match="depth"):
        Size(1).replace(depth=1)


def test_a_property_of_a_subclass_shows_an_inherited_field_in_another_way():
    class Text(Size):
        @property
        def width(self) -> str:  # type: ignore[override]
            return str(super().width)

    assert Text(3).width == "3"
    assert Text(3) == (3, 2) and Text(3).replace(height=4) == (3, 4)


def test_a_record_cannot_be_changed():
    with pytest.raises(AttributeError):
        Size(1).width = 5  # type: ignore[misc]


def test_a_record_survives_pickling_and_tells_what_it_is():
    assert pickle.loads(pickle.dumps(Size(1))) == Size(1)
    assert repr(Size(1)) == "Size(width=1, height=2)"


def test_a_subclass_adds_fields():
    class Box(Size):
        depth: int = 9

    assert Box(1) == (1, 2, 9)
    assert Box.fields() == ("width", "height", "depth")


def test_there_is_one_way_to_change_a_field():
    assert not hasattr(Size(1), "_replace")
