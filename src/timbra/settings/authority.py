"""The SAT's services, the simulated authority of the sandbox, and cancellation."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings

from timbra.settings.deprecated import DEPRECATED_STATUS_SERVICE, warn


class AuthoritySettings(BaseSettings):
    """The SAT's services, the simulated authority of the sandbox, and cancellation."""

    status_service: Literal["auto", "sat", "none"] = Field(
        default="auto",
        description="Service that gives the status of a CFDI; `auto`: the SAT in production, the simulated authority "
        "in the sandbox; `sat`: the SAT in the sandbox too; `none`: no service.",
    )
    sat_status_url: str = Field(
        default="https://consultaqr.facturaelectronica.sat.gob.mx/ConsultaCFDIService.svc",
        description="URL of the SAT's ConsultaCFDIService.",
    )
    cancellation_queries_per_minute: int = Field(
        default=60,
        ge=0,
        le=6000,
        description="Queries of ConsultaCFDIService in a minute, of all nodes together, about stamps whose "
        "cancellation is in process, until the SAT has decided them; 0: their outcome is not queried. A sandbox makes "
        "none.",
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
    signed_request_hours_back: float | None = Field(
        default=None,
        ge=0,
        le=8760,
        description="Maximum age of the `Fecha` of a cancellation or an answer that the client signs, in hours of "
        "fiscal time, or of wall time in a sandbox; its zone may be any from Mexico's westernmost to UTC. 0: no limit. "
        "Unset: 72, and no limit in a sandbox, because the samples of SDKs were signed years ago.",
    )
    signed_request_minutes_ahead: float | None = Field(
        default=None,
        ge=0,
        le=1440,
        description="Minutes by which the `Fecha` of a request that the client signs may be ahead of fiscal time. "
        "Unset: 5, and no limit in a sandbox.",
    )
    delivery_attempts: int = Field(
        default=90,
        gt=0,
        description="Attempts to deliver to the authority before a delivery becomes a dead letter, about three days; "
        "see `timbra outbox`.",
    )

    @field_validator("status_service", mode="before")
    @classmethod
    def _replace_deprecated_status_service(cls, value: object) -> object:
        if value != DEPRECATED_STATUS_SERVICE:
            return value
        warn(f"TIMBRA_STATUS_SERVICE={DEPRECATED_STATUS_SERVICE} is deprecated; use TIMBRA_STATUS_SERVICE=auto")
        return "auto"
