"""The values of the stamping pipeline: one immutable type for each stage of a document.

`Submission` -> `ParsedDocument` -> `SealedDocument` -> `StructuredDocument` -> `CertifiedDocument` -> `RelatedDocument`
-> `IssuancePermit`. A check declares the type that it needs, so that mypy rejects a check in the wrong position.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from timbra.seals.seal import seal_bytes

if TYPE_CHECKING:
    from timbra.cfdi.document import Document
    from timbra.cfdi.nodes import FiscalDocument
    from timbra.rules.engine.ports import ReferenceData
    from timbra.rules.rulesets.certificates.context import SealContext
    from timbra.stamping.models import StampingOperation, StampRequest


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

    @property
    def document(self) -> Document:
        return self.certified.document


def seal_hash(document: Document) -> bytes:
    """Return the SHA-256 of the issuer's seal: of its bytes, or of its text when the text is not base64."""
    sello = document.root.get("Sello") or ""
    return sha256(seal_bytes(sello) or sello.encode()).digest()
