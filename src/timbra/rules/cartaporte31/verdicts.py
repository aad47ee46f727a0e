"""Verdicts that rules of several nodes share: what must be there exactly when, taxpayers, countries, catalogs."""

from __future__ import annotations

from typing import Final

from timbra.rules.case import Case
from timbra.rules.conditions import absent, key_of
from timbra.rules.domicilio import MEXICO
from timbra.rules.finding import Breach, Need, Verdict

TAXPAYERS: Final = (Need.TAXPAYERS,)
STANDARD: Final = "cartaporte31"


def needed(found: str | None, expected: str) -> Verdict:
    """Holds when it is there."""
    return None if found is not None else Breach(expected=expected)


def exactly_when(condition: bool, found: str | None, expected: str, otherwise: str) -> Verdict:
    """Holds when it is there exactly if the condition holds. expected: what; otherwise: why it should be absent."""
    return needed(found, expected) if condition else absent(found, otherwise)


def named(there: object, name: str) -> str | None:
    """The name of an element that is there, as findings show it."""
    return name if there else None


def listed_in(case: Case, catalog: str, key: str | None) -> Verdict:
    """Holds when the key is in force in a catalog of Carta Porte; nothing to say about an absent one."""
    return plain_key(case, f"{STANDARD}:{catalog}", key)


def plain_key(case: Case, catalog: str, key: str | None) -> Verdict:
    """As `listed_in`, of another standard's catalog."""
    return None if key is None else key_of(case, catalog, key)


def registered(case: Case, rfc: str) -> Verdict:
    """Holds when the RFC is in l_RFC."""
    if case.taxpayer(rfc) is not None:
        return None
    return Breach(found=rfc, expected="un RFC inscrito y no cancelado (l_RFC)", hint=case.world.registry_hint)


def foreign_country(case: Case, country: str) -> Verdict:
    """Holds for a key of c_Pais other than MEX."""
    if country == MEXICO:
        return Breach(found=country, expected="otro país que MEX")
    return key_of(case, "c_Pais", country)
