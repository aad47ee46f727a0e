"""The identity of the provider (PAC) that stamps: RFC, certificates and keys."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings


class ProviderSettings(BaseSettings):
    """The identity of the provider (PAC) that stamps in production and in a rehearsal."""

    provider_rfc: str = Field(default="", description="RFC of the provider (PAC); empty: the server does not stamp.")
    provider_certificate: Path | None = Field(
        default=None, description="Certificate (DER or PEM) that the SAT gave the provider, with which it stamps."
    )
    provider_key_storage: Literal["pkcs11", "file"] = Field(
        default="pkcs11",
        description="Where the key of the provider is: `pkcs11`: in a device that does not disclose it; `file`: in an "
        "encrypted file, so that the key is in the memory of every worker.",
    )
    provider_pkcs11_module: Path | None = Field(
        default=None, description="PKCS#11 module of the device with the provider's key."
    )
    provider_pkcs11_tokens: str = Field(
        default="",
        description="Labels of the tokens, comma separated, that have the provider's key; several share the load, and "
        "one replaces another that fails.",
    )
    provider_pkcs11_pin: str = Field(
        default="", repr=False, description="PIN of each token of `provider_pkcs11_tokens`."
    )
    provider_pkcs11_sessions: int = Field(
        default=4, gt=0, le=64, description="Sessions of each worker with each token, and signatures that run at once."
    )
    provider_sign_timeout_seconds: float = Field(
        default=5, gt=0, le=60, description="Longest wait of a request for a signature of the device, in seconds."
    )
    provider_key_label: str = Field(default="", description="Label (CKA_LABEL) of the provider's key in the tokens.")
    provider_key_file: Path | None = Field(
        default=None, description="Encrypted key file of the provider, with `provider_key_storage=file`."
    )
    provider_key_password: str = Field(default="", repr=False, description="Password of `provider_key_file`.")
    provider_next_certificate: Path | None = Field(
        default=None, description="Certificate that replaces the current one; its key is stored like the current one."
    )
    provider_next_key_label: str = Field(default="", description="Label of the next key in the tokens.")
    provider_next_key_file: Path | None = Field(default=None, description="Encrypted key file of the next certificate.")
    provider_next_key_password: str = Field(default="", repr=False, description="Password of the next key file.")
    provider_change_over: datetime | None = Field(
        default=None,
        description="Instant from which the next certificate stamps, `2026-12-01T00:00:00-06:00`; without a zone, in "
        "central Mexico.",
    )

    @field_validator("provider_change_over")
    @classmethod
    def _with_zone(cls, value: datetime | None) -> datetime | None:
        return value if value is None or value.tzinfo else value.replace(tzinfo=ZoneInfo("America/Mexico_City"))
