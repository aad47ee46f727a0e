"""Paths of findings lead to elements."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from timbra.validation.xpath_view import attribute_of, element_at, nearest_path, normalize_path

DOCUMENT = etree.fromstring(
    b'<c:A xmlns:c="urn:c"><c:B/><c:C><c:D n="1"/><c:D n="2"><c:E/></c:D></c:C><c:X><c:P n="1"/></c:X>'
    b'<c:X><c:P n="2"/></c:X></c:A>'
)


@pytest.mark.parametrize(
    ("path", "name", "number"),
    [
        ("", "A", None),
        ("@v", "A", None),
        ("C/D[2]/@n", "D", "2"),
        ("C/D[1]", "D", "1"),
        ("/c:A/c:C/c:D[2]/c:E", "E", None),
        ("X/P[2]", "P", "2"),
        ("C/D[2]/Missing/@n", "D", "2"),
        ("C/D[9]", "C", None),
    ],
)
def test_element_at_returns_the_element_or_its_nearest_ancestor(path: str, name: str, number: str | None) -> None:
    element = element_at(DOCUMENT, path)

    assert element is not None
    assert (etree.QName(element).localname, element.get("n")) == (name, number)


def test_attribute_of_and_normalize_path() -> None:
    assert attribute_of("C/D[2]/@n") == "n"
    assert attribute_of("C/D[2]") is None
    assert normalize_path("C[1]/D[2]/@n") == "C/D[2]"
    assert nearest_path("C/D[2]/E/@n", {"C/D[2]", "C"}) == "C/D[2]"
    assert nearest_path("Z", {"C"}) is None


@given(st.text(max_size=40) | st.text("/@[]0123456789ABCDPXc:", max_size=40))
def test_element_at_accepts_any_text(path: str) -> None:
    element = element_at(DOCUMENT, path)

    assert element.tag.startswith("{urn:c}")
