"""The permit to stamp one document, once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.cfdi.document import Document
    from timbra.evaluation.article_69b import Article69bFinding
    from timbra.rules.engine.validated_document import ValidatedDocument
    from timbra.stamping.models import StampRequest
    from timbra.stamping.stages import CertifiedDocument


class IssuancePermit:
    """Allows one signature of the provider over one document: the document that the rules engine validated.

    The permit contains the document itself. The code that signs accepts only a permit, so that the result of one
    document cannot stamp another one.

    Attributes:
        article_69b: What the answer states about the list of article 69-B; None for nothing.
    """

    __slots__ = ("_is_consumed", "article_69b", "certified", "validated")

    def __init__(self, certified: CertifiedDocument, validated: ValidatedDocument) -> None:
        """Bind the engine's result to its document.

        Raises:
            ValueError: The engine validated the nodes of another document.
        """
        if validated.document.element is not certified.document.root:
            raise ValueError("the engine validated another document")
        self.certified = certified
        self.validated = validated
        self.article_69b: Article69bFinding | None = None
        self._is_consumed = False

    @property
    def document(self) -> Document:
        return self.certified.document

    @property
    def request(self) -> StampRequest:
        return self.certified.submission.request

    def consume(self) -> Document:
        """Consume the permit and return its document. Raises RuntimeError: the permit was used before."""
        if self._is_consumed:
            raise RuntimeError("an issuance permit allows one signature")
        self._is_consumed = True
        return self.certified.document
