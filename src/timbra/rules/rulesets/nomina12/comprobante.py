"""The invoice that carries the complement, and its only Concepto: NOM1 to NOM4, NOM7 to NOM9, NOM11 to NOM30."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Concepto, Emisor, InformacionGlobal, Receptor
from timbra.cfdi.nodes.nomina12 import NominaDeConcepto
from timbra.rules.engine.rule import row
from timbra.rules.shared.nomina.partes import has_own_rfc, is_persona_fisica
from timbra.rules.shared.nomina.recibos import (
    BY_THE_COMPLEMENT,
    TAXPAYERS,
    WHY,
    discount_equals_withheld_sum,
    equals_paid_sum,
)
from timbra.rules.shared.predicates import (
    equals,
    is_absent,
    is_in_comprobante_complemento,
    is_registered,
    raw_equals,
    raw_is_absent,
)
from timbra.rules.shared.single_concepto import has_no_child, has_one_concepto_without_children, is_forbidden

NOM1 = row(
    "NOM1",
    Comprobante,
    at="@Moneda",
    says="En un recibo de nómina, Moneda debe ser MXN.",
    check=equals("Moneda", "MXN", WHY),
    inseparable=("CFDI40999:Moneda-N",),
)


NOM2 = row(
    "NOM2",
    Comprobante,
    at="@TipoDeComprobante",
    says="Con el complemento Nómina, TipoDeComprobante debe ser N.",
    check=equals("TipoDeComprobante", "N", BY_THE_COMPLEMENT),
)


NOM3 = row(
    "NOM3",
    Comprobante,
    at="@Exportacion",
    says="En un recibo de nómina, Exportacion debe ser 01.",
    check=equals("Exportacion", "01", WHY),
)


NOM4 = row(
    "NOM4",
    InformacionGlobal,
    at="InformacionGlobal",
    says="En un recibo de nómina, el nodo InformacionGlobal no debe existir.",
    check=is_forbidden("InformacionGlobal", WHY),
)


NOM7 = row(
    "NOM7",
    Emisor,
    at="Emisor/@FacAtrAdquirente",
    says="En un recibo de nómina, FacAtrAdquirente no debe existir.",
    check=is_absent("FacAtrAdquirente", WHY),
)


NOM8 = row(
    "NOM8",
    Receptor,
    at="Receptor/@Rfc",
    says="El RFC del trabajador debe ser de persona física.",
    note="El régimen 605 y el uso CN01 también son solo de personas físicas.",
    check=is_persona_fisica,
    inseparable=("CFDI40158", "CFDI40161"),
)


NOM9 = row(
    "NOM9",
    Receptor,
    at="Receptor/@Rfc",
    says="El RFC del trabajador debe estar en la lista de RFC inscritos y no cancelados.",
    check=is_registered("Rfc"),
    applies=has_own_rfc,
    needs=TAXPAYERS,
    inseparable=("CFDI40143",),
)


NOM11 = row(
    "NOM11",
    Receptor,
    at="Receptor/@RegimenFiscalReceptor",
    says="RegimenFiscalReceptor del trabajador debe ser 605, también con el RFC genérico.",
    note="Con un RFC que no es genérico se incumple CFDI40161 en lugar de CFDI40159.",
    check=equals("RegimenFiscalReceptor", "605", WHY),
    inseparable=("CFDI40159",),
)


NOM12 = row(
    "NOM12",
    Receptor,
    at="Receptor/@UsoCFDI",
    says="En un recibo de nómina, UsoCFDI debe ser CN01.",
    check=equals("UsoCFDI", "CN01", WHY),
)


NOM13 = row(
    "NOM13",
    Comprobante,
    at="Conceptos/Concepto",
    says="Un recibo de nómina debe llevar un solo concepto, sin nodos.",
    note="Cada nodo del concepto incumple además su propio código, de NOM24 a NOM29.",
    check=has_one_concepto_without_children(WHY),
)


NOM14 = row(
    "NOM14",
    Concepto,
    at="Conceptos/Concepto/@ClaveProdServ",
    says="ClaveProdServ del concepto de nómina debe ser 84111505.",
    check=equals("ClaveProdServ", "84111505", WHY),
)


NOM15 = row(
    "NOM15",
    Concepto,
    at="Conceptos/Concepto/@NoIdentificacion",
    says="NoIdentificacion del concepto de nómina no debe existir.",
    check=raw_is_absent("NoIdentificacion", WHY),
)


NOM16 = row(
    "NOM16",
    Concepto,
    at="Conceptos/Concepto/@Cantidad",
    says="Cantidad del concepto de nómina debe ser 1, sin decimales.",
    check=equals("Cantidad", "1", WHY),
)


NOM17 = row(
    "NOM17",
    Concepto,
    at="Conceptos/Concepto/@ClaveUnidad",
    says="ClaveUnidad del concepto de nómina debe ser ACT.",
    check=equals("ClaveUnidad", "ACT", WHY),
)


NOM18 = row(
    "NOM18",
    Concepto,
    at="Conceptos/Concepto/@Unidad",
    says="Unidad del concepto de nómina no debe existir.",
    check=raw_is_absent("Unidad", WHY),
)


NOM19 = row(
    "NOM19",
    Concepto,
    at="Conceptos/Concepto/@Descripcion",
    says="Descripcion del concepto de nómina debe ser Pago de nómina.",
    check=raw_equals("Descripcion", "Pago de nómina", WHY),
)


NOM20 = row(
    "NOM20",
    Concepto,
    at="Conceptos/Concepto/@ValorUnitario",
    says="ValorUnitario debe ser la suma de TotalPercepciones y TotalOtrosPagos.",
    check=equals_paid_sum("ValorUnitario", "valor_unitario"),
)


NOM21 = row(
    "NOM21",
    Concepto,
    at="Conceptos/Concepto/@Importe",
    says="Importe del concepto debe ser la suma de TotalPercepciones y TotalOtrosPagos.",
    check=equals_paid_sum("Importe", "importe"),
)


NOM22 = row(
    "NOM22",
    Concepto,
    at="Conceptos/Concepto/@Descuento",
    says="Descuento del concepto debe ser TotalDeducciones y no existir sin deducciones.",
    check=discount_equals_withheld_sum,
)


NOM23 = row(
    "NOM23",
    Concepto,
    at="Conceptos/Concepto/@ObjetoImp",
    says="ObjetoImp del concepto de nómina debe ser 01.",
    check=equals("ObjetoImp", "01", WHY),
)


NOM24 = row(
    "NOM24",
    Concepto,
    at="Conceptos/Concepto/Impuestos",
    says="El concepto de nómina no debe llevar el nodo Impuestos.",
    check=has_no_child("Impuestos", WHY),
    inseparable=("CFDI40172", "NOM13"),
)


NOM25 = row(
    "NOM25",
    Concepto,
    at="Conceptos/Concepto/ACuentaTerceros",
    says="El concepto de nómina no debe llevar el nodo ACuentaTerceros.",
    check=has_no_child("ACuentaTerceros", WHY),
    inseparable=("NOM13",),
)


NOM26 = row(
    "NOM26",
    Concepto,
    at="Conceptos/Concepto/InformacionAduanera",
    says="El concepto de nómina no debe llevar el nodo InformacionAduanera.",
    check=has_no_child("InformacionAduanera", WHY),
    inseparable=("NOM13",),
)


NOM27 = row(
    "NOM27",
    Concepto,
    at="Conceptos/Concepto/CuentaPredial",
    says="El concepto de nómina no debe llevar el nodo CuentaPredial.",
    check=has_no_child("CuentaPredial", WHY),
    inseparable=("NOM13",),
)


NOM28 = row(
    "NOM28",
    Concepto,
    at="Conceptos/Concepto/ComplementoConcepto",
    says="El concepto de nómina no debe llevar el nodo ComplementoConcepto.",
    check=has_no_child("ComplementoConcepto", WHY),
    inseparable=("NOM13",),
)


NOM29 = row(
    "NOM29",
    Concepto,
    at="Conceptos/Concepto/Parte",
    says="El concepto de nómina no debe llevar el nodo Parte.",
    check=has_no_child("Parte", WHY),
    inseparable=("NOM13",),
)


NOM30 = row(
    "NOM30",
    NominaDeConcepto,
    at="Conceptos/Concepto/ComplementoConcepto/Nomina",
    says="El complemento Nómina debe estar en Complemento y no en un concepto.",
    note="Si hay otro complemento en su lugar, también pueden incumplirse reglas sobre el contenido del concepto.",
    check=is_in_comprobante_complemento,
)
