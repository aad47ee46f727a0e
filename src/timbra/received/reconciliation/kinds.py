"""The kinds of differences, in the order of the report."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DifferenceKind:
    """A kind of difference.

    Attributes:
        name: Name in JSON and CSV.
        title: Spanish title.
        meaning: Spanish sentence that says when a row has this kind.
    """

    name: str
    title: str
    meaning: str


KINDS = (
    DifferenceKind(
        "not-in-books",
        "Falta en los registros",
        "CFDI vigente del SAT que no está en los registros.",
    ),
    DifferenceKind(
        "not-at-sat",
        "Falta en el SAT",
        "Registro vigente sin CFDI del SAT con su folio fiscal, ni con su RFC, total y día.",
    ),
    DifferenceKind("uuid-differs", "Otro folio fiscal", "Coinciden RFC, total y día; el folio fiscal es otro."),
    DifferenceKind("amounts-differ", "Otro total", "El total del registro no es el del CFDI, tampoco en pesos."),
    DifferenceKind(
        "breakdown-differs",
        "Otro desglose",
        "El total coincide; subtotal, descuento, un impuesto o una retención no.",
    ),
    DifferenceKind("currency-differs", "Otra moneda", "El registro tiene otra moneda que el CFDI."),
    DifferenceKind("exchange-rate-differs", "Otro tipo de cambio", "El registro usa otro tipo de cambio que el CFDI."),
    DifferenceKind("parties-differ", "Otro RFC", "El registro tiene otro emisor o receptor que el CFDI."),
    DifferenceKind("type-differs", "Otro tipo de comprobante", "El registro tiene otro tipo que el CFDI."),
    DifferenceKind("period-differs", "Otro mes", "El registro está en otro mes que la fecha del CFDI."),
    DifferenceKind("cancelled-at-sat", "Cancelado en el SAT", "CFDI cancelado cuyo registro sigue vigente."),
    DifferenceKind("cancelled-in-books", "Cancelado en los registros", "Registro cancelado cuyo CFDI sigue vigente."),
    DifferenceKind("cancelled-after-payment", "Cancelado después del pago", "CFDI que se canceló después de pagarse."),
    DifferenceKind(
        "paid-after-cancellation", "Pagado después de cancelado", "Pago de un CFDI que ya estaba cancelado."
    ),
    DifferenceKind(
        "substituted", "Sustituido", "CFDI cancelado que otro sustituye; el registro vigente es el del primero."
    ),
    DifferenceKind(
        "substituted-in-force", "Sustituido sin cancelar", "CFDI vigente que otro CFDI vigente dice sustituir."
    ),
    DifferenceKind("duplicate-in-books", "Registrado dos veces", "Otro registro tiene el mismo folio fiscal."),
    DifferenceKind(
        "duplicate-at-sat",
        "Facturado dos veces",
        "Otro CFDI vigente tiene emisor, receptor, serie, folio y total iguales.",
    ),
    DifferenceKind(
        "ppd-without-complement",
        "PPD sin complemento de pago",
        "CFDI con método PPD y pagos (o, sin la lista de pagos, cualquiera) y sin complemento de pago vigente.",
    ),
    DifferenceKind("complement-for-pue", "Complemento de un PUE", "Complemento de pago de un CFDI con método PUE."),
    DifferenceKind(
        "complement-late", "Complemento tardío", "Complemento emitido después del día 5 del mes siguiente al pago."
    ),
    DifferenceKind(
        "complement-differs",
        "Complementos por otro importe",
        "Los complementos de pago no suman lo que la lista de pagos.",
    ),
    DifferenceKind(
        "installments-differ",
        "Parcialidades que no cuadran",
        "Saldos, números o suma de las parcialidades de un CFDI se contradicen.",
    ),
    DifferenceKind("payment-without-invoice", "Pago sin factura", "Pago sin CFDI del SAT ni registro."),
    DifferenceKind(
        "duplicate-payment", "Pago repetido", "Dos pagos del mismo CFDI, día e importe, que juntos pasan del total."
    ),
    DifferenceKind("overpaid", "Pagado de más", "Los pagos pasan del total menos sus notas de crédito."),
    DifferenceKind(
        "pue-not-paid",
        "PUE sin pagar",
        "CFDI con método PUE cuyos pagos no llegan al total menos sus notas de crédito.",
    ),
    DifferenceKind("unreadable", "Renglón ilegible", "Renglón o archivo de una fuente que no se pudo leer."),
)
POSITIONS = {kind.name: place for place, kind in enumerate(KINDS)}
