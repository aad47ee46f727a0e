"""Settings of the server, read from `TIMBRA_*` environment variables and an optional dotenv file.

Deprecated names and values are read for one more release, each with one warning on standard error.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, field_validator
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from timbra.data_folder import FORMER_DEFAULT, default_data_folder

MEBIBYTE = 1024 * 1024
ENV_PREFIX = "TIMBRA_"
DEPRECATED_NAMES = {
    "answer_silence_seconds": "write_timeout_seconds",
    "body_least_bytes_per_second": "body_min_bytes_per_second",
    "body_longest_seconds": "body_timeout_seconds",
    "body_silence_seconds": "body_idle_timeout_seconds",
    "database_connect_seconds": "database_connect_timeout_seconds",
    "database_lock_seconds": "database_lock_timeout_seconds",
    "database_statement_seconds": "database_statement_timeout_seconds",
    "head_seconds": "header_timeout_seconds",
    "open_registry": "accept_any_rfc",
    "print_seconds": "print_timeout_seconds",
    "refusal_days": "rejection_days",
    "refusal_documents": "rejection_documents",
    "sat_answer_url": "sat_acceptance_url",
    "sat_seconds": "sat_timeout_seconds",
    "smtp_seconds": "smtp_timeout_seconds",
}
"""The field that replaces each name of an earlier release."""
DEPRECATED_STATUS_SERVICE = "usual"


class DeprecatedNames(PydanticBaseSettingsSource):
    """Values under names of an earlier release; the lowest priority, so that a new name always wins.

    Args:
        settings: the class of the settings.
        environment: the variables of the process and of the settings file, in order of priority; names in lower case.
    """

    def __init__(self, settings: type[BaseSettings], *environment: Mapping[str, str | None]) -> None:
        super().__init__(settings)
        self._environment = environment

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:  # noqa: ARG002
        """Not used: `__call__` reads all fields."""
        return None, field_name, False

    def __call__(self) -> dict[str, Any]:
        """Return the value of each field whose former name is set, and warn about that name."""
        values: dict[str, Any] = {}
        for former, name in DEPRECATED_NAMES.items():
            key = f"{ENV_PREFIX}{former}".lower()
            value = next((variables[key] for variables in self._environment if key in variables), None)
            if value is not None:
                _warn(f"{key.upper()} is deprecated; use {ENV_PREFIX}{name.upper()}")
                values[name] = value
        return values


def _default_data_folder() -> Path:
    """Return the default data folder; warn about the default of an earlier release."""
    folder = default_data_folder()
    if folder == FORMER_DEFAULT and folder.is_dir():
        _warn(f"the default data folder {folder} is deprecated; name it with --data or TIMBRA_DATA")
    return folder


class Settings(BaseSettings):
    """The settings. Each field is a variable `TIMBRA_<FIELD>`; the dotenv file `TIMBRA_CONFIG` has the same names."""

    model_config = SettingsConfigDict(env_prefix=ENV_PREFIX, extra="ignore", frozen=True)

    data: Path = Field(
        default_factory=_default_data_folder,
        description="Folder of all embedded state. Default: `$XDG_DATA_HOME/timbra`, or `~/.local/share/timbra`; on "
        "macOS `~/Library/Application Support/timbra`, on Windows `%LOCALAPPDATA%\\timbra`.",
    )
    environment: Literal["sandbox", "production"] = Field(
        default="sandbox",
        description="The sandbox simulates the authority; the server of one environment rejects tokens of the other.",
    )
    database_url: str = Field(default="", description="Database URL; empty: SQLite inside the data folder.")
    database_connect_timeout_seconds: int = Field(
        default=3, ge=2, le=60, description="Timeout of a connection to PostgreSQL, in seconds."
    )
    database_lock_timeout_seconds: float = Field(
        default=5,
        gt=0,
        le=60,
        description="Timeout of a wait for a lock of PostgreSQL that another node holds, in seconds.",
    )
    database_statement_timeout_seconds: float = Field(
        default=10,
        gt=0,
        le=600,
        description="Timeout of a statement on PostgreSQL, in seconds; the connection is closed when no answer comes "
        "within two seconds more. Migrations have no timeout.",
    )
    public_url: str = Field(
        default="",
        description="Base URL under which clients reach this server, such as `https://pac.example.com`; used in links. "
        "Empty: the base URL of the request.",
    )
    verification_url: str = Field(
        default="",
        pattern=r"^(https?://[!-~]+)?$",
        description="Sandbox only: base URL of the verification page that the QR code leads to, "
        "`https://verificacfdi.facturaelectronica.sat.gob.mx` for the SAT's. Empty: the page of this server, at "
        "`public_url` or the base URL of the request.",
    )
    clock: str = Field(
        default="",
        description="Sandbox only: initial fiscal time, `2026-11-17T12:00:00` (central Mexico, stopped) or `+72h` "
        "(shifted).",
    )
    trust_dir: Path | None = Field(default=None, description="Folder of additional CA and provider certificates.")
    list_signers: str = Field(
        default="",
        description="Numbers of certificates, comma separated, accepted as signers of the SAT's lists besides the "
        "SAT's own.",
    )
    lrfc_columns: str = Field(
        default="",
        description="Meaning of additional columns of l_RFC, `HEADER=field`, comma separated; see "
        "`timbra lists import --help`.",
    )
    snapshot: Path | None = Field(
        default=None, description="Folder of the SAT data snapshot, if it is not the installed one."
    )
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
        description="Goods data of a Carta Porte that their SectorCOFEPRIS does not use (CP159 to CP163), at stamping "
        "and validation: `matrix`: an error, by the SAT's matrix; `vendor`: a warning, because the vendor stamps them.",
    )
    accept_any_rfc: bool = Field(
        default=False, description="Sandbox only: every well-formed RFC is a registered taxpayer."
    )
    status_service: Literal["auto", "sat", "none"] = Field(
        default="auto",
        description="Service that gives the status of a CFDI; `auto`: the SAT in production, the simulated authority "
        "in the sandbox; `sat`: the SAT in the sandbox too; `none`: no service.",
    )
    sat_status_url: str = Field(
        default="https://consultaqr.facturaelectronica.sat.gob.mx/ConsultaCFDIService.svc",
        description="URL of the SAT's ConsultaCFDIService.",
    )
    sat_retenciones_status_url: str = Field(
        default="https://prodretencionverificacion.clouda.sat.gob.mx/Home/ConsultaRetencion",
        description="URL of the SAT's page that shows the status of a retención; empty: disabled.",
    )
    sat_certificates_url: str = Field(
        default="https://rdc.sat.gob.mx/rccf",
        description="Production only: URL of the SAT's certificate repository, queried for unknown certificates of "
        "providers; empty: disabled.",
    )
    sat_cancel_url: str = Field(
        default="", description="Production only: URL of the SAT's CancelaCFDService; empty: cancellation is disabled."
    )
    sat_retenciones_cancel_url: str = Field(
        default="",
        description="Production only: URL of the SAT's service that cancels one retención (`.../api/cancelauno`); "
        "empty: disabled.",
    )
    sat_acceptance_url: str = Field(
        default="", description="Production only: URL of the SAT's AceptacionRechazoService; empty: disabled."
    )
    sat_relations_url: str = Field(
        default="",
        description="Production only: URL of the SAT's CfdiConsultaRelacionadosService; empty: disabled.",
    )
    sat_timeout_seconds: float = Field(
        default=8,
        gt=0,
        le=120,
        description="Timeout of a call to the SAT's services, all attempts together, in seconds.",
    )
    sat_attempts: int = Field(default=3, gt=0, le=10, description="Maximum attempts of a call to a service of the SAT.")
    cancellation_term: str = Field(
        default="working-days",
        pattern=r"^(working-days|[1-9][0-9]{0,3}h)$",
        description="Sandbox only: time after which a cancellation without an answer of the receiver is accepted: "
        "`working-days` (three) or hours, `72h`.",
    )
    cancellation_annual_limit: bool = Field(
        default=True,
        description="Sandbox only: reject with code 210 after the month of the annual return for the CFDI's year.",
    )
    cancellation_free_issuers: str = Field(
        default="",
        description="Sandbox only: RFCs, comma separated, of issuers (financial system, Federation) whose CFDI are "
        "cancelled without acceptance.",
    )
    signed_request_hours_back: float = Field(
        default=72,
        ge=0,
        le=8760,
        description="Maximum age of the `Fecha` of a cancellation or an answer that the client signs, in hours of "
        "fiscal time, in any zone of Mexico; 0: no limit.",
    )
    signed_request_minutes_ahead: float = Field(
        default=5, ge=0, le=1440, description="Minutes for which that `Fecha` may be ahead of fiscal time."
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
    max_bytes_in_flight: int = Field(
        default=256 * MEBIBYTE,
        gt=0,
        description="Memory budget of one worker for request bodies; beyond it the server answers 503. The last "
        "quarter is reserved for bodies of up to 1 MiB.",
    )
    body_idle_timeout_seconds: float = Field(
        default=30, gt=0, description="Timeout between two pieces of a request body, in seconds."
    )
    body_min_bytes_per_second: int = Field(
        default=4096, gt=0, description="Minimum rate of a request body, after the first `body_idle_timeout_seconds`."
    )
    body_timeout_seconds: float = Field(default=600, gt=0, description="Timeout of a whole request body, in seconds.")
    header_timeout_seconds: float = Field(
        default=30, gt=0, description="Timeout of the request line and headers, in seconds."
    )
    write_timeout_seconds: float = Field(
        default=30, gt=0, description="Timeout of a client that does not read its response, in seconds."
    )
    max_connections: int = Field(
        default=4096,
        gt=0,
        description="Maximum connections of one worker, lower if the limit of open files requires it. A new connection "
        "evicts the one that is idle longest or whose body is slowest, or gets 503. Health checks are always answered.",
    )
    max_depth: int = Field(default=100, gt=0, le=250, description="Maximum element nesting of a document.")
    max_attributes: int = Field(default=200, gt=0, description="Maximum attributes of one element.")
    master_key: str = Field(
        default="",
        repr=False,
        description="Master key of the vault, base64 of 32 bytes; empty: the file `master.key`.",
    )
    master_key_file: Path | None = Field(
        default=None, description="File of the master key, if it is not in the data folder."
    )
    previous_master_keys: str = Field(
        default="",
        repr=False,
        description="Earlier master keys, base64, comma separated; used for decryption until `timbra vault rotate`.",
    )
    pkcs11_module: Path | None = Field(
        default=None, description="PKCS#11 module; the master key is then in a token and cannot be extracted."
    )
    pkcs11_token: str = Field(default="", description="Label of the PKCS#11 token.")
    pkcs11_pin: str = Field(default="", repr=False, description="PIN of the PKCS#11 token.")
    pkcs11_master_key: str = Field(default="timbra-master", description="Label of the AES-256 master key in the token.")
    rejection_days: int = Field(
        default=30, gt=0, le=3650, description="Days for which the portal shows rejected stamp requests."
    )
    rejection_documents: bool = Field(
        default=False, description="Store the documents of rejected requests too, for the same time."
    )
    smtp_host: str = Field(default="", description="Mail server; empty: e-mail is disabled.")
    smtp_port: int = Field(default=587, gt=0, le=65535, description="Port of the mail server.")
    smtp_security: Literal["none", "starttls", "tls"] = Field(
        default="starttls", description="Encryption of the connection to the mail server; `tls`: from its start."
    )
    smtp_user: str = Field(default="", description="User of the mail server; empty: no authentication.")
    smtp_password: str = Field(default="", repr=False, description="Password of the mail server.")
    smtp_sender: str = Field(
        default="", description="Sender of e-mails, `Facturas <facturas@example.com>`; required for e-mail."
    )
    smtp_ca: Path | None = Field(
        default=None, description="PEM file of additional authorities for the mail server's certificate."
    )
    smtp_timeout_seconds: float = Field(
        default=10, gt=0, le=60, description="Timeout of an answer of the mail server, in seconds."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Minimum level of log lines."
    )
    log_format: Literal["auto", "json", "text"] = Field(
        default="auto", description="Format of log lines; `auto`: text on a terminal, JSON elsewhere."
    )
    metrics_token: str = Field(
        default="",
        repr=False,
        description="Bearer token of `/metrics`; empty: served to the local machine only, and not through a proxy.",
    )
    rate_per_second: float = Field(
        default=0, ge=0, description="Rate limit of an account at one worker, in requests a second; 0: no limit."
    )
    rate_burst: int = Field(
        default=20, gt=0, description="Burst of an account at one worker: requests above the rate after a pause."
    )
    login_failures: int = Field(
        default=10,
        gt=0,
        le=1000,
        description="Wrong passwords of one user name from one address before its logins are delayed; one more is "
        "allowed every ten minutes. An address from which the account logged in within 30 days is never delayed.",
    )
    login_address_failures: int = Field(
        default=30,
        ge=0,
        le=100_000,
        description="Wrong passwords from one address (IPv6: one /64 network) before its logins are delayed; one more "
        "is allowed every 30 seconds. 0: no limit, for a proxy on another machine that hides its clients; the "
        "loopback address never has one.",
    )
    login_max_delay_seconds: float = Field(
        default=900,
        ge=1,
        le=86_400,
        description="Longest delay of the logins beyond a limit, in seconds.",
    )
    delivery_attempts: int = Field(
        default=90,
        gt=0,
        description="Attempts to deliver to the authority before a delivery becomes a dead letter, about three days; "
        "see `timbra outbox`.",
    )
    drain_seconds: float = Field(
        default=0,
        ge=0,
        le=600,
        description="Drain time: after SIGTERM `/health/ready` answers 503 for so long before the server stops "
        "accepting connections.",
    )

    @field_validator("status_service", mode="before")
    @classmethod
    def _replace_deprecated_status_service(cls, value: object) -> object:
        if value != DEPRECATED_STATUS_SERVICE:
            return value
        _warn(f"TIMBRA_STATUS_SERVICE={DEPRECATED_STATUS_SERVICE} is deprecated; use TIMBRA_STATUS_SERVICE=auto")
        return "auto"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Order the sources: arguments, environment, file, then deprecated names in environment and file."""
        sources = (env_settings, dotenv_settings)
        environment = [source.env_vars for source in sources if isinstance(source, EnvSettingsSource)]
        return init_settings, *sources, file_secret_settings, DeprecatedNames(settings_cls, *environment)


def load_settings(**overrides: Any) -> Settings:
    """Read the settings from the environment and from the file that `TIMBRA_CONFIG` names.

    Args:
        overrides: Values by field name, which have priority over both.

    Raises:
        pydantic.ValidationError: A value is invalid.
    """
    return Settings(_env_file=os.environ.get("TIMBRA_CONFIG"), **overrides)  # type: ignore[call-arg]


@cache
def _warn(message: str) -> None:
    """Write the message to standard error, once in a process."""
    print(f"timbra: {message}", file=sys.stderr)
