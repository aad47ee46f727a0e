"""The complement itself: CCE102, CCE103, CCE113, CCE115 to CCE122, keys of its attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from lxml import etree

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.comercioexterior20 import HEAD, TAG, ComercioExterior
from timbra.money import written_decimals
from timbra.rules.case import Case
from timbra.rules.comercioexterior20.matrix import STANDARD
from timbra.rules.conditions import absent, key_of
from timbra.rules.finding import Breach, Need, Unknown, Verdict
from timbra.rules.rule import rule

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
def goods_of_others_have_an_owner(complement: ComercioExterior, _case: Case) -> Verdict:
    if complement.MotivoTraslado != OF_OTHERS or complement.propietarios:
        return None
    return Breach(expected="el propietario, por TipoDeComprobante T y MotivoTraslado 05")


@rule("CCE103", at=f"{AT}/Propietario")
def other_goods_have_no_owner(complement: ComercioExterior, case: Case) -> Verdict:
    tipo, motive = case.comprobante.TipoDeComprobante, complement.MotivoTraslado
    if not complement.propietarios or (tipo == "T" and motive == OF_OTHERS):
        return None
    found = f"Propietario, con TipoDeComprobante {tipo} y MotivoTraslado {motive or '(ausente)'}"
    return Breach(found=found, expected="que solo exista con TipoDeComprobante T y MotivoTraslado 05")


@rule("CCE117", at=f"{AT}/@MotivoTraslado")
def motive_tells_whose_goods_they_are(complement: ComercioExterior, _case: Case) -> Verdict:
    motive, count = complement.MotivoTraslado, len(complement.propietarios)
    if (motive == OF_OTHERS) == bool(count):
        return None
    if count:
        return Breach(found=motive, expected="05: hay Propietario", hint="Sin 05 el Propietario no debe existir.")
    return Breach(found=motive, expected="al menos un Propietario, por MotivoTraslado 05")


@rule("CCE113", at=AT)
def complement_stands_once(complement: ComercioExterior, _case: Case) -> Verdict:
    if complement.index <= 1:
        return None
    return Breach(found=f"ComercioExterior[{complement.index}]", expected="un solo nodo ComercioExterior")


@rule("CCE115", at=AT)
def complement_has_its_companions(complement: ComercioExterior, case: Case) -> Verdict:
    if complement.index > 1:
        return None
    others = [element for element in case.comprobante.complementos if element.tag not in COMPANIONS]
    if not others:
        return None
    names = ", ".join(sorted({etree.QName(element).localname for element in others}))
    expected = "solo Timbre Fiscal Digital, Impuestos Locales, Leyendas Fiscales, CFDI Registro Fiscal o Carta Porte"
    return Breach(found=names, expected=f"{expected} junto a ComercioExterior")


@rule("CCE116", at=f"{AT}/@MotivoTraslado")
def sold_goods_relate_to_their_invoice(complement: ComercioExterior, case: Case) -> Verdict:
    """One of the related CFDI is of type I; unknown while none that is known is, and others are not known."""
    if complement.MotivoTraslado != SOLD:
        return None
    folios = [folio for relation in case.comprobante.relacionados for folio in relation.folios]
    expected = "en CfdiRelacionados, el UUID de la factura que las enajenó"
    if not folios:
        return Breach(found=SOLD, expected=expected)
    known = case.world.related
    types = [None if known is None else known.type_of(folio.lower()) for folio in folios]
    if "I" in types:
        return None
    return Unknown(Need.RELATED) if None in types else Breach(found=", ".join(folios), expected=expected)


@rule("CCE118", at=f"{AT}/@NumCertificadoOrigen")
def certificate_of_origin_has_its_number(complement: ComercioExterior, _case: Case) -> Verdict:
    number = complement.NumCertificadoOrigen
    if complement.CertificadoOrigen == "1":
        return Breach(expected="el folio, por CertificadoOrigen 1") if number is None else None
    return absent(number, f"con CertificadoOrigen {complement.CertificadoOrigen}")


@rule("CCE119", at=f"{AT}/@NumeroExportadorConfiable")
def reliable_exporters_sell_to_europe(complement: ComercioExterior, case: Case) -> Verdict:
    number = complement.NumeroExportadorConfiable
    if number is None or any(_is_european(case, country) for country in _countries(complement, case.comprobante)):
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


def _is_european(case: Case, country: str | None) -> bool:
    row = case.row("c_Pais", country) if country is not None else None
    return row is not None and EUROPE in row["agrupaciones"]


@rule("CCE120", at=f"{AT}/@Incoterm")
def definitive_export_has_its_incoterm(complement: ComercioExterior, case: Case) -> Verdict:
    if complement.Incoterm is not None:
        return key_of(case, "comercioexterior20:c_INCOTERM", complement.Incoterm)
    if case.comprobante.Exportacion != "02":
        return None
    return Breach(expected="una clave de c_INCOTERM, por Exportacion 02")


@rule("CCE121", at=f"{AT}/@TipoCambioUSD", needs=(Need.EXCHANGE_RATES,))
def dollars_are_worth_what_is_published(complement: ComercioExterior, case: Case) -> Verdict:
    """The rate of article 20 of the Código Fiscal for the document's date."""
    rates = case.world.exchange_rates
    published = rates.published("USD", case.on) if rates is not None else None
    if published is None:
        return Unknown(f"tipo de cambio publicado de USD en {case.on}")
    if complement.tipo_cambio == published:
        return None
    return Breach(found=complement.TipoCambioUSD, expected=f"{published}, el publicado para el {case.on}")


@rule("CCE122", at=f"{AT}/@TotalUSD")
def total_is_the_sum_of_goods(complement: ComercioExterior, _case: Case) -> Verdict:
    """Written with exactly two decimals; ValorDolares may write four."""
    total = sum([mercancia.valor for mercancia in complement.mercancias], ZERO)
    if written_decimals(complement.TotalUSD) == 2 and complement.total == total:
        return None
    return Breach(found=complement.TotalUSD, expected=f"{total:.2f}, la suma de ValorDolares con dos decimales")


def _key(case: Case, name: str, keys: Iterable[str | None]) -> Verdict:
    broken = [key_of(case, f"comercioexterior20:{name}", key) for key in keys if key is not None]
    return next((verdict for verdict in broken if verdict is not None), None)


@rule("CCE999:ClaveDePedimento", at=f"{AT}/@ClaveDePedimento", source=STANDARD)
def pedimento_is_a_key(complement: ComercioExterior, case: Case) -> Verdict:
    return _key(case, "c_ClavePedimento", [complement.ClaveDePedimento])


@rule("CCE999:MotivoTraslado", at=f"{AT}/@MotivoTraslado", source=STANDARD)
def motive_is_a_key(complement: ComercioExterior, case: Case) -> Verdict:
    return _key(case, "c_MotivoTraslado", [complement.MotivoTraslado])
