"""CfdiRelacionados: CFDI40137, and what the guide says of each TipoRelacion."""

from __future__ import annotations

from timbra.cfdi.nodes import CfdiRelacionados
from timbra.rules.case import Case
from timbra.rules.cfdi40.conditions import key_of
from timbra.rules.finding import Verdict
from timbra.rules.rule import rule


@rule("CFDI40137", at="CfdiRelacionados/@TipoRelacion", reads=("TipoRelacion",))
def relation_is_a_key(relacionados: CfdiRelacionados, case: Case) -> Verdict:
    return key_of(case, "c_TipoRelacion", relacionados.TipoRelacion)
