"""No declared attribute or element is lost: a value that does not fit and a key that is nearly declared are rejected.

Every test covers each attribute and element of the schemas that JSON has: the documents and all their complements.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from lxml import etree
from tests.support.effort import LONG, rounds

from timbra.cfdi.from_json import JsonDocuments
from timbra.cfdi.from_json.schema_shapes import ElementShape, near_name
from timbra.cfdi.structure.standards import XmlStandard
from timbra.core.errors import ServiceError
from timbra.snapshot import locate, open_snapshot

DOCUMENTS = JsonDocuments(open_snapshot(locate(None)))
BY_LXML = JsonDocuments(open_snapshot(locate(None)))
BY_LXML._plain._is_usable = False
ROOTS = ("Comprobante", "Retenciones")
NO_TEXTS: tuple[Any, ...] = (
    {}, {"x": "1"}, [], ["A"], ["A", "B"], [{}], True, {"#text": ["A"]}, {"#text": {"#text": "A"}}, {"#text": False},
    {"#text": "77", "x": "1"},
)  # fmt: skip
NO_ELEMENTS: tuple[Any, ...] = ("x", 7, True, ["x"], [7], [None], [["x"]], {"#text": "x"}, {"#text": 7})


@dataclass(frozen=True)
class Place:
    """An element of a schema, and the keys that lead to it from the root element of the schema."""

    standard: XmlStandard
    path: tuple[str, ...]
    shape: ElementShape

    def document(self, members: dict[str, Any]) -> dict[str, Any]:
        """Return a document whose element of this place has the members."""
        content = members
        for key in reversed(self.path):
            content = {key: content}
        root = DOCUMENTS._standards.shape(self.standard)
        for name in root.attributes:
            if name.casefold() == "version" and name.casefold() not in {key.casefold() for key in content}:
                content = {name: self.standard.version, **content}
        if self.standard.element in ROOTS:
            return content
        return {"Version": "4.0", "Complemento": {f"{self.standard.prefix}:{self.standard.element}": content}}

    def read(self, xml: bytes) -> etree._Element:
        """Return the element of this place in a converted document."""
        root = etree.fromstring(xml)
        start = root if self.standard.element in ROOTS else root[0][0]
        found = start.find("/".join(f"{{*}}{key}" for key in self.path)) if self.path else start
        assert found is not None
        return found

    @property
    def name(self) -> str:
        return "/".join((f"{self.standard.prefix}:{self.standard.element}", *self.path))


def places() -> Iterator[Place]:
    for standard in DOCUMENTS._standards._all:
        yield from inner_places(Place(standard, (), DOCUMENTS._standards.shape(standard)))


def inner_places(place: Place) -> Iterator[Place]:
    yield place
    for child in place.shape.children.values():
        if child.name != "Addenda":
            yield from inner_places(Place(place.standard, (*place.path, child.name), child))


PLACES = list(places())
OPEN = [place for place in PLACES if place.shape.open]


def outcome(place: Place, content: object) -> object:
    """Return the XML, or the detail of the rejection, which the native and the Python conversion give alike."""
    results: list[object] = []
    for documents in (DOCUMENTS, BY_LXML):
        convert = documents.retencion if place.standard.element == "Retenciones" else documents.invoice
        try:
            results.append(convert(json.dumps(content).encode()))
        except ServiceError as error:
            results.append(error.detail if error.code == "301" else error)
    assert results[0] == results[1], content
    return results[0]


def rejection(place: Place, content: object) -> str:
    detail = outcome(place, content)
    assert isinstance(detail, str), content
    return detail


def attributes() -> Iterator[tuple[Place, str]]:
    """Yield every attribute, one of three elements in the suite."""
    for place in PLACES[:: rounds(3, 1)]:
        for name in place.shape.attributes:
            if not (place.path == () and name.casefold() == "version"):
                yield place, name


def test_places_cover_every_schema() -> None:
    assert len({place.standard.file for place in PLACES}) > 30
    assert len(PLACES) > 400
    assert len(list(attributes())) > rounds(400, 1000)


@pytest.mark.parametrize("value", NO_TEXTS, ids=range(len(NO_TEXTS)))
def test_attribute_rejects_a_value_that_is_no_text(value: object) -> None:
    for place, name in attributes():
        if place.shape.child(name) is not None and isinstance(value, dict | list):
            continue  # the element of the same name
        detail = rejection(place, place.document({name: value}))
        assert detail.startswith(("Comprobante/", "Retenciones/")), detail
        assert f"/@{name} debe ser un texto o un número, no un" in detail


@pytest.mark.parametrize("value", [{}, [], ["4.0"], True, {"#text": []}], ids=range(5))
def test_version_rejects_a_value_that_is_no_text(value: object) -> None:
    for place in PLACES:
        for name in place.shape.attributes:
            if place.path == () and name.casefold() == "version" and place.standard.version in ("2.0", "4.0", ""):
                assert "ersi" in rejection(place, place.document({name: value}))


def test_object_with_only_text_is_its_text() -> None:
    for place, name in attributes():
        if place.shape.child(name) is None:
            expected = outcome(place, place.document({name: "77"}))
            assert outcome(place, place.document({name: {"#text": "77"}})) == expected
            assert outcome(place, place.document({f"@{name}": {"#text": 77}})) == expected
            assert not isinstance(expected, str)
            assert place.read(expected.xml).get(name) == "77"  # type: ignore[attr-defined]


def test_version_may_be_an_object_with_only_text() -> None:
    plain = json.dumps({"Version": "4.0", "Complemento": {"pago20:Pagos": {"Version": "2.0"}}}).encode()
    written = {"Version": {"#text": "4.0"}, "Complemento": {"pago20:Pagos": {"Version": {"#text": "2.0"}}}}
    assert DOCUMENTS.invoice(json.dumps(written).encode()).xml == DOCUMENTS.invoice(plain).xml


def test_attribute_rejects_two_keys_with_other_values() -> None:
    for place, name in attributes():
        assert f"@{name} viene dos veces" in rejection(place, place.document({name: "1", f"@{name}": "2"}))
        if name.upper() != name:
            assert f"@{name} viene dos veces" in rejection(place, place.document({name.upper(): "1", name: "2"}))
        assert not isinstance(outcome(place, place.document({name: "1", f"@{name}": "1"})), str)


def test_element_rejects_two_keys_of_one_name() -> None:
    for place in PLACES:
        for child in place.shape.children.values():
            if not place.shape.open and place.shape.attribute(child.name) is None and child.name != "Addenda":
                detail = rejection(place, place.document({child.name: {}, f"@{child.name}": {}}))
                assert f"/{child.name} viene dos veces" in detail


@pytest.mark.parametrize("value", NO_ELEMENTS, ids=range(len(NO_ELEMENTS)))
def test_element_rejects_a_value_that_is_no_object(value: object) -> None:
    for place in PLACES[:: rounds(3, 1)]:
        for child in place.shape.children.values():
            if child.text or child.name == "Addenda" or place.shape.attribute(child.name) is not None:
                continue
            item = child.item()
            if item is not None and item.text and value in (["x"], [7]):
                continue  # the texts of a container
            assert f"/{child.name}" in rejection(place, place.document({child.name: value}))


@pytest.mark.parametrize("value", [True, [True], [None], [["x"]], {"#text": ["x"]}, {"#text": {}}], ids=range(6))
def test_element_of_text_rejects_a_value_that_is_no_text(value: object) -> None:
    checked = 0
    for place in PLACES:
        for child in place.shape.children.values():
            if child.text and place.shape.attribute(child.name) is None:
                assert f"/{child.name}" in rejection(place, place.document({child.name: value}))
                checked += 1
    assert checked > 20


def nearly(name: str) -> set[str]:
    """Return keys that are one edit, or the number of a word, away from a name."""
    middle = len(name) // 2
    keys = {f"{name}s", f"{name}es", name[:-1], name[1:], f"{name[:middle]}{name[middle + 1 :]}", f"{name}_"}
    keys |= {f"{name[:middle]}ñ{name[middle + 1 :]}", f"{name[:middle]}ñ{name[middle:]}"}
    keys.add(f"{name[: middle - 1]}{name[middle]}{name[middle - 1]}{name[middle + 1 :]}")
    return keys - {""}


@pytest.mark.parametrize("value", ["1", {"x": "1"}, [{}], True], ids=range(4))
def test_key_that_is_nearly_declared_is_rejected_with_the_declared_name(value: object) -> None:
    checked = 0
    for place in PLACES:
        if place.shape.open:
            continue
        declared = [*place.shape.attributes, *place.shape.children]
        folded = {name.casefold() for name in declared}
        for number, name in enumerate(declared):
            keys = sorted(nearly(name))
            for key in keys if LONG else (keys[number % len(keys)],):
                if key.casefold() in folded:
                    continue
                detail = rejection(place, place.document({key: value}))
                path, _, meant = detail.partition("; ¿quiso decir ")
                assert path.endswith(f"/{key}"), detail
                assert meant.removesuffix("?") in declared
                checked += 1
    assert checked > (10_000 if LONG else 1_000)


def test_key_of_a_complement_is_never_left_out() -> None:
    for place in OPEN:
        for standard in DOCUMENTS._standards._all:
            if standard.element in ROOTS:
                continue
            for value in ("x", 7, True, ["x"], [None]):
                content = {f"{standard.prefix}:{standard.element}": value}
                assert standard.element in rejection(place, place.document(content))
                assert standard.element in rejection(place, place.document({"Any": [content]}))
            detail = rejection(place, place.document({f"{standard.element}x": "x"}))
            assert "¿quiso decir" in detail or standard.element in detail
        assert "Any" in rejection(place, place.document({"Any": "x"}))


@pytest.mark.parametrize(
    ("name", "declared", "near"),
    [
        ("CfdiRelacionado", ["CfdiRelacionados"], True),
        ("Complementos", ["Complemento"], True),
        ("LeyendaFiscal", ["LeyendasFiscales"], True),
        ("Retencion", ["Retenciones"], True),
        ("Descripción", ["Descripcion"], True),
        ("Sreie", ["Serie"], True),
        ("CodigoInterno", ["Moneda", "Folio"], False),
        ("Telefono", ["Nombre"], False),
        ("FormaDePago", ["FormaPago"], False),
        ("", ["Id"], False),
        ("x" * 100_000, ["Folio"], False),
    ],
    ids=range(11),
)
def test_near_name_finds_one_edit_and_the_other_number(name: str, declared: list[str], near: bool) -> None:
    assert (near_name(name, declared) is not None) is near


def test_unknown_keys_are_left_out_and_named_in_every_place() -> None:
    for place in PLACES:
        if not place.shape.open:
            conversion = outcome(place, place.document({"CampoInternoDelCliente": {"a": ["x"]}, "OtroCampo1": "x"}))
            assert not isinstance(conversion, str), place.name
            keys = [key.rpartition("/")[2] for key in conversion.ignored_keys]  # type: ignore[attr-defined]
            assert keys == ["CampoInternoDelCliente", "OtroCampo1"]
