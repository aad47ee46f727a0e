"""Documents of the rules about Nómina 1.2, for both versions of the invoice."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from types import MappingProxyType
from typing import Final

from timbra.examples.codes.receipt import Receipt
from timbra.examples.comprobante import FECHA, KEMPER, ROBOTICA, XODAR, ExampleParty, with_schema
from timbra.examples.nomina12 import (
    NAMESPACE,
    SCHEMA,
    balance,
    dated,
    deduction,
    earned,
    employed,
    incapacity,
    other,
    overtime,
    payroll,
    subsidy,
)
from timbra.examples.tree import Change, ExampleNode

_IEDU = "http://www.sat.gob.mx/iedu"
_IEDU_SCHEMA = "http://www.sat.gob.mx/sitio_internet/cfd/iedu/iedu.xsd"
SCHOOL_COMPLEMENT: Final[Mapping[str, Change]] = MappingProxyType(
    {
        "@xmlns:iedu": _IEDU,
        "@xsi:schemaLocation": f"{with_schema(NAMESPACE, SCHEMA)} {_IEDU} {_IEDU_SCHEMA}",
        "Conceptos/Concepto/ComplementoConcepto": ExampleNode(
            "cfdi:ComplementoConcepto",
            children=[
                ExampleNode(
                    "iedu:instEducativas",
                    {
                        "version": "1.0",
                        "nombreAlumno": "INGRID XODAR JIMENEZ",
                        "CURP": "XOJI740919MQTDMN02",
                        "nivelEducativo": "Primaria",
                        "autRVOE": "1",
                    },
                )
            ],
        ),
    }
)
"""Changes that add a complement to the Concepto of a CFDI 4.0."""


def invoice_amount(amount: str) -> dict[str, Change]:
    """Return the changes that set the amount of the invoice, in pesos."""
    return {
        "Conceptos/Concepto/@ValorUnitario": amount,
        "Conceptos/Concepto/@Importe": amount,
        "@SubTotal": amount,
        "@Total": amount,
    }


def invoice_discount(amount: str, total: str) -> dict[str, Change]:
    """Return the changes that set the discount of the invoice.

    Args:
        amount: Descuento, in pesos.
        total: Total, in pesos.
    """
    return {"Conceptos/Concepto/@Descuento": amount, "@Descuento": amount, "@Total": total}


def receipt_of(
    *rows: ExampleNode, withheld: tuple[ExampleNode, ...] = (), others: tuple[ExampleNode, ...] = ()
) -> Receipt:
    """Return a receipt of income assimilated to wages.

    Args:
        rows: Percepcion nodes; one when not given.
        withheld: Deduccion nodes.
        others: OtroPago nodes.
    """
    return Receipt(lambda: payroll(deepcopy(rows) or None, withheld=deepcopy(withheld), others=deepcopy(others)))


def with_subsidy(amount: str, due: str, *, days: str = "1") -> Receipt:
    """Return a receipt of a worker with a subsidy.

    Args:
        amount: Importe of the payment 002, in pesos.
        due: SubsidioCausado, in pesos.
        days: NumDiasPagados.
    """
    return Receipt(lambda: employed(None, {"@NumDiasPagados": days}, others=[other("002", amount, subsidy(due))]))


def deceased(regime: str) -> Receipt:
    """Return a receipt of a deceased worker, who has the generic RFC and a RegimenFiscalReceptor."""
    return Receipt(receiver=ExampleParty("XAXX010101000", XODAR.name, KEMPER.postal_code, regime))


def misplaced() -> Receipt:
    """Return a receipt with the complement inside the Concepto."""
    container = ExampleNode("cfdi:ComplementoConcepto", children=[dated(payroll(), FECHA[:10])])
    return Receipt(changes={"Complemento": None, "Conceptos/Concepto/ComplementoConcepto": container})


plain = Receipt()
worker = Receipt(employed)
coordinated_entity = Receipt(lambda: payroll(changes={"Emisor/EntidadSNCF/@OrigenRecurso": "IP"}), issuer=ROBOTICA)
mixed_funds = Receipt(
    lambda: payroll(
        changes={"Emisor/EntidadSNCF/@OrigenRecurso": "IM", "Emisor/EntidadSNCF/@MontoRecursoPropio": "50.00"}
    ),
    issuer=ROBOTICA,
)
without_employment = Receipt(
    lambda: employed(None, {"Receptor/@TipoContrato": "99", "Receptor/@TipoRegimen": "09"}, others=[])
)
with_regime_03 = Receipt(lambda: employed(None, {"Receptor/@TipoRegimen": "03"}, others=[]))
with_overtime = Receipt(lambda: payroll([earned("019", "200.00", "0.00", overtime())]))
with_separation = Receipt(lambda: payroll([earned("001"), earned("022")]))
with_single_retirement = Receipt(lambda: payroll([earned("001"), earned("039")]))
with_retirement_installments = Receipt(lambda: payroll([earned("001"), earned("044")]))
with_incapacity = Receipt(lambda: payroll([earned("014")], incapacities=[incapacity("200.00")]))
with_isr = Receipt(lambda: payroll(withheld=[deduction("002", "20.00")]))
with_other_deduction = Receipt(lambda: payroll(withheld=[deduction("004", "20.00")]))
with_incapacity_deduction = Receipt(
    lambda: payroll(withheld=[deduction("006", "20.00")], incapacities=[incapacity("20.00")])
)
with_travel_expenses = Receipt(lambda: payroll(others=[other("003", "50.00")]))
with_balance = Receipt(lambda: payroll(others=[other("004", "50.00", balance("2025"))]))
