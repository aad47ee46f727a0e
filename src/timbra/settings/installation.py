"""Where the server keeps its state, its keys and the SAT's data, and how others reach it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings

from timbra.core.data_folder import FORMER_DEFAULT, default_data_folder
from timbra.settings.deprecated import warn


def _default_data_folder() -> Path:
    """Return the default data folder; warn about the default of an earlier release."""
    folder = default_data_folder()
    if folder == FORMER_DEFAULT and folder.is_dir():
        warn(f"the default data folder {folder} is deprecated; name it with --data or TIMBRA_DATA")
    return folder


class InstallationSettings(BaseSettings):
    """Where the server keeps its state, its keys and the SAT's data, and how others reach it."""

    data: Path = Field(
        default_factory=_default_data_folder,
        description="Folder of all embedded state. Default: `$XDG_DATA_HOME/timbra`, or `~/.local/share/timbra`; on "
        "macOS `~/Library/Application Support/timbra`, on Windows `%LOCALAPPDATA%\\timbra`.",
    )
    environment: Literal["sandbox", "rehearsal", "production"] = Field(
        default="sandbox",
        description="`sandbox`: the server simulates the SAT; `rehearsal`: the code of production, against an emulator "
        "of the SAT whose authority is the only trusted one; `production`. Database, data folder and tokens belong to "
        "one environment; the others reject them.",
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
        "Empty: in a sandbox the address on which it listens; elsewhere, and when it listens on all addresses, that of "
        "the request. Production then makes no links to files of stored CFDI.",
    )
    verification_url: str = Field(
        default="",
        pattern=r"^(https?://[!-~]+)?$",
        description="Sandbox only: base URL of the verification page that the QR code leads to, "
        "`https://verificacfdi.facturaelectronica.sat.gob.mx` for the SAT's. Empty: the page of this server, at "
        "`public_url` or the address that it stands for.",
    )
    clock: str = Field(
        default="",
        description="Sandbox only: initial fiscal time, `2026-11-17T12:00:00` (central Mexico, stopped) or `+72h` "
        "(shifted).",
    )
    trust_dir: Path | None = Field(
        default=None,
        description="Folder of additional CA and provider certificates; production accepts those only whose chain "
        "leads to the SAT, a rehearsal accepts none.",
    )
    rehearsal_authority: Path | None = Field(
        default=None,
        description="Rehearsal only: certificate (DER or PEM) of the authority of the emulator, the only one that is "
        "trusted.",
    )
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
    backup_recipients: str = Field(
        default="",
        description="Public keys (`age1...`), comma separated, to which `timbra backup` encrypts; empty: unencrypted. "
        "See `timbra backup keys`.",
    )
    backup_signing_key_file: Path | None = Field(
        default=None, description="File of the private key with which `timbra backup` signs; unset: no signature."
    )
    backup_public_key_file: Path | None = Field(
        default=None,
        description="File of the public key that must have signed a backup that is verified or restored; unset: "
        "signatures are not verified.",
    )
    backup_identity_file: Path | None = Field(
        default=None, description="File of the private key that decrypts backups; keep it on no server."
    )
