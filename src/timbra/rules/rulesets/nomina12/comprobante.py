"""The invoice that carries the complement, its issuer and its receiver: NOM1 to NOM4, NOM7 to NOM9, NOM11, NOM12."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Emisor, InformacionGlobal, Receptor
from timbra.rules.engine.rule import row
from timbra.rules.shared.nomina.keys import BY_THE_COMPLEMENT, TAXPAYERS, WHY
from timbra.rules.shared.nomina.partes import has_own_rfc, is_persona_fisica
from timbra.rules.shared.predicates import equals, is_absent, is_registered
from timbra.rules.shared.single_concepto import is_forbidden

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
