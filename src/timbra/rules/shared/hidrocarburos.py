"""Predicates of the complements of hydrocarbon contracts: the invoice, its Conceptos, the documents of a contract."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final, Protocol

from timbra.cfdi.nodes import Concepto
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.predicates import Predicate, children, equals, is_absent
from timbra.rules.shared.presence import is_forbidden

WHY: Final = "con un complemento de hidrocarburos"
_MONTH = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-")


def is_of_type(tipo: str) -> Predicate:
    """TipoDeComprobante is this type."""
    return equals("TipoDeComprobante", tipo, WHY)


is_no_export: Final = equals("Exportacion", "01", WHY)
"""Exportacion is 01."""


is_no_tax_object: Final = equals("ObjetoImp", "01", WHY)
"""ObjetoImp is 01."""


has_no_adquirente: Final = is_absent("FacAtrAdquirente", WHY)
"""FacAtrAdquirente is absent."""


is_no_global_invoice: Final = is_forbidden("InformacionGlobal", WHY)
"""InformacionGlobal does not exist."""


has_no_third_party: Final = is_forbidden("ACuentaTerceros", WHY)
"""ACuentaTerceros does not exist."""


def has_no_impuestos(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    """Impuestos does not exist."""
    return _forbidden("Impuestos") if concepto.has_impuestos else None


def has_no_informacion_aduanera(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    """InformacionAduanera does not exist."""
    return _forbidden("InformacionAduanera") if concepto.aduanas else None


def has_no_cuenta_predial(concepto: Concepto, ctx: EvaluationContext) -> RuleResult:
    """CuentaPredial does not exist."""
    return _forbidden("CuentaPredial") if "CuentaPredial" in children(concepto, ctx) else None


def has_no_complemento_concepto(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    """ComplementoConcepto does not exist."""
    return _forbidden("ComplementoConcepto") if concepto.complementos else None


def has_no_parte(concepto: Concepto, _ctx: EvaluationContext) -> RuleResult:
    """Parte does not exist."""
    return _forbidden("Parte") if concepto.partes else None


def _forbidden(element: str) -> Violation:
    return Violation(found=element, expected=f"que no exista {WHY}")


class RelatedDocument(Protocol):
    """DocumentoRelacionado of either complement."""

    @property
    def Mes(self) -> str: ...  # noqa: N802

    @property
    def FechaFolioFiscalVinculado(self) -> str | None: ...  # noqa: N802


class Share(Protocol):
    """A node with Porcentaje, as written and as a number."""

    @property
    def Porcentaje(self) -> str: ...  # noqa: N802

    @property
    def porcentaje(self) -> Decimal: ...


def month_is_of_date_or_previous(document: RelatedDocument, _ctx: EvaluationContext) -> RuleResult:
    """Mes is the month of FechaFolioFiscalVinculado or the previous one; any month passes without a date."""
    month, day = document.Mes, document.FechaFolioFiscalVinculado
    found = _MONTH.match(day or "")
    if found is None:
        return None
    month_of_date = int(found[1])
    allowed = (f"{month_of_date:02}", f"{month_of_date - 1 or 12:02}")
    if month in allowed:
        return None
    return Violation(found=month, expected=f"{' o '.join(allowed)}, por FechaFolioFiscalVinculado {day}")


def percentage_is_positive(node: Share, _ctx: EvaluationContext) -> RuleResult:
    """Porcentaje is greater than zero."""
    if node.porcentaje > 0:
        return None
    return Violation(found=node.Porcentaje, expected="un porcentaje mayor que cero")
