"""The employer: NOM5, NOM6, NOM41 to NOM43, NOM45 to NOM50."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import EmisorNomina, EntidadSNCF, Nomina
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.nomina12.nomina import AT as NOMINA
from timbra.rules.shared.nomina import partes, sncf
from timbra.rules.shared.nomina.keys import TAXPAYERS, key, registered
from timbra.rules.shared.nomina.whole import whole

AT = f"{NOMINA}/Emisor"
ENTIDAD = f"{AT}/EntidadSNCF"
COORDINATED = (DataRequirement.COORDINATED,)


@rule("NOM5", at=f"{AT}/@Curp")
def company_has_no_curp(nomina: Nomina, ctx: EvaluationContext) -> RuleResult:
    return partes.companies_have_no_curp(nomina, ctx.comprobante.emisor)


@rule("NOM6", at=f"{AT}/@Curp")
def person_has_its_curp(nomina: Nomina, ctx: EvaluationContext) -> RuleResult:
    return partes.persons_have_their_curp(nomina, ctx.comprobante.emisor)


def names_another_employer(emisor: EmisorNomina, _ctx: EvaluationContext) -> bool:
    return emisor.RfcPatronOrigen is not None


@rule("NOM41", at=f"{AT}/@RfcPatronOrigen", needs=TAXPAYERS, applies=names_another_employer)
def original_employer_is_registered(emisor: EmisorNomina, ctx: EvaluationContext) -> RuleResult:
    return registered(ctx, emisor.RfcPatronOrigen)


@rule("NOM42", at=f"{AT}/@RegistroPatronal")
def employer_has_its_registration(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return partes.employers_are_registered(nomina)


@rule("NOM43", at=f"{AT}/@RegistroPatronal")
def registration_is_absent_without_employees(emisor: EmisorNomina, ctx: EvaluationContext) -> RuleResult:
    return partes.others_have_no_registration(emisor, whole(emisor, ctx))


@rule("NOM45", at=ENTIDAD, needs=COORDINATED)
def coordinated_entity_tells_its_funds(nomina: Nomina, ctx: EvaluationContext) -> RuleResult:
    return sncf.coordinated_entities_say_so(nomina, ctx)


@rule("NOM46", at=ENTIDAD, needs=COORDINATED)
def others_tell_none(_entidad: EntidadSNCF, ctx: EvaluationContext) -> RuleResult:
    return sncf.others_tell_none(ctx)


@rule("NOM47", at=f"{ENTIDAD}/@OrigenRecurso", reads=("OrigenRecurso",))
def origin_of_funds_is_a_key(entidad: EntidadSNCF, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_OrigenRecurso", entidad.OrigenRecurso)


@rule("NOM48", at=f"{ENTIDAD}/@MontoRecursoPropio")
def mixed_funds_tell_their_own(entidad: EntidadSNCF, _ctx: EvaluationContext) -> RuleResult:
    return partes.mixed_funds_tell_their_own(entidad)


@rule("NOM49", at=f"{ENTIDAD}/@MontoRecursoPropio")
def only_mixed_funds_do(entidad: EntidadSNCF, _ctx: EvaluationContext) -> RuleResult:
    return partes.only_mixed_funds_do(entidad)


@rule("NOM50", at=f"{ENTIDAD}/@MontoRecursoPropio")
def own_funds_are_a_part(entidad: EntidadSNCF, ctx: EvaluationContext) -> RuleResult:
    return partes.own_funds_are_a_part(entidad, whole(entidad, ctx))
