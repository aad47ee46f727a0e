"""The payment that contains a node, and the amount that it pays of a document."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.pagos10 import DoctoRelacionado, Pago
from timbra.rules.engine.context import EvaluationContext


def _payments(comprobante: Comprobante) -> dict[tuple[int, ...], Pago]:
    return {pago.places: pago for pago in comprobante.of(Pago)}


def payment_of(node: ComplementNode, ctx: EvaluationContext) -> Pago:
    """Return the payment that contains the node."""
    return ctx.memoize(_payments)[node.places[:3]]


def has_optional_paid_amount(pago: Pago, document: DoctoRelacionado) -> bool:
    """Whether ImpPagado may be absent and then equals Monto: the only document, without TipoCambioDR."""
    return len(pago.documentos) == 1 and document.TipoCambioDR is None


def paid_amount(pago: Pago, document: DoctoRelacionado) -> Decimal:
    """Return ImpPagado in the document's currency; 0 when a required ImpPagado is absent."""
    is_monto = document.ImpPagado is None and has_optional_paid_amount(pago, document)
    return pago.monto if is_monto else document.pagado
