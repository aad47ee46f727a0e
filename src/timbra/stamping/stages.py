"""The values of the stamping pipeline: one immutable type for each stage of a document.

`Submission` -> `ParsedDocument` -> `SealedDocument` -> `StructuredDocument` -> `CertifiedDocument` -> `RelatedDocument`
-> `IssuancePermit`. A check declares the type that it needs, so that mypy rejects a check in the wrong position.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from timbra.cfdi.nodes import Comprobante, FiscalDocument
from timbra.cfdi.nodes.retenciones20 import Retenciones
from timbra.cfdi.rfc import FOREIGN
from timbra.seals.seal import seal_bytes

if TYPE_CHECKING:
    from timbra.cfdi.document import Document
    from timbra.evaluation.article_69b import Article69bFinding
    from timbra.rules.engine.engine import ValidatedDocument
    from timbra.rules.engine.ports import ReferenceData
    from timbra.rules.rulesets.certificates.context import SealContext
    from timbra.stamping.models import StampingOperation, StampRequest


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


@dataclass(frozen=True, slots=True)
class Submission:
    """A request to stamp, before its document is parsed.

    Attributes:
        reference_data: that of the moment of the request.
    """

    request: StampRequest
    operation: StampingOperation
    reference_data: ReferenceData


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """The document is well-formed XML."""

    submission: Submission
    document: Document


@dataclass(frozen=True, slots=True)
class SealedDocument:
    """The server or the client has filled the sealed attributes.

    Attributes:
        cadena: The cadena original that the server signed; empty when the client sealed the document.
    """

    submission: Submission
    document: Document
    cadena: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class StructuredDocument:
    """The structure conforms to the SAT's schemas.

    Attributes:
        nodes: nodes of the document.
    """

    submission: Submission
    document: Document
    cadena: str = field(repr=False)
    nodes: FiscalDocument


@dataclass(frozen=True, slots=True)
class CertifiedDocument:
    """The cadena original is built and the certificate is read; later checks decide whether they are valid."""

    submission: Submission
    document: Document
    nodes: FiscalDocument
    seals: SealContext


@dataclass(frozen=True, slots=True)
class RelatedDocument:
    """The CFDI that the document relates to are looked up.

    Attributes:
        reference_data: with the types of these CFDI.
    """

    certified: CertifiedDocument
    reference_data: ReferenceData


def seal_hash(document: Document) -> bytes:
    """Return the SHA-256 of the issuer's seal: of its bytes, or of its text when the text is not base64."""
    sello = document.root.get("Sello") or ""
    return sha256(seal_bytes(sello) or sello.encode()).digest()


class IssuancePermit:
    """Allows one signature of the provider over one document: the document that the rules engine validated.

    The permit contains the document itself. The code that signs accepts only a permit, so that the result of one
    document cannot stamp another one.

    Attributes:
        article_69b: What the answer states about the list of article 69-B; None for nothing.
    """

    __slots__ = ("_is_consumed", "article_69b", "certified", "document", "request", "validated")

    def __init__(self, certified: CertifiedDocument, validated: ValidatedDocument) -> None:
        """Bind the engine's result to its document.

        Raises:
            ValueError: The engine validated the nodes of another document.
        """
        if validated.document.element is not certified.document.root:
            raise ValueError("the engine validated another document")
        self.certified = certified
        self.document = certified.document
        self.request = certified.submission.request
        self.validated = validated
        self.article_69b: Article69bFinding | None = None
        self._is_consumed = False

    def consume(self) -> Document:
        """Consume the permit and return its document. Raises RuntimeError: the permit was used before."""
        if self._is_consumed:
            raise RuntimeError("an issuance permit allows one signature")
        self._is_consumed = True
        return self.document
