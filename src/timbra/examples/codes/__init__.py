"""Documents that the examples of rules change, by standard.

The pair of documents of a rule is part of its record: `RuleSet.example` builds it.
"""

from __future__ import annotations

from timbra.examples.codes.nodos import RELATED

__all__ = ["RELATED"]
