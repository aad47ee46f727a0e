"""Evaluation of rules in tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lxml import etree
from tests.support.reference_data import reference_data

from timbra.cfdi.nodes import Comprobante, FiscalDocument, walk
from timbra.cfdi.nodes.documents import walk_document
from timbra.rules.engine.citation import Citation
from timbra.rules.engine.profiles import VALIDATE, Profile
from timbra.rules.engine.result import EvaluationResult, Finding
from timbra.rules.engine.rule import NotImplementedRow, Rule, rule
from timbra.rules.registry import RULE_SETS, check

SOURCE = Citation("prueba")


def sample_rule(code: str, *, at: str, **options: Any) -> Callable[[Callable[..., Any]], Rule[Any, Any]]:
    """Return the decorator of a rule whose sentence, source and example do not matter."""
    return rule(code, at=at, says="Regla de prueba.", cites=SOURCE, **options)


def sample_row(code: str, at: str, reason: str, kind: Any = None) -> NotImplementedRow:
    """Return a row without a rule."""
    return NotImplementedRow(code, at, "Regla de prueba.", SOURCE, reason, kind)


def nodes(text: str) -> Comprobante:
    return walk(etree.fromstring(text.encode()))


def document_nodes(text: str) -> FiscalDocument:
    """Return the nodes of a document of any kind."""
    return walk_document(etree.fromstring(text.encode()))


def checked(text: str, *, profile: Profile = VALIDATE, **changes: Any) -> EvaluationResult:
    """Evaluate a document with the in-memory reference data; keyword arguments replace fields of it."""
    return check(document_nodes(text), reference_data(**changes), profile)


def codes(text: str, *, profile: Profile = VALIDATE, **changes: Any) -> set[str]:
    return {finding.code for finding in checked(text, profile=profile, **changes).findings}


def only(text: str, *, profile: Profile = VALIDATE, **changes: Any) -> Finding:
    """The one finding of a document."""
    (finding,) = checked(text, profile=profile, **changes).findings
    return finding


def unknown(text: str, *, profile: Profile = VALIDATE, **changes: Any) -> set[str]:
    """Return the codes that were not evaluated, except those that no data at hand have values for."""
    outcome = checked(text, profile=profile, **changes)
    without_values = {each.code for rule_set in RULE_SETS for each in rule_set.rules if each.needs_values}
    return {record.code for record in outcome.not_evaluated} - without_values
