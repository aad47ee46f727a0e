"""Documents that the examples of rules change, by standard.

The module `examples` of a rule set states the documents of its rules, which `RuleSet.example` builds.
"""

from __future__ import annotations

from timbra.examples.codes.nodos import RELATED

__all__ = ["RELATED"]
