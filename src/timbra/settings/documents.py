"""How documents are evaluated, processed and printed, and their limits."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings

from timbra.core.leniencies import ALL, LENIENCIES, named_leniencies, unknown_leniencies

MEBIBYTE = 1024 * 1024


class DocumentSettings(BaseSettings):
    """How documents are evaluated, processed and printed, and their limits."""

    cfdi140228_since: date = Field(
        default=date(2026, 4, 24),
        description="First Fecha of the invoices that need the complement Hidrocarburos y Petrolíferos by CFDI140228, "
        "as the SAT announces it.",
    )
    json_unknown_keys: Literal["ignore", "reject"] = Field(
        default="ignore",
        description="Keys of a JSON CFDI that no schema has; `ignore` (named in `X-Timbra-Ignored-Keys`) or `reject`.",
    )
    carta_porte: Literal["matrix", "vendor"] = Field(
        default="matrix",
        description="`vendor`: as `carta-porte` in `TIMBRA_VENDOR_LENIENCY`, which the setting precedes.",
    )
    vendor_leniency: str = Field(
        default="",
        description="Documents that the vendor stamps although a rule rejects them, at stamping and validation: comma "
        "separated differences whose rules are warnings, or `all`. `carta-porte`: goods data that their SectorCOFEPRIS "
        "does not use (CP159 to CP163); `foreign-use`: another UsoCFDI than S01 of XEXX010101000, which c_UsoCFDI "
        "admits for its regime (CFDI40161). An account may choose otherwise.",
    )
    confirmations: Literal["auto", "off", "keys", "limits"] = Field(
        default="auto",
        description="Rules about Confirmacion, which the SAT published and has not enabled. `keys`: a Confirmacion is "
        "a key that this server issued to the issuer and that no document used (CFDI40128, CFDI40129); `limits`: "
        "also, a TipoCambio or Total outside its limits needs one, and others must not have one (CFDI40118, "
        "CFDI40120, CFDI40127); `off`: as the SAT today; `auto`: `keys` in the sandbox, `off` elsewhere.",
    )
    fast_path: Literal["off", "on", "compare"] = Field(
        default="on",
        description="Whether plain documents are issued and stamped in batches by native code (docs/fast-path.md). "
        "`compare`: by both paths; the ordinary one decides, and a difference is an error in the log and counted in "
        "`timbra_plain_invoices_total`.",
    )
    manifests_required: bool = Field(
        default=False,
        description="Stamp for issuers only who have signed the manifest that authorises the delivery of their CFDI to "
        "the SAT, on the page of their link or on paper (`timbra manifest`); others get AU2003.",
    )
    manifest_template: Path | None = Field(
        default=None,
        description="File with the text of the manifest, which taxpayers sign with their e.firma; UTF-8, paragraphs "
        "separated by empty lines. `{rfc}`, `{nombre}`, `{certificado}`, `{fecha}`, `{proveedor_rfc}` and "
        "`{proveedor_nombre}` are filled. Empty: an example without effect in a sandbox, no page elsewhere.",
    )
    accept_any_rfc: bool = Field(
        default=False, description="Sandbox only: every well-formed RFC is a registered taxpayer."
    )
    max_body_bytes: int = Field(
        default=40 * MEBIBYTE, gt=0, description="Maximum size of a request body and of a decoded XML."
    )
    max_large_bytes: int = Field(
        default=256 * MEBIBYTE,
        gt=0,
        description="Maximum size of the XML inside the ZIP of the routes for large documents.",
    )
    large_document_bytes: int = Field(
        default=256 * 1024,
        gt=0,
        description="Size of a document, in XML or JSON, from which a server processes it in a child process, so that "
        "requests with small documents do not wait for it.",
    )
    large_document_nodes: int = Field(
        default=8000,
        gt=0,
        description="Number of nodes (elements, texts, comments; four attributes count as one) from which a server "
        "processes a document in a child process, however small it is; also the faults that it describes without one.",
    )
    document_processes: int = Field(
        default=2,
        gt=0,
        le=64,
        description="Maximum child processes for large documents of each worker; they start on demand and end when "
        "idle for five minutes.",
    )
    large_memory_bytes: int = Field(
        default=4096 * MEBIBYTE,
        ge=1024 * MEBIBYTE,
        description="Memory limit (address space) of each process for large documents.",
    )
    large_timeout_seconds: float = Field(
        default=300, gt=0, le=3600, description="Timeout of one large document in its process, in seconds."
    )
    document_processor_seconds: float = Field(
        default=10,
        gt=0,
        le=3600,
        description="Processor time of one document in its process, in seconds for each started MiB of its size; "
        "beyond it the document is rejected with TB4024.",
    )
    max_depth: int = Field(default=100, gt=0, le=250, description="Maximum element nesting of a document.")
    max_attributes: int = Field(default=200, gt=0, description="Maximum attributes of one element.")
    max_print_bytes: int = Field(
        default=8 * MEBIBYTE,
        gt=0,
        description="Maximum size of the XML of a printed representation; at most 4,000,000 characters of its text and "
        "2,000 concepts are printed.",
    )
    print_memory_bytes: int = Field(
        default=1024 * MEBIBYTE,
        ge=512 * MEBIBYTE,
        description="Memory limit (address space) of each of a worker's three print processes; they start on demand.",
    )
    print_timeout_seconds: float = Field(default=30, gt=0, le=300, description="Timeout of one print, in seconds.")
    rejection_days: int = Field(
        default=30, gt=0, le=3650, description="Days for which the portal shows rejected stamp requests."
    )
    received_days: int = Field(
        default=30, gt=0, le=3650, description="Days for which the portal keeps validations of received documents."
    )
    rejection_documents: bool = Field(
        default=False, description="Store the documents of rejected requests too, for `rejection_days`."
    )

    @field_validator("vendor_leniency")
    @classmethod
    def _is_known_leniency(cls, value: str) -> str:
        unknown = unknown_leniencies(value)
        if unknown:
            raise ValueError(f"{', '.join(unknown)}: known are {', '.join(LENIENCIES)} and {ALL}")
        return value

    @property
    def vendor_leniencies(self) -> tuple[str, ...]:
        """The differences that `vendor_leniency` and `carta_porte` name, in the order of the table."""
        return named_leniencies(f"{self.vendor_leniency},{'carta-porte' if self.carta_porte == 'vendor' else ''}")
