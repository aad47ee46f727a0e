"""Examples of rules about taxes: CFDI40174 to CFDI40186, CFDI40201 to CFDI40221, CFDI140224, CFDI140225."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from timbra.examples.cfdi40 import ingreso
from timbra.examples.comprobante import CASAS, ILUMINADORA, ExampleParty
from timbra.examples.conceptos import concepto, tax
from timbra.examples.tree import Change

TRASLADO_TOTAL = "Impuestos/Traslados/Traslado"
RESICO = ExampleParty(CASAS.rfc, CASAS.name, CASAS.postal_code, "626")
BORDER = ExampleParty(ILUMINADORA.rfc, ILUMINADORA.name, "22000", ILUMINADORA.regime)
WITHOUT_BORDER_STIMULUS = ExampleParty("URE180429TM6", "UNIVERSIDAD ROBOTICA ESPAÑOLA", "22000", "601")
IVA = tax("200.00", "002", "0.160000")
ISR = tax("200.00", "001", "0.100000")


def with_traslado(changes: Mapping[str, str]) -> str:
    """An invoice whose only traslado, IVA of 32.00, has these attributes replaced."""
    return ingreso(concepts=[concepto(traslados=[{**IVA, **changes}])])


def with_retencion(changes: Mapping[str, str] | None = None) -> str:
    """An invoice with IVA and a retención of ISR of 20.00 that has these attributes replaced."""
    return ingreso(concepts=[concepto(traslados=[IVA], retenciones=[{**ISR, **(changes or {})}])])


def with_isr_withheld(changes: Mapping[str, Change] | None = None) -> str:
    """An invoice with IVA of 32.00 and ISR of 20.00 withheld."""
    return ingreso(changes, concepts=[concepto(traslados=[IVA], retenciones=[ISR])])


def exempt(changes: Mapping[str, Change] | None = None) -> str:
    """An invoice whose only traslado is exempt."""
    return ingreso(changes, concepts=[concepto(traslados=[tax("200.00", "002", None)])])


def at_rate_zero(changes: Mapping[str, Change] | None = None) -> str:
    """An invoice with IVA at rate 0."""
    return ingreso(changes, concepts=[concepto(traslados=[tax("200.00", "002", "0.000000")])])


def border_invoice(changes: Mapping[str, Change] | None = None, issuer: ExampleParty = BORDER) -> str:
    """An invoice issued in the border region, with IVA at 8 %."""
    return ingreso(changes, issuer=issuer, concepts=[concepto(traslados=[tax("200.00", "002", "0.080000")])])


def resico_invoice(*rates: str) -> Callable[[], str]:
    """An invoice of a persona física of regime 626 to a company, with ISR withheld at these rates."""
    return lambda: ingreso(
        issuer=RESICO,
        concepts=[concepto(traslados=[IVA], retenciones=[tax("200.00", "001", rate) for rate in rates])],
    )
