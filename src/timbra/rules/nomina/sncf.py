"""Employers within the Sistema Nacional de Coordinación Fiscal, as l_RFC marks them. Needs the marks."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import Nomina
from timbra.rules.case import Case
from timbra.rules.finding import Breach, Verdict


def is_coordinated(case: Case) -> bool:
    """Whether l_RFC marks the issuer as SNCF."""
    marked = case.world.coordinated
    return marked is not None and marked.is_coordinated(case.comprobante.emisor.Rfc)


def coordinated_entities_say_so(nomina: Nomina, case: Case) -> Verdict:
    """EntidadSNCF is there with the mark."""
    there = nomina.emisor is not None and nomina.emisor.entidad is not None
    if there or not is_coordinated(case):
        return None
    return Breach(expected=f"el nodo: {case.comprobante.emisor.Rfc} tiene la marca SNCF (l_RFC)")


def others_tell_none(case: Case) -> Verdict:
    """Of a node EntidadSNCF: the issuer has the mark."""
    if is_coordinated(case):
        return None
    expected = f"que no exista: {case.comprobante.emisor.Rfc} no tiene la marca SNCF (l_RFC)"
    return Breach(found="EntidadSNCF", expected=expected)
