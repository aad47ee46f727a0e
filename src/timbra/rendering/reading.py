"""From a parsed CFDI to its view. Nothing is judged: a document full of faults is shown as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lxml import etree

from timbra.catalogs.labels import Labels
from timbra.cfdi.qr import QrPainter, verification_url
from timbra.cfdi.tfd import TFD_TAG, TimbreFiscalDigital, stamps_in
from timbra.rendering.branches import branch
from timbra.rendering.texts import amount, number, rate, tax_name
from timbra.rendering.view import Branch, Field, InvoiceView, Line, Party, Relation, StampView, Tax

MOST_LINES = 500
PRINTED = "Este documento es una representación impresa de un CFDI"
WITHOUT_EFFECT = "Documento de prueba, sin validez fiscal"


class ViewReader:
    """Makes views. sandbox: whether what is shown has no fiscal effect and must say so."""

    def __init__(self, labels: Labels, qr: QrPainter, *, sandbox: bool) -> None:
        self._labels = labels
        self._qr = qr
        self._sandbox = sandbox

    def view(self, root: etree._Element, most_lines: int | None = MOST_LINES) -> InvoiceView:
        """root: a Comprobante of any version. most_lines: how many Conceptos are shown, None for all."""
        get = root.get
        stamps = stamps_in(root)
        lines = [*root.iterfind("{*}Conceptos/{*}Concepto")]
        shown = lines if most_lines is None else lines[:most_lines]
        return InvoiceView(
            version=get("Version", ""),
            tipo=self._key("c_TipoDeComprobante", get("TipoDeComprobante")),
            serie=get("Serie", ""),
            folio=get("Folio", ""),
            fecha=get("Fecha", ""),
            head=tuple(self._head(root)),
            emisor=self._party(root, "Emisor"),
            receptor=self._party(root, "Receptor"),
            relations=tuple(self._relations(root)),
            lines=tuple(self._line(element, place) for place, element in enumerate(shown, 1)),
            lines_left_out=len(lines) - len(shown),
            taxes=tuple(_taxes(root, "")),
            totals=tuple(_totals(root)),
            total=amount(get("Total")),
            moneda=get("Moneda", ""),
            complements=tuple(_complements(root)),
            sello=get("Sello", ""),
            stamp=_stamp(stamps[0]) if stamps else None,
            qr=self._picture(root, stamps[0]) if stamps else None,
            legends=(PRINTED, WITHOUT_EFFECT) if self._sandbox else (PRINTED,),
            sandbox=self._sandbox,
        )

    def _key(self, catalog: str, key: str | None) -> str:
        """A key with its name."""
        text = self._labels.of(catalog, key) if key else ""
        return f"{key} · {text}" if text else key or ""

    def _head(self, root: etree._Element) -> Iterator[Field]:
        get = root.get
        informacion = _of(root.find("{*}InformacionGlobal"))
        yield from _fields(
            ("Lugar de expedición", get("LugarExpedicion")),
            ("Exportación", self._key("c_Exportacion", get("Exportacion"))),
            ("Método de pago", self._key("c_MetodoPago", get("MetodoPago"))),
            ("Forma de pago", self._key("c_FormaPago", get("FormaPago"))),
            ("Condiciones de pago", get("CondicionesDePago")),
            ("Moneda", get("Moneda")),
            ("Tipo de cambio", get("TipoCambio")),
            ("Confirmación", get("Confirmacion")),
            ("Periodicidad", self._key("c_Periodicidad", informacion.get("Periodicidad"))),
            ("Meses", self._key("c_Meses", informacion.get("Meses"))),
            ("Año", informacion.get("Año")),
            ("Certificado del emisor", get("NoCertificado")),
        )

    def _party(self, root: etree._Element, name: str) -> Party:
        get = _of(root.find(f"{{*}}{name}")).get
        regime = self._key("c_RegimenFiscal", get("RegimenFiscal") or get("RegimenFiscalReceptor"))
        fields = _fields(
            ("Régimen fiscal", regime),
            ("Domicilio fiscal", get("DomicilioFiscalReceptor")),
            ("Uso del CFDI", self._key("c_UsoCFDI", get("UsoCFDI"))),
            ("Residencia fiscal", self._key("c_Pais", get("ResidenciaFiscal"))),
            ("Registro tributario", get("NumRegIdTrib")),
            ("Facturas de adquirente", get("FacAtrAdquirente")),
        )
        return Party(name, get("Rfc", ""), get("Nombre", ""), tuple(fields))

    def _relations(self, root: etree._Element) -> Iterator[Relation]:
        for place, element in enumerate(root.iterfind("{*}CfdiRelacionados"), 1):
            folios = tuple(child.get("UUID", "") for child in element.iterfind("{*}CfdiRelacionado"))
            tipo = self._key("c_TipoRelacion", element.get("TipoRelacion"))
            yield Relation(f"CfdiRelacionados[{place}]", tipo, folios)

    def _line(self, element: etree._Element, place: int) -> Line:
        get = element.get
        path = f"Conceptos/Concepto[{place}]"
        return Line(
            path=path,
            clave=get("ClaveProdServ", ""),
            identificacion=get("NoIdentificacion", ""),
            cantidad=get("Cantidad", ""),
            unidad=" ".join(filter(None, (self._key("c_ClaveUnidad", get("ClaveUnidad")), get("Unidad")))),
            descripcion=get("Descripcion", ""),
            valor_unitario=amount(get("ValorUnitario")),
            descuento=amount(get("Descuento")),
            importe=amount(get("Importe")),
            impuestos=tuple(_taxes(element, f"{path}/")),
            fields=tuple(self._line_fields(element)),
        )

    def _line_fields(self, element: etree._Element) -> Iterator[Field]:
        yield from _fields(("Objeto de impuesto", self._key("c_ObjetoImp", element.get("ObjetoImp"))))
        for child in element.iterchildren("*"):
            get = child.get
            match etree.QName(child).localname:
                case "InformacionAduanera":
                    yield from _fields(("Pedimento", get("NumeroPedimento")))
                case "CuentaPredial":
                    yield from _fields(("Cuenta predial", get("Numero")))
                case "ACuentaTerceros":
                    third = " ".join(filter(None, (get("RfcACuentaTerceros"), get("NombreACuentaTerceros"))))
                    yield from _fields(("A cuenta de", third))
                case "Parte":
                    yield from _fields(("Parte", f"{get('Cantidad', '')} {get('Descripcion', '')}".strip()))

    def _picture(self, root: etree._Element, stamp: TimbreFiscalDigital) -> bytes | None:
        """The QR code; None where the document lacks what the address needs."""
        total = number(root.get("Total"))
        issuer, receiver = (self._party(root, name).rfc for name in ("Emisor", "Receptor"))
        if total is None or not (issuer and receiver):
            return None
        try:
            return self._qr.png(verification_url(stamp.uuid, issuer, receiver, total, root.get("Sello", "")))
        except ValueError:
            return None


def _of(element: etree._Element | None) -> Mapping[str, str]:
    """The attributes of an element that may be absent."""
    return {} if element is None else {str(name): str(value) for name, value in element.attrib.items()}


def _fields(*pairs: tuple[str, str | None]) -> Iterator[Field]:
    return (Field(label, value) for label, value in pairs if value)


def _taxes(element: etree._Element, within: str) -> Iterator[Tax]:
    """The taxes of a Concepto or of the whole document, transferred ones first."""
    for group, name, kind in (("Traslados", "Traslado", "Traslado"), ("Retenciones", "Retencion", "Retención")):
        rows = element.iterfind(f"{{*}}Impuestos/{{*}}{group}/{{*}}{name}")
        for place, row in enumerate(rows, 1):
            get = row.get
            yield Tax(
                path=f"{within}Impuestos/{group}/{name}[{place}]",
                kind=kind,
                impuesto=tax_name(get("Impuesto")),
                tasa=rate(get("TipoFactor"), get("TasaOCuota")),
                base=amount(get("Base")),
                importe=amount(get("Importe")),
            )


def _totals(root: etree._Element) -> Iterator[Field]:
    taxes = _of(root.find("{*}Impuestos"))
    yield from _fields(
        ("Subtotal", amount(root.get("SubTotal"))),
        ("Descuento", amount(root.get("Descuento"))),
        ("Impuestos trasladados", amount(taxes.get("TotalImpuestosTrasladados"))),
        ("Impuestos retenidos", amount(taxes.get("TotalImpuestosRetenidos"))),
    )


def _complements(root: etree._Element) -> Iterator[Branch]:
    """All but the stamp, which has a place of its own."""
    for element in root.iterfind("{*}Complemento/*"):
        if element.tag != TFD_TAG:
            yield branch(element, "Complemento/")


def _stamp(stamp: TimbreFiscalDigital) -> StampView:
    return StampView(
        uuid=stamp.uuid,
        fecha=stamp.fecha_timbrado,
        provider=stamp.rfc_prov_certif,
        no_certificado=stamp.no_certificado_sat,
        sello_cfd=stamp.sello_cfd,
        sello_sat=stamp.sello_sat,
        cadena=stamp.cadena_original,
    )
