"""NumeroPedimento of a Concepto and of a Parte: CFDI33170, CFDI33171, CFDI33177, CFDI33178."""

from __future__ import annotations

from timbra.cfdi.nodes import InformacionAduanera, InformacionAduaneraDeParte
from timbra.rules.case import Case
from timbra.rules.finding import Verdict
from timbra.rules.invoice import customs
from timbra.rules.rule import rule

CONCEPTO = "Conceptos/Concepto/InformacionAduanera/@NumeroPedimento"
PARTE = "Conceptos/Concepto/Parte/InformacionAduanera/@NumeroPedimento"


@rule("CFDI33170", at=CONCEPTO)
def customs_number_is_possible(aduana: InformacionAduanera, case: Case) -> Verdict:
    return customs.possible(aduana.NumeroPedimento, case)


@rule("CFDI33171", at=CONCEPTO)
def customs_number_is_absent_in_exports(aduana: InformacionAduanera, case: Case) -> Verdict:
    return customs.absent_in_exports(aduana, case)


@rule("CFDI33177", at=PARTE)
def customs_number_of_part_is_possible(aduana: InformacionAduaneraDeParte, case: Case) -> Verdict:
    return customs.possible(aduana.NumeroPedimento, case)


@rule("CFDI33178", at=PARTE)
def customs_number_of_part_is_absent_in_exports(aduana: InformacionAduaneraDeParte, case: Case) -> Verdict:
    return customs.absent_in_exports(aduana, case)
