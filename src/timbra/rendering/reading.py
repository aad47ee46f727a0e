"""The reader of views of a parsed CFDI. Nothing is validated: an invalid document is displayed as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lxml import etree

from timbra.catalogs.labels import CatalogLabels
from timbra.cfdi.qr import ADDRESS, QrPainter, verification_query, verification_url
from timbra.cfdi.tfd import TFD_TAG, TimbreFiscalDigital, read_stamps
from timbra.rendering.branches import branches
from timbra.rendering.stamp_check import StampCheck
from timbra.rendering.texts import amount, number, rate, tax_name
from timbra.rendering.view import Branch, Field, InvoiceLine, InvoiceParty, InvoiceView, Relation, StampView, Tax

MAX_LINES = 500
MAX_RELATIONS, MAX_FOLIOS = 100, 500
PRINTED = "Este documento es una representación impresa de un CFDI"
UNVERIFIED = "Documento sin timbre fiscal verificable: no es la representación impresa de un CFDI"
WITHOUT_EFFECT = "Documento de prueba, sin validez fiscal"


class ViewReader:
    """Reads views.

    Args:
        labels: names of the keys of catalogs.
        qr: draws the QR code.
        is_verified: verifies the stamp of a document; views of documents without a valid stamp have a warning.
        fiscal_effect: whether stamps have fiscal effect; without it, views have the legend that says so.
    """

    def __init__(self, labels: CatalogLabels, qr: QrPainter, is_verified: StampCheck, *, fiscal_effect: bool) -> None:
        self._labels = labels
        self._qr = qr
        self._is_verified = is_verified
        self._fiscal_effect = fiscal_effect

    def view(
        self, root: etree._Element, max_lines: int | None = MAX_LINES, *, verification_address: str = ADDRESS
    ) -> InvoiceView:
        """Read a document.

        Args:
            root: Comprobante of any version.
            max_lines: limit of Conceptos, None for all.
            verification_address: address of the page that the QR code leads to.
        """
        get = root.get
        stamps = read_stamps(root)
        unverified = "" if self._is_verified(root) else UNVERIFIED
        lines = [*root.iterfind("{*}Conceptos/{*}Concepto")]
        displayed = lines if max_lines is None else lines[:max_lines]
        relations = [*root.iterfind("{*}CfdiRelacionados")]
        complements, complements_left_out = _complements(root)
        return InvoiceView(
            version=get("Version", ""),
            tipo=self._key("c_TipoDeComprobante", get("TipoDeComprobante")),
            serie=get("Serie", ""),
            folio=get("Folio", ""),
            fecha=get("Fecha", ""),
            head=tuple(self._head(root)),
            emisor=self._party(root, "Emisor"),
            receptor=self._party(root, "Receptor"),
            relations=tuple(self._relations(relations[:MAX_RELATIONS])),
            relations_left_out=len(relations[MAX_RELATIONS:]),
            lines=tuple(self._line(element, place) for place, element in enumerate(displayed, 1)),
            lines_left_out=len(lines) - len(displayed),
            taxes=tuple(_taxes(root, "")),
            totals=tuple(_totals(root)),
            total=amount(get("Total")),
            moneda=get("Moneda", ""),
            complements=complements,
            complements_left_out=complements_left_out,
            sello=get("Sello", ""),
            stamp=_stamp(stamps[0]) if stamps else None,
            qr=self._qr_code(root, stamps[0], verification_address) if stamps else None,
            legends=(unverified or PRINTED, *([] if self._fiscal_effect else [WITHOUT_EFFECT])),
            fiscal_effect=self._fiscal_effect,
            unverified=unverified,
        )

    def _key(self, catalog: str, key: str | None) -> str:
        """Format a key with its name in the catalog."""
        text = self._labels.get(catalog, key) if key else ""
        return f"{key} · {text}" if text else key or ""

    def _head(self, root: etree._Element) -> Iterator[Field]:
        get = root.get
        informacion = _attributes(root.find("{*}InformacionGlobal"))
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

    def _party(self, root: etree._Element, name: str) -> InvoiceParty:
        get = _attributes(root.find(f"{{*}}{name}")).get
        regime = self._key("c_RegimenFiscal", get("RegimenFiscal") or get("RegimenFiscalReceptor"))
        fields = _fields(
            ("Régimen fiscal", regime),
            ("Domicilio fiscal", get("DomicilioFiscalReceptor")),
            ("Uso del CFDI", self._key("c_UsoCFDI", get("UsoCFDI"))),
            ("Residencia fiscal", self._key("c_Pais", get("ResidenciaFiscal"))),
            ("Registro tributario", get("NumRegIdTrib")),
            ("Facturas de adquirente", get("FacAtrAdquirente")),
        )
        return InvoiceParty(name, get("Rfc", ""), get("Nombre", ""), tuple(fields))

    def _relations(self, nodes: list[etree._Element]) -> Iterator[Relation]:
        """Yield relations with their folios, at most `MAX_FOLIOS` in all."""
        remaining = MAX_FOLIOS
        for place, element in enumerate(nodes, 1):
            folios = tuple(child.get("UUID", "") for child in element.iterfind("{*}CfdiRelacionado"))
            tipo = self._key("c_TipoRelacion", element.get("TipoRelacion"))
            yield Relation(f"CfdiRelacionados[{place}]", tipo, folios[:remaining], len(folios[remaining:]))
            remaining -= len(folios[:remaining])

    def _line(self, element: etree._Element, place: int) -> InvoiceLine:
        get = element.get
        path = f"Conceptos/Concepto[{place}]"
        return InvoiceLine(
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

    def _qr_code(self, root: etree._Element, stamp: TimbreFiscalDigital, address: str) -> bytes | None:
        """Draw the QR code; None when the document does not have the data of the verification URL."""
        total = number(root.get("Total"))
        issuer, receiver = (self._party(root, name).rfc for name in ("Emisor", "Receptor"))
        if total is None or not (issuer and receiver):
            return None
        query = verification_query(stamp.uuid, issuer, receiver, total, root.get("Sello", ""))
        try:
            return self._qr.png(verification_url(query, address))
        except ValueError:
            return None


def _attributes(element: etree._Element | None) -> Mapping[str, str]:
    """Return the attributes of an element; empty for an absent one."""
    return {} if element is None else {str(name): str(value) for name, value in element.attrib.items()}


def _fields(*pairs: tuple[str, str | None]) -> Iterator[Field]:
    return (Field(label, value) for label, value in pairs if value)


def _taxes(element: etree._Element, within: str) -> Iterator[Tax]:
    """Yield the taxes of a Concepto or of the document, Traslados first."""
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
    taxes = _attributes(root.find("{*}Impuestos"))
    yield from _fields(
        ("Subtotal", amount(root.get("SubTotal"))),
        ("Descuento", amount(root.get("Descuento"))),
        ("Impuestos trasladados", amount(taxes.get("TotalImpuestosTrasladados"))),
        ("Impuestos retenidos", amount(taxes.get("TotalImpuestosRetenidos"))),
    )


def _complements(root: etree._Element) -> tuple[tuple[Branch, ...], int]:
    """Return the complements except the stamp, and the number of those left out."""
    elements = (element for element in root.iterfind("{*}Complemento/*") if element.tag != TFD_TAG)
    return branches(elements, "Complemento/")


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
