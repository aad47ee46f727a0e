"""Documents that pass through the form: what it does not show comes back."""

from __future__ import annotations

import pytest
from lxml import etree
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra.core.errors import ServiceError
from timbra.examples import DOCUMENTS
from timbra.invoices.build import invoice_services
from timbra.invoices.composing import compose
from timbra.invoices.form import addenda_of, form_of

AMOUNTS = frozenset(
    {
        *("SubTotal", "Total", "Descuento", "Importe", "Base", "ValorUnitario", "TasaOCuota"),
        *("TotalImpuestosTrasladados", "TotalImpuestosRetenidos", "schemaLocation"),
    }
)
"""Attributes that are computed, and may be written in another way."""


def content(root: etree._Element) -> list[tuple[str, tuple[tuple[str, str], ...], str]]:
    """Return names, attributes and texts of all elements, without amounts."""
    return sorted(
        (
            str(element.tag),
            tuple(
                sorted((str(k), str(v)) for k, v in element.attrib.items() if etree.QName(k).localname not in AMOUNTS)
            ),
            (element.text or "").strip(),
        )
        for element in root.iter(etree.Element)
    )


def test_example_comes_back_from_the_form_unchanged(sandbox_app: SandboxApp) -> None:
    services, checked = invoice_services(sandbox_app.container), 0
    for name, document in DOCUMENTS.items():
        root = etree.fromstring(document.make(fecha=FECHA).encode())
        if root.get("Version") != "4.0" or root.get("TipoDeComprobante") not in ("I", "E") or name == "implocal":
            continue
        addenda = etree.SubElement(root, "{http://www.sat.gob.mx/cfd/4}Addenda")
        etree.SubElement(addenda, "{urn:x}Pedido", numero="1")

        form = form_of({**services.writer.write(root), **addenda_of(root)})

        composition = compose(form, services)
        assert composition.text, (name, composition.problem)
        assert content(etree.fromstring(composition.text.encode())) == content(root), name
        assert composition.missing == [], name
        checked += 1
    assert checked >= 28


def test_document_with_local_taxes_of_another_amount_is_rejected(sandbox_app: SandboxApp) -> None:
    services = invoice_services(sandbox_app.container)
    root = etree.fromstring(DOCUMENTS["implocal"].make(fecha=FECHA).encode())

    local = root.find("{*}Complemento/{*}ImpuestosLocales")
    assert local is not None
    local[0].set("Importe", "5.00")

    with pytest.raises(ServiceError, match="no muestra los impuestos locales"):
        form_of(services.writer.write(root))
