"""Options of the bulk download: what the public sources leave open, and the limits of the simulation."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from timbra.emulator.bulk.signatures import SignatureCheck


class BulkDownloadOptions(BaseModel):
    """The options of `bulk_download`.

    Attributes:
        token_seconds: For how long a token is accepted.
        unauthenticated: The answer to a token that is not accepted: CodEstatus 300, or a SOAP fault.
        signatures: How strictly signatures are verified: in the forms of programs in use, as declared, the RSA value.
        test_efirmas: Whether e.firmas of the SAT's test authorities are accepted; those of the sandbox always are.
        accepted_polls: How many verifications of a request answer with state 1.
        processing_polls: How many then answer with state 2.
        xml_limit: The largest number of XML of a request.
        metadata_limit: The largest number of rows of a request.
        package_documents: The largest number of documents of a package.
        lifetime_requests: How many equal requests of XML are accepted in the life of the sandbox; 0 for any number.
        lifetime_metadata_requests: The same of metadata.
        live_requests: Which equal request is one that is alive: one that waits, or also one with packages.
        package_hours: The life of a package, in fiscal time.
        package_downloads: How often a package is downloaded.
        empty_period: The state of a request without documents: rejected with 5004, or finished without packages.
        years: How many years back a period may begin.
        zulu_dates: How a date with `Z` is read: converted to central Mexico, or as local time.
        package_ids: The letter case of the identifiers of packages.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    token_seconds: int = Field(default=300, ge=1, le=86_400)
    unauthenticated: Literal["code", "fault"] = "code"
    signatures: SignatureCheck = "programs"
    test_efirmas: Literal["accept", "reject"] = "accept"
    accepted_polls: int = Field(default=1, ge=0, le=1_000_000)
    processing_polls: int = Field(default=1, ge=0, le=1_000_000)
    xml_limit: int = Field(default=200_000, ge=1, le=10_000_000)
    metadata_limit: int = Field(default=1_000_000, ge=1, le=10_000_000)
    package_documents: int = Field(default=10_000, ge=1, le=1_000_000)
    lifetime_requests: int = Field(default=2, ge=0, le=1_000_000)
    lifetime_metadata_requests: int = Field(default=0, ge=0, le=1_000_000)
    live_requests: Literal["waiting", "with-packages"] = "waiting"
    package_hours: int = Field(default=72, ge=1, le=87_600)
    package_downloads: int = Field(default=2, ge=1, le=1_000_000)
    empty_period: Literal["rejected", "finished"] = "rejected"
    years: int = Field(default=6, ge=1, le=100)
    zulu_dates: Literal["converted", "local"] = "converted"
    package_ids: Literal["upper", "lower"] = "upper"
