"""Asking rules in tests."""

from __future__ import annotations

from typing import Any

from lxml import etree
from tests.support.world import world

from timbra.cfdi.nodes import Comprobante, walk
from timbra.rules.checking import check
from timbra.rules.finding import Finding, Outcome
from timbra.rules.profiles import VALIDATE, Profile


def nodes(text: str) -> Comprobante:
    return walk(etree.fromstring(text.encode()))


def checked(text: str, *, profile: Profile = VALIDATE, **changes: Any) -> Outcome:
    """All that the rules say of a document in the small world, with parts of the world changed by name."""
    return check(nodes(text), world(**changes), profile)


def codes(text: str, *, profile: Profile = VALIDATE, **changes: Any) -> set[str]:
    return {finding.code for finding in checked(text, profile=profile, **changes).findings}


def only(text: str, *, profile: Profile = VALIDATE, **changes: Any) -> Finding:
    """The one finding of a document."""
    (finding,) = checked(text, profile=profile, **changes).findings
    return finding


def unknown(text: str, *, profile: Profile = VALIDATE, **changes: Any) -> set[str]:
    """The codes that could not be judged, those apart that no source can judge."""
    outcome = checked(text, profile=profile, **changes)
    return {record.code for record in outcome.not_evaluated} - {"CFDI40163", "CFDI40164"}
