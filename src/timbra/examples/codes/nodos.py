"""Examples of rules about the global invoice, relations and the issuer: CFDI40130 to CFDI40142."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from timbra.examples.cfdi40 import EARLIER, global_invoice, ingreso, relation, traslado
from timbra.examples.comprobante import CASAS, ExampleParty
from timbra.examples.pagos20 import pago
from timbra.examples.tree import Change

PAYMENT = "0d9d9e3c-51a2-4f0d-9f43-2a2a3f3f8b10"
"""Folio of a CFDI of type P."""
TRANSFER = "6f0c1b2a-7a1c-4c4f-8a53-0c5f6a7b8c9d"
"""Folio of a CFDI of type T."""
INCORPORACION_FISCAL = ExampleParty(CASAS.rfc, CASAS.name, CASAS.postal_code, "621")
UNLISTED = ExampleParty("ZZZ010101AAA", "NADIE", "42501", "601")
"""An issuer that is not in l_RFC."""


def two_months(changes: Mapping[str, Change] | None = None) -> str:
    """A global invoice of two months, issued by a taxpayer of regime 621."""
    period: dict[str, Change] = {"InformacionGlobal/@Periodicidad": "05", "InformacionGlobal/@Meses": "18"}
    return global_invoice({**period, **(changes or {})}, issuer=INCORPORACION_FISCAL)


def related(tipo: str, folio: str) -> dict[str, Change]:
    """Changes that relate one CFDI to the document."""
    return {"CfdiRelacionados": relation(tipo, folio)}


RELATED: dict[str, Callable[[], str]] = {EARLIER: ingreso, PAYMENT: pago, TRANSFER: traslado}
"""Builders of the related documents of the examples, by folio."""
