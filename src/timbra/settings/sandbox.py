"""The sandbox: faults that clients must survive, and what it does as production does."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings

SHARE = "Sandbox only, with `strict`: share of the requests, 0 to 1, "


class SandboxSettings(BaseSettings):
    """The sandbox: faults that clients must survive, and what it does as production does."""

    strict: bool = Field(
        default=False,
        description="Sandbox only: simulate the faults of the `strict_...` settings, which clients must survive. "
        "`timbra dev --strict` sets it.",
    )
    strict_seed: int = Field(
        default=1,
        ge=0,
        le=2**53,
        description="Sandbox only, with `strict`: the number from which all decisions follow. The n-th request of an "
        "account to an operation has the same faults for the same seed.",
    )
    strict_answer_lost: float = Field(
        default=0.05, ge=0, le=1, description=f"{SHARE}whose stamp is stored and whose answer is lost."
    )
    strict_unavailable: float = Field(default=0.05, ge=0, le=1, description=f"{SHARE}that get 503 with Retry-After.")
    strict_too_many_requests: float = Field(
        default=0.05, ge=0, le=1, description=f"{SHARE}that get 429 with Retry-After."
    )
    strict_retry_after_seconds: int = Field(
        default=2, ge=1, le=600, description="Sandbox only, with `strict`: the value of Retry-After."
    )
    strict_latency: float = Field(default=0.05, ge=0, le=1, description=f"{SHARE}that are answered slowly.")
    strict_latency_seconds: float = Field(
        default=3, gt=0, le=600, description="Sandbox only, with `strict`: the delay of a slow answer, in seconds."
    )
    strict_token_expired: float = Field(
        default=0.02,
        ge=0,
        le=1,
        description=f"{SHARE}whose session ends before its time. Infinite tokens are not affected.",
    )
    strict_lco_changed: float = Field(
        default=0.02,
        ge=0,
        le=1,
        description=f"{SHARE}to stamp for which the LCO does not have the issuer's certificate yet (305).",
    )
    strict_route: str = Field(
        default="",
        description="Sandbox only, with `strict`: the beginning of the path of affected requests, such as "
        "`/cfdi33/issue`; empty: all.",
    )
    strict_account: str = Field(
        default="",
        description="Sandbox only, with `strict`: the user name of the account that is affected; empty: all.",
    )
    sandbox_mail: Literal["keep", "off"] = Field(
        default="keep",
        description="Sandbox only, without `smtp_host`: `keep`: e-mails are not sent, and the portal shows them; "
        "`off`: e-mail is disabled.",
    )
    unknown_after_stamping_seconds: float = Field(
        default=0,
        ge=0,
        le=600,
        description="Sandbox only: seconds of fiscal time after a stamp in which a cancellation is answered with 205 "
        "(1205 for a retención), as the SAT does until it has the document. 0: never.",
    )
