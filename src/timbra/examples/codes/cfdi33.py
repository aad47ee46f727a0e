"""Examples of the rules of CFDI 3.3."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from timbra.examples.cfdi33 import ingreso33
from timbra.examples.cfdi40 import EARLIER, relation
from timbra.examples.codes.comprobante import HALF_MAXIMUM, discounted
from timbra.examples.codes.conceptos import parte
from timbra.examples.codes.example import Example
from timbra.examples.codes.impuestos import BORDER, ISR, IVA, TRASLADO_TOTAL
from timbra.examples.comprobante import KEMPER, ExampleParty, foreigner_at
from timbra.examples.conceptos import concepto, tax
from timbra.examples.tree import Change, ExampleNode


def with_conceptos(*conceptos: ExampleNode) -> str:
    """An invoice of these Conceptos."""
    return ingreso33(concepts=conceptos)


def concepto_pair(failing: Callable[[], ExampleNode], passing: Callable[[], ExampleNode] = concepto) -> Example:
    """Two invoices of one Concepto each."""
    return Example(lambda: with_conceptos(passing()), lambda: with_conceptos(failing()))


def sale_with_discount(changes: Mapping[str, Change] | None = None) -> str:
    """An invoice of 200.00 with a discount of 10.00."""
    return ingreso33(changes, concepts=[discounted()])


def above_maximum(changes: Mapping[str, Change] | None = None) -> str:
    """An invoice whose Total in pesos is above every valor_maximo."""
    return ingreso33({"@Moneda": "USD", "@TipoCambio": "2", **(changes or {})}, concepts=[concepto(price=HALF_MAXIMUM)])


def related(tipo: str) -> dict[str, Change]:
    """Changes that relate one CFDI to the document."""
    return {"CfdiRelacionados": relation(tipo, EARLIER)}


def invoice_abroad(changes: Mapping[str, Change] | None = None) -> str:
    """An invoice to a receiver who resides in the United States."""
    residence: dict[str, Change] = {"Receptor/@ResidenciaFiscal": "USA", "Receptor/@NumRegIdTrib": "123456789"}
    return ingreso33({**residence, **(changes or {})}, receiver=foreigner_at(KEMPER.postal_code), uso="P01")


def with_part(changes: Mapping[str, Change] | None = None) -> str:
    """A sale with one Parte, two pieces at 50.00."""
    return ingreso33({"Conceptos/Concepto/Parte": parte(), **(changes or {})})


def with_traslado(changes: Mapping[str, str]) -> str:
    """An invoice whose only traslado, IVA of 32.00, has these attributes replaced."""
    return with_conceptos(concepto(traslados=[{**IVA, **changes}]))


def with_retencion(changes: Mapping[str, str] | None = None) -> str:
    """An invoice with IVA and a retención of ISR of 20.00 that has these attributes replaced."""
    return with_conceptos(concepto(traslados=[IVA], retenciones=[{**ISR, **(changes or {})}]))


def with_isr_withheld(changes: Mapping[str, Change] | None = None) -> str:
    """An invoice with IVA of 32.00 and ISR of 20.00 withheld."""
    return ingreso33(changes, concepts=[concepto(traslados=[IVA], retenciones=[ISR])])


def exempt(changes: Mapping[str, Change] | None = None) -> str:
    """An invoice whose only traslado is exempt."""
    return ingreso33(changes, concepts=[concepto(traslados=[tax("200.00", "002", None)])])


def at_rate_zero(changes: Mapping[str, Change] | None = None) -> str:
    """An invoice with IVA at rate 0."""
    return ingreso33(changes, concepts=[concepto(traslados=[tax("200.00", "002", "0.000000")])])


def border_invoice(changes: Mapping[str, Change] | None = None, issuer: ExampleParty = BORDER) -> str:
    """An invoice issued in the border region, with IVA at 8 %."""
    return ingreso33(changes, issuer=issuer, concepts=[concepto(traslados=[tax("200.00", "002", "0.080000")])])


def unrounded(importe: str = "0.2345") -> str:
    """An invoice whose row of Comprobante/Impuestos has more decimals than the currency."""
    row = {**IVA, "Base": "1.4656", "Importe": importe}
    changes: dict[str, Change] = {
        "Impuestos/@TotalImpuestosTrasladados": "0.23",
        f"{TRASLADO_TOTAL}/@Importe": importe,
        "@Total": "200.23",
    }
    return ingreso33(changes, concepts=[concepto(traslados=[row])])
