"""Recognition of documents of a sandbox of Timbra whose data a validation does not have.

Every sandbox has a certificate authority and a provider of its own. Without the data folder of that sandbox, its
documents have errors that say nothing about the document.
"""

from __future__ import annotations

from collections.abc import Collection

from timbra.authority.sandbox.certificates.authority import SERIES
from timbra.authority.sandbox.certificates.subject_names import AUTHORITY_NAME
from timbra.service.validation.models import ReportEntry, ValidationReport

AUTHORITY_CODE = "308"
PROVIDER_CODE = "TFD-PROVEEDOR"


def missing_sandbox_errors(report: ValidationReport, registration_hints: Collection[str]) -> tuple[ReportEntry, ...]:
    """Return the errors of a document that come from missing data of the sandbox that sealed or stamped it.

    Args:
        report: The report of the document.
        registration_hints: The hints of errors that depend on the sandbox's registry of taxpayers and certificates.

    Returns:
        The errors of the unknown authority, of the unknown provider and of the registry; empty when the authority and
        the provider are not those of another sandbox.
    """
    unknown = [entry for entry in report.entries if _is_of_other_sandbox(entry)]
    if not unknown:
        return ()
    return tuple(entry for entry in report.entries if entry in unknown or entry.hint in registration_hints)


def _is_of_other_sandbox(entry: ReportEntry) -> bool:
    found = entry.found or ""
    if entry.code == AUTHORITY_CODE:
        return found == AUTHORITY_NAME
    return entry.code == PROVIDER_CODE and found.startswith(SERIES)
