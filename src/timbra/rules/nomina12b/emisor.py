"""The employer: NOM135, NOM136, NOM161 to NOM163, NOM165 to NOM170."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import EmisorNomina, EntidadSNCF, Nomina
from timbra.rules.case import Case
from timbra.rules.finding import Need, Verdict
from timbra.rules.nomina import partes, sncf
from timbra.rules.nomina.keys import TAXPAYERS, key, registered
from timbra.rules.nomina.whole import whole
from timbra.rules.rule import rule

AT = EmisorNomina.PATH
ENTITY_AT = EntidadSNCF.PATH


@rule("NOM135", at=f"{AT}/@Curp")
def companies_have_no_curp(nomina: Nomina, case: Case) -> Verdict:
    return partes.companies_have_no_curp(nomina, case.comprobante.emisor)


@rule("NOM136", at=f"{AT}/@Curp")
def persons_have_their_curp(nomina: Nomina, case: Case) -> Verdict:
    return partes.persons_have_their_curp(nomina, case.comprobante.emisor)


def names_another_employer(emisor: EmisorNomina, _case: Case) -> bool:
    return emisor.RfcPatronOrigen is not None


@rule("NOM161", at=f"{AT}/@RfcPatronOrigen", applies=names_another_employer, needs=TAXPAYERS)
def original_employer_is_registered(emisor: EmisorNomina, case: Case) -> Verdict:
    return registered(case, emisor.RfcPatronOrigen)


@rule("NOM162", at=f"{AT}/@RegistroPatronal")
def employers_are_registered(nomina: Nomina, _case: Case) -> Verdict:
    return partes.employers_are_registered(nomina)


@rule("NOM163", at=f"{AT}/@RegistroPatronal")
def others_have_no_registration(emisor: EmisorNomina, case: Case) -> Verdict:
    return partes.others_have_no_registration(emisor, whole(emisor, case))


@rule("NOM165", at=ENTITY_AT, needs=(Need.COORDINATED,))
def coordinated_entities_say_so(nomina: Nomina, case: Case) -> Verdict:
    return sncf.coordinated_entities_say_so(nomina, case)


@rule("NOM166", at=ENTITY_AT, needs=(Need.COORDINATED,))
def others_tell_none(_entidad: EntidadSNCF, case: Case) -> Verdict:
    return sncf.others_tell_none(case)


@rule("NOM167", at=f"{ENTITY_AT}/@OrigenRecurso", reads=("OrigenRecurso",))
def origin_is_a_key(entidad: EntidadSNCF, case: Case) -> Verdict:
    return key(case, "c_OrigenRecurso", entidad.OrigenRecurso)


@rule("NOM168", at=f"{ENTITY_AT}/@MontoRecursoPropio")
def mixed_funds_tell_their_own(entidad: EntidadSNCF, _case: Case) -> Verdict:
    return partes.mixed_funds_tell_their_own(entidad)


@rule("NOM169", at=f"{ENTITY_AT}/@MontoRecursoPropio")
def only_mixed_funds_do(entidad: EntidadSNCF, _case: Case) -> Verdict:
    return partes.only_mixed_funds_do(entidad)


@rule("NOM170", at=f"{ENTITY_AT}/@MontoRecursoPropio")
def own_funds_are_a_part(entidad: EntidadSNCF, case: Case) -> Verdict:
    return partes.own_funds_are_a_part(entidad, whole(entidad, case))
