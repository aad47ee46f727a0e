"""The employer: NOM135, NOM136, NOM161 to NOM163, NOM165 to NOM170."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import EmisorNomina, EntidadSNCF, Nomina
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.shared.nomina import partes, sncf
from timbra.rules.shared.nomina.keys import TAXPAYERS, key, registered
from timbra.rules.shared.nomina.whole import whole

AT = EmisorNomina.PATH
ENTITY_AT = EntidadSNCF.PATH


@rule("NOM135", at=f"{AT}/@Curp")
def companies_have_no_curp(nomina: Nomina, ctx: EvaluationContext) -> RuleResult:
    return partes.companies_have_no_curp(nomina, ctx.comprobante.emisor)


@rule("NOM136", at=f"{AT}/@Curp")
def persons_have_their_curp(nomina: Nomina, ctx: EvaluationContext) -> RuleResult:
    return partes.persons_have_their_curp(nomina, ctx.comprobante.emisor)


def names_another_employer(emisor: EmisorNomina, _ctx: EvaluationContext) -> bool:
    return emisor.RfcPatronOrigen is not None


@rule("NOM161", at=f"{AT}/@RfcPatronOrigen", applies=names_another_employer, needs=TAXPAYERS)
def original_employer_is_registered(emisor: EmisorNomina, ctx: EvaluationContext) -> RuleResult:
    return registered(ctx, emisor.RfcPatronOrigen)


@rule("NOM162", at=f"{AT}/@RegistroPatronal")
def employers_are_registered(nomina: Nomina, _ctx: EvaluationContext) -> RuleResult:
    return partes.employers_are_registered(nomina)


@rule("NOM163", at=f"{AT}/@RegistroPatronal")
def others_have_no_registration(emisor: EmisorNomina, ctx: EvaluationContext) -> RuleResult:
    return partes.others_have_no_registration(emisor, whole(emisor, ctx))


@rule("NOM165", at=ENTITY_AT, needs=(DataRequirement.COORDINATED,))
def coordinated_entities_say_so(nomina: Nomina, ctx: EvaluationContext) -> RuleResult:
    return sncf.coordinated_entities_say_so(nomina, ctx)


@rule("NOM166", at=ENTITY_AT, needs=(DataRequirement.COORDINATED,))
def others_tell_none(_entidad: EntidadSNCF, ctx: EvaluationContext) -> RuleResult:
    return sncf.others_tell_none(ctx)


@rule("NOM167", at=f"{ENTITY_AT}/@OrigenRecurso", reads=("OrigenRecurso",))
def origin_is_a_key(entidad: EntidadSNCF, ctx: EvaluationContext) -> RuleResult:
    return key(ctx, "c_OrigenRecurso", entidad.OrigenRecurso)


@rule("NOM168", at=f"{ENTITY_AT}/@MontoRecursoPropio")
def mixed_funds_tell_their_own(entidad: EntidadSNCF, _ctx: EvaluationContext) -> RuleResult:
    return partes.mixed_funds_tell_their_own(entidad)


@rule("NOM169", at=f"{ENTITY_AT}/@MontoRecursoPropio")
def only_mixed_funds_do(entidad: EntidadSNCF, _ctx: EvaluationContext) -> RuleResult:
    return partes.only_mixed_funds_do(entidad)


@rule("NOM170", at=f"{ENTITY_AT}/@MontoRecursoPropio")
def own_funds_are_a_part(entidad: EntidadSNCF, ctx: EvaluationContext) -> RuleResult:
    return partes.own_funds_are_a_part(entidad, whole(entidad, ctx))
