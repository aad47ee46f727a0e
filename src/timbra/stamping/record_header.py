"""The values of a document by which its stamp is stored and searched."""

from __future__ import annotations

from dataclasses import dataclass

from timbra.cfdi.nodes import Comprobante, FiscalDocument
from timbra.cfdi.nodes.retenciones20 import Retenciones
from timbra.cfdi.rfc import FOREIGN


@dataclass(frozen=True, slots=True)
class RecordHeader:
    """Values of a document, as written.

    Attributes:
        serie, folio: empty when absent.
        receiver_rfc: XEXX010101000 for the receiver of a retención who resides abroad.
        total: Total of a CFDI, MontoTotOperacion of a retención.
    """

    serie: str
    folio: str
    receiver_rfc: str
    total: str


def header_of(document: FiscalDocument) -> RecordHeader:
    """Return the values of a document. Raises TypeError: the document is of no kind that is stamped."""
    if isinstance(document, Comprobante):
        return RecordHeader(document.Serie or "", document.Folio or "", document.receptor.Rfc, document.Total)
    if isinstance(document, Retenciones):
        receiver = document.receptor.rfc or FOREIGN
        return RecordHeader("", document.FolioInt or "", receiver, document.totales.MontoTotOperacion)
    raise TypeError(f"{type(document).__name__} is not stamped")
