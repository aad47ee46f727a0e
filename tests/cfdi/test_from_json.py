"""JSON invoices are converted to the same invoice in schema order, and nothing is dropped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from tests.support.corpus import corpus_path

from timbra.cfdi.from_json import JsonInvoices
from timbra.errors import ServiceError
from timbra.examples import ingreso, pago
from timbra.snapshot import locate, open_snapshot

INVOICES = JsonInvoices(open_snapshot(locate(None)))
XSI = "{http://www.w3.org/2001/XMLSchema-instance}"
CONTAINERS = {"Conceptos", "Traslados", "Retenciones", "TrasladosDR", "RetencionesDR", "TrasladosP", "RetencionesP"}

Tree = tuple[str, dict[str, str], str, list[Any]]


def as_json(element: etree._Element) -> dict[str, Any]:
    """Return an element in the form of integrators: arrays for repeated elements, bare arrays for common containers."""
    content: dict[str, Any] = {str(n): v for n, v in element.attrib.items() if not str(n).startswith(XSI)}
    for child in element.iterchildren("*"):
        name = etree.QName(child).localname
        if name in ("Complemento", "ComplementoConcepto"):
            content[name] = {"Any": [{f"{part.prefix}:{etree.QName(part).localname}": as_json(part)} for part in child]}
        elif name in CONTAINERS and not child.attrib:
            content[name] = [as_json(item) for item in child]
        elif len(child) == 0 and not child.attrib and (child.text or "").strip():
            content[name] = child.text
        elif name != "Addenda":
            content.setdefault(name, []).append(as_json(child))
    return {name: value[0] if _single(name, value) else value for name, value in content.items()}


def _single(name: str, value: object) -> bool:
    return isinstance(value, list) and len(value) == 1 and name not in CONTAINERS


def tree(element: etree._Element) -> Tree:
    attributes = {str(name): str(value) for name, value in element.attrib.items() if not str(name).startswith(XSI)}
    children = [tree(child) for child in element.iterchildren("*") if not str(child.tag).endswith("}Addenda")]
    return str(element.tag), attributes, (element.text or "").strip(), children


def converted(content: object) -> etree._Element:
    return etree.fromstring(INVOICES.to_xml(json.dumps(content).encode()))


@pytest.mark.parametrize("source", [ingreso(), ingreso(concepts=3), pago()], ids=["one", "three", "pago"])
def test_to_xml_round_trips_examples(source: str) -> None:
    root = etree.fromstring(source.encode())
    assert tree(converted(as_json(root))) == tree(root)


def corpus_invoices() -> list[Path]:
    manifest = json.loads((corpus_path() / "manifest.json").read_text())["documents"]
    return [corpus_path() / entry["file"] for entry in manifest if entry["version"] == "4.0" and entry.get("xsd_ok")]


def test_to_xml_round_trips_the_corpus() -> None:
    compared = 0
    for path in corpus_invoices():
        root = etree.fromstring(path.read_bytes(), etree.XMLParser(remove_comments=True))
        if any(element.attrib and (element.text or "").strip() for element in root.iter("*")):
            continue  # JSON has no form for an element with both text and attributes
        assert tree(converted(as_json(root))) == tree(root), path.name
        compared += 1
    assert compared > 50


def test_to_xml_ignores_order_of_keys() -> None:
    root = etree.fromstring(pago().encode())
    content = as_json(root)
    assert tree(converted(dict(reversed(list(content.items()))))) == tree(root)


def test_to_xml_keeps_written_form_of_numbers() -> None:
    root = INVOICES.to_xml(b'{"Total":116.00,"SubTotal":1e2,"Folio":7,"Descuento":-0.10}')
    written = {str(name): str(value) for name, value in etree.fromstring(root).attrib.items()}
    assert written.items() >= {"Total": "116.00", "SubTotal": "1e2", "Descuento": "-0.10", "Folio": "7"}.items()


def test_to_xml_accepts_complement_without_any_or_prefix() -> None:
    wanted = tree(converted({"Complemento": {"Any": [{"pago20:Pagos": {"Version": "2.0"}}]}}))
    others: tuple[Any, ...] = (
        {"Pago20:Pagos": {"Version": "2.0"}},
        {"Pagos": {"Version": "2.0"}},
        [{"Any": [{"Pagos": {"version": "2.0"}}]}],
    )
    for other in others:
        assert tree(converted({"Complemento": other})) == wanted


def test_to_xml_keeps_empty_seal_attributes() -> None:
    assert converted({"Sello": "", "Certificado": "", "NoCertificado": ""}).attrib["Sello"] == ""


@pytest.mark.parametrize(
    ("body", "part"),
    [
        (b"", "línea 1"),
        (b"[]", "no es un objeto"),
        (b"\xff\xfe", "no es UTF-8"),
        (b'{"a":1,"a":2}', "se repite"),
        (b'{"Total":NaN}', "NaN"),
        (b'{"Total":true}', "texto o un número"),
        (b'{"Version":"2.0"}', "versión 2.0"),
        (b'{"invalid":{"x":1}}', "no lleva un elemento invalid"),
        (b'{"Emisor":[{"Rfc":"A"},{"Rfc":"B"}]}', "no se repite"),
        (b'{"Emisor":[["x"]]}', "debe ser un objeto"),
        (b'{"Complemento":{"nuevo:Cosa":{"Version":"1.0"}}}', "No se conoce el complemento"),
        (b'{"Complemento":{"Any":["x"]}}', "debe contener objetos"),
        (b'{"Complemento":{"Any":[{"Any":[{"Any":[]}]}]}}', "No se conoce el complemento"),
        (b'{"Serie":"\\u0000"}', "no se puede escribir en XML"),
        (b'{"una clave":"x"}', "no se puede escribir en XML"),
        (b'{"a":' * 100_000, "anidamiento excesivo"),
        (b'{"a":' * 800 + b"1" + b"}" * 800, "no lleva un elemento a"),
    ],
    ids=range(17),
)
def test_to_xml_rejects_other_json_with_its_path(body: bytes, part: str) -> None:
    with pytest.raises(ServiceError) as caught:
        INVOICES.to_xml(body)
    assert caught.value.code == "301"
    assert part in (caught.value.detail or "")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["Emisor", "Conceptos", "Complemento", "Any", "pago20:Pagos", "Version", "Rfc", "x"]), inner
        )
    ),
    max_leaves=12,
)


def outcome(content: object) -> str:
    try:
        INVOICES.to_xml(json.dumps(content).encode())
    except ServiceError as error:
        return error.code
    return ""


@settings(max_examples=300)
@given(JSON)
def test_to_xml_raises_only_301_for_any_json(content: object) -> None:
    assert outcome(content) in ("", "301")


@pytest.mark.parametrize(
    "body", [b'{"Serie": "A\\u0000"}', b'{"Conceptos": [{"\\ud800": "x"}]}', b'{"a": "\\udc00\\ud800"}']
)
def test_to_xml_rejects_text_that_cannot_be_stored(body: bytes) -> None:
    with pytest.raises(ServiceError) as rejected:
        INVOICES.to_xml(body)
    assert rejected.value.code == "301"
