"""Citations: the document that states a rule, as its record names it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Citation:
    """A document that states rules.

    Attributes:
        document: Spanish title.
        revision: revision as the document names it, a date or a letter; empty when the document names none.
        has_rows: whether the document is a matrix whose rows are the codes; the citation of a rule then ends with its
            code.
        url: address of the document, only where it was read there.
    """

    document: str
    revision: str = ""
    has_rows: bool = False
    url: str = ""

    def of(self, code: str) -> str:
        """Return the citation of one rule: document, revision and, for a matrix, the row."""
        row = code.partition(":")[0] if self.has_rows else ""
        parts = [self.document, self.revision and f"revisión {self.revision}", row and f"fila {row}", self.url]
        return ", ".join(part for part in parts if part)


def matrix(document: str, revision: str, url: str = "") -> Citation:
    """Return the citation of an error matrix of the SAT, whose rows are its codes."""
    return Citation(document, revision, has_rows=True, url=url)


SOURCE_UNKNOWN = Citation("fuente desconocida")
"""For a requirement whose document is not known; the reference pages count these rules."""
OF_RULE_SET = Citation("")
"""Stands for the citation of the rule set until `discover_rules` enters it."""
