"""Webhooks and batches of the accounts."""

from __future__ import annotations

from ipaddress import ip_network
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_settings import BaseSettings

MEBIBYTE = 1024 * 1024


def _checked_networks(text: str | None) -> str | None:
    """Check that a list has networks only; raise ValueError otherwise."""
    for network in (text or "").split(","):
        if network.strip():
            ip_network(network.strip())
    return text


class IntegrationSettings(BaseSettings):
    """Webhooks and batches of the accounts."""

    webhook_networks: Annotated[str | None, AfterValidator(_checked_networks)] = Field(
        default=None,
        description="Networks that webhooks may connect to although they are private, loopback or link-local, in CIDR "
        "notation, separated by commas: `127.0.0.0/8,10.1.0.0/16`; empty for none. Public addresses are always "
        "allowed. Unset: private and loopback networks in a sandbox, none in other environments.",
    )
    webhook_timeout_seconds: float = Field(
        default=10, gt=0, le=30, description="Timeout of the delivery of a webhook, its answer included, in seconds."
    )
    webhook_ca: Path | None = Field(
        default=None, description="PEM file of additional authorities for the certificates of webhooks."
    )
    webhook_low_balance: int = Field(
        default=100, gt=0, description="Stamps below which the event `balance.low` is sent to limited accounts."
    )
    batch_max_bytes: int = Field(
        default=64 * MEBIBYTE, gt=0, le=1024 * MEBIBYTE, description="Maximum size of the ZIP of a batch, in bytes."
    )
    batch_max_files: int = Field(default=10_000, gt=0, le=100_000, description="Maximum documents of a batch.")
    batch_max_unpacked_bytes: int = Field(
        default=512 * MEBIBYTE, gt=0, description="Maximum size of all documents of a batch together, in bytes."
    )
    batch_max_queued: int = Field(
        default=20, gt=0, description="Maximum batches of an account that are queued or running."
    )
    batch_concurrency: int = Field(
        default=4, gt=0, le=64, description="Documents of a batch that a worker stamps at the same time."
    )
    batch_result_hours: int = Field(
        default=72, gt=0, le=24 * 30, description="Hours for which the results of a batch can be downloaded."
    )
