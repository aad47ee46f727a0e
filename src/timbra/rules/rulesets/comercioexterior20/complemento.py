"""The complement itself: CCE102, CCE103, CCE113, CCE115 to CCE122, keys of its attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from lxml import etree

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.comercioexterior20 import HEAD, TAG, ComercioExterior
from timbra.money import written_decimals
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import DataRequirement, Indeterminate, RuleResult, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.comercioexterior20.matrix import STANDARD
from timbra.rules.shared.conditions import absent, key_of

AT: Final = HEAD
SOLD: Final = "01"
"""MotivoTraslado of goods that an earlier invoice sold."""
OF_OTHERS: Final = "05"
"""MotivoTraslado of goods that are somebody else's."""
EUROPE: Final = "Unión Europea"
CARTA_PORTE: Final = "http://www.sat.gob.mx/CartaPorte"
COMPANIONS: Final = frozenset(
    {
        TAG,
        "{http://www.sat.gob.mx/TimbreFiscalDigital}TimbreFiscalDigital",
        "{http://www.sat.gob.mx/implocal}ImpuestosLocales",
        "{http://www.sat.gob.mx/leyendasFiscales}LeyendasFiscales",
        "{http://www.sat.gob.mx/registrofiscal}CFDIRegistroFiscal",
        *(f"{{{CARTA_PORTE}{version}}}CartaPorte" for version in ("", "20", "30", "31")),
    }
)
"""What may stand beside the complement."""


@rule("CCE102", at=f"{AT}/Propietario", types="T", inseparable=("CCE117",))
def goods_of_others_have_an_owner(complement: ComercioExterior, _ctx: EvaluationContext) -> RuleResult:
    if complement.MotivoTraslado != OF_OTHERS or complement.propietarios:
        return None
    return Violation(expected="el propietario, por TipoDeComprobante T y MotivoTraslado 05")


@rule("CCE103", at=f"{AT}/Propietario")
def other_goods_have_no_owner(complement: ComercioExterior, ctx: EvaluationContext) -> RuleResult:
    tipo, motive = ctx.comprobante.TipoDeComprobante, complement.MotivoTraslado
    if not complement.propietarios or (tipo == "T" and motive == OF_OTHERS):
        return None
    found = f"Propietario, con TipoDeComprobante {tipo} y MotivoTraslado {motive or '(ausente)'}"
    return Violation(found=found, expected="que solo exista con TipoDeComprobante T y MotivoTraslado 05")


@rule("CCE117", at=f"{AT}/@MotivoTraslado")
def motive_tells_whose_goods_they_are(complement: ComercioExterior, _ctx: EvaluationContext) -> RuleResult:
    motive, count = complement.MotivoTraslado, len(complement.propietarios)
    if (motive == OF_OTHERS) == bool(count):
        return None
    if count:
        return Violation(found=motive, expected="05: hay Propietario", hint="Sin 05 el Propietario no debe existir.")
    return Violation(found=motive, expected="al menos un Propietario, por MotivoTraslado 05")


@rule("CCE113", at=AT)
def complement_stands_once(complement: ComercioExterior, _ctx: EvaluationContext) -> RuleResult:
    if complement.index <= 1:
        return None
    return Violation(found=f"ComercioExterior[{complement.index}]", expected="un solo nodo ComercioExterior")


@rule("CCE115", at=AT)
def complement_has_its_companions(complement: ComercioExterior, ctx: EvaluationContext) -> RuleResult:
    if complement.index > 1:
        return None
    others = [element for element in ctx.comprobante.complementos if element.tag not in COMPANIONS]
    if not others:
        return None
    names = ", ".join(sorted({etree.QName(element).localname for element in others}))
    expected = "solo Timbre Fiscal Digital, Impuestos Locales, Leyendas Fiscales, CFDI Registro Fiscal o Carta Porte"
    return Violation(found=names, expected=f"{expected} junto a ComercioExterior")


@rule("CCE116", at=f"{AT}/@MotivoTraslado")
def sold_goods_relate_to_their_invoice(complement: ComercioExterior, ctx: EvaluationContext) -> RuleResult:
    """One of the related CFDI is of type I; unknown while none that is known is, and others are not known."""
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


@rule("CCE118", at=f"{AT}/@NumCertificadoOrigen")
def certificate_of_origin_has_its_number(complement: ComercioExterior, _ctx: EvaluationContext) -> RuleResult:
    number = complement.NumCertificadoOrigen
    if complement.CertificadoOrigen == "1":
        return Violation(expected="el folio, por CertificadoOrigen 1") if number is None else None
    return absent(number, f"con CertificadoOrigen {complement.CertificadoOrigen}")


@rule("CCE119", at=f"{AT}/@NumeroExportadorConfiable")
def reliable_exporters_sell_to_europe(complement: ComercioExterior, ctx: EvaluationContext) -> RuleResult:
    number = complement.NumeroExportadorConfiable
    if number is None or any(_is_european(ctx, country) for country in _countries(complement, ctx.comprobante)):
        return None
    return absent(number, "sin un receptor o destinatario de la Unión Europea")


def _countries(complement: ComercioExterior, comprobante: Comprobante) -> Iterator[str | None]:
    """Where the receiver and those to whom the goods go are."""
    yield comprobante.receptor.ResidenciaFiscal
    if complement.receptor is not None and complement.receptor.domicilio is not None:
        yield complement.receptor.domicilio.Pais
    for destinatario in complement.destinatarios:
        for domicilio in destinatario.domicilios:
            yield domicilio.Pais


def _is_european(ctx: EvaluationContext, country: str | None) -> bool:
    row = ctx.row("c_Pais", country) if country is not None else None
    return row is not None and EUROPE in row["agrupaciones"]


@rule("CCE120", at=f"{AT}/@Incoterm")
def definitive_export_has_its_incoterm(complement: ComercioExterior, ctx: EvaluationContext) -> RuleResult:
    if complement.Incoterm is not None:
        return key_of(ctx, "comercioexterior20:c_INCOTERM", complement.Incoterm)
    if ctx.comprobante.Exportacion != "02":
        return None
    return Violation(expected="una clave de c_INCOTERM, por Exportacion 02")


@rule("CCE121", at=f"{AT}/@TipoCambioUSD", needs=(DataRequirement.EXCHANGE_RATES,))
def dollars_are_worth_what_is_published(complement: ComercioExterior, ctx: EvaluationContext) -> RuleResult:
    """The rate of article 20 of the Código Fiscal for the document's date."""
    rates = ctx.reference_data.exchange_rates
    published = rates.published("USD", ctx.on) if rates is not None else None
    if published is None:
        return Indeterminate(f"tipo de cambio publicado de USD en {ctx.on}")
    if complement.tipo_cambio == published:
        return None
    return Violation(found=complement.TipoCambioUSD, expected=f"{published}, el publicado para el {ctx.on}")


@rule("CCE122", at=f"{AT}/@TotalUSD")
def total_is_the_sum_of_goods(complement: ComercioExterior, _ctx: EvaluationContext) -> RuleResult:
    """Written with exactly two decimals; ValorDolares may write four."""
    total = sum([mercancia.valor for mercancia in complement.mercancias], ZERO)
    if written_decimals(complement.TotalUSD) == 2 and complement.total == total:
        return None
    return Violation(found=complement.TotalUSD, expected=f"{total:.2f}, la suma de ValorDolares con dos decimales")


def _key(ctx: EvaluationContext, name: str, keys: Iterable[str | None]) -> RuleResult:
    broken = [key_of(ctx, f"comercioexterior20:{name}", key) for key in keys if key is not None]
    return next((result for result in broken if result is not None), None)


@rule("CCE999:ClaveDePedimento", at=f"{AT}/@ClaveDePedimento", source=STANDARD)
def pedimento_is_a_key(complement: ComercioExterior, ctx: EvaluationContext) -> RuleResult:
    return _key(ctx, "c_ClavePedimento", [complement.ClaveDePedimento])


@rule("CCE999:MotivoTraslado", at=f"{AT}/@MotivoTraslado", source=STANDARD)
def motive_is_a_key(complement: ComercioExterior, ctx: EvaluationContext) -> RuleResult:
    return _key(ctx, "c_MotivoTraslado", [complement.MotivoTraslado])
