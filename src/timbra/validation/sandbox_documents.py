"""Recognition of documents of a sandbox of Timbra whose data a validation does not have.

Every sandbox has a certificate authority and a provider of its own. Without the data folder of that sandbox, its
documents have errors that say nothing about the document.
"""

from __future__ import annotations

from collections.abc import Collection

from timbra.validation.models import ReportEntry, ValidationReport

AUTHORITY_NAME = "AC SANDBOX TIMBRA"
"""Common name of the certificate authority of every sandbox."""
SERIES = "9900"
"""First digits of the certificate numbers of every sandbox."""
REGISTRY_HINT = (
    "Si es un RFC de este ambiente de pruebas, regístrelo con: "
    'timbra sandbox taxpayer add RFC --name "NOMBRE" --postal-code CP --regime REGIMEN'
)
CERTIFICATE_HINT = (
    "El RFC está registrado, pero la LCO no tiene este certificado. Emita otro con: timbra csd mint RFC --out CARPETA. "
    "Si lo expidió una autoridad de confianza, agréguelo a una cuenta con: timbra csd add"
)
REGISTRATION_HINTS = frozenset({REGISTRY_HINT, CERTIFICATE_HINT})
"""Hints of errors that depend on the registry of a sandbox."""
AUTHORITY_CODE = "308"
PROVIDER_CODE = "TFD-PROVEEDOR"


def missing_sandbox_errors(report: ValidationReport, registration_hints: Collection[str]) -> tuple[ReportEntry, ...]:
    """Return the errors of a document that come from missing data of the sandbox that sealed or stamped it.

    Args:
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
