"""The employer: NOM5, NOM6, NOM41 to NOM43, NOM45 to NOM50."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import EmisorNomina, EntidadSNCF, Nomina
from timbra.rules.engine.rule import row
from timbra.rules.shared.nomina.partes import (
    has_curp_of_persona_fisica,
    has_entidad_sncf_when_marked,
    has_no_curp_of_persona_moral,
    has_no_own_funds_with_other_origin,
    has_no_registro_patronal_with_other_contract,
    has_own_funds_with_mixed_origin,
    has_registro_patronal_with_employment,
    has_rfc_patron_origen,
    is_marked_in_l_rfc,
    own_funds_are_less_than_paid_sum,
)
from timbra.rules.shared.nomina.recibos import COORDINATED, TAXPAYERS
from timbra.rules.shared.predicates import in_catalog, is_registered

NOM5 = row(
    "NOM5",
    Nomina,
    at="Complemento/Nomina/Emisor/@Curp",
    says="Curp del patrón no debe existir cuando el emisor es una persona moral.",
    check=has_no_curp_of_persona_moral,
)


NOM6 = row(
    "NOM6",
    Nomina,
    at="Complemento/Nomina/Emisor/@Curp",
    says="Curp del patrón debe existir cuando el emisor es una persona física.",
    check=has_curp_of_persona_fisica,
)


NOM41 = row(
    "NOM41",
    EmisorNomina,
    at="Complemento/Nomina/Emisor/@RfcPatronOrigen",
    says="RfcPatronOrigen debe estar en la lista de RFC inscritos y no cancelados.",
    check=is_registered("RfcPatronOrigen"),
    applies=has_rfc_patron_origen,
    needs=TAXPAYERS,
)


NOM42 = row(
    "NOM42",
    Nomina,
    at="Complemento/Nomina/Emisor/@RegistroPatronal",
    says="RegistroPatronal debe existir con TipoContrato 01 a 08.",
    check=has_registro_patronal_with_employment,
)


NOM43 = row(
    "NOM43",
    EmisorNomina,
    at="Complemento/Nomina/Emisor/@RegistroPatronal",
    says="RegistroPatronal no debe existir con TipoContrato 09, 10 o 99.",
    check=has_no_registro_patronal_with_other_contract,
)


NOM45 = row(
    "NOM45",
    Nomina,
    at="Complemento/Nomina/Emisor/EntidadSNCF",
    says="EntidadSNCF debe existir si el emisor está adherido al Sistema Nacional de Coordinación Fiscal.",
    check=has_entidad_sncf_when_marked,
    needs=COORDINATED,
)


NOM46 = row(
    "NOM46",
    EntidadSNCF,
    at="Complemento/Nomina/Emisor/EntidadSNCF",
    says="EntidadSNCF no debe existir si el emisor no está adherido al Sistema Nacional de Coordinación Fiscal.",
    check=is_marked_in_l_rfc,
    needs=COORDINATED,
)


NOM47 = row(
    "NOM47",
    EntidadSNCF,
    at="Complemento/Nomina/Emisor/EntidadSNCF/@OrigenRecurso",
    says="OrigenRecurso debe ser una clave vigente de c_OrigenRecurso.",
    check=in_catalog("nomina12:c_OrigenRecurso", "OrigenRecurso"),
)


NOM48 = row(
    "NOM48",
    EntidadSNCF,
    at="Complemento/Nomina/Emisor/EntidadSNCF/@MontoRecursoPropio",
    says="MontoRecursoPropio debe existir con OrigenRecurso IM.",
    check=has_own_funds_with_mixed_origin,
)


NOM49 = row(
    "NOM49",
    EntidadSNCF,
    at="Complemento/Nomina/Emisor/EntidadSNCF/@MontoRecursoPropio",
    says="MontoRecursoPropio no debe existir con un OrigenRecurso distinto de IM.",
    check=has_no_own_funds_with_other_origin,
)


NOM50 = row(
    "NOM50",
    EntidadSNCF,
    at="Complemento/Nomina/Emisor/EntidadSNCF/@MontoRecursoPropio",
    says="MontoRecursoPropio debe ser menor que la suma de TotalPercepciones y TotalOtrosPagos.",
    check=own_funds_are_less_than_paid_sum,
)
