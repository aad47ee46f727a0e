"""The invoice that carries the complement: NOM132 to NOM134, NOM139, NOM149."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, ImpuestosTotales
from timbra.rules.engine.rule import row
from timbra.rules.shared.nomina.recibos import WHY
from timbra.rules.shared.predicates import equals
from timbra.rules.shared.single_concepto import has_one_concepto_without_children, is_forbidden

NOM132 = row(
    "NOM132",
    Comprobante,
    at="@Moneda",
    says="En un CFDI 3.3 de nómina, Moneda debe ser MXN.",
    check=equals("Moneda", "MXN", WHY),
)


NOM133 = row(
    "NOM133",
    Comprobante,
    at="@FormaPago",
    says="En un CFDI 3.3 de nómina, FormaPago debe ser 99.",
    check=equals("FormaPago", "99", WHY),
)


NOM134 = row(
    "NOM134",
    Comprobante,
    at="@TipoDeComprobante",
    says="En un CFDI 3.3 con el complemento Nómina, TipoDeComprobante debe ser N.",
    check=equals("TipoDeComprobante", "N", WHY),
)


NOM139 = row(
    "NOM139",
    Comprobante,
    at="Conceptos/Concepto",
    says="Un CFDI 3.3 de nómina debe llevar un solo concepto, sin nodos.",
    check=has_one_concepto_without_children(WHY),
)


NOM149 = row(
    "NOM149",
    ImpuestosTotales,
    at="Impuestos",
    says="En un CFDI 3.3 de nómina, el nodo Impuestos del comprobante no debe existir.",
    check=is_forbidden("Impuestos", WHY),
)
