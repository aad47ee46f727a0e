"""The hint of a certificate that is missing in the LCO although the list has its issuer."""

from __future__ import annotations

from dataclasses import replace

from timbra.rules.engine.result import EvaluationResult
from timbra.rules.rulesets.certificates.context import SealContext

ISSUER_UNKNOWN, CERTIFICATE_UNKNOWN = "402", "305"


def needs_certificate_hint(result: EvaluationResult) -> bool:
    """Whether the LCO has the issuer but not the certificate."""
    codes = {finding.code for finding in result.findings}
    return CERTIFICATE_UNKNOWN in codes and ISSUER_UNKNOWN not in codes


def with_certificate_hint(context: SealContext, hint: str) -> SealContext:
    """Return the context whose findings about the list have this hint instead of that for an unregistered RFC."""
    return replace(context, reference_data=replace(context.reference_data, registry_hint=hint))
