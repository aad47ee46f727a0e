"""The employer: NOM5, NOM6, NOM41 to NOM43, NOM45 to NOM50."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import EmisorNomina, EntidadSNCF, Nomina
from timbra.rules.case import Case
from timbra.rules.finding import Need, Verdict
from timbra.rules.nomina import partes, sncf
from timbra.rules.nomina.keys import TAXPAYERS, key, registered
from timbra.rules.nomina.whole import whole
from timbra.rules.nomina12.nomina import AT as NOMINA
from timbra.rules.rule import rule

AT = f"{NOMINA}/Emisor"
ENTIDAD = f"{AT}/EntidadSNCF"
COORDINATED = (Need.COORDINATED,)


@rule("NOM5", at=f"{AT}/@Curp")
def company_has_no_curp(nomina: Nomina, case: Case) -> Verdict:
    return partes.companies_have_no_curp(nomina, case.comprobante.emisor)


@rule("NOM6", at=f"{AT}/@Curp")
def person_has_its_curp(nomina: Nomina, case: Case) -> Verdict:
    return partes.persons_have_their_curp(nomina, case.comprobante.emisor)


def names_another_employer(emisor: EmisorNomina, _case: Case) -> bool:
    return emisor.RfcPatronOrigen is not None


@rule("NOM41", at=f"{AT}/@RfcPatronOrigen", needs=TAXPAYERS, applies=names_another_employer)
def original_employer_is_registered(emisor: EmisorNomina, case: Case) -> Verdict:
    return registered(case, emisor.RfcPatronOrigen)


@rule("NOM42", at=f"{AT}/@RegistroPatronal")
def employer_has_its_registration(nomina: Nomina, _case: Case) -> Verdict:
    return partes.employers_are_registered(nomina)


@rule("NOM43", at=f"{AT}/@RegistroPatronal")
def who_employs_nobody_has_none(emisor: EmisorNomina, case: Case) -> Verdict:
    return partes.others_have_no_registration(emisor, whole(emisor, case))


@rule("NOM45", at=ENTIDAD, needs=COORDINATED)
def coordinated_entity_tells_its_funds(nomina: Nomina, case: Case) -> Verdict:
    return sncf.coordinated_entities_say_so(nomina, case)


@rule("NOM46", at=ENTIDAD, needs=COORDINATED)
def others_tell_none(_entidad: EntidadSNCF, case: Case) -> Verdict:
    return sncf.others_tell_none(case)


@rule("NOM47", at=f"{ENTIDAD}/@OrigenRecurso", reads=("OrigenRecurso",))
def origin_of_funds_is_a_key(entidad: EntidadSNCF, case: Case) -> Verdict:
    return key(case, "c_OrigenRecurso", entidad.OrigenRecurso)


@rule("NOM48", at=f"{ENTIDAD}/@MontoRecursoPropio")
def mixed_funds_tell_their_own(entidad: EntidadSNCF, _case: Case) -> Verdict:
    return partes.mixed_funds_tell_their_own(entidad)


@rule("NOM49", at=f"{ENTIDAD}/@MontoRecursoPropio")
def only_mixed_funds_do(entidad: EntidadSNCF, _case: Case) -> Verdict:
    return partes.only_mixed_funds_do(entidad)


@rule("NOM50", at=f"{ENTIDAD}/@MontoRecursoPropio")
def own_funds_are_a_part(entidad: EntidadSNCF, case: Case) -> Verdict:
    return partes.own_funds_are_a_part(entidad, whole(entidad, case))
