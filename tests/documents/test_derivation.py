"""Documents that are derived from a stamped one."""

from __future__ import annotations

import pytest
from lxml import etree

from timbra import examples
from timbra.documents.derivation import Derivation, derive


@pytest.mark.parametrize("derivation", [Derivation.DUPLICATE, Derivation.SUBSTITUTE])
def test_document_whose_addenda_has_names_of_other_letters_is_copied_without_it(derivation: Derivation) -> None:
    text = examples.ingreso({"@Folio": "A1"}, fecha="2026-11-17T12:00:00")
    addenda = '<cfdi:Addenda><Dirección Año="2026"/></cfdi:Addenda></cfdi:Comprobante>'
    root = etree.fromstring(text.replace("</cfdi:Comprobante>", addenda).encode())
    derived = derive(root, "6128396f-c09b-4ec6-8699-43c5f7e3b230", derivation, "2026-11-30T12:00:00")
    assert b"Addenda" not in derived
    assert etree.fromstring(derived).get("Fecha") == "2026-11-30T12:00:00"
