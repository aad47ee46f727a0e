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
from tests.support.json_documents import XSI, as_json

from timbra.cfdi.from_json import JsonDocuments
from timbra.core.errors import ServiceError
from timbra.examples import ingreso, pago
from timbra.snapshot import locate, open_snapshot

DOCUMENTS = JsonDocuments(open_snapshot(locate(None)))

Tree = tuple[str, dict[str, str], str, list[Any]]


def tree(element: etree._Element) -> Tree:
    attributes = {str(name): str(value) for name, value in element.attrib.items() if not str(name).startswith(XSI)}
    children = [tree(child) for child in element.iterchildren("*") if not str(child.tag).endswith("}Addenda")]
    return str(element.tag), attributes, (element.text or "").strip(), children


def converted(content: object) -> etree._Element:
    return etree.fromstring(DOCUMENTS.invoice(json.dumps(content).encode()).xml)


@pytest.mark.parametrize("source", [ingreso(), ingreso(concepts=3), pago()], ids=["one", "three", "pago"])
def test_convert_round_trips_examples(source: str) -> None:
    root = etree.fromstring(source.encode())
    assert tree(converted(as_json(root))) == tree(root)


def corpus_invoices() -> list[Path]:
    manifest = json.loads((corpus_path() / "manifest.json").read_text())["documents"]
    return [corpus_path() / entry["file"] for entry in manifest if entry["version"] == "4.0" and entry.get("xsd_ok")]


def test_convert_round_trips_the_corpus() -> None:
    compared = 0
    for path in corpus_invoices():
        root = etree.fromstring(path.read_bytes(), etree.XMLParser(remove_comments=True))
        if any(element.attrib and (element.text or "").strip() for element in root.iter("*")):
            continue  # JSON has no form for an element with both text and attributes
        assert tree(converted(as_json(root))) == tree(root), path.name
        compared += 1
    assert compared > 50


def test_convert_ignores_order_of_keys() -> None:
    root = etree.fromstring(pago().encode())
    content = as_json(root)
    assert tree(converted(dict(reversed(list(content.items()))))) == tree(root)


def test_convert_keeps_written_form_of_numbers() -> None:
    root = DOCUMENTS.invoice(b'{"Total":116.00,"SubTotal":1e2,"Folio":7,"Descuento":-0.10}').xml
    written = {str(name): str(value) for name, value in etree.fromstring(root).attrib.items()}
    assert written.items() >= {"Total": "116.00", "SubTotal": "1e2", "Descuento": "-0.10", "Folio": "7"}.items()


def test_convert_accepts_complement_without_any_or_prefix() -> None:
    wanted = tree(converted({"Complemento": {"Any": [{"pago20:Pagos": {"Version": "2.0"}}]}}))
    others: tuple[Any, ...] = (
        {"Pago20:Pagos": {"Version": "2.0"}},
        {"Pagos": {"Version": "2.0"}},
        [{"Any": [{"Pagos": {"version": "2.0"}}]}],
    )
    for other in others:
        assert tree(converted({"Complemento": other})) == wanted


def test_convert_keeps_empty_seal_attributes() -> None:
    assert converted({"Sello": "", "Certificado": "", "NoCertificado": ""}).attrib["Sello"] == ""


@pytest.mark.parametrize(
    ("body", "part"),
    [
        (b"", "línea 1"),
        (b"[]", "no es un objeto"),
        (b"\xff\xfe", "no es UTF-8"),
        (b'{"a":1,"a":2}', "se repite"),
        (b'{"b":[{"a":1,"a":2}],"c":', "se repite"),
        (b'{"Total":NaN}', "NaN"),
        (b'{"Total":true}', "texto o un número"),
        (b'{"Version":"9.9"}', "versión 9.9"),
        (b'{"Emisor":[{"Rfc":"A"},{"Rfc":"B"}]}', "no se repite"),
        (b'{"Emisor":[["x"]]}', "debe ser un objeto"),
        (b'{"Complemento":{"nuevo:Cosa":{"Version":"1.0"}}}', "No se conoce el complemento"),
        (b'{"Complemento":{"Any":["x"]}}', "debe contener objetos"),
        (b'{"Complemento":{"Any":[{"Any":[{"Any":[]}]}]}}', "No se conoce el complemento"),
        (b'{"Serie":"\\u0000"}', "no es un carácter de texto"),
        (b'{"a":' * 100_000, "anidamiento excesivo"),
        (b'{"Addenda":{"una clave":"x"}}', "Comprobante/Addenda/una clave no se puede escribir en XML"),
        (b'{"Addenda":' + b'{"a":' * 150 + b'"1"' + b"}" * 151, "más de 100 niveles"),
        (b'{"Addenda":{"@a":["x"]}}', "Comprobante/Addenda"),
    ],
    ids=range(18),
)
def test_convert_rejects_other_json_with_its_path(body: bytes, part: str) -> None:
    with pytest.raises(ServiceError) as caught:
        DOCUMENTS.invoice(body)
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
        DOCUMENTS.invoice(json.dumps(content).encode())
    except ServiceError as error:
        return error.code
    return ""


@settings(max_examples=300)
@given(JSON)
def test_convert_raises_only_301_or_asks_for_data_for_any_json(content: object) -> None:
    assert outcome(content) in ("", "301", "xml-missing")


@pytest.mark.parametrize(
    "body", [b'{"Serie": "A\\u0000"}', b'{"Conceptos": [{"\\ud800": "x"}]}', b'{"a": "\\udc00\\ud800"}']
)
def test_convert_rejects_text_that_cannot_be_stored(body: bytes) -> None:
    with pytest.raises(ServiceError) as rejected:
        DOCUMENTS.invoice(body)
    assert rejected.value.code == "301"


def attributes(element: etree._Element) -> dict[str, str]:
    return {str(name): str(value) for name, value in element.attrib.items() if not str(name).startswith(XSI)}


def written_attributes(content: object) -> dict[str, str]:
    return attributes(converted(content))


@pytest.mark.parametrize("false", [False, "false", "False", " FALSE "])
@pytest.mark.parametrize("true", [True, "true", "True"])
def test_convert_applies_specified_flags(false: object, true: object) -> None:
    content = {
        "Version": "4.0",
        "Descuento": "0",
        "DescuentoSpecified": false,
        "TipoCambio": "1",
        "TipoCambioSpecified": true,
        "InformacionGlobal": {"Meses": "01"},
        "InformacionGlobalSpecified": false,
    }
    assert written_attributes(content) == {"Version": "4.0", "TipoCambio": "1"}
    assert DOCUMENTS.invoice(json.dumps(content).encode()).ignored_keys == ()
    assert len(converted(content)) == 0


def test_convert_applies_specified_flags_inside_elements_and_complements() -> None:
    pagos = {"Version": "2.0", "Pago": [{"Monto": "1", "NumOperacion": "x", "NumOperacionSpecified": "false"}]}
    content = {
        "Complemento": {"Pagos": pagos},
        "Conceptos": [{"Cantidad": "1", "Descuento": "2", "DescuentoSpecified": False}],
    }
    root = converted(content)
    [concepto], [pago_element] = root.findall(".//{*}Concepto"), root.findall(".//{*}Pago")
    assert attributes(concepto) == {"Cantidad": "1"}
    assert attributes(pago_element) == {"Monto": "1"}


def test_convert_reads_the_attribute_and_text_notation() -> None:
    plain = {
        "Version": "4.0",
        "Emisor": {"Rfc": "EKU9003173C9"},
        "Complemento": {"leyendasFisc:LeyendasFiscales": {"version": "1.0", "Leyenda": [{"textoLeyenda": "a"}]}},
    }
    marked = {
        "@Version": "4.0",
        "@xmlns:cfdi": "http://www.sat.gob.mx/cfd/4",
        "cfdi:Emisor": {"@Rfc": "EKU9003173C9"},
        "cfdi:Complemento": {
            "leyendasFisc:LeyendasFiscales": {"@version": "1.0", "leyendasFisc:Leyenda": {"@textoLeyenda": "a"}}
        },
    }
    assert tree(converted(marked)) == tree(converted(plain))
    assert DOCUMENTS.invoice(json.dumps(marked).encode()).ignored_keys == ()


def test_convert_reads_the_text_of_an_element_with_attributes() -> None:
    detallista = {
        "@documentStructureVersion": "AMC8.1",
        "specialInstruction": [{"@code": "ZZZ", "text": {"#text": "CIEN"}}],
        "orderIdentification": {"referenceIdentification": {"@type": "ON", "#text": "51503"}},
    }
    root = converted({"Complemento": {"detallista:detallista": detallista}})
    [reference] = root.findall(".//{*}orderIdentification/{*}referenceIdentification")
    assert (attributes(reference), reference.text) == ({"type": "ON"}, "51503")
    [text] = root.findall(".//{*}specialInstruction/{*}text")
    assert text.text == "CIEN"


def test_convert_leaves_out_unknown_keys_and_names_them() -> None:
    content = {
        "Version": "4.0",
        "CodigoInterno": "7",
        "Emisor": {"Rfc": "A", "Telefono": 1, "Contacto": {"Nombre": "x"}},
        "Conceptos": [{"Cantidad": "1"}, {"Cantidad": "2", "Nota": True, "#text": "x"}],
        "DescuentoSpecified": None,
    }
    conversion = DOCUMENTS.invoice(json.dumps(content).encode())
    assert conversion.ignored_keys == (
        "Comprobante/CodigoInterno",
        "Comprobante/Emisor/Telefono",
        "Comprobante/Emisor/Contacto",
        "Comprobante/Conceptos/Concepto[2]/Nota",
        "Comprobante/Conceptos/Concepto[2]/#text",
    )
    root = etree.fromstring(conversion.xml)
    assert written_attributes(content) == {"Version": "4.0"}
    assert [attributes(concepto) for concepto in root.iter("{*}Concepto")] == [{"Cantidad": "1"}, {"Cantidad": "2"}]


@pytest.mark.parametrize("content", [{}, {"xml": "<x/>"}, {"documento": {"a": 1}, "tipo": "I"}])
def test_convert_asks_for_data_when_no_member_is_of_a_document(content: dict[str, object]) -> None:
    """A client that misspells the member of the XML learns its name, not the first missing attribute."""
    for convert, name in ((DOCUMENTS.invoice, "Comprobante"), (DOCUMENTS.retencion, "Retenciones")):
        with pytest.raises(ServiceError, match="xml-missing") as rejected:
            convert(json.dumps(content).encode())
        assert rejected.value.detail == f'Falta el miembro "data" con el XML, o los miembros de un {name}.'


def test_convert_rejects_unknown_keys_when_the_setting_says_so() -> None:
    strict = JsonDocuments(open_snapshot(locate(None)), reject_unknown_keys=True)
    with pytest.raises(ServiceError, match="301") as rejected:
        strict.invoice(b'{"Emisor":{"Telefono":"1"}}')
    assert rejected.value.detail == "No se conoce Comprobante/Emisor/Telefono."


@pytest.mark.parametrize(
    ("addenda", "written"),
    [
        ({"Pedido": "77"}, "<Pedido>77</Pedido>"),
        ({"Pedido": {"@Numero": "7", "#text": "x"}}, '<Pedido Numero="7">x</Pedido>'),
        ({"Linea": ["1", {"N": 2}]}, "<Linea>1</Linea><Linea><N>2</N></Linea>"),
        ({"Any": [{"A": True}, {"B": None}]}, "<A>true</A><B/>"),
        ([{"A": "1"}, {"B": "2"}], "<A>1</A><B>2</B>"),
        ("texto & más", "<Texto>texto &amp; más</Texto>"),
        ('<x:A xmlns:x="urn:a" b="1"/>', '<x:A xmlns:x="urn:a" b="1"/>'),
        ("<roto", "<Texto>&lt;roto</Texto>"),
        ({"x:A": {"@xmlns:x": "urn:a", "x:B": "1"}}, '<x:A xmlns:x="urn:a"><x:B>1</x:B></x:A>'),
        ({"y:A": "1"}, "<A>1</A>"),
        ({"A": {"@xmlns": "urn:a", "B": "1"}}, '<A xmlns="urn:a"><B>1</B></A>'),
        (None, ""),
    ],
    ids=range(12),
)
def test_convert_writes_an_addenda_of_any_shape(addenda: object, written: str) -> None:
    root = converted({"Addenda": addenda})
    expected = etree.fromstring(f"<Addenda>{written}</Addenda>")
    found = root.find("{*}Addenda")
    children = [] if found is None else list(found)
    assert [etree.tostring(each, method="c14n", exclusive=True) for each in children] == [
        etree.tostring(each, method="c14n", exclusive=True) for each in expected
    ]


def test_convert_does_not_expand_entities_of_an_addenda() -> None:
    hostile = '<!DOCTYPE a [<!ENTITY e "expandida">]><a>&e;</a>'
    xml = DOCUMENTS.invoice(json.dumps({"Addenda": hostile}).encode()).xml
    assert b"expandida</" not in xml
    assert b"&lt;!DOCTYPE" in xml
