"""The reader of views of a CFDI de retenciones e información de pagos, valid or not."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from timbra.catalogs.labels import CatalogLabels
from timbra.rendering.issue_place import IssuePlaces
from timbra.rendering.kinds import headline
from timbra.rendering.parts import attributes_of, fields, first, named_key
from timbra.rendering.retencion_catalogs import RETENCIONES
from timbra.rendering.sections import MAX_TOTAL_ELEMENTS, SectionReader
from timbra.rendering.texts import amount, tax_name
from timbra.rendering.view import Certification, Field, PartyView, Relation, RetencionView, WithheldTax

MAX_TAXES = 500
MAX_RELATIONS = 100
TITLE = "Constancia de retenciones"
MONTH_LENGTH = 2
"""Digits of a key of c_Periodo; version 1.0 writes one or two."""
CURRENCY = "MXN"
"""Every amount of a retención is in pesos."""


class RetencionReader:
    """Reads views of retenciones.

    Args:
        labels: names of the keys of catalogs.
        sections: reads the complements.
        places: describes the place of issue.
    """

    def __init__(self, labels: CatalogLabels, sections: SectionReader, places: IssuePlaces) -> None:
        self._labels = labels
        self._sections = sections
        self._places = places

    def view(self, root: etree._Element, certification: Certification) -> RetencionView:
        """Read a document.

        Args:
            root: Retenciones of any version.
            certification: the values that all kinds of documents have.
        """
        get, totales = root.get, attributes_of(root.find("{*}Totales"))
        taxes = root.findall("{*}Totales/{*}ImpRetenidos")
        relations = root.findall("{*}CfdiRetenRelacionados")
        complements, complements_left_out = self._sections.sections(
            root, MAX_TOTAL_ELEMENTS, lambda section, _: section
        )
        return RetencionView(
            **certification,
            title=TITLE,
            headline=headline("Monto total retenido", first(totales, "MontoTotRet", "montoTotRet"), CURRENCY),
            clave=self._key("c_CveRetenc", get("CveRetenc")),
            descripcion=get("DescRetenc", ""),
            serie="",
            folio=get("FolioInt", ""),
            fecha=get("FechaExp", ""),
            periodo=self._period(root),
            head=tuple(self._head(root)),
            emisor=self._issuer(root),
            receptor=_receiver(root),
            relations=tuple(self._relation(element) for element in relations[:MAX_RELATIONS]),
            relations_left_out=len(relations[MAX_RELATIONS:]),
            taxes=tuple(self._tax(element, place) for place, element in enumerate(taxes[:MAX_TAXES], 1)),
            taxes_left_out=len(taxes[MAX_TAXES:]),
            totals=tuple(_totals(root)),
            total=amount(first(totales, "MontoTotOperacion", "montoTotOperacion")),
            retenido=amount(first(totales, "MontoTotRet", "montoTotRet")),
            moneda=CURRENCY,
            complements=complements,
            complements_left_out=complements_left_out,
        )

    def _key(self, catalog: str, key: str | None) -> str:
        return named_key(self._labels, catalog, key, RETENCIONES)

    def _period(self, root: etree._Element) -> str:
        """Format Periodo: `Marzo de 2026`, `Enero a Marzo de 2026`."""
        get = attributes_of(root.find("{*}Periodo")).get
        months = dict.fromkeys(get(name, "").zfill(MONTH_LENGTH) for name in ("MesIni", "MesFin") if get(name))
        names = [self._labels.get("c_Periodo", month, RETENCIONES) or month for month in months]
        return " de ".join(filter(None, (" a ".join(filter(None, names)), get("Ejercicio") or get("Ejerc"))))

    def _issuer(self, root: etree._Element) -> PartyView:
        get = attributes_of(root.find("{*}Emisor")).get
        regime = named_key(self._labels, "c_RegimenFiscal", get("RegimenFiscalE"))
        return PartyView(
            "Emisor",
            get("RfcE") or get("RFCEmisor", ""),
            get("NomDenRazSocE", ""),
            tuple(fields(("Régimen fiscal", regime))),
        )

    def _head(self, root: etree._Element) -> Iterator[Field]:
        yield from fields(
            ("Lugar de expedición", self._places.describe(root.get("LugarExpRetenc"), root.get("FechaExp"))),
            ("Certificado del emisor", first(attributes_of(root), "NoCertificado", "NumCert")),
        )

    def _relation(self, element: etree._Element) -> Relation:
        tipo = named_key(self._labels, "c_TipoRelacion", element.get("TipoRelacion"))
        return Relation("CfdiRetenRelacionados", tipo, (element.get("UUID", ""),))

    def _tax(self, element: etree._Element, place: int) -> WithheldTax:
        get = element.get
        return WithheldTax(
            path=f"Totales/ImpRetenidos[{place}]",
            impuesto=tax_name(get("ImpuestoRet") or _tax10(get("Impuesto"))),
            pago=self._key("c_TipoPagoRet", get("TipoPagoRet")),
            base=amount(get("BaseRet")),
            monto=amount(get("MontoRet") or get("montoRet")),
        )


def _receiver(root: etree._Element) -> PartyView:
    """Return the receiver; one who resides abroad has no RFC."""
    nationality = first(attributes_of(root.find("{*}Receptor")), "NacionalidadR", "Nacionalidad")
    national = attributes_of(root.find("{*}Receptor/{*}Nacional")).get
    foreign = attributes_of(root.find("{*}Receptor/{*}Extranjero")).get
    details = fields(
        ("Nacionalidad", nationality),
        ("CURP", national("CurpR") or national("CURPR")),
        ("Domicilio fiscal", national("DomicilioFiscalR")),
        ("Registro tributario", foreign("NumRegIdTribR") or foreign("NumRegIdTrib")),
    )
    name = national("NomDenRazSocR") or foreign("NomDenRazSocR", "")
    return PartyView("Receptor", national("RfcR") or national("RFCRecep", ""), name, tuple(details))


def _totals(root: etree._Element) -> Iterator[Field]:
    get = attributes_of(root.find("{*}Totales")).get
    yield from fields(
        ("Monto total de la operación", amount(get("MontoTotOperacion") or get("montoTotOperacion"))),
        ("Monto total gravado", amount(get("MontoTotGrav") or get("montoTotGrav"))),
        ("Monto total exento", amount(get("MontoTotExent") or get("montoTotExent"))),
        ("Utilidad bimestral", amount(get("UtilidadBimestral"))),
        ("ISR correspondiente", amount(get("ISRCorrespondiente"))),
    )


def _tax10(key: str | None) -> str | None:
    """Return the key of version 2.0 for a tax of version 1.0, which has two digits."""
    return f"0{key}" if key is not None and len(key) == MONTH_LENGTH else key
