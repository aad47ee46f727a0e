"""The receiver: CFDI33132, CFDI33140, CFDI33141."""

from __future__ import annotations

from timbra.cfdi.nodes import Receptor
from timbra.rules.case import Case
from timbra.rules.conditions import key_of, person_of
from timbra.rules.finding import Breach, Need, Verdict
from timbra.rules.rule import rule

KEYS = ("is_generic", "UsoCFDI", "ResidenciaFiscal", "NumRegIdTrib")
"""What rules about the keys of Receptor read, or the conditions of others."""


def is_generic(receptor: Receptor, _case: Case) -> bool:
    return receptor.is_generic


def has_own_rfc(receptor: Receptor, _case: Case) -> bool:
    return not receptor.is_generic


@rule("CFDI33132", at="Receptor/@Rfc", needs=(Need.TAXPAYERS,), applies=has_own_rfc, applies_reads=KEYS)
def receiver_is_registered(receptor: Receptor, case: Case) -> Verdict:
    """A list of another time than the document's only warns, as always."""
    if case.taxpayer(receptor.Rfc) is not None:
        return None
    return Breach(found=receptor.Rfc, expected="un RFC inscrito y no cancelado (l_RFC)", hint=case.world.registry_hint)


@rule("CFDI33140", at="Receptor/@UsoCFDI", reads=KEYS)
def use_is_a_key(receptor: Receptor, case: Case) -> Verdict:
    return key_of(case, "c_UsoCFDI", receptor.UsoCFDI)


@rule("CFDI33141", at="Receptor/@UsoCFDI")
def use_fits_its_person(receptor: Receptor, case: Case) -> Verdict:
    row = case.row("c_UsoCFDI", receptor.UsoCFDI)
    if row is None or row[person_of(receptor.Rfc)]:
        return None
    expected = f"un uso que aplique al tipo de persona del RFC {receptor.Rfc}"
    return Breach(found=receptor.UsoCFDI, expected=expected)
