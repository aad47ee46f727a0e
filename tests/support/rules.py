"""Evaluation of rules in tests."""

from __future__ import annotations

from typing import Any

from lxml import etree
from tests.support.reference_data import reference_data

from timbra.cfdi.nodes import Comprobante, walk
from timbra.rules.engine.profiles import VALIDATE, Profile
from timbra.rules.engine.result import EvaluationResult, Finding
from timbra.rules.registry import check


def nodes(text: str) -> Comprobante:
    return walk(etree.fromstring(text.encode()))


def checked(text: str, *, profile: Profile = VALIDATE, **changes: Any) -> EvaluationResult:
    """Evaluate a document with the in-memory reference data; keyword arguments replace fields of it."""
    return check(nodes(text), reference_data(**changes), profile)


def codes(text: str, *, profile: Profile = VALIDATE, **changes: Any) -> set[str]:
    return {finding.code for finding in checked(text, profile=profile, **changes).findings}


def only(text: str, *, profile: Profile = VALIDATE, **changes: Any) -> Finding:
    """The one finding of a document."""
    (finding,) = checked(text, profile=profile, **changes).findings
    return finding


def unknown(text: str, *, profile: Profile = VALIDATE, **changes: Any) -> set[str]:
    """Return the codes that were not evaluated, except those that no source can decide."""
    outcome = checked(text, profile=profile, **changes)
    return {record.code for record in outcome.not_evaluated} - {"CFDI40163", "CFDI40164"}
