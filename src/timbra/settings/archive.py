"""Archives of each month, and how long the database keeps what is archived."""

from __future__ import annotations

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings

AUDIT_DESTINATIONS = ("file:/", "https://", "http://127.0.0.1", "http://[::1]", "http://localhost", "mailto:")
"""How the destinations of audit heads begin."""
MIN_RETENTION_MONTHS = 3
"""A provider has documents of three months at hand at once."""


def destinations_of(audit_heads: str) -> list[str]:
    """Return the destinations that the setting names."""
    return [name for part in audit_heads.split(",") if (name := part.strip())]


class ArchiveSettings(BaseSettings):
    """Archives of each month, what proves that nothing changed, and how long the database keeps what is archived."""

    audit_heads: str = Field(
        default="",
        description="Where the newest signed head of the audit log is sent, separated by commas: `file:/PATH` on "
        "another machine's share gets a line for each head, `https://HOST/PATH` gets it by POST, `mailto:ADDRESS` gets "
        "one mail a day. Empty: it stays in the data folder and in the log of the server.",
    )
    log_origin: str = Field(
        default="",
        pattern=r"^[^\s+]*$",
        description="Name of the transparency log in its checkpoints, as a rule its address without `https://`: "
        "`timbra.example.com`. Empty: `timbra/` with the identifier of its key. A log that lost leaves needs another "
        "name. docs/proof.md explains it.",
    )
    log_public: bool = Field(
        default=True,
        description="Whether any client may read the transparency log: proofs, checkpoint, tiles. Its leaves have "
        "folios, times and hashes. `false`: a token is needed, and a proof is for the account of the stamp.",
    )
    archive_place: str = Field(
        default="",
        description="Where the server writes the archive of each month after its end: a folder, or `s3://BUCKET/PREFIX`"
        " (also `az://`, `gs://`) with `timbra[object-storage]`. Empty: it writes none.",
    )
    online_document_months: int = Field(
        default=0,
        ge=0,
        le=1200,
        description="Whole months before the present one whose documents stay in the database. Those of older months "
        "are read from their verified archive, and the database has a reference in place of each; lists, searches and "
        "sums stay. Backups of the database do not have them. 0: all documents stay.",
    )
    retention_months: int = Field(
        default=0,
        ge=0,
        le=1200,
        description="Whole months before the present one whose documents, acuses and events stay in the database, at "
        "least 3; older ones are deleted when a verified archive has them. 0: all of them stay.",
    )

    @field_validator("audit_heads")
    @classmethod
    def _known_destinations(cls, text: str) -> str:
        for name in destinations_of(text):
            if not name.startswith(AUDIT_DESTINATIONS) or name in AUDIT_DESTINATIONS:
                raise ValueError(f"{name}: a destination is file:/PATH, https://HOST/PATH or mailto:ADDRESS")
        return text

    @field_validator("retention_months")
    @classmethod
    def _at_least_three_months(cls, months: int) -> int:
        if 0 < months < MIN_RETENTION_MONTHS:
            raise ValueError("three months must be reachable at once: 0, or at least 3")
        return months
