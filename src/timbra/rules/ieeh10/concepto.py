"""What a Concepto must not hold: IEEH109 to IEEH113."""

from __future__ import annotations

from timbra.cfdi.nodes import ACuentaTerceros, Concepto
from timbra.rules.case import Case
from timbra.rules.finding import Verdict
from timbra.rules.hidrocarburos.comprobante import (
    AT,
    forbidden,
    has_no_complement,
    has_no_customs,
    has_no_parts,
    has_no_property,
)
from timbra.rules.rule import rule


@rule("IEEH109", at=f"{AT}/ACuentaTerceros")
def income_is_nobody_elses(_third: ACuentaTerceros, _case: Case) -> Verdict:
    return forbidden("ACuentaTerceros")


@rule("IEEH110", at=f"{AT}/InformacionAduanera")
def income_was_not_imported(concepto: Concepto, _case: Case) -> Verdict:
    return has_no_customs(concepto)


@rule("IEEH111", at=f"{AT}/CuentaPredial")
def income_is_no_rent(concepto: Concepto, case: Case) -> Verdict:
    return has_no_property(concepto, case)


@rule("IEEH112", at=f"{AT}/ComplementoConcepto")
def income_has_no_complement_of_its_concepto(concepto: Concepto, _case: Case) -> Verdict:
    return has_no_complement(concepto)


@rule("IEEH113", at=f"{AT}/Parte")
def income_has_no_parts(concepto: Concepto, _case: Case) -> Verdict:
    return has_no_parts(concepto)
