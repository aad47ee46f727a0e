"""What the checks of the seal read of a CFDI de retenciones e información de pagos 1.0.

The version is withdrawn: its documents have no rules, and its nodes are not read.
"""

from __future__ import annotations

from timbra.cfdi.document import RETENCIONES1
from timbra.cfdi.nodes.base import Node
from timbra.cfdi.nodes.fields import attribute
from timbra.cfdi.nodes.fiscal_document import FiscalDocument

TAG = f"{{{RETENCIONES1}}}Retenciones"
"""Qualified name of the root element."""


class Emisor(Node):
    """Emisor: who withholds. The field has the name of version 2.0."""

    TEMPLATE = "Emisor"
    RANKS = (1,)

    RfcE: str = attribute("RFCEmisor", "")


class Retenciones(FiscalDocument):
    """The root. Its fields have the names that other documents give to these attributes."""

    NAME = "Retenciones"
    VERSIONS = ("1.0",)
    KINDS = frozenset({"R"})
    DATE = "FechaExp"
    DATE_HAS_OFFSET = True
    DIGEST = "sha1"

    NoCertificado: str = attribute("NumCert", "")
    Certificado: str = attribute("Cert", "")
    FechaExp: str
    emisor: Emisor

    @property
    def kind(self) -> str:
        """R: the standard has one type of document."""
        return "R"

    @property
    def issued_at(self) -> str:
        """FechaExp."""
        return self.FechaExp

    @property
    def postal_code(self) -> str:
        """Empty: the standard has no postal code of issue."""
        return ""

    @property
    def issuer_rfc(self) -> str:
        """Emisor/@RFCEmisor."""
        return self.emisor.RfcE
