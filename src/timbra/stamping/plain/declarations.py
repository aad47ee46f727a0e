"""The namespaces and schema locations of plain invoices, checked once for each form in which issuers write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from timbra.cfdi.document import XSI
from timbra.core.errors import ServiceError
from timbra.stamping.plain.settled import NotPlainError

if TYPE_CHECKING:
    from timbra.cfdi.document import DocumentParser
    from timbra.rules.rulesets.declarations.evaluation import DeclarationChecks
    from timbra.stamping.plain.layout import PlainComplement

MAX_PROLOGS, MAX_BYTES = 1_024, 4_096
"""Prologs that are kept, and the longest of them."""
_NAMES = frozenset({"Version", f"{{{XSI}}}schemaLocation"})
_VERSION = "4.0"


class DeclaredPrologs:
    """Checks the root with its namespaces and nothing in it but the element of a complement.

    Args:
        parser: the parser of documents.
        declarations: the rules about declarations.
    """

    def __init__(self, parser: DocumentParser, declarations: DeclarationChecks) -> None:
        self._parser = parser
        self._declarations = declarations
        self._accepted: dict[tuple[bytes, str], bool] = {}

    def require(self, prolog: bytes, complement: PlainComplement | None) -> None:
        """Raise NotPlainError for declarations that the parser or a rule rejects.

        Args:
            prolog: attributes of the root, as written.
            complement: that of the document.
        """
        of = prolog, complement.prefix if complement else ""
        accepted = self._accepted.get(of)
        if accepted is None and len(prolog) <= MAX_BYTES:
            if len(self._accepted) >= MAX_PROLOGS:
                self._accepted.clear()
            accepted = self._accepted[of] = self._accepts(prolog, complement)
        if not accepted:
            raise NotPlainError

    def _accepts(self, prolog: bytes, complement: PlainComplement | None) -> bool:
        inside = f"<cfdi:Complemento><{complement.name}/></cfdi:Complemento>".encode() if complement else b""
        written = b'<cfdi:Comprobante%b Version="%b">%b</cfdi:Comprobante>' % (prolog, _VERSION.encode(), inside)
        try:
            root = self._parser.parse(written).root
            self._declarations.reject(root, _VERSION)
        except ServiceError:
            return False
        is_of_namespace = complement is None or root[0][0].tag == complement.kind.TAG
        return is_of_namespace and set(map(str, root.keys())) <= _NAMES
