"""Which payment a document stands in, and what of it the document is paid."""

from __future__ import annotations

from decimal import Decimal

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.pagos10 import DoctoRelacionado, Pago
from timbra.rules.engine.context import EvaluationContext


def _payments(comprobante: Comprobante) -> dict[tuple[int, ...], Pago]:
    return {pago.places: pago for pago in comprobante.of(Pago)}


def payment_of(node: ComplementNode, ctx: EvaluationContext) -> Pago:
    """The payment that a node stands in."""
    return ctx.memoize(_payments)[node.places[:3]]


def may_leave_out(pago: Pago, document: DoctoRelacionado) -> bool:
    """Whether ImpPagado may be absent, and is Monto then: the only document, without rate of exchange."""
    return len(pago.documentos) == 1 and document.TipoCambioDR is None


def paid(pago: Pago, document: DoctoRelacionado) -> Decimal:
    """ImpPagado in the document's currency; 0 where it must be written and is not."""
    return pago.monto if document.ImpPagado is None and may_leave_out(pago, document) else document.pagado
