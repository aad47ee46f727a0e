"""Issuer, owners, receiver and recipients: CCE123, CCE124, CCE131 to CCE135, CCE142 to CCE144, and countries."""

from __future__ import annotations

import re
from typing import Final

from timbra.cfdi.nodes.comercioexterior20 import (
    ComercioExterior,
    Destinatario,
    DomicilioDestinatario,
    DomicilioReceptor,
    Propietario,
    ReceptorExterior,
)
from timbra.cfdi.rfc import FOREIGN
from timbra.cfdi.structure.value_phrases import format_phrase
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, Indeterminate, RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.comercioexterior20.sources import SCHEMA
from timbra.rules.shared.addresses import MEXICO
from timbra.rules.shared.predicates import absent, in_catalog

OF_SAT: Final = "Lista del SAT"
"""The only registry of c_Pais that is available: l_RFC."""
PERSON: Final = 13
"""Characters of the RFC of a persona física."""


def _curp(complement: ComercioExterior) -> str | None:
    return complement.emisor.Curp if complement.emisor is not None else None


@rule(
    "CCE123",
    at="Complemento/ComercioExterior/Emisor/@Curp",
    says="Curp del emisor no debe existir para una persona moral.",
)
def company_has_no_curp(complement: ComercioExterior, ctx: EvaluationContext) -> RuleResult:
    if len(ctx.comprobante.emisor.Rfc) == PERSON:
        return None
    return absent(_curp(complement), "por el RFC de una persona moral")


@rule(
    "CCE124",
    at="Complemento/ComercioExterior/Emisor/@Curp",
    says="Curp del emisor debe existir para una persona física.",
)
def person_has_curp(complement: ComercioExterior, ctx: EvaluationContext) -> RuleResult:
    if len(ctx.comprobante.emisor.Rfc) != PERSON or _curp(complement) is not None:
        return None
    return Violation(expected="la CURP del emisor, por el RFC de una persona física")


def _registry(country: str | None, ctx: EvaluationContext) -> str:
    """Return the registry of tax numbers that c_Pais states for a country, empty for none."""
    row = ctx.row("c_Pais", country or "")
    return row["validacion_identidad_tributaria"] if row is not None else ""


def has_registry(propietario: Propietario, ctx: EvaluationContext) -> bool:
    return bool(_registry(propietario.ResidenciaFiscal, ctx))


@rule(
    "CCE131",
    at="Complemento/ComercioExterior/Propietario/@NumRegIdTrib",
    says="NumRegIdTrib del propietario debe existir en el registro de su país.",
    note="El registro del SAT es la l_RFC; no hay otro disponible.",
    applies=has_registry,
    needs=(DataRequirement.TAXPAYERS,),
)
def owner_is_registered(propietario: Propietario, ctx: EvaluationContext) -> RuleResult:
    registry = _registry(propietario.ResidenciaFiscal, ctx)
    if registry != OF_SAT:
        return Indeterminate(f"registro de identidades tributarias de {propietario.ResidenciaFiscal}")
    if ctx.taxpayer(propietario.NumRegIdTrib) is not None:
        return None
    return Violation(found=propietario.NumRegIdTrib, expected="un RFC inscrito y no cancelado (l_RFC)")


@rule(
    "CCE132",
    at="Complemento/ComercioExterior/Propietario/@NumRegIdTrib",
    says="NumRegIdTrib del propietario debe tener el formato de su país.",
)
def owner_number_has_format_of_country(propietario: Propietario, ctx: EvaluationContext) -> RuleResult:
    return _has_format_of_country(ctx, propietario.ResidenciaFiscal, propietario.NumRegIdTrib)


def _has_format_of_country(ctx: EvaluationContext, country: str | None, number: str) -> RuleResult:
    """Check that a tax number has the format of c_Pais; any text passes without a format, and with a registry."""
    row = ctx.row("c_Pais", country or "")
    pattern = row["patron_identidad_tributaria"] if row is not None and not _registry(country, ctx) else ""
    if not pattern or re.fullmatch(pattern, number):
        return None
    return Violation(found=number, expected=f"el formato de {country}: {format_phrase(pattern)}")


def _is_number_of_country(ctx: EvaluationContext, country: str | None, number: str) -> RuleResult:
    """As `_has_format_of_country`; indeterminate for a foreign country with a registry."""
    registry = _registry(country, ctx) if country != MEXICO else ""
    return (
        Indeterminate(f"registro de identidades tributarias de {country}")
        if registry
        else _has_format_of_country(ctx, country, number)
    )


CCE999_Propietario = row(
    "CCE999:Propietario",
    Propietario,
    at="Complemento/ComercioExterior/Propietario/@ResidenciaFiscal",
    says="ResidenciaFiscal del propietario debe ser una clave vigente de c_Pais.",
    check=in_catalog("c_Pais", "ResidenciaFiscal"),
    cites=SCHEMA,
)


@rule(
    "CCE133",
    at="Complemento/ComercioExterior/Receptor/@NumRegIdTrib",
    says="NumRegIdTrib del receptor debe existir con el RFC XEXX010101000, y solo con él.",
)
def has_foreign_number_exactly_with_generic_foreign(complement: ComercioExterior, ctx: EvaluationContext) -> RuleResult:
    receptor = complement.receptor
    number = receptor.NumRegIdTrib if receptor is not None else None
    if ctx.comprobante.receptor.Rfc != FOREIGN:
        return absent(number, f"con un RFC del receptor distinto de {FOREIGN}")
    return Violation(expected=f"el registro tributario del receptor {FOREIGN}") if number is None else None


def _country(receptor: ReceptorExterior, ctx: EvaluationContext) -> str | None:
    if receptor.domicilio is None:
        return ctx.comprobante.receptor.ResidenciaFiscal
    return receptor.domicilio.Pais


@rule(
    "CCE134",
    at="Complemento/ComercioExterior/Receptor/@NumRegIdTrib",
    says="NumRegIdTrib del receptor no debe existir con un domicilio en México.",
)
def receiver_with_number_is_abroad(receptor: ReceptorExterior, ctx: EvaluationContext) -> RuleResult:
    if receptor.NumRegIdTrib is None or _country(receptor, ctx) != MEXICO:
        return None
    return Violation(found=receptor.NumRegIdTrib, expected="que no exista: el domicilio del receptor está en MEX")


@rule(
    "CCE135",
    at="Complemento/ComercioExterior/Receptor/@NumRegIdTrib",
    says="NumRegIdTrib del receptor debe tener el formato de su país.",
    note="Que el país no sea México se revisa en CCE134.",
)
def receiver_number_has_format_of_country(receptor: ReceptorExterior, ctx: EvaluationContext) -> RuleResult:
    if receptor.NumRegIdTrib is None:
        return None
    return _is_number_of_country(ctx, _country(receptor, ctx), receptor.NumRegIdTrib)


CCE999_Receptor = row(
    "CCE999:Receptor",
    DomicilioReceptor,
    at="Complemento/ComercioExterior/Receptor/Domicilio/@Pais",
    says="Pais del domicilio del receptor debe ser una clave vigente de c_Pais.",
    check=in_catalog("c_Pais", "Pais"),
    cites=SCHEMA,
)


@rule(
    "CCE142",
    at="Complemento/ComercioExterior/Destinatario",
    says="Un traslado de exportación debe llevar a lo más un Destinatario.",
    types="T",
)
def is_only_recipient(destinatario: Destinatario, _ctx: EvaluationContext) -> RuleResult:
    if destinatario.index == 1:
        return None
    return Violation(found=f"Destinatario[{destinatario.index}]", expected="un solo Destinatario, por el tipo T")


@rule(
    "CCE143",
    at="Complemento/ComercioExterior/Destinatario/@NumRegIdTrib",
    says="NumRegIdTrib del destinatario no debe existir con un domicilio en México.",
)
def recipient_with_number_is_abroad(destinatario: Destinatario, _ctx: EvaluationContext) -> RuleResult:
    if destinatario.NumRegIdTrib is None or all(place.Pais != MEXICO for place in destinatario.domicilios):
        return None
    return Violation(
        found=destinatario.NumRegIdTrib, expected="que no exista: el domicilio del destinatario está en MEX"
    )


@rule(
    "CCE144",
    at="Complemento/ComercioExterior/Destinatario/Domicilio/@Pais",
    says="NumRegIdTrib del destinatario debe tener el formato del país de su domicilio.",
    note="Que el país no sea México se revisa en CCE143.",
)
def recipient_number_has_format_of_country(domicilio: DomicilioDestinatario, ctx: EvaluationContext) -> RuleResult:
    if domicilio.NumRegIdTrib is None:
        return None
    return _is_number_of_country(ctx, domicilio.Pais, domicilio.NumRegIdTrib)


CCE999_Destinatario = row(
    "CCE999:Destinatario",
    DomicilioDestinatario,
    at="Complemento/ComercioExterior/Destinatario/Domicilio/@Pais",
    says="Pais del domicilio del destinatario debe ser una clave vigente de c_Pais.",
    check=in_catalog("c_Pais", "Pais"),
    cites=SCHEMA,
)
