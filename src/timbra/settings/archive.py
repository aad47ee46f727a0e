"""Archives of each month, and how long the database keeps what is archived."""

from __future__ import annotations

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings

MIN_RETENTION_MONTHS = 3
"""A provider has documents of three months at hand at once."""


class ArchiveSettings(BaseSettings):
    """Archives of each month, and how long the database keeps what is archived."""

    archive_place: str = Field(
        default="",
        description="Where the server writes the archive of each month after its end: a folder, or `s3://BUCKET/PREFIX`"
        " (also `az://`, `gs://`) with `timbra[object-storage]`. Empty: it writes none.",
    )
    retention_months: int = Field(
        default=0,
        ge=0,
        le=1200,
        description="Whole months before the present one whose documents, acuses and events stay in the database, at "
        "least 3; older ones are deleted when a verified archive has them. 0: all of them stay.",
    )

    @field_validator("retention_months")
    @classmethod
    def _at_least_three_months(cls, months: int) -> int:
        if 0 < months < MIN_RETENTION_MONTHS:
            raise ValueError("three months must be reachable at once: 0, or at least 3")
        return months
