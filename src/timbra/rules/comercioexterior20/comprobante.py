"""The invoice that carries the complement: CCE101, CCE105 to CCE108."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, InformacionGlobal, Receptor
from timbra.cfdi.rfc import FOREIGN
from timbra.rules.case import Case
from timbra.rules.finding import Breach, Need, Verdict
from timbra.rules.rule import rule

TYPES = ("I", "E", "T")


@rule("CCE101", at="@TipoDeComprobante", inseparable=("CFDI40121",))
def exports_are_invoiced_or_moved(comprobante: Comprobante, _case: Case) -> Verdict:
    found = comprobante.TipoDeComprobante
    return None if found in TYPES else Breach(found=found, expected="I, E o T, por el complemento Comercio Exterior")


@rule("CCE105", at="@Exportacion", inseparable=("CFDI40222",))
def temporary_export_has_no_complement(comprobante: Comprobante, _case: Case) -> Verdict:
    if comprobante.Exportacion != "03":
        return None
    return Breach(found="03", expected="otra clave: una exportación temporal no lleva el complemento Comercio Exterior")


@rule("CCE106", at="InformacionGlobal")
def export_is_no_global_invoice(_informacion: InformacionGlobal, _case: Case) -> Verdict:
    return Breach(found="InformacionGlobal", expected="que no exista con el complemento Comercio Exterior")


def is_no_foreigner(receptor: Receptor, _case: Case) -> bool:
    return receptor.Rfc != FOREIGN


@rule("CCE107", at="Receptor/@Rfc", types="I", needs=(Need.TAXPAYERS,), applies=is_no_foreigner)
def buyer_is_registered_or_foreign(receptor: Receptor, case: Case) -> Verdict:
    """The general public buys nothing for export."""
    expected = f"un RFC inscrito y no cancelado (l_RFC), o {FOREIGN}"
    if receptor.is_generic:
        return Breach(found=receptor.Rfc, expected=expected, proven=True)
    if case.taxpayer(receptor.Rfc) is not None:
        return None
    return Breach(found=receptor.Rfc, expected=expected, hint=case.world.registry_hint)


@rule("CCE108", at="Receptor/@Rfc", types="T")
def goods_are_moved_by_their_issuer(receptor: Receptor, case: Case) -> Verdict:
    issuer = case.comprobante.emisor.Rfc
    if receptor.Rfc == issuer:
        return None
    return Breach(found=receptor.Rfc, expected=f"{issuer}, el RFC del emisor, por TipoDeComprobante T")
