"""The namespaces and schema locations of plain invoices, checked once for each form in which issuers write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from timbra.cfdi.document import XSI
from timbra.core.errors import ServiceError
from timbra.stamping.plain.settled import NotPlainError

if TYPE_CHECKING:
    from timbra.cfdi.document import DocumentParser
    from timbra.rules.rulesets.declarations.evaluation import DeclarationChecks

MAX_PROLOGS, MAX_BYTES = 1_024, 4_096
"""Prologs that are kept, and the longest of them."""
_NAMES = frozenset({"Version", f"{{{XSI}}}schemaLocation"})
_VERSION = "4.0"


class DeclaredPrologs:
    """Checks the root with its namespaces and nothing in it: a plain invoice has no other namespace inside.

    Args:
        parser: the parser of documents.
        declarations: the rules about declarations.
    """

    def __init__(self, parser: DocumentParser, declarations: DeclarationChecks) -> None:
        self._parser = parser
        self._declarations = declarations
        self._accepted: dict[bytes, bool] = {}

    def require(self, prolog: bytes) -> None:
        """Raise NotPlainError for declarations that the parser or a rule rejects.

        Args:
            prolog: attributes of the root, as written.
        """
        accepted = self._accepted.get(prolog)
        if accepted is None and len(prolog) <= MAX_BYTES:
            if len(self._accepted) >= MAX_PROLOGS:
                self._accepted.clear()
            accepted = self._accepted[prolog] = self._accepts(prolog)
        if not accepted:
            raise NotPlainError

    def _accepts(self, prolog: bytes) -> bool:
        try:
            root = self._parser.parse(b'<cfdi:Comprobante%b Version="%b"/>' % (prolog, _VERSION.encode())).root
            self._declarations.reject(root, _VERSION)
        except ServiceError:
            return False
        return set(map(str, root.keys())) <= _NAMES
