"""Employers within the Sistema Nacional de Coordinación Fiscal, as l_RFC marks them. Needs the marks."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import Nomina
from timbra.rules.case import Case
from timbra.rules.finding import Breach, Verdict


def _is_coordinated(case: Case) -> bool | None:
    """None without marks."""
    marks = case.world.coordinated
    return None if marks is None else marks.is_coordinated(case.comprobante.emisor.Rfc)


def coordinated_entities_say_so(nomina: Nomina, case: Case) -> Verdict:
    """EntidadSNCF is there with the mark."""
    if (nomina.emisor is not None and nomina.emisor.entidad is not None) or not _is_coordinated(case):
        return None
    return Breach(expected=f"el nodo: la l_RFC marca como SNCF a {case.comprobante.emisor.Rfc}")


def only_coordinated_entities_say_so(nomina: Nomina, case: Case) -> Verdict:
    """EntidadSNCF is absent without the mark."""
    if nomina.emisor is None or nomina.emisor.entidad is None or _is_coordinated(case) is not False:
        return None
    expected = f"que no exista: la l_RFC no marca como SNCF a {case.comprobante.emisor.Rfc}"
    return Breach(found="EntidadSNCF", expected=expected)
