"""Customs papers: CP172 to CP176."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.cartaporte31 import DocumentacionAduanera, Mercancia
from timbra.cfdi.rfc import FOREIGN, NATIONAL
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.cartaporte31.envio import EXPORT, IMPORT, envio_of
from timbra.rules.rulesets.cartaporte31.verdicts import TAXPAYERS, exactly_when, named, needed, registered
from timbra.rules.shared.conditions import absent
from timbra.rules.shared.invoice.customs import possible

MERCANCIA: Final = "Complemento/CartaPorte/Mercancias/Mercancia"
AT: Final = f"{MERCANCIA}/DocumentacionAduanera"
PEDIMENTO: Final = "01"
FIRST_YEAR: Final = 2000


def leaves(documento: DocumentacionAduanera, ctx: EvaluationContext) -> bool:
    return envio_of(documento, ctx).carta.EntradaSalidaMerc == EXPORT


def names_an_importer(documento: DocumentacionAduanera, _ctx: EvaluationContext) -> bool:
    return (documento.NumPedimento, documento.RFCImpo) != (None, None)


@rule("CP172", at=f"{MERCANCIA}/DocumentacionAduanera")
def imported_goods_have_papers(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    envio, found = envio_of(mercancia, ctx), named(mercancia.documentos, "DocumentacionAduanera")
    if envio.is_import:
        return needed(found, "el nodo, por TranspInternac Sí y EntradaSalidaMerc Entrada")
    if envio.is_international and envio.carta.EntradaSalidaMerc == EXPORT:
        return None
    return absent(found, "en un traslado que no cruza la frontera")


@rule("CP173", at=f"{AT}/@TipoDocumento", applies=leaves)
def exported_goods_have_other_papers(documento: DocumentacionAduanera, _ctx: EvaluationContext) -> RuleResult:
    if documento.TipoDocumento != PEDIMENTO:
        return None
    return Violation(found=PEDIMENTO, expected="otro documento que 01, por EntradaSalidaMerc Salida")


@rule("CP174", at=f"{AT}/@NumPedimento")
def declaration_has_a_possible_number(documento: DocumentacionAduanera, ctx: EvaluationContext) -> RuleResult:
    found = documento.NumPedimento
    declared = documento.TipoDocumento == PEDIMENTO and envio_of(documento, ctx).carta.EntradaSalidaMerc == IMPORT
    if not declared:
        return absent(found, "sin EntradaSalidaMerc Entrada y TipoDocumento 01")
    if found is None:
        return Violation(expected="el número de pedimento, por TipoDocumento 01")
    return possible(found, ctx, ctx.on.year - FIRST_YEAR)


@rule("CP175", at=f"{AT}/@IdentDocAduanero")
def other_papers_have_an_identity(documento: DocumentacionAduanera, _ctx: EvaluationContext) -> RuleResult:
    return exactly_when(
        documento.TipoDocumento != PEDIMENTO,
        documento.IdentDocAduanero,
        f"el identificador, por TipoDocumento {documento.TipoDocumento}",
        "por TipoDocumento 01",
    )


@rule("CP176", at=f"{AT}/@RFCImpo", needs=TAXPAYERS, applies=names_an_importer)
def declaration_has_its_importer(documento: DocumentacionAduanera, ctx: EvaluationContext) -> RuleResult:
    found = documento.RFCImpo
    if documento.NumPedimento is None:
        return Violation(found=found, expected="que no exista sin NumPedimento", proven=True)
    if found is None:
        return Violation(expected="el RFC del importador, por NumPedimento", proven=True)
    return None if found in (NATIONAL, FOREIGN) else registered(ctx, found)
