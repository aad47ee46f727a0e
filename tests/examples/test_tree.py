"""Changes of example documents."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from timbra.examples import ExampleNode, concepto, egreso, ingreso, tax
from timbra.examples.tree import change

CFDI = "{http://www.sat.gob.mx/cfd/4}"
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=20)


def names(text: str) -> list[str]:
    return [str(child.tag).removeprefix(CFDI) for child in etree.fromstring(text.encode())]


def test_changes_set_and_remove_attributes() -> None:
    root = etree.fromstring(ingreso({"@Serie": "A", "@FormaPago": None, "Receptor/@UsoCFDI": "S01"}).encode())
    assert (root.get("Serie"), root.get("FormaPago")) == ("A", None)
    receptor = root.find(f"{CFDI}Receptor")
    assert receptor is not None
    assert receptor.get("UsoCFDI") == "S01"


def test_changes_insert_elements_in_schema_order() -> None:
    text = egreso(
        {
            "Complemento": ExampleNode("cfdi:Complemento"),
            "InformacionGlobal/@Meses": "01",
            "CfdiRelacionados[2]/@TipoRelacion": "04",
            "Addenda": ExampleNode("cfdi:Addenda"),
        }
    )
    assert names(text) == [
        "InformacionGlobal",
        "CfdiRelacionados",
        "CfdiRelacionados",
        "Emisor",
        "Receptor",
        "Conceptos",
        "Impuestos",
        "Complemento",
        "Addenda",
    ]


def test_changes_replace_and_remove_elements() -> None:
    assert "Impuestos" not in names(ingreso({"Impuestos": None}))
    swapped = ingreso({"Receptor": ExampleNode("cfdi:Receptor", {"Rfc": "X"})})
    assert names(swapped) == names(ingreso())
    assert '<cfdi:Receptor Rfc="X"/>' in swapped
    assert ingreso({"Impuestos[7]": None}) == ingreso()


def test_changes_affect_only_the_addressed_element() -> None:
    root = etree.fromstring(ingreso({"Conceptos/Concepto[2]/@ClaveUnidad": "H87"}, concepts=3).encode())
    assert [line.get("ClaveUnidad") for line in root.iter(f"{CFDI}Concepto")] == ["E48", "H87", "E48"]


@pytest.mark.parametrize("path", ["Receptor//@Rfc", "[2]/@Rfc", ""])
def test_changes_reject_an_invalid_path(path: str) -> None:
    with pytest.raises(ValueError, match="step"):
        ingreso({path: "x"})


def test_changes_reject_a_node_as_attribute() -> None:
    with pytest.raises(ValueError, match="attribute"):
        change(ExampleNode("a"), {"@b": ExampleNode("c")})


@given(TEXT)
def test_changes_round_trip_any_text(text: str) -> None:
    root = etree.fromstring(ingreso({"@CondicionesDePago": text, "Emisor": text}).encode())
    emisor = root.find(f"{CFDI}Emisor")
    assert emisor is not None
    assert (root.get("CondicionesDePago"), emisor.text or "") == (text, text)


def test_totals_are_computed_from_the_conceptos() -> None:
    lines = [
        concepto({"@Descuento": "0.50"}, price="10.005"),
        concepto(price="20.00", traslados=[tax("20.00", "002", None)], retenciones=[tax("20.00", "001", "0.100000")]),
    ]
    root = etree.fromstring(ingreso(concepts=lines).encode())
    assert (root.get("SubTotal"), root.get("Descuento"), root.get("Total")) == ("30.01", "0.50", "29.11")
    totals = root.find(f"{CFDI}Impuestos")
    assert totals is not None
    sums = {str(name): str(value) for name, value in totals.attrib.items()}
    assert sums == {"TotalImpuestosRetenidos": "2.00", "TotalImpuestosTrasladados": "1.60"}
