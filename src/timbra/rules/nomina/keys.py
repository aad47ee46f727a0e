"""Attributes with a fixed value, and keys of the catalogs of Nómina."""

from __future__ import annotations

from typing import Final

from timbra.rules.case import Case
from timbra.rules.conditions import absent, key_of
from timbra.rules.finding import Breach, Need, Verdict
from timbra.rules.invoice import fixed

WHY: Final = "en un recibo de nómina"
TAXPAYERS: Final = (Need.TAXPAYERS,)


def written(text: str | None, expected: str) -> Verdict:
    """Holds when the attribute is written exactly so."""
    return fixed.written(text, expected, WHY)


def unwanted(text: str | None) -> Verdict:
    """Holds when the attribute is not there."""
    return absent(text, WHY)


def key(case: Case, catalog: str, text: str | None) -> Verdict:
    """Holds when the attribute is absent or a key of a catalog of Nómina in force on the document's date."""
    return None if text is None else key_of(case, f"nomina12:{catalog}", text)


def mexican_state(case: Case, text: str) -> Verdict:
    """Holds for a key of c_Estado whose country is Mexico."""
    row = case.row("nomina12:c_Estado", text)
    if row is not None and row["pais"] == "MEX":
        return None
    return Breach(found=text, expected="una clave de c_Estado con c_Pais MEX")


def registered(case: Case, rfc: str | None) -> Verdict:
    """Holds for an absent RFC and for one in l_RFC that is not cancelled. Needs the list of taxpayers."""
    if rfc is None or case.taxpayer(rfc) is not None:
        return None
    return Breach(found=rfc, expected="un RFC inscrito y no cancelado (l_RFC)", hint=case.world.registry_hint)
