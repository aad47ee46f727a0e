"""All settings, typed, in one object; read from `TIMBRA_*` variables and an optional file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

MEBIBYTE = 1024 * 1024


class Settings(BaseSettings):
    """Every field is a variable `TIMBRA_<FIELD>`; `TIMBRA_CONFIG` names a file of the same names (dotenv form)."""

    model_config = SettingsConfigDict(env_prefix="TIMBRA_", extra="ignore", frozen=True)

    data: Path = Field(default=Path("timbra-data"), description="Folder of all embedded state; made at first use.")
    environment: Literal["sandbox", "production"] = Field(
        default="sandbox", description="The sandbox simulates the authority; tokens of one are refused by the other."
    )
    database_url: str = Field(default="", description="Database; empty means SQLite inside the data folder.")
    database_connect_seconds: int = Field(
        default=3, ge=2, le=60, description="Longest wait for a connection to PostgreSQL, in seconds."
    )
    database_lock_seconds: float = Field(
        default=5, gt=0, le=60, description="Longest wait for a lock that another node of PostgreSQL holds, in seconds."
    )
    database_statement_seconds: float = Field(
        default=10,
        gt=0,
        le=600,
        description="Longest statement on PostgreSQL, in seconds; two more without an answer, and the connection is "
        "given up. Migrations take as long as they need.",
    )
    public_url: str = Field(
        default="",
        description="Address under which clients reach this server, such as `https://pac.example.com`; links are made "
        "with it. Empty: the address that the request names.",
    )
    clock: str = Field(
        default="",
        description="Sandbox only: initial fiscal time, `2026-11-17T12:00:00` (central Mexico, standing still) "
        "or `+72h` (shifted).",
    )
    trust_dir: Path | None = Field(default=None, description="Folder of further CA and provider certificates.")
    list_signers: str = Field(
        default="",
        description="Numbers of certificates, comma separated, accepted as signers of SAT's lists beside SAT's own.",
    )
    lrfc_columns: str = Field(
        default="",
        description="What further columns of l_RFC are, `HEADER=field` comma separated; `timbra lists import --help`.",
    )
    snapshot: Path | None = Field(
        default=None, description="Folder of the SAT data snapshot, if not the installed one."
    )
    open_registry: bool = Field(
        default=False, description="Sandbox only: any well-formed RFC counts as a registered taxpayer."
    )
    status_service: Literal["usual", "sat", "none"] = Field(
        default="usual",
        description="Who is asked for the status of a CFDI: usually the SAT in production and the simulated authority "
        "in the sandbox; `sat` asks the SAT from the sandbox too.",
    )
    sat_status_url: str = Field(
        default="https://consultaqr.facturaelectronica.sat.gob.mx/ConsultaCFDIService.svc",
        description="Address of the SAT's ConsultaCFDIService.",
    )
    sat_certificates_url: str = Field(
        default="https://rdc.sat.gob.mx/rccf",
        description="Production only: address of the SAT's repository of certificates, asked for those of providers "
        "that are not known yet; empty switches it off.",
    )
    sat_cancel_url: str = Field(
        default="", description="Production only: address of the SAT's CancelaCFDService; empty: nothing is cancelled."
    )
    sat_answer_url: str = Field(
        default="", description="Production only: address of the SAT's AceptacionRechazoService; empty: not offered."
    )
    sat_relations_url: str = Field(
        default="",
        description="Production only: address of the SAT's CfdiConsultaRelacionadosService; empty: not offered.",
    )
    sat_seconds: float = Field(
        default=8, gt=0, le=120, description="Longest wait for the SAT's services, all attempts together, in seconds."
    )
    sat_attempts: int = Field(default=3, gt=0, le=10, description="Most attempts to ask a service of the SAT.")
    cancellation_term: str = Field(
        default="working-days",
        pattern=r"^(working-days|[1-9][0-9]{0,3}h)$",
        description="Sandbox only: how long a receiver may keep silent before a cancellation counts as accepted: "
        "`working-days` (three of them) or hours, `72h`.",
    )
    cancellation_annual_limit: bool = Field(
        default=True,
        description="Sandbox only: code 210 after the month of the annual return for a CFDI's year.",
    )
    cancellation_free_issuers: str = Field(
        default="",
        description="Sandbox only: RFCs, comma separated, of issuers (financial system, Federation) whose CFDI are "
        "cancelled without acceptance.",
    )
    max_body_bytes: int = Field(default=40 * MEBIBYTE, gt=0, description="Largest request body and decoded XML.")
    max_large_bytes: int = Field(
        default=256 * MEBIBYTE, gt=0, description="Largest XML inside the ZIP of the routes for large documents."
    )
    large_memory_bytes: int = Field(
        default=4096 * MEBIBYTE, gt=0, description="Address space of the process that stamps a large document."
    )
    max_bytes_in_flight: int = Field(
        default=256 * MEBIBYTE,
        gt=0,
        description="Most bytes of request bodies that one worker holds at once; beyond it 503. The last quarter is "
        "for bodies of up to 1 MiB.",
    )
    body_silence_seconds: float = Field(
        default=30, gt=0, description="Longest wait for the next piece of a request body, in seconds."
    )
    body_least_bytes_per_second: int = Field(
        default=4096, gt=0, description="Slowest request body, after the first `body_silence_seconds`."
    )
    head_seconds: float = Field(default=30, gt=0, description="Longest time for a request head, in seconds.")
    answer_silence_seconds: float = Field(
        default=30, gt=0, description="Longest time without reading of a client whose answer waits, in seconds."
    )
    max_connections: int = Field(
        default=4096,
        gt=0,
        description="Most connections of one worker, or what the limit of open files leaves; a new one takes the place "
        "of the one idle longest, or gets 503.",
    )
    max_depth: int = Field(default=100, gt=0, le=250, description="Deepest element nesting of a document.")
    max_attributes: int = Field(default=200, gt=0, description="Most attributes of one element.")
    master_key: str = Field(
        default="",
        repr=False,
        description="Master key of the vault, base64 of 32 bytes; empty means the file `master.key`.",
    )
    master_key_file: Path | None = Field(default=None, description="File of the master key, if not in the data folder.")
    previous_master_keys: str = Field(
        default="",
        repr=False,
        description="Earlier master keys, base64, comma separated: still opened; `timbra vault rotate` ends them.",
    )
    pkcs11_module: Path | None = Field(
        default=None, description="PKCS#11 module; with it the master key lives in a token and never leaves it."
    )
    pkcs11_token: str = Field(default="", description="Label of the PKCS#11 token.")
    pkcs11_pin: str = Field(default="", repr=False, description="PIN of the PKCS#11 token.")
    pkcs11_master_key: str = Field(default="timbra-master", description="Label of the AES-256 master key in the token.")
    refusal_days: int = Field(
        default=30, gt=0, le=3650, description="Days for which refused requests of stamping stay in the portal."
    )
    refusal_documents: bool = Field(
        default=False, description="Keep the documents of refused requests too, for as long as those."
    )
    smtp_host: str = Field(default="", description="Mail server; empty: nothing is mailed.")
    smtp_port: int = Field(default=587, gt=0, le=65535, description="Port of the mail server.")
    smtp_security: Literal["none", "starttls", "tls"] = Field(
        default="starttls", description="How the connection to the mail server is secured; `tls`: from its start."
    )
    smtp_user: str = Field(default="", description="User at the mail server; empty: none is asked for.")
    smtp_password: str = Field(default="", repr=False, description="Password at the mail server.")
    smtp_sender: str = Field(
        default="", description="Sender of what is mailed, `Facturas <facturas@example.com>`; needed to mail."
    )
    smtp_ca: Path | None = Field(
        default=None, description="PEM file of further authorities for the mail server's certificate."
    )
    smtp_seconds: float = Field(
        default=10, gt=0, le=60, description="Longest wait for an answer of the mail server, in seconds."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(default="info", description="Least level logged.")
    log_format: Literal["auto", "json", "text"] = Field(
        default="auto", description="Form of log lines; `auto`: text on a terminal, JSON elsewhere."
    )
    metrics_token: str = Field(
        default="",
        repr=False,
        description="Bearer token of `/metrics`; empty: served to this machine only, and not through a proxy.",
    )
    rate_per_second: float = Field(
        default=0, ge=0, description="Requests a second that an account may make of one worker; 0: no limit."
    )
    rate_burst: int = Field(
        default=20, gt=0, description="Requests that an account may make at once of one worker after a pause."
    )
    delivery_attempts: int = Field(
        default=90,
        gt=0,
        description="Attempts to deliver to the authority before a delivery is given up, three days and some hours; "
        "`timbra outbox`.",
    )
    drain_seconds: float = Field(
        default=0,
        ge=0,
        le=600,
        description="How long SIGTERM only turns `/health/ready` to 503, until no more connections are taken.",
    )


def load_settings(**given: Any) -> Settings:
    """The settings of the environment and the file of `TIMBRA_CONFIG`; what is `given` goes before both."""
    return Settings(_env_file=os.environ.get("TIMBRA_CONFIG"), **given)  # type: ignore[call-arg]
