"""The request inspector of the portal: whether it records, and how much it keeps."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings


class InspectorSettings(BaseSettings):
    """The request inspector of the portal: whether it records, and how much it keeps."""

    inspector: Literal["auto", "on", "off"] = Field(
        default="auto",
        description="Record the calls of each account, with headers and bodies but without secrets, for the request "
        "inspector of the portal; `auto`: in the sandbox only.",
    )
    inspector_days: int = Field(default=7, gt=0, le=366, description="Days for which recorded calls are kept.")
    inspector_rows: int = Field(
        default=2000, gt=0, le=1_000_000, description="Newest recorded calls of each account that are kept."
    )
    inspector_body_bytes: int = Field(
        default=256 * 1024,
        ge=0,
        le=4 * 1024 * 1024,
        description="Bytes of a request body and of an answer that are recorded; the rest of a longer one is not.",
    )
