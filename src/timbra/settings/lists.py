"""The SAT's lists: where they are fetched from, how old they may be, and the clock of the machine."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings

SOURCES = (
    "`container:https://...` (container of Azure's storage), `https://...` (folder with files under the SAT's names), "
    "`folder:PATH`, or `command:PROGRAM {folder}` (a program that downloads into the folder)"
)
LIST_NAMES = ("LCO", "l_RFC", "L_CNE", "69-B", "tipos-de-cambio")


class ListSettings(BaseSettings):
    """The SAT's lists: where they are fetched from, how old they may be, and the clock of the machine."""

    lists_folder: Path | None = Field(
        default=None,
        description="Folder of the imported lists, which several nodes may share: one of them fetches. Default: "
        "`lists` in the data folder.",
    )
    lists_source: str = Field(
        default="",
        repr=False,
        description=f"Source of LCO, l_RFC and L_CNE: {SOURCES}. Empty: the lists are not fetched.",
    )
    lists_fetched: str = Field(
        default="LCO,l_RFC,L_CNE", description="The lists that are fetched from `lists_source`, comma separated."
    )
    article_69b_source: str = Field(
        default="",
        repr=False,
        description="Source of the SAT's list of article 69-B of the CFF, a CSV: `https://...` of the "
        "file, or as `lists_source`. Empty: not fetched.",
    )
    article_69b: Literal["ignore", "warn", "block"] = Field(
        default="warn",
        description="When the issuer or the receiver of a document to stamp is in the definitive list of article 69-B: "
        "`ignore`; `warn`: stamp it, with the header `X-Timbra-Article-69B`; `block`: reject it with TB4060, or with "
        "TB4061 while there is no list. An account may have another policy.",
    )
    article_69b_max_age_days: int = Field(
        default=90,
        ge=1,
        le=3660,
        description="Age of the list of article 69-B beyond which stamps state that the list is old.",
    )
    exchange_rates_source: str = Field(
        default="",
        repr=False,
        description="Source of published exchange rates, the JSON of Banco de México's SIE or a CSV "
        "`fecha,moneda,pesos`: `https://...` of the file, or as `lists_source`. Empty: not fetched.",
    )
    exchange_rate_series: str = Field(
        default="SF60653=USD",
        description="Currency of each series of Banco de México, `SERIES=CURRENCY`, comma separated.",
    )
    lists_interval_seconds: float = Field(
        default=300,
        ge=10,
        le=86_400,
        description="Time between two queries of a source, in seconds; each source is queried at 00:00 of central "
        "Mexico too. Files are downloaded after a change only.",
    )
    lists_timeout_seconds: float = Field(
        default=900, gt=0, le=7200, description="Timeout of the download of one file of a list, in seconds."
    )
    lists_memory_bytes: int = Field(
        default=2048 * 1024 * 1024,
        ge=1024 * 1024 * 1024,
        description="Memory limit (address space) of the process in which the server imports a large list.",
    )
    list_max_age_hours: str = Field(
        default="LCO=48,l_RFC=168",
        description="Not in a sandbox: the lists that the server needs, and the maximum age of each in hours, from the "
        "start of its day in central Mexico. Empty: none is needed.",
    )
    stale_lists: Literal["unready", "degraded"] = Field(
        default="unready",
        description="`/health/ready` while a list of `list_max_age_hours` is missing or older: `unready`: 503; "
        "`degraded`: 200 with a warning.",
    )
    clock_max_error_seconds: float = Field(
        default=5,
        gt=0,
        le=300,
        description="Maximum error of the machine's clock, as the kernel estimates it, before an alarm.",
    )
    clock_check: Literal["off", "degraded", "unready"] = Field(
        default="degraded",
        description="Not in a sandbox: `/health/ready` while the clock is not synchronized, or its error or its "
        "difference from that of PostgreSQL is larger: `off`: not checked; `degraded`: 200 with a warning; "
        "`unready`: 503.",
    )

    @field_validator("list_max_age_hours")
    @classmethod
    def _require_ages(cls, value: str) -> str:
        max_ages(value)
        return value

    @field_validator("lists_fetched")
    @classmethod
    def _require_names(cls, value: str) -> str:
        unknown = [name for name in split_names(value) if name not in LIST_NAMES[:3]]
        if unknown:
            raise ValueError(f"{', '.join(unknown)}: the lists are {', '.join(LIST_NAMES[:3])}")
        return value


def split_names(text: str) -> list[str]:
    """Return the names of a comma-separated text."""
    return [name for name in (part.strip() for part in text.split(",")) if name]


def max_ages(text: str) -> dict[str, float]:
    """Return the maximum age in hours of each list.

    Args:
        text: "LIST=HOURS", comma separated.

    Raises:
        ValueError: An unknown list, or no positive number.
    """
    ages = {}
    for pair in split_names(text):
        name, _, hours = (part.strip() for part in pair.partition("="))
        if name not in LIST_NAMES:
            raise ValueError(f"{name}: the lists are {', '.join(LIST_NAMES)}")
        ages[name] = float(hours)
        if not 0 < ages[name] <= 100_000:
            raise ValueError(f"{pair}: the age is a number of hours")
    return ages
