"""The reader of views of a CFDI 3.3 or 4.0. Nothing is validated: an invalid document is displayed as it is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from lxml import etree

from timbra.catalogs.labels import CatalogLabels
from timbra.cfdi.qr import QrPainter
from timbra.rendering.issue_place import IssuePlaces
from timbra.rendering.kinds import (
    WITHOUT_LINES,
    completed,
    currencies_of,
    headline_of,
    title_of,
    transport_totals,
)
from timbra.rendering.parts import attributes_of, fields, named_key
from timbra.rendering.sections import MAX_TOTAL_ELEMENTS, SectionReader
from timbra.rendering.texts import amount, rate, tax_name
from timbra.rendering.view import Certification, Field, InvoiceLine, InvoiceView, PartyView, Relation, Tax

MAX_LINES = 500
MAX_RELATIONS, MAX_FOLIOS = 100, 500


class InvoiceReader:
    """Reads views of invoices.

    Args:
        labels: names of the keys of catalogs.
        sections: reads the complements.
        places: describes the place of issue.
        qr: draws QR codes.
    """

    def __init__(self, labels: CatalogLabels, sections: SectionReader, places: IssuePlaces, qr: QrPainter) -> None:
        self._labels = labels
        self._sections = sections
        self._places = places
        self._qr = qr

    def view(self, root: etree._Element, max_lines: int | None, certification: Certification) -> InvoiceView:
        """Read a document.

        Args:
            root: Comprobante of any version.
            max_lines: limit of Conceptos, None for all.
            certification: the values that all kinds of documents have.
        """
        get = root.get
        lines = [*root.iterfind("{*}Conceptos/{*}Concepto")]
        displayed = lines if max_lines is None else lines[:max_lines]
        relations = [*root.iterfind("{*}CfdiRelacionados")]
        stamp = certification["stamp"]
        complements, complements_left_out = self._sections.sections(
            root,
            max(MAX_TOTAL_ELEMENTS, max_lines or 0) if max_lines != MAX_LINES else MAX_TOTAL_ELEMENTS,
            partial(completed, root=root, fecha_timbrado=stamp.fecha if stamp else "", qr=self._qr),
        )
        return InvoiceView(
            **certification,
            title=title_of(root),
            headline=headline_of(root),
            shows_lines=get("TipoDeComprobante") not in WITHOUT_LINES,
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
            transport_totals=tuple(transport_totals(root)),
            total=amount(get("Total")),
            moneda=get("Moneda", ""),
            complements=complements,
            complements_left_out=complements_left_out,
        )

    def _key(self, catalog: str, key: str | None) -> str:
        return named_key(self._labels, catalog, key)

    def _head(self, root: etree._Element) -> Iterator[Field]:
        get = root.get
        informacion = attributes_of(root.find("{*}InformacionGlobal"))
        yield from fields(
            ("Lugar de expedición", self._places.describe(get("LugarExpedicion"), get("Fecha"))),
            ("Exportación", self._key("c_Exportacion", get("Exportacion"))),
            ("Método de pago", self._key("c_MetodoPago", get("MetodoPago"))),
            ("Forma de pago", self._key("c_FormaPago", get("FormaPago"))),
            ("Condiciones de pago", get("CondicionesDePago")),
            ("Moneda", ", ".join(self._key("c_Moneda", key) for key in currencies_of(root))),
            ("Tipo de cambio", get("TipoCambio")),
            ("Confirmación", get("Confirmacion")),
            ("Periodicidad", self._key("c_Periodicidad", informacion.get("Periodicidad"))),
            ("Meses", self._key("c_Meses", informacion.get("Meses"))),
            ("Año", informacion.get("Año")),
            ("Certificado del emisor", get("NoCertificado")),
        )

    def _party(self, root: etree._Element, name: str) -> PartyView:
        get = attributes_of(root.find(f"{{*}}{name}")).get
        regime = self._key("c_RegimenFiscal", get("RegimenFiscal") or get("RegimenFiscalReceptor"))
        details = fields(
            ("Régimen fiscal", regime),
            ("Domicilio fiscal", get("DomicilioFiscalReceptor")),
            ("Uso del CFDI", self._key("c_UsoCFDI", get("UsoCFDI"))),
            ("Residencia fiscal", self._key("c_Pais", get("ResidenciaFiscal"))),
            ("Registro tributario", get("NumRegIdTrib")),
            ("Facturas de adquirente", get("FacAtrAdquirente")),
        )
        return PartyView(name, get("Rfc", ""), get("Nombre", ""), tuple(details))

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
            producto=self._labels.get("c_ClaveProdServ", get("ClaveProdServ", "")),
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
        yield from fields(("Objeto de impuesto", self._key("c_ObjetoImp", element.get("ObjetoImp"))))
        for child in element.iterchildren("*"):
            get = child.get
            match etree.QName(child).localname:
                case "InformacionAduanera":
                    yield from fields(("Pedimento", get("NumeroPedimento")))
                case "CuentaPredial":
                    yield from fields(("Cuenta predial", get("Numero")))
                case "ACuentaTerceros":
                    third = (
                        get("RfcACuentaTerceros"),
                        get("NombreACuentaTerceros"),
                        self._key("c_RegimenFiscal", get("RegimenFiscalACuentaTerceros")),
                        f"C. P. {get('DomicilioFiscalACuentaTerceros', '')}",
                    )
                    yield from fields(("A cuenta de", ", ".join(filter(None, third))))
                case "Parte":
                    part = (get("Cantidad"), get("Unidad"), get("ClaveProdServ"), get("NoIdentificacion"))
                    prices = (amount(get("ValorUnitario")), amount(get("Importe")))
                    yield from fields(("Parte", " ".join(filter(None, (*part, get("Descripcion"), *prices)))))
        yield from self._sections.line_fields(element)


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
    taxes = attributes_of(root.find("{*}Impuestos"))
    yield from fields(
        ("Subtotal", amount(root.get("SubTotal"))),
        ("Descuento", amount(root.get("Descuento"))),
        ("Impuestos trasladados", amount(taxes.get("TotalImpuestosTrasladados"))),
        ("Impuestos retenidos", amount(taxes.get("TotalImpuestosRetenidos"))),
    )
