"""The permit: CCHYP107, CCHYP108, keys of TipoPermiso, length of NumeroPermiso."""

from __future__ import annotations

import re
from typing import Final

from timbra.cfdi.nodes.hidroypetro10 import HidroYPetro
from timbra.rules.case import Case
from timbra.rules.conditions import key_of
from timbra.rules.finding import Breach, Need, Verdict
from timbra.rules.hidroypetro10.matrix import ANEXO_29
from timbra.rules.rule import rule

AT: Final = "Conceptos/Concepto/ComplementoConcepto/HidroYPetro"
KINDS: Final = "hidroypetro10:c_TipoPermiso"
PATTERN: Final = "patron"
SHORTEST, LONGEST = 15, 35


@rule("CFDI40999:HYP-TipoPermiso", at=f"{AT}/@TipoPermiso", source=ANEXO_29, reads=("TipoPermiso",))
def kind_of_permit_is_a_key(permiso: HidroYPetro, case: Case) -> Verdict:
    return key_of(case, KINDS, permiso.TipoPermiso)


@rule(
    "CFDI40999:HYP-NumeroPermiso",
    at=f"{AT}/@NumeroPermiso",
    source=ANEXO_29,
    inseparable=("CCHYP107", "CCHYP107:L_CNE"),
)
def number_of_permit_has_its_length(permiso: HidroYPetro, _case: Case) -> Verdict:
    number = permiso.NumeroPermiso
    if SHORTEST <= len(number) <= LONGEST:
        return None
    return Breach(found=number, expected=f"de {SHORTEST} a {LONGEST} caracteres")


@rule("CCHYP107", at=f"{AT}/@NumeroPermiso", columns=((KINDS, PATTERN),), reads=("TipoPermiso", "NumeroPermiso"))
def number_follows_the_kind_of_permit(permiso: HidroYPetro, case: Case) -> Verdict:
    """Nothing to say about an unknown kind."""
    row = case.row(KINDS, permiso.TipoPermiso)
    number = permiso.NumeroPermiso
    if row is None or re.fullmatch(row[PATTERN], number):
        return None
    expected = f"un permiso con la forma {row[PATTERN]}, por TipoPermiso {permiso.TipoPermiso}"
    return Breach(found=number, expected=expected)


@rule("CCHYP107:L_CNE", at=f"{AT}/@NumeroPermiso", needs=(Need.PERMITS,))
def permit_is_in_force(permiso: HidroYPetro, case: Case) -> Verdict:
    """The list names permits in force and no others."""
    listed, number = case.world.permits, permiso.NumeroPermiso
    if listed is None or listed.permit(number) is not None:
        return None
    return Breach(found=number, expected="un permiso vigente de la lista de la Comisión Nacional de Energía (L_CNE)")


@rule("CCHYP108", at=f"{AT}/@NumeroPermiso", needs=(Need.PERMITS,))
def permit_is_the_issuers(permiso: HidroYPetro, case: Case) -> Verdict:
    """Nothing to say about an unknown permit."""
    listed, rfc = case.world.permits, case.comprobante.emisor.Rfc
    found = listed.permit(permiso.NumeroPermiso) if listed is not None else None
    if found is None or found.rfc == rfc:
        return None
    return Breach(found=permiso.NumeroPermiso, expected=f"un permiso del emisor {rfc}")
