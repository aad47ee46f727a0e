"""The rules about declarations, with the standards of the snapshot: one evaluation for stamping and validation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from timbra.rules.rulesets.declarations import evaluation
from timbra.rules.rulesets.declarations.context import DeclarationsContext, by_namespace

if TYPE_CHECKING:
    from lxml import etree

    from timbra.cfdi.cadena import CadenaOriginal
    from timbra.cfdi.structure import Structure
    from timbra.rules.engine.result import EvaluationResult


class DeclarationChecks:
    """Evaluates namespaces, schema locations and places of complements. Create one per process and share it.

    Args:
        structure: has the standards of the snapshot.
        cadena: has the complements that the stylesheets include.
    """

    def __init__(self, structure: Structure, cadena: CadenaOriginal) -> None:
        self._standards = by_namespace(structure.supported)
        self._cadena = cadena
        self._contexts: dict[tuple[str, bool], DeclarationsContext] = {}

    def examine(self, root: etree._Element, version: str, *, stamped: bool) -> EvaluationResult:
        """Return every finding about a Comprobante.

        Args:
            root: the Comprobante.
            stamped: whether it has a stamp; most violations are then warnings.
        """
        return evaluation.examine(root, self._context(version, stamped=stamped))

    def reject(self, root: etree._Element, version: str) -> None:
        """Reject a Comprobante that is to be stamped.

        Args:
            root: the Comprobante.

        Raises:
            ServiceError: as `evaluation.reject`.
        """
        evaluation.reject(root, self._context(version, stamped=False))

    def _context(self, version: str, *, stamped: bool) -> DeclarationsContext:
        context = self._contexts.get((version, stamped))
        if context is None:
            context = DeclarationsContext(version, self._standards, self._cadena.complements(version), stamped)
            self._contexts[version, stamped] = context
        return context
