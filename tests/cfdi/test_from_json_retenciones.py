"""JSON retenciones are converted to the same document in schema order, with the same treatment as JSON invoices."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.cfdi.test_from_json import tree
from tests.support.json_documents import as_json

from timbra.cfdi.from_json import JsonDocuments
from timbra.core.errors import ServiceError
from timbra.examples import DOCUMENTS, retencion
from timbra.examples.plataformas10 import plataforma_for_foreigner
from timbra.examples.retenciones20 import BY_NAME, related, retencion_rif
from timbra.snapshot import locate, open_snapshot

CONVERTER = JsonDocuments(open_snapshot(locate(None)))
SOURCES = {
    **{name: document.make() for name, document in DOCUMENTS.items() if name.startswith("retencion")},
    "rif": retencion_rif(),
    "related": retencion({"CfdiRetenRelacionados": related("04")}),
    "platform for a foreigner": plataforma_for_foreigner(),
}


def converted(content: object) -> etree._Element:
    return etree.fromstring(CONVERTER.retencion(json.dumps(content).encode()).xml)


def example(name: str = "dividendos") -> dict[str, Any]:
    return as_json(etree.fromstring(BY_NAME[name]().encode()))


def rejection(content: object) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        CONVERTER.retencion(json.dumps(content).encode())
    return caught.value


def unchanged(content: Any) -> Any:
    return content


def without_prefixes(content: Any) -> Any:
    """Return the JSON with complements as members of Complemento, without Any and without prefix."""
    if isinstance(content, dict):
        if "Any" in content:
            (parts,) = content["Any"]
            content = {key.rpartition(":")[2]: part for key, part in parts.items()}
        return {key: without_prefixes(value) for key, value in content.items()}
    return [without_prefixes(entry) for entry in content] if isinstance(content, list) else content


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
@pytest.mark.parametrize("form", [unchanged, without_prefixes])
def test_retencion_round_trips_every_example(source: str, form: Callable[[Any], Any]) -> None:
    root = etree.fromstring(source.encode())
    assert tree(converted(form(as_json(root)))) == tree(root)


def test_retencion_declares_namespaces_and_locations() -> None:
    root = converted(example())
    assert root.prefix == "retenciones"
    assert root.nsmap["dividendos"] == "http://www.sat.gob.mx/esquemas/retencionpago/1/dividendos"
    location = root.get("{http://www.w3.org/2001/XMLSchema-instance}schemaLocation", "").split()
    assert location[::2] == [root.nsmap["retenciones"], root.nsmap["dividendos"]]


def test_retencion_orders_elements_by_the_schema() -> None:
    content = dict(reversed([*example().items()]))
    assert tree(converted(content)) == tree(etree.fromstring(BY_NAME["dividendos"]().encode()))


def test_retencion_keeps_the_written_form_of_numbers() -> None:
    body = json.dumps(example()).replace('"1000.00"', "1000.10").encode()
    totals = etree.fromstring(CONVERTER.retencion(body).xml).find("{*}Totales")
    assert totals is not None
    assert totals.get("MontoTotOperacion") == "1000.10"


def test_retencion_without_version_is_20() -> None:
    content = example()
    del content["Version"]
    assert converted(content).get("Version") == "2.0"


def test_retencion_accepts_one_tax_and_many() -> None:
    content = example()
    row = content["Totales"]["ImpRetenidos"]
    content["Totales"]["ImpRetenidos"] = [row, {**row, "MontoRet": "7.00"}]
    assert [one.get("MontoRet") for one in converted(content).iter("{*}ImpRetenidos")] == ["100.00", "7.00"]


@pytest.mark.parametrize("false", [False, "false"])
def test_retencion_applies_specified_flags(false: object) -> None:
    content = example()
    content |= {"DescRetenc": "texto", "DescRetencSpecified": false, "FolioIntSpecified": True}
    content["Totales"] |= {"UtilidadBimestral": "1.00", "UtilidadBimestralSpecified": false}
    row = content["Complemento"]["Any"][0]["dividendos:Dividendos"]["DividOUtil"]
    row |= {"MontDivAcumNal": "5.00", "MontDivAcumNalSpecified": false}
    assert tree(converted(content)) == tree(etree.fromstring(BY_NAME["dividendos"]().encode()))


def test_retencion_reads_the_attribute_notation() -> None:
    content = {f"@{key}" if isinstance(value, str) else key: value for key, value in example().items()}
    assert tree(converted(content)) == tree(etree.fromstring(BY_NAME["dividendos"]().encode()))


def test_retencion_leaves_out_unknown_keys_and_names_them() -> None:
    content = example()
    content["CodigoInterno"] = "1.00"
    content["Emisor"]["Telefono"] = "X"
    content["Complemento"]["Any"][0]["dividendos:Dividendos"]["Otro"] = "1"
    conversion = CONVERTER.retencion(json.dumps(content).encode())
    assert tree(etree.fromstring(conversion.xml)) == tree(etree.fromstring(BY_NAME["dividendos"]().encode()))
    assert set(conversion.ignored_keys) == {
        "Retenciones/CodigoInterno",
        "Retenciones/Emisor/Telefono",
        "Retenciones/Complemento/dividendos:Dividendos/Otro",
    }


def test_retencion_rejects_unknown_keys_when_the_setting_says_so() -> None:
    strict = JsonDocuments(open_snapshot(locate(None)), reject_unknown_keys=True)
    with pytest.raises(ServiceError, match="301") as caught:
        strict.retencion(json.dumps({**example(), "CodigoInterno": "1.00"}).encode())
    assert caught.value.detail == "No se conoce Retenciones/CodigoInterno."


def test_retencion_writes_an_addenda() -> None:
    addenda = converted({**example(), "Addenda": {"nota": "Ñ"}})[-1]
    assert etree.QName(addenda).namespace == "http://www.sat.gob.mx/esquemas/retencionpago/2"
    assert [(child.tag, child.text) for child in addenda] == [("nota", "Ñ")]


@pytest.mark.parametrize(("version", "code"), [("4.0", "TB4020"), ("3.3", "TB4020"), ("1.0", "TB4022"), ("9.9", "301")])
def test_retencion_rejects_other_versions(version: str, code: str) -> None:
    assert rejection({**example(), "Version": version}).code == code


@pytest.mark.parametrize("version", ["2.0", "1.0"])
def test_invoice_rejects_a_retencion(version: str) -> None:
    with pytest.raises(ServiceError, match="TB4021"):
        CONVERTER.invoice(json.dumps({**example(), "Version": version}).encode())


@pytest.mark.parametrize("complement", [{"nuevo:Cosa": {"Version": "1.0"}}, {"Any": ["x"]}])
def test_retencion_rejects_an_unknown_complement(complement: object) -> None:
    error = rejection({**example(), "Complemento": complement})
    assert error.code == "301"
    assert "Retenciones/Complemento" in (error.detail or "")


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=10,
)


@given(
    st.dictionaries(
        st.sampled_from(["Version", "Emisor", "Receptor", "Totales", "Periodo", "Complemento", "Addenda", "CveRetenc"]),
        JSON_VALUES,
    )
)
def test_retencion_rejects_any_other_json_with_a_code(content: dict[str, Any]) -> None:
    try:
        CONVERTER.retencion(json.dumps(content).encode())
    except ServiceError as error:
        assert error.code in ("301", "xml-missing", "TB4020", "TB4022")  # noqa: PT017 (a conversion is a valid outcome too)
