"""Setting of attributes, natively and in Python."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.native.pairs import native_module

from timbra._native import attribute_setter_python

SetAttribute = Callable[[etree._Element, str, str], None]


@pytest.fixture(params=["native", "python"])
def set_attribute(request: pytest.FixtureRequest) -> SetAttribute:
    module = native_module("attribute_setter") if request.param == "native" else attribute_setter_python
    return module.set_attribute  # type: ignore[no-any-return]


@pytest.mark.parametrize("value", ["", "A" * 5_000, "a/+=", "a b", "<&>\"'", "ñ", "\U0001f600", "\t"])
def test_set_attribute_replaces_and_adds(set_attribute: SetAttribute, value: str) -> None:
    root = etree.fromstring('<a Sello="1" b="2"/>')
    set_attribute(root, "Sello", value)
    set_attribute(root, "Certificado", value)
    assert {str(name): str(found) for name, found in root.attrib.items()} == {
        "Sello": value,
        "b": "2",
        "Certificado": value,
    }
    assert etree.fromstring(etree.tostring(root)).get("Sello") == value


@pytest.mark.parametrize(("name", "value"), [("", "1"), ("a b", "1"), ("a", "\x01"), ("a", "\x00")])
def test_set_attribute_rejects_what_is_no_xml(set_attribute: SetAttribute, name: str, value: str) -> None:
    with pytest.raises(ValueError, match=r"(?i)name|XML compatible"):
        set_attribute(etree.Element("a"), name, value)


@pytest.mark.parametrize(("element", "name", "value"), [(None, "a", "1"), (etree.Element("a"), "a", None)])
def test_set_attribute_rejects_other_types(element: etree._Element, name: str, value: str) -> None:
    with pytest.raises(TypeError):
        native_module("attribute_setter").set_attribute(element, name, value)


def test_set_attribute_rejects_a_comment(set_attribute: SetAttribute) -> None:
    with pytest.raises((TypeError, KeyError)):
        set_attribute(etree.Comment("x"), "a", "1")


@given(values=st.lists(st.tuples(st.sampled_from(["Sello", "B", "ñ"]), st.text("aA/ é<", max_size=5)), max_size=6))
def test_set_attribute_equals_python_for_any_values(values: list[tuple[str, str]]) -> None:
    one, other = etree.fromstring('<a B="1"><b/></a>'), etree.fromstring('<a B="1"><b/></a>')
    for name, value in values:
        native_module("attribute_setter").set_attribute(one, name, value)
        attribute_setter_python.set_attribute(other, name, value)
    assert etree.tostring(one) == etree.tostring(other)
