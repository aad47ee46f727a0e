"""The invoice that carries the complement: IEEH102, IEEH106 to IEEH108."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Emisor, InformacionGlobal
from timbra.rules.case import Case
from timbra.rules.finding import Verdict
from timbra.rules.hidrocarburos.comprobante import forbidden, has_no_acquirer, is_no_export, is_of_type
from timbra.rules.rule import rule


@rule("IEEH102", at="@TipoDeComprobante")
def income_is_of_type_income(comprobante: Comprobante, _case: Case) -> Verdict:
    return is_of_type(comprobante, "I")


@rule("IEEH106", at="@Exportacion")
def income_is_no_export(comprobante: Comprobante, _case: Case) -> Verdict:
    return is_no_export(comprobante)


@rule("IEEH107", at="InformacionGlobal")
def income_is_not_global(_global: InformacionGlobal, _case: Case) -> Verdict:
    return forbidden("InformacionGlobal")


@rule("IEEH108", at="Emisor/@FacAtrAdquirente")
def income_is_issued_by_the_contractor(emisor: Emisor, _case: Case) -> Verdict:
    return has_no_acquirer(emisor)
