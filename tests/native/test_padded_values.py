"""White space around the values of attributes, natively and in Python."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.native.pairs import native_module

from timbra._native import padded_values_python

HasPadded = Callable[[etree._Element], bool]
VALUES = st.text(st.sampled_from(" \t\r\nab\u00a0\u2003ñ"), max_size=4)


@pytest.fixture(params=["native", "python"])
def has_padded_values(request: pytest.FixtureRequest) -> HasPadded:
    module = native_module("padded_values") if request.param == "native" else padded_values_python
    return module.has_padded_values  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<a/>", False),
        ("<a x=''/>", False),
        ("<a x='1' y='a b'> text <b z='c'/> </a>", False),
        ("<a x='1 '/>", True),
        ("<a><b/><b><c x='&#10;1'/></b><d/></a>", True),
        ("<a x='&#xA0;1&#x2003;'/>", False),
        ("<a xmlns:p='urn:p' p:x=' '/>", True),
        ("<a><!-- x=' ' --><?p x=' '?><![CDATA[<b x=' '/>]]></a>", False),
    ],
)
def test_has_padded_values_finds_white_space_of_xml(has_padded_values: HasPadded, source: str, expected: bool) -> None:
    assert has_padded_values(etree.fromstring(source)) is expected


def test_has_padded_values_stays_inside_the_element(has_padded_values: HasPadded) -> None:
    root = etree.fromstring("<a x=' '><b><c/></b><d x=' '/></a>")
    assert not has_padded_values(root[0])


@given(values=st.lists(VALUES, max_size=4), nesting=st.integers(0, 3))
def test_has_padded_values_equals_python_for_any_values(values: list[str], nesting: int) -> None:
    root = top = etree.Element("a")
    for _ in range(nesting):
        top = etree.SubElement(top, "b")
    for number, value in enumerate(values):
        top.set(f"x{number}", value)
    expected = any(value != value.strip(" \t\r\n") for value in values)
    assert native_module("padded_values").has_padded_values(root) is expected
    assert padded_values_python.has_padded_values(root) is expected


@pytest.mark.parametrize("other", [None, "a", etree.Comment("x")])
def test_has_padded_values_rejects_what_is_no_element(has_padded_values: HasPadded, other: object) -> None:
    with pytest.raises(TypeError):
        has_padded_values(other)  # type: ignore[arg-type]
