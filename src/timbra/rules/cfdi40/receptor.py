"""The receiver against the list of taxpayers: CFDI40143 to CFDI40149."""

from __future__ import annotations

from timbra.cfdi.nodes import Receptor
from timbra.cfdi.rfc import NATIONAL
from timbra.rules.case import Case
from timbra.rules.conditions import PUBLIC
from timbra.rules.finding import Breach, Need, Unknown, Verdict
from timbra.rules.rule import rule
from timbra.rules.texts import name_hint

TAXPAYERS = (Need.TAXPAYERS,)
KEYS = ("is_generic", "RegimenFiscalReceptor", "UsoCFDI", "ResidenciaFiscal", "NumRegIdTrib")
"""What rules about the keys of Receptor read, or the conditions of others."""


def is_generic(receptor: Receptor, _case: Case) -> bool:
    return receptor.is_generic


def has_own_rfc(receptor: Receptor, _case: Case) -> bool:
    return not receptor.is_generic


@rule("CFDI40143", at="Receptor/@Rfc", needs=TAXPAYERS, applies=has_own_rfc, applies_reads=KEYS)
def receiver_is_registered(receptor: Receptor, case: Case) -> Verdict:
    if case.taxpayer(receptor.Rfc) is not None:
        return None
    return Breach(found=receptor.Rfc, expected="un RFC inscrito y no cancelado (l_RFC)", hint=case.world.registry_hint)


@rule(
    "CFDI40144",
    at="Receptor/@Nombre",
    needs=TAXPAYERS,
    applies=has_own_rfc,
    inseparable=("CFDI40145",),
    applies_reads=KEYS,
)
def receiver_name_is_registered(receptor: Receptor, case: Case) -> Verdict:
    """Whether anybody has the name; the list is kept by RFC, so other names can only be judged by an index of names."""
    taxpayer = case.taxpayer(receptor.Rfc)
    if taxpayer is None or not taxpayer.name or taxpayer.name == receptor.Nombre:
        return None
    if case.world.names is None:
        return Unknown("l_RFC por nombre")
    if case.world.names.is_registered(receptor.Nombre):
        return None
    return Breach(found=receptor.Nombre, expected=f"un nombre inscrito (l_RFC): {taxpayer.name}")


@rule("CFDI40145", at="Receptor/@Nombre", needs=TAXPAYERS, applies=has_own_rfc, applies_reads=KEYS)
def receiver_name_is_that_of_its_rfc(receptor: Receptor, case: Case) -> Verdict:
    taxpayer = case.taxpayer(receptor.Rfc)
    if taxpayer is None or not taxpayer.name or taxpayer.name == receptor.Nombre:
        return None
    return Breach(found=receptor.Nombre, expected=taxpayer.name, hint=name_hint(receptor.Nombre, taxpayer.name))


@rule("CFDI40146", at="Receptor/@Rfc")
def general_public_has_its_rfc(receptor: Receptor, _case: Case) -> Verdict:
    if receptor.Nombre != PUBLIC or receptor.Rfc == NATIONAL:
        return None
    return Breach(found=receptor.Rfc, expected=f"{NATIONAL}, por el nombre {PUBLIC}")


@rule("CFDI40147", at="Receptor/@DomicilioFiscalReceptor", needs=TAXPAYERS, applies=has_own_rfc, applies_reads=KEYS)
def receiver_postal_code_exists(receptor: Receptor, case: Case) -> Verdict:
    """No taxpayer is registered at a postal code that does not exist."""
    code = receptor.DomicilioFiscalReceptor
    taxpayer = case.taxpayer(receptor.Rfc)
    if case.in_force("c_CodigoPostal", code) or (taxpayer is not None and taxpayer.postal_code == code):
        return None
    expected = f"{taxpayer.postal_code}, el" if taxpayer is not None and taxpayer.postal_code else "un"
    return Breach(found=code, expected=f"{expected} código postal del domicilio fiscal inscrito (l_RFC)")


@rule("CFDI40148", at="Receptor/@DomicilioFiscalReceptor", needs=TAXPAYERS, applies=has_own_rfc, applies_reads=KEYS)
def receiver_postal_code_is_that_of_its_rfc(receptor: Receptor, case: Case) -> Verdict:
    """A commercial or delivery postal code is the usual mistake; one that does not exist is CFDI40147."""
    code = receptor.DomicilioFiscalReceptor
    taxpayer = case.taxpayer(receptor.Rfc)
    if taxpayer is None or taxpayer.postal_code in ("", code) or not case.in_force("c_CodigoPostal", code):
        return None
    return Breach(
        found=code,
        expected=f"{taxpayer.postal_code}, el código postal del domicilio fiscal inscrito (l_RFC)",
        hint="Se usa el código postal de la Constancia de Situación Fiscal, no el comercial ni el de entrega.",
    )


@rule("CFDI40149", at="Receptor/@DomicilioFiscalReceptor", applies=is_generic, applies_reads=KEYS)
def generic_receiver_lives_where_it_is_issued(receptor: Receptor, case: Case) -> Verdict:
    place = case.comprobante.LugarExpedicion
    if receptor.DomicilioFiscalReceptor == place:
        return None
    return Breach(found=receptor.DomicilioFiscalReceptor, expected=f"{place}, el LugarExpedicion")
