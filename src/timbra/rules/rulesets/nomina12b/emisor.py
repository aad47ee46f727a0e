"""The employer: NOM135, NOM136, NOM161 to NOM163, NOM165 to NOM170."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import EmisorNomina, EntidadSNCF, Nomina
from timbra.examples.codes.nomina12 import coordinated_entity, mixed_funds, plain, without_employment, worker
from timbra.examples.codes.receipt import Receipt
from timbra.examples.comprobante import CASAS, ROBOTICA
from timbra.examples.lists import CoordinatedEntities
from timbra.examples.nomina12 import payroll
from timbra.rules.engine.rule import row
from timbra.rules.engine.tables import tables
from timbra.rules.rulesets.nomina12b.sources import MATRIX_B
from timbra.rules.shared.nomina.keys import COORDINATED, TAXPAYERS
from timbra.rules.shared.nomina.partes import (
    has_curp_of_persona_fisica,
    has_no_curp_of_persona_moral,
    has_no_own_funds_with_other_origin,
    has_no_registro_patronal_with_other_contract,
    has_own_funds_with_mixed_origin,
    has_registro_patronal_with_employment,
    has_rfc_patron_origen,
    own_funds_are_less_than_paid_sum,
)
from timbra.rules.shared.nomina.sncf import has_entidad_sncf_when_marked, is_marked_in_l_rfc
from timbra.rules.shared.predicates import in_catalog, is_registered

NOM135 = row(
    "NOM135",
    Nomina,
    at="Complemento/Nomina/Emisor/@Curp",
    says="Curp del patrón no debe existir cuando el emisor es una persona moral.",
    check=has_no_curp_of_persona_moral,
    cites=MATRIX_B,
    fails={"Complemento/Nomina/Emisor/@Curp": "XOJI740919MQTDMN02"},
)


NOM136 = row(
    "NOM136",
    Nomina,
    at="Complemento/Nomina/Emisor/@Curp",
    says="Curp del patrón debe existir cuando el emisor es una persona física.",
    check=has_curp_of_persona_fisica,
    cites=MATRIX_B,
    fails=Receipt(payroll, issuer=CASAS).example({}, passes={"Complemento/Nomina/Emisor/@Curp": "XOJI740919MQTDMN02"}),
)


NOM161 = row(
    "NOM161",
    EmisorNomina,
    at="Complemento/Nomina/Emisor/@RfcPatronOrigen",
    says="RfcPatronOrigen debe estar en la lista de RFC inscritos y no cancelados.",
    check=is_registered("RfcPatronOrigen"),
    applies=has_rfc_patron_origen,
    needs=TAXPAYERS,
    cites=MATRIX_B,
    fails=plain.example(
        {"Complemento/Nomina/Emisor/@RfcPatronOrigen": "AAAA800101AB1"},
        passes={"Complemento/Nomina/Emisor/@RfcPatronOrigen": "URE180429TM6"},
    ),
)


NOM162 = row(
    "NOM162",
    Nomina,
    at="Complemento/Nomina/Emisor/@RegistroPatronal",
    says="RegistroPatronal debe existir con TipoContrato 01 a 08.",
    check=has_registro_patronal_with_employment,
    cites=MATRIX_B,
    fails=worker.example({"Complemento/Nomina/Emisor/@RegistroPatronal": None}),
)


NOM163 = row(
    "NOM163",
    EmisorNomina,
    at="Complemento/Nomina/Emisor/@RegistroPatronal",
    says="RegistroPatronal no debe existir con TipoContrato 09, 10 o 99.",
    check=has_no_registro_patronal_with_other_contract,
    cites=MATRIX_B,
    fails=without_employment.example({}, passes={"Complemento/Nomina/Emisor/@RegistroPatronal": None}),
)


NOM165 = row(
    "NOM165",
    Nomina,
    at="Complemento/Nomina/Emisor/EntidadSNCF",
    says="EntidadSNCF debe existir si el emisor está adherido al Sistema Nacional de Coordinación Fiscal.",
    check=has_entidad_sncf_when_marked,
    needs=COORDINATED,
    fails_with=tables(coordinated=CoordinatedEntities(frozenset({ROBOTICA.rfc}))),
    cites=MATRIX_B,
    fails=coordinated_entity.example({"Complemento/Nomina/Emisor/EntidadSNCF": None}),
)


NOM166 = row(
    "NOM166",
    EntidadSNCF,
    at="Complemento/Nomina/Emisor/EntidadSNCF",
    says="EntidadSNCF no debe existir si el emisor no está adherido al Sistema Nacional de Coordinación Fiscal.",
    check=is_marked_in_l_rfc,
    needs=COORDINATED,
    fails_with=tables(coordinated=CoordinatedEntities(frozenset({ROBOTICA.rfc}))),
    cites=MATRIX_B,
    fails={"Complemento/Nomina/Emisor/EntidadSNCF/@OrigenRecurso": "IP"},
)


NOM167 = row(
    "NOM167",
    EntidadSNCF,
    at="Complemento/Nomina/Emisor/EntidadSNCF/@OrigenRecurso",
    says="OrigenRecurso debe ser una clave vigente de c_OrigenRecurso.",
    check=in_catalog("nomina12:c_OrigenRecurso", "OrigenRecurso"),
    cites=MATRIX_B,
    fails=coordinated_entity.example({"Complemento/Nomina/Emisor/EntidadSNCF/@OrigenRecurso": "IX"}),
)


NOM168 = row(
    "NOM168",
    EntidadSNCF,
    at="Complemento/Nomina/Emisor/EntidadSNCF/@MontoRecursoPropio",
    says="MontoRecursoPropio debe existir con OrigenRecurso IM.",
    check=has_own_funds_with_mixed_origin,
    cites=MATRIX_B,
    fails=mixed_funds.example({"Complemento/Nomina/Emisor/EntidadSNCF/@MontoRecursoPropio": None}),
)


NOM169 = row(
    "NOM169",
    EntidadSNCF,
    at="Complemento/Nomina/Emisor/EntidadSNCF/@MontoRecursoPropio",
    says="MontoRecursoPropio no debe existir con un OrigenRecurso distinto de IM.",
    check=has_no_own_funds_with_other_origin,
    cites=MATRIX_B,
    fails=coordinated_entity.example({"Complemento/Nomina/Emisor/EntidadSNCF/@MontoRecursoPropio": "50.00"}),
)


NOM170 = row(
    "NOM170",
    EntidadSNCF,
    at="Complemento/Nomina/Emisor/EntidadSNCF/@MontoRecursoPropio",
    says="MontoRecursoPropio debe ser menor que la suma de TotalPercepciones y TotalOtrosPagos.",
    check=own_funds_are_less_than_paid_sum,
    cites=MATRIX_B,
    fails=mixed_funds.example({"Complemento/Nomina/Emisor/EntidadSNCF/@MontoRecursoPropio": "200.00"}),
)
