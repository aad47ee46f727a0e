"""What the checks of the seal read of a CFDI 3.2 and of a CFD 2.2.

The versions are withdrawn: their documents have no rules, and their other nodes are not read.
"""

from __future__ import annotations

from timbra.cfdi.nodes.base import Node
from timbra.cfdi.nodes.fields import attribute
from timbra.cfdi.nodes.fiscal_document import FiscalDocument

VERSIONS = ("3.2", "2.2")


class Emisor(Node):
    """Emisor: who invoices. The field has the name of later versions."""

    TEMPLATE = "Emisor"
    RANKS = (1,)

    Rfc: str = attribute("rfc", "")


class Comprobante(FiscalDocument):
    """The root. Its fields have the names that later versions give to these attributes."""

    NAME = "Comprobante"
    VERSIONS = VERSIONS
    KINDS = frozenset({"ingreso", "egreso", "traslado"})
    DATE = "fecha"
    DIGEST = "sha1"

    Version: str = attribute("version", "")
    Sello: str = attribute("sello", "")
    NoCertificado: str = attribute("noCertificado", "")
    Certificado: str = attribute("certificado", "")
    TipoDeComprobante: str = attribute("tipoDeComprobante", "")
    Fecha: str = attribute("fecha", "")
    emisor: Emisor

    @property
    def kind(self) -> str:
        """tipoDeComprobante."""
        return self.TipoDeComprobante

    @property
    def issued_at(self) -> str:
        """Attribute fecha."""
        return self.Fecha

    @property
    def postal_code(self) -> str:
        """Empty: LugarExpedicion is a place in words."""
        return ""

    @property
    def issuer_rfc(self) -> str:
        """Emisor/@rfc."""
        return self.emisor.Rfc
