"""NumeroPedimento of a Concepto and of a Parte: CFDI40194, CFDI40195, CFDI40199, CFDI40200."""

from __future__ import annotations

from timbra.cfdi.nodes import InformacionAduanera, InformacionAduaneraDeParte
from timbra.rules.case import Case
from timbra.rules.finding import Verdict
from timbra.rules.invoice import customs
from timbra.rules.rule import rule

CONCEPTO = "Conceptos/Concepto/InformacionAduanera/@NumeroPedimento"
PARTE = "Conceptos/Concepto/Parte/InformacionAduanera/@NumeroPedimento"


@rule("CFDI40194", at=CONCEPTO)
def customs_number_is_possible(aduana: InformacionAduanera, case: Case) -> Verdict:
    return customs.possible(aduana.NumeroPedimento, case)


@rule("CFDI40195", at=CONCEPTO)
def customs_number_is_absent_in_exports(aduana: InformacionAduanera, case: Case) -> Verdict:
    return customs.absent_in_exports(aduana, case)


@rule("CFDI40199", at=PARTE)
def customs_number_of_part_is_possible(aduana: InformacionAduaneraDeParte, case: Case) -> Verdict:
    return customs.possible(aduana.NumeroPedimento, case)


@rule("CFDI40200", at=PARTE)
def customs_number_of_part_is_absent_in_exports(aduana: InformacionAduaneraDeParte, case: Case) -> Verdict:
    return customs.absent_in_exports(aduana, case)
