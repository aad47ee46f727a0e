"""What documents of a kind have besides their data: title, headline, payroll receipt, QR code of Carta Porte."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from urllib.parse import quote

from lxml import etree

from timbra.cfdi.qr import QrPainter
from timbra.rendering.amount_words import WITHOUT_AMOUNT, amount_in_words
from timbra.rendering.parts import attributes_of, fields
from timbra.rendering.texts import amount, number
from timbra.rendering.view import (
    Block,
    CodeBlock,
    Field,
    Headline,
    Section,
    SideBySideBlock,
    SignatureBlock,
    TableBlock,
)

TITLES = {
    "I": "Factura",
    "E": "Nota de crédito",
    "T": "Comprobante de traslado",
    "P": "Comprobante de pago",
    "N": "Recibo de nómina",
}
"""By TipoDeComprobante."""
WITHOUT_LINES = frozenset({"P", "N"})
"""Types whose only Concepto is fixed by the SAT."""
PERCEPTIONS, DEDUCTIONS = "Nomina/Percepciones/Percepcion", "Nomina/Deducciones/Deduccion"
CARTA_PORTE_PAGE = "https://verificacfdi.facturaelectronica.sat.gob.mx/verificaccp/default.aspx"
PAYROLL_RECEIPT = (
    "Recibí de conformidad la cantidad neta de este recibo, que incluye todas las percepciones a las que tengo derecho"
    " por el periodo que se indica, y acepto las deducciones que se detallan."
)
PESOS = "MXN"
WEIGHTS = {"PesoBrutoTotal": "Peso bruto total", "PesoNetoTotal": "Peso neto total"}


def title_of(root: etree._Element) -> str:
    """Return the name of a kind of document for its reader."""
    kind = root.get("TipoDeComprobante", "")
    title = TITLES.get(kind, "CFDI")
    names = {etree.QName(element).localname for element in root.iterfind("{*}Complemento/*")}
    if "CartaPorte" in names:
        return "Carta Porte" if kind == "T" else f"{title} con Carta Porte"
    if kind == "I" and "ComercioExterior" in names:
        return "Factura de exportación"
    if kind == "I" and "Donatarias" in names:
        return "Recibo de donativo"
    return title


def headline_of(root: etree._Element) -> Headline:
    """Return the amount that a Comprobante is about: the amount paid, the net pay, or the total."""
    kind = root.get("TipoDeComprobante")
    if kind == "P":
        return _payment_headline(root)
    label = "Neto a pagar" if kind == "N" else "Total"
    return headline(label, root.get("Total"), root.get("Moneda", ""))


def currencies_of(root: etree._Element) -> list[str]:
    """Return the currency of a Comprobante; those of its payments where it has none of its own."""
    moneda = root.get("Moneda", "")
    payments = root.iterfind("{*}Complemento/{*}Pagos/{*}Pago") if moneda in WITHOUT_AMOUNT else ()
    return [*dict.fromkeys(filter(None, (payment.get("MonedaP") for payment in payments)))] or [moneda]


def transport_totals(root: etree._Element) -> Iterable[Field]:
    """Yield the totals of a Carta Porte: distance, goods and their weight."""
    for element in root.iterfind("{*}Complemento/{*}CartaPorte"):
        goods = attributes_of(element.find("{*}Mercancias"))
        unit = goods.get("UnidadPeso", "")
        yield from fields(
            ("Distancia total recorrida (km)", element.get("TotalDistRec")),
            ("Total de mercancías", goods.get("NumTotalMercancias")),
            *((label, f"{goods[name]} {unit}".strip()) for name, label in WEIGHTS.items() if goods.get(name)),
        )


def headline(label: str, value: str | None, moneda: str) -> Headline:
    """Return an amount with its words; any text that is not a number is kept as it is."""
    parsed = number(value)
    words = "" if parsed is None else amount_in_words(parsed, moneda)
    return Headline(label, amount(value), "" if moneda in WITHOUT_AMOUNT else moneda, words)


def _payment_headline(root: etree._Element) -> Headline:
    """The single payment in its currency; several payments of one currency together; otherwise the total in pesos."""
    payments = [*root.iterfind("{*}Complemento/{*}Pagos/{*}Pago")]
    currencies = {payment.get("MonedaP", "") for payment in payments}
    amounts = [number(payment.get("Monto")) for payment in payments]
    if len(currencies) == 1 and None not in amounts:
        total = sum((each for each in amounts if each is not None), Decimal(0))
        return headline("Monto pagado", f"{total:.2f}", currencies.pop())
    totals = attributes_of(root.find("{*}Complemento/{*}Pagos/{*}Totales"))
    return headline("Monto total pagado", totals.get("MontoTotalPagos"), PESOS if totals else "")


def completed(
    section: Section, element: etree._Element, root: etree._Element, fecha_timbrado: str, qr: QrPainter
) -> Section:
    """Add to the section of a complement what its kind has besides its data.

    Args:
        element: the complement.
        fecha_timbrado: of the stamp; empty without a stamp.
        qr: draws the QR code.
    """
    match etree.QName(element).localname:
        case "Nomina":
            return replace(section, blocks=tuple(_payroll(section.blocks, root)))
        case "CartaPorte":
            code = _carta_porte_code(element, fecha_timbrado, qr)
            return section if code is None else replace(section, blocks=(code, *section.blocks))
    return section


def _payroll(blocks: Iterable[Block], root: etree._Element) -> Iterable[Block]:
    """Yield the blocks with perceptions and deductions side by side, then the place to sign."""
    blocks = [*blocks]
    tables = {block.path: block for block in blocks if isinstance(block, TableBlock)}
    left, right = tables.get(PERCEPTIONS), tables.get(DEDUCTIONS)
    for block in blocks:
        if block is left and left is not None:
            yield SideBySideBlock(left, right or _no_rows("Deducciones", left))
        elif block is right and right is not None:
            if left is None:
                yield SideBySideBlock(_no_rows("Percepciones", right), right)
        else:
            yield block
    name = attributes_of(root.find("{*}Receptor")).get("Nombre", "")
    yield SignatureBlock(name, PAYROLL_RECEIPT)


def _no_rows(title: str, like: TableBlock) -> TableBlock:
    return TableBlock("", title, like.level, (), (), (Field(title, "Ninguna"),))


def _carta_porte_code(element: etree._Element, fecha_timbrado: str, qr: QrPainter) -> CodeBlock | None:
    """Return the QR code of the SAT's page for Carta Porte; versions before 3.0 have none.

    Source: Estándar del complemento Carta Porte 3.1, section "representación impresa": IdCCP, start of the transport
    and FechaTimbrado.
    """
    id_ccp = element.get("IdCCP", "")
    origin = next(
        (each for each in element.iterfind("{*}Ubicaciones/{*}Ubicacion") if each.get("TipoUbicacion") == "Origen"),
        None,
    )
    start = attributes_of(origin).get("FechaHoraSalidaLlegada", "")
    if not (id_ccp and start and fecha_timbrado):
        return None
    values = {"IdCCP": id_ccp, "FechaOrig": start, "FechaTimb": fecha_timbrado}
    url = f"{CARTA_PORTE_PAGE}?" + "&".join(f"{name}={quote(value, safe=':')}" for name, value in values.items())
    try:
        return CodeBlock("Verificación de la Carta Porte", url, qr.png(url))
    except ValueError:
        return None
