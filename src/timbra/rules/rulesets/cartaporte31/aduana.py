"""Customs regimes and documents: CP117, CP118, CP169, CP172 to CP176."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.cartaporte31 import DocumentacionAduanera, Mercancia, RegimenAduaneroCCP
from timbra.cfdi.rfc import FOREIGN, NATIONAL
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.cartaporte31.envio import EXPORT, IMPORT, envio_of, has_entrada, has_salida
from timbra.rules.rulesets.cartaporte31.predicates import TAXPAYERS
from timbra.rules.shared.invoice.concepto import possible
from timbra.rules.shared.predicates import Predicate, absent, in_catalog, is_registered
from timbra.rules.shared.presence import element_name, is_present_exactly_if, present

CATALOG = "cartaporte31:c_RegimenAduanero"
COLUMNS = ((CATALOG, "impoexpo"),)
PEDIMENTO: Final = "01"
FIRST_YEAR: Final = 2000
"""Year of a pedimento that begins with 00."""


def has_direction(regimen: RegimenAduaneroCCP, ctx: EvaluationContext) -> bool:
    return envio_of(regimen, ctx).carta.EntradaSalidaMerc is not None


def is_regime_of(direction: str) -> Predicate:
    """RegimenAduanero is a regime of the direction in c_RegimenAduanero; an unknown key satisfies it.

    Args:
        direction: a value of EntradaSalidaMerc.
    """

    def check(regimen: RegimenAduaneroCCP, ctx: EvaluationContext) -> RuleResult:
        row = ctx.row(CATALOG, regimen.RegimenAduanero)
        if row is None or direction in row["impoexpo"].split(","):
            return None
        return Violation(found=regimen.RegimenAduanero, expected=f"un régimen de {direction}, como EntradaSalidaMerc")

    return check


CP117 = row(
    "CP117",
    RegimenAduaneroCCP,
    at="Complemento/CartaPorte/RegimenesAduaneros/RegimenAduaneroCCP/@RegimenAduanero",
    says="RegimenAduanero debe ser una clave vigente de c_RegimenAduanero.",
    note="Que exista un régimen cuando la mercancía cruza la frontera se revisa en CP116.",
    check=in_catalog("cartaporte31:c_RegimenAduanero", "RegimenAduanero"),
    applies=has_direction,
)


CP118 = row(
    "CP118",
    RegimenAduaneroCCP,
    at="Complemento/CartaPorte/RegimenesAduaneros/RegimenAduaneroCCP/@RegimenAduanero",
    says="Con EntradaSalidaMerc Entrada, RegimenAduanero debe ser un régimen de entrada.",
    check=is_regime_of(IMPORT),
    applies=has_entrada,
    columns=COLUMNS,
)


CP169 = row(
    "CP169",
    RegimenAduaneroCCP,
    at="Complemento/CartaPorte/RegimenesAduaneros/RegimenAduaneroCCP/@RegimenAduanero",
    says="Con EntradaSalidaMerc Salida, RegimenAduanero debe ser un régimen de salida.",
    check=is_regime_of(EXPORT),
    applies=has_salida,
    columns=COLUMNS,
)


is_importer_registered: Final = is_registered("RFCImpo")


def is_not_pedimento(documento: DocumentacionAduanera, _ctx: EvaluationContext) -> bool:
    return documento.TipoDocumento != PEDIMENTO


def has_pedimento_or_importer(documento: DocumentacionAduanera, _ctx: EvaluationContext) -> bool:
    return (documento.NumPedimento, documento.RFCImpo) != (None, None)


@rule(
    "CP172",
    at="Complemento/CartaPorte/Mercancias/Mercancia/DocumentacionAduanera",
    says="DocumentacionAduanera debe existir en importaciones y no en traslados nacionales.",
)
def has_customs_documents_when_imported(mercancia: Mercancia, ctx: EvaluationContext) -> RuleResult:
    envio, found = envio_of(mercancia, ctx), element_name(mercancia.documentos, "DocumentacionAduanera")
    if envio.is_import:
        return present(found, "el nodo, por TranspInternac Sí y EntradaSalidaMerc Entrada")
    if envio.is_international and envio.carta.EntradaSalidaMerc == EXPORT:
        return None
    return absent(found, "en un traslado que no cruza la frontera")


@rule(
    "CP173",
    at="Complemento/CartaPorte/Mercancias/Mercancia/DocumentacionAduanera/@TipoDocumento",
    says="Con EntradaSalidaMerc Salida, TipoDocumento no debe ser 01.",
    applies=has_salida,
)
def is_no_pedimento_when_exported(documento: DocumentacionAduanera, _ctx: EvaluationContext) -> RuleResult:
    if documento.TipoDocumento != PEDIMENTO:
        return None
    return Violation(found=PEDIMENTO, expected="otro documento que 01, por EntradaSalidaMerc Salida")


@rule(
    "CP174",
    at="Complemento/CartaPorte/Mercancias/Mercancia/DocumentacionAduanera/@NumPedimento",
    says=("NumPedimento debe existir solo en importaciones con TipoDocumento 01 y ser un número posible."),
)
def has_possible_pedimento_exactly_when_imported(
    documento: DocumentacionAduanera, ctx: EvaluationContext
) -> RuleResult:
    found = documento.NumPedimento
    declared = documento.TipoDocumento == PEDIMENTO and envio_of(documento, ctx).carta.EntradaSalidaMerc == IMPORT
    if not declared:
        return absent(found, "sin EntradaSalidaMerc Entrada y TipoDocumento 01")
    if found is None:
        return Violation(expected="el número de pedimento, por TipoDocumento 01")
    return possible(found, ctx, ctx.issued.year - FIRST_YEAR, per_patent=False)


CP175 = row(
    "CP175",
    DocumentacionAduanera,
    at="Complemento/CartaPorte/Mercancias/Mercancia/DocumentacionAduanera/@IdentDocAduanero",
    says="IdentDocAduanero debe existir con un TipoDocumento distinto de 01, y no con 01.",
    check=is_present_exactly_if(
        "IdentDocAduanero",
        is_not_pedimento,
        expected="el identificador, por TipoDocumento {node.TipoDocumento}",
        otherwise="por TipoDocumento 01",
    ),
)


@rule(
    "CP176",
    at="Complemento/CartaPorte/Mercancias/Mercancia/DocumentacionAduanera/@RFCImpo",
    says="RFCImpo debe existir solo con NumPedimento y ser genérico o estar inscrito.",
    applies=has_pedimento_or_importer,
    needs=TAXPAYERS,
)
def has_registered_importer_with_pedimento(documento: DocumentacionAduanera, ctx: EvaluationContext) -> RuleResult:
    found = documento.RFCImpo
    if documento.NumPedimento is None:
        return Violation(found=found, expected="que no exista sin NumPedimento", proven=True)
    if found is None:
        return Violation(expected="el RFC del importador, por NumPedimento", proven=True)
    return None if found in (NATIONAL, FOREIGN) else is_importer_registered(documento, ctx)
