"""The stamp TimbreFiscalDigital 1.1: its XML, its cadena original, and reading it.

Source: Anexo 20, TFD 1.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from timbra._native import ElementSearch

TFD = "http://www.sat.gob.mx/TimbreFiscalDigital"
TFD_TAG = f"{{{TFD}}}TimbreFiscalDigital"
STAMP_NAME = b"TimbreFiscalDigital"
"""What the bytes of every document with a stamp contain."""
_STAMPS = ElementSearch(("Complemento/TimbreFiscalDigital",), any_namespace=True)
_SCHEMA_LOCATION = f"{TFD} http://www.sat.gob.mx/sitio_internet/cfd/TimbreFiscalDigital/TimbreFiscalDigitalv11.xsd"


@dataclass(frozen=True, slots=True)
class TimbreFiscalDigital:
    """The attributes of a stamp, as written.

    Attributes:
        fecha_timbrado: local time of central Mexico, `YYYY-MM-DDThh:mm:ss`, without zone.
    """

    uuid: str
    fecha_timbrado: str
    rfc_prov_certif: str
    sello_cfd: str
    no_certificado_sat: str
    sello_sat: str = ""
    version: str = "1.1"
    leyenda: str | None = None

    @property
    def cadena_original(self) -> str:
        """`||1.1|UUID|FechaTimbrado|RfcProvCertif|[Leyenda|]SelloCFD|NoCertificadoSAT||` (1.0 has no RfcProvCertif)."""
        provider = () if self.version == "1.0" else (self.rfc_prov_certif,)
        legend = () if self.leyenda is None else (self.leyenda,)
        parts = (self.version, self.uuid, self.fecha_timbrado, *provider, *legend, self.sello_cfd)
        values = "|".join((*parts, self.no_certificado_sat))
        if _has_blank(values):
            values = "|".join(map(_normalized, (*parts, self.no_certificado_sat)))
        return f"||{values}||"

    def sealed(self, sello_sat: str) -> TimbreFiscalDigital:
        """Return the stamp with the provider's seal."""
        return TimbreFiscalDigital(
            self.uuid,
            self.fecha_timbrado,
            self.rfc_prov_certif,
            self.sello_cfd,
            self.no_certificado_sat,
            sello_sat,
            self.version,
            self.leyenda,
        )

    def to_xml(self) -> str:
        """Serialize the element without declaration; no value contains markup."""
        return (
            f'<tfd:TimbreFiscalDigital xmlns:tfd="{TFD}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
            f' xsi:schemaLocation="{_SCHEMA_LOCATION}" Version="{self.version}" UUID="{self.uuid}"'
            f' FechaTimbrado="{self.fecha_timbrado}" RfcProvCertif="{self.rfc_prov_certif}"'
            f' SelloCFD="{self.sello_cfd}" NoCertificadoSAT="{self.no_certificado_sat}"'
            f' SelloSAT="{self.sello_sat}"/>'
        )


def stamp_elements(root: etree._Element) -> Iterator[etree._Element]:
    """Yield the element of every stamp inside the Complemento elements of a document, in document order."""
    return (stamp for stamp in _STAMPS.find(root) if stamp.tag == TFD_TAG and _is_inside_standard(stamp))


def read_stamps(root: etree._Element) -> list[TimbreFiscalDigital]:
    """Read every stamp inside the Complemento elements of a document, in document order."""
    return [read_stamp(element) for element in stamp_elements(root)]


def _is_inside_standard(stamp: etree._Element) -> bool:
    """Whether the Complemento that contains the stamp has a namespace."""
    complement = stamp.getparent()
    return complement is not None and complement.tag != "Complemento"


def read_stamp(element: etree._Element) -> TimbreFiscalDigital:
    """Read a stamp from its element; absent attributes are empty text."""
    get = element.get
    return TimbreFiscalDigital(
        uuid=get("UUID") or "",
        fecha_timbrado=get("FechaTimbrado") or "",
        rfc_prov_certif=get("RfcProvCertif") or "",
        sello_cfd=get("SelloCFD") or get("selloCFD") or "",
        no_certificado_sat=get("NoCertificadoSAT") or get("noCertificadoSAT") or "",
        sello_sat=get("SelloSAT") or get("selloSAT") or "",
        version=get("Version") or get("version") or "",
        leyenda=get("Leyenda"),
    )


def _has_blank(value: str) -> bool:
    return " " in value or "\t" in value or "\r" in value or "\n" in value


def _normalized(value: str) -> str:
    """Normalize white space as XPath's normalize-space: only space, tab, CR and LF collapse."""
    if not _has_blank(value):
        return value
    for blank in "\t\r\n":
        value = value.replace(blank, " ")
    return " ".join(piece for piece in value.split(" ") if piece)
