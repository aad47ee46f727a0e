"""Issuer, owners, receiver and destinations: CCE123, CCE124, CCE131 to CCE135, CCE142 to CCE144, countries."""

from __future__ import annotations

import re
from typing import Final

from timbra.cfdi.nodes.comercioexterior20 import (
    HEAD,
    ComercioExterior,
    Destinatario,
    DomicilioDestinatario,
    DomicilioReceptor,
    Propietario,
    ReceptorExterior,
)
from timbra.cfdi.rfc import FOREIGN
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, Indeterminate, RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.comercioexterior20.matrix import STANDARD
from timbra.rules.shared.addresses import MEXICO
from timbra.rules.shared.conditions import absent, key_of

OF_SAT: Final = "Lista del SAT"
"""The one registry of c_Pais that is at hand: l_RFC."""
PERSON: Final = 13
"""Characters of the RFC of a persona física."""


def _curp(complement: ComercioExterior) -> str | None:
    return complement.emisor.Curp if complement.emisor is not None else None


@rule("CCE123", at=f"{HEAD}/Emisor/@Curp")
def company_has_no_curp(complement: ComercioExterior, ctx: EvaluationContext) -> RuleResult:
    if len(ctx.comprobante.emisor.Rfc) == PERSON:
        return None
    return absent(_curp(complement), "por el RFC de una persona moral")


@rule("CCE124", at=f"{HEAD}/Emisor/@Curp")
def person_has_a_curp(complement: ComercioExterior, ctx: EvaluationContext) -> RuleResult:
    if len(ctx.comprobante.emisor.Rfc) != PERSON or _curp(complement) is not None:
        return None
    return Violation(expected="la CURP del emisor, por el RFC de una persona física")


def _registry(country: str | None, ctx: EvaluationContext) -> str:
    """Where c_Pais has the numbers of a country verified, empty for none."""
    row = ctx.row("c_Pais", country or "")
    return row["validacion_identidad_tributaria"] if row is not None else ""


def is_of_a_registry(propietario: Propietario, ctx: EvaluationContext) -> bool:
    return bool(_registry(propietario.ResidenciaFiscal, ctx))


@rule("CCE131", at=f"{HEAD}/Propietario/@NumRegIdTrib", needs=(DataRequirement.TAXPAYERS,), applies=is_of_a_registry)
def owner_is_registered(propietario: Propietario, ctx: EvaluationContext) -> RuleResult:
    """SAT's own registry is l_RFC, no other is at hand."""
    registry = _registry(propietario.ResidenciaFiscal, ctx)
    if registry != OF_SAT:
        return Indeterminate(f"registro de identidades tributarias de {propietario.ResidenciaFiscal}")
    if ctx.taxpayer(propietario.NumRegIdTrib) is not None:
        return None
    return Violation(found=propietario.NumRegIdTrib, expected="un RFC inscrito y no cancelado (l_RFC)")


@rule("CCE132", at=f"{HEAD}/Propietario/@NumRegIdTrib", reads=("NumRegIdTrib", "ResidenciaFiscal"))
def owner_number_has_the_form_of_its_country(propietario: Propietario, ctx: EvaluationContext) -> RuleResult:
    return _formed(ctx, propietario.ResidenciaFiscal, propietario.NumRegIdTrib)


def _formed(ctx: EvaluationContext, country: str | None, number: str) -> RuleResult:
    """Of the form that c_Pais gives the numbers of a country without a registry; without one any text."""
    row = ctx.row("c_Pais", country or "")
    pattern = row["patron_identidad_tributaria"] if row is not None and not _registry(country, ctx) else ""
    if not pattern or re.fullmatch(pattern, number):
        return None
    return Violation(found=number, expected=f"el formato de {country}: {pattern}")


def _identified(ctx: EvaluationContext, country: str | None, number: str) -> RuleResult:
    """As `_formed`, abroad; where c_Pais names a registry, what that says is unknown."""
    registry = _registry(country, ctx) if country != MEXICO else ""
    return (
        Indeterminate(f"registro de identidades tributarias de {country}")
        if registry
        else _formed(ctx, country, number)
    )


@rule("CCE999:Propietario", at=f"{HEAD}/Propietario/@ResidenciaFiscal", source=STANDARD, reads=("ResidenciaFiscal",))
def owner_resides_in_a_country(propietario: Propietario, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_Pais", propietario.ResidenciaFiscal)


@rule("CCE133", at=f"{HEAD}/Receptor/@NumRegIdTrib")
def foreign_receiver_has_its_number(complement: ComercioExterior, ctx: EvaluationContext) -> RuleResult:
    receptor = complement.receptor
    number = receptor.NumRegIdTrib if receptor is not None else None
    if ctx.comprobante.receptor.Rfc != FOREIGN:
        return absent(number, f"con un RFC del receptor distinto de {FOREIGN}")
    return Violation(expected=f"el registro tributario del receptor {FOREIGN}") if number is None else None


def _country(receptor: ReceptorExterior, ctx: EvaluationContext) -> str | None:
    if receptor.domicilio is None:
        return ctx.comprobante.receptor.ResidenciaFiscal
    return receptor.domicilio.Pais


@rule("CCE134", at=f"{HEAD}/Receptor/@NumRegIdTrib")
def numbered_receiver_is_abroad(receptor: ReceptorExterior, ctx: EvaluationContext) -> RuleResult:
    if receptor.NumRegIdTrib is None or _country(receptor, ctx) != MEXICO:
        return None
    return Violation(found=receptor.NumRegIdTrib, expected="que no exista: el domicilio del receptor está en MEX")


@rule("CCE135", at=f"{HEAD}/Receptor/@NumRegIdTrib")
def receiver_number_has_the_form_of_its_country(receptor: ReceptorExterior, ctx: EvaluationContext) -> RuleResult:
    """That the country is not Mexico is CCE134."""
    if receptor.NumRegIdTrib is None:
        return None
    return _identified(ctx, _country(receptor, ctx), receptor.NumRegIdTrib)


@rule("CCE999:Receptor", at=f"{HEAD}/Receptor/Domicilio/@Pais", source=STANDARD, reads=("Pais",))
def receiver_lives_in_a_country(domicilio: DomicilioReceptor, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_Pais", domicilio.Pais or "")


@rule("CCE142", at=f"{HEAD}/Destinatario", types="T")
def goods_go_to_one(destinatario: Destinatario, _ctx: EvaluationContext) -> RuleResult:
    if destinatario.index == 1:
        return None
    return Violation(found=f"Destinatario[{destinatario.index}]", expected="un solo Destinatario, por el tipo T")


@rule("CCE143", at=f"{HEAD}/Destinatario/@NumRegIdTrib")
def numbered_destination_is_abroad(destinatario: Destinatario, _ctx: EvaluationContext) -> RuleResult:
    if destinatario.NumRegIdTrib is None or all(place.Pais != MEXICO for place in destinatario.domicilios):
        return None
    return Violation(
        found=destinatario.NumRegIdTrib, expected="que no exista: el domicilio del destinatario está en MEX"
    )


@rule("CCE144", at=f"{HEAD}/Destinatario/Domicilio/@Pais", reads=("NumRegIdTrib", "Pais"))
def destination_number_has_the_form_of_its_country(
    domicilio: DomicilioDestinatario, ctx: EvaluationContext
) -> RuleResult:
    """That the country is not Mexico is CCE143."""
    if domicilio.NumRegIdTrib is None:
        return None
    return _identified(ctx, domicilio.Pais, domicilio.NumRegIdTrib)


@rule("CCE999:Destinatario", at=f"{HEAD}/Destinatario/Domicilio/@Pais", source=STANDARD, reads=("Pais",))
def destination_is_in_a_country(domicilio: DomicilioDestinatario, ctx: EvaluationContext) -> RuleResult:
    return key_of(ctx, "c_Pais", domicilio.Pais or "")
