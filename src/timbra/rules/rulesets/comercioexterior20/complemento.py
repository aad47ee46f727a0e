"""The complement itself: CCE102, CCE103, CCE113, CCE115 to CCE122, and keys of attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lxml import etree

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.comercioexterior20 import TAG, ComercioExterior
from timbra.core.money import written_decimals
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, Indeterminate, RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.comercioexterior20.sources import SCHEMA
from timbra.rules.shared.predicates import absent, in_catalog, key_of
from timbra.rules.shared.presence import is_present_exactly_if

SOLD: Final = "01"
"""MotivoTraslado of goods that an earlier document invoiced."""
OF_OTHERS: Final = "05"
"""MotivoTraslado of goods that the issuer does not own."""
EUROPE: Final = "Unión Europea"
CARTA_PORTE: Final = "http://www.sat.gob.mx/CartaPorte"
COMPATIBLE: Final = frozenset(
    {
        TAG,
        "{http://www.sat.gob.mx/TimbreFiscalDigital}TimbreFiscalDigital",
        "{http://www.sat.gob.mx/implocal}ImpuestosLocales",
        "{http://www.sat.gob.mx/leyendasFiscales}LeyendasFiscales",
        "{http://www.sat.gob.mx/registrofiscal}CFDIRegistroFiscal",
        *(f"{{{CARTA_PORTE}{version}}}CartaPorte" for version in ("", "20", "30", "31")),
    }
)
"""Complements that a document with Comercio Exterior may have."""


def has_certificate(complement: ComercioExterior, _ctx: EvaluationContext) -> bool:
    return complement.CertificadoOrigen == "1"


@rule(
    "CCE102",
    at="Complemento/ComercioExterior/Propietario",
    says="Un traslado con MotivoTraslado 05 debe llevar al menos un Propietario.",
    types="T",
    inseparable=("CCE117",),
)
def has_owner_for_goods_of_others(complement: ComercioExterior, _ctx: EvaluationContext) -> RuleResult:
    if complement.MotivoTraslado != OF_OTHERS or complement.propietarios:
        return None
    return Violation(expected="el propietario, por TipoDeComprobante T y MotivoTraslado 05")


@rule(
    "CCE103",
    at="Complemento/ComercioExterior/Propietario",
    says="Propietario solo debe existir en un traslado con MotivoTraslado 05.",
)
def has_no_owner_for_own_goods(complement: ComercioExterior, ctx: EvaluationContext) -> RuleResult:
    tipo, motive = ctx.comprobante.TipoDeComprobante, complement.MotivoTraslado
    if not complement.propietarios or (tipo == "T" and motive == OF_OTHERS):
        return None
    found = f"Propietario, con TipoDeComprobante {tipo} y MotivoTraslado {motive or '(ausente)'}"
    return Violation(found=found, expected="que solo exista con TipoDeComprobante T y MotivoTraslado 05")


@rule(
    "CCE117",
    at="Complemento/ComercioExterior/@MotivoTraslado",
    says="Con MotivoTraslado 05 debe existir Propietario, y con cualquier otro no.",
)
def has_owner_exactly_with_motivo_05(complement: ComercioExterior, _ctx: EvaluationContext) -> RuleResult:
    motive, count = complement.MotivoTraslado, len(complement.propietarios)
    if (motive == OF_OTHERS) == bool(count):
        return None
    if count:
        return Violation(found=motive, expected="05: hay Propietario", hint="Sin 05 el Propietario no debe existir.")
    return Violation(found=motive, expected="al menos un Propietario, por MotivoTraslado 05")


@rule(
    "CCE113",
    at="Complemento/ComercioExterior",
    says="ComercioExterior debe aparecer una sola vez.",
)
def is_only_node_of_complement(complement: ComercioExterior, _ctx: EvaluationContext) -> RuleResult:
    if complement.index <= 1:
        return None
    return Violation(found=f"ComercioExterior[{complement.index}]", expected="un solo nodo ComercioExterior")


@rule(
    "CCE115",
    at="Complemento/ComercioExterior",
    says="ComercioExterior solo debe coexistir con los complementos que su estándar permite.",
)
def has_only_compatible_complements(complement: ComercioExterior, ctx: EvaluationContext) -> RuleResult:
    if complement.index > 1:
        return None
    others = [element for element in ctx.comprobante.complementos if element.tag not in COMPATIBLE]
    if not others:
        return None
    names = ", ".join(sorted({etree.QName(element).localname for element in others}))
    expected = "solo Timbre Fiscal Digital, Impuestos Locales, Leyendas Fiscales, CFDI Registro Fiscal o Carta Porte"
    return Violation(found=names, expected=f"{expected} junto a ComercioExterior")


@rule(
    "CCE116",
    at="Complemento/ComercioExterior/@MotivoTraslado",
    says="Con MotivoTraslado 01 debe relacionarse la factura con la que se enajenó la mercancía.",
    note=(
        "Algún CFDI relacionado debe ser de tipo I. No se evalúa mientras no se conozca el tipo de "
        "todos y ninguno de los conocidos sea I."
    ),
)
def has_related_invoice_of_sold_goods(complement: ComercioExterior, ctx: EvaluationContext) -> RuleResult:
    if complement.MotivoTraslado != SOLD:
        return None
    folios = [folio for relation in ctx.comprobante.relacionados for folio in relation.folios]
    expected = "en CfdiRelacionados, el UUID de la factura que las enajenó"
    if not folios:
        return Violation(found=SOLD, expected=expected)
    known = ctx.reference_data.related
    types = [None if known is None else known.type_of(folio.lower()) for folio in folios]
    if "I" in types:
        return None
    if None in types:
        return Indeterminate(ctx.reference_data.related_missing)
    return Violation(found=", ".join(folios), expected=expected)


CCE118 = row(
    "CCE118",
    ComercioExterior,
    at="Complemento/ComercioExterior/@NumCertificadoOrigen",
    says="NumCertificadoOrigen debe existir con CertificadoOrigen 1 y faltar con 0.",
    check=is_present_exactly_if(
        "NumCertificadoOrigen",
        has_certificate,
        expected="el folio, por CertificadoOrigen 1",
        otherwise="con CertificadoOrigen {node.CertificadoOrigen}",
    ),
)


@rule(
    "CCE119",
    at="Complemento/ComercioExterior/@NumeroExportadorConfiable",
    says=("NumeroExportadorConfiable solo debe existir si el receptor o un destinatario está en la Unión Europea."),
)
def has_recipient_in_european_union_with_exporter_number(
    complement: ComercioExterior, ctx: EvaluationContext
) -> RuleResult:
    number = complement.NumeroExportadorConfiable
    if number is None or any(_is_european(ctx, country) for country in _countries(complement, ctx.comprobante)):
        return None
    return absent(number, "sin un receptor o destinatario de la Unión Europea")


def _countries(complement: ComercioExterior, comprobante: Comprobante) -> Iterator[str | None]:
    """Yield the countries of the receiver and of the recipients."""
    yield comprobante.receptor.ResidenciaFiscal
    if complement.receptor is not None and complement.receptor.domicilio is not None:
        yield complement.receptor.domicilio.Pais
    for destinatario in complement.destinatarios:
        for domicilio in destinatario.domicilios:
            yield domicilio.Pais


def _is_european(ctx: EvaluationContext, country: str | None) -> bool:
    row = ctx.row("c_Pais", country) if country is not None else None
    return row is not None and EUROPE in row["agrupaciones"]


@rule(
    "CCE120",
    at="Complemento/ComercioExterior/@Incoterm",
    says="Con Exportacion 02 debe existir Incoterm, y siempre ser una clave vigente de c_INCOTERM.",
)
def has_valid_incoterm(complement: ComercioExterior, ctx: EvaluationContext) -> RuleResult:
    if complement.Incoterm is not None:
        return key_of(ctx, "comercioexterior20:c_INCOTERM", complement.Incoterm)
    if ctx.comprobante.Exportacion != "02":
        return None
    return Violation(expected="una clave de c_INCOTERM, por Exportacion 02")


@rule(
    "CCE121",
    at="Complemento/ComercioExterior/@TipoCambioUSD",
    says="TipoCambioUSD debe ser el tipo de cambio del dólar publicado para la fecha del comprobante.",
    note="El tipo de cambio del artículo 20 del Código Fiscal para la fecha del comprobante.",
    needs=(DataRequirement.EXCHANGE_RATES,),
)
def exchange_rate_equals_published(complement: ComercioExterior, ctx: EvaluationContext) -> RuleResult:
    rates = ctx.reference_data.exchange_rates
    published = rates.published("USD", ctx.issued) if rates is not None else None
    if published is None:
        return Indeterminate(f"tipo de cambio publicado de USD en {ctx.issued}")
    if complement.tipo_cambio == published:
        return None
    return Violation(found=complement.TipoCambioUSD, expected=f"{published}, el publicado para el {ctx.issued}")


@rule(
    "CCE122",
    at="Complemento/ComercioExterior/@TotalUSD",
    says="TotalUSD debe ser la suma de ValorDolares, con dos decimales.",
    note="Se escribe con dos decimales exactos; ValorDolares puede llevar cuatro.",
)
def total_equals_sum_of_goods(complement: ComercioExterior, _ctx: EvaluationContext) -> RuleResult:
    total = sum([mercancia.valor for mercancia in complement.mercancias], ZERO)
    if written_decimals(complement.TotalUSD) == 2 and complement.total == total:
        return None
    return Violation(found=complement.TotalUSD, expected=f"{total:.2f}, la suma de ValorDolares con dos decimales")


CCE999_ClaveDePedimento = row(
    "CCE999:ClaveDePedimento",
    ComercioExterior,
    at="Complemento/ComercioExterior/@ClaveDePedimento",
    says="ClaveDePedimento debe ser una clave vigente de c_ClavePedimento.",
    check=in_catalog("comercioexterior20:c_ClavePedimento", "ClaveDePedimento"),
    cites=SCHEMA,
)


CCE999_MotivoTraslado = row(
    "CCE999:MotivoTraslado",
    ComercioExterior,
    at="Complemento/ComercioExterior/@MotivoTraslado",
    says="MotivoTraslado debe ser una clave vigente de c_MotivoTraslado.",
    check=in_catalog("comercioexterior20:c_MotivoTraslado", "MotivoTraslado"),
    cites=SCHEMA,
)
