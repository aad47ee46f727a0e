"""The invoice that carries the complement, and its only Concepto: CRP101 to CRP122."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Concepto, ImpuestosTotales, Receptor
from timbra.rules.engine.rule import row
from timbra.rules.shared.pagos import BY_THE_COMPLEMENT, WHY
from timbra.rules.shared.predicates import equals, is_absent, raw_equals, raw_is_absent
from timbra.rules.shared.single_concepto import has_no_children, has_one_concepto, is_forbidden

CRP101 = row(
    "CRP101",
    Comprobante,
    at="@TipoDeComprobante",
    says="Con el complemento Recepción de Pagos 1.0, TipoDeComprobante debe ser P.",
    check=equals("TipoDeComprobante", "P", BY_THE_COMPLEMENT),
)


CRP102 = row(
    "CRP102",
    Comprobante,
    at="@SubTotal",
    says="En un CFDI 3.3 de pago, SubTotal debe ser 0.",
    check=equals("SubTotal", "0", WHY),
    inseparable=("CFDI33108",),
)


CRP103 = row(
    "CRP103",
    Comprobante,
    at="@Moneda",
    says="En un CFDI 3.3 de pago, Moneda debe ser XXX.",
    check=equals("Moneda", "XXX", WHY),
)


CRP104 = row(
    "CRP104",
    Comprobante,
    at="@FormaPago",
    says="En un CFDI 3.3 de pago, FormaPago no debe existir.",
    check=is_absent("FormaPago", WHY),
    inseparable=("CFDI33103",),
)


CRP105 = row(
    "CRP105",
    Comprobante,
    at="@MetodoPago",
    says="En un CFDI 3.3 de pago, MetodoPago no debe existir.",
    check=is_absent("MetodoPago", WHY),
    inseparable=("CFDI33123", "CFDI33124"),
)


CRP106 = row(
    "CRP106",
    Comprobante,
    at="@CondicionesDePago",
    says="En un CFDI 3.3 de pago, CondicionesDePago no debe existir.",
    check=is_absent("CondicionesDePago", WHY),
)


CRP107 = row(
    "CRP107",
    Comprobante,
    at="@Descuento",
    says="En un CFDI 3.3 de pago, Descuento no debe existir.",
    check=is_absent("Descuento", WHY),
)


CRP108 = row(
    "CRP108",
    Comprobante,
    at="@TipoCambio",
    says="En un CFDI 3.3 de pago, TipoCambio no debe existir.",
    check=is_absent("TipoCambio", WHY),
    inseparable=("CFDI33115",),
)


CRP109 = row(
    "CRP109",
    Comprobante,
    at="@Total",
    says="En un CFDI 3.3 de pago, Total debe ser 0.",
    check=equals("Total", "0", WHY),
    inseparable=("CFDI33118",),
)


CRP110 = row(
    "CRP110",
    Receptor,
    at="Receptor/@UsoCFDI",
    says="En un CFDI 3.3 de pago, UsoCFDI debe ser P01.",
    check=equals("UsoCFDI", "P01", WHY),
)


CRP122 = row(
    "CRP122",
    ImpuestosTotales,
    at="Impuestos",
    says="En un CFDI 3.3 de pago, el nodo Impuestos del comprobante no debe existir.",
    check=is_forbidden("Impuestos", WHY),
    inseparable=("CFDI33179",),
)


CRP111 = row(
    "CRP111",
    Comprobante,
    at="Conceptos/Concepto",
    says="Un CFDI 3.3 de pago debe llevar un solo concepto.",
    check=has_one_concepto(WHY),
)


CRP112 = row(
    "CRP112",
    Concepto,
    at="Conceptos/Concepto",
    says="El concepto de un CFDI 3.3 de pago no debe llevar nodos.",
    check=has_no_children(WHY),
)


CRP113 = row(
    "CRP113",
    Concepto,
    at="Conceptos/Concepto/@ClaveProdServ",
    says="ClaveProdServ del concepto de un CFDI 3.3 de pago debe ser 84111506.",
    check=equals("ClaveProdServ", "84111506", WHY),
)


CRP114 = row(
    "CRP114",
    Concepto,
    at="Conceptos/Concepto/@NoIdentificacion",
    says="NoIdentificacion del concepto de un CFDI 3.3 de pago no debe existir.",
    check=raw_is_absent("NoIdentificacion", WHY),
)


CRP115 = row(
    "CRP115",
    Concepto,
    at="Conceptos/Concepto/@Cantidad",
    says="Cantidad del concepto de un CFDI 3.3 de pago debe ser 1.",
    check=equals("Cantidad", "1", WHY),
)


CRP116 = row(
    "CRP116",
    Concepto,
    at="Conceptos/Concepto/@ClaveUnidad",
    says="ClaveUnidad del concepto de un CFDI 3.3 de pago debe ser ACT.",
    check=equals("ClaveUnidad", "ACT", WHY),
)


CRP117 = row(
    "CRP117",
    Concepto,
    at="Conceptos/Concepto/@Unidad",
    says="Unidad del concepto de un CFDI 3.3 de pago no debe existir.",
    check=raw_is_absent("Unidad", WHY),
)


CRP118 = row(
    "CRP118",
    Concepto,
    at="Conceptos/Concepto/@Descripcion",
    says="Descripcion del concepto de un CFDI 3.3 de pago debe ser Pago.",
    check=raw_equals("Descripcion", "Pago", WHY),
)


CRP119 = row(
    "CRP119",
    Concepto,
    at="Conceptos/Concepto/@ValorUnitario",
    says="ValorUnitario del concepto de un CFDI 3.3 de pago debe ser 0.",
    check=equals("ValorUnitario", "0", WHY),
)


CRP120 = row(
    "CRP120",
    Concepto,
    at="Conceptos/Concepto/@Importe",
    says="Importe del concepto de un CFDI 3.3 de pago debe ser 0.",
    check=equals("Importe", "0", WHY),
)


CRP121 = row(
    "CRP121",
    Concepto,
    at="Conceptos/Concepto/@Descuento",
    says="Descuento del concepto de un CFDI 3.3 de pago no debe existir.",
    check=is_absent("Descuento", WHY),
)
