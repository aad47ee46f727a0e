"""The delivery of stamped documents to the SAT, and the logins of a provider at its services."""

from __future__ import annotations

from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings

_RECEPTION = "https://recepcion.facturaelectronica.sat.gob.mx"


class DeliverySettings(BaseSettings):
    """The delivery of stamped documents to the SAT, and the logins of a provider at its services."""

    rehearsal_sat_url: str = Field(
        default="",
        pattern=r"^(https?://[!-~]+)?$",
        description="Rehearsal only: base URL of the emulator (`timbra sat-emulator`), `http://127.0.0.1:8090`. The "
        "addresses of all services follow from it, except those that another setting gives.",
    )
    sat_reception_login_url: str = Field(
        default=f"{_RECEPTION}/Seguridad/Autenticacion.svc", description="URL of the SAT's login for the reception."
    )
    sat_reception_url: str = Field(
        default=f"{_RECEPTION}/Recepcion/CFDI40/RecibeCFDIService.svc",
        description="URL of the SAT's RecibeCFDIService.",
    )
    sat_container_url: str = Field(
        default="",
        description="URL of the container that the SAT gave the provider, "
        "`https://cfdipac01.blob.core.windows.net/rfc`; a provider does not stamp without it.",
    )
    sat_access_signature: str = Field(
        default="", repr=False, description="Access signature (query string) for uploads to `sat_container_url`."
    )
    sat_cancel_login_url: str = Field(
        default="",
        description="URL of the SAT's login for the cancellation services; empty: the server calls them without login.",
    )
    sat_retenciones_login_url: str = Field(
        default="", description="URL of the SAT's login for the reception of retenciones."
    )
    sat_retenciones_reception_url: str = Field(
        default="",
        description="URL of the SAT's reception of retenciones (`.../api/Recibe`); empty: they are not delivered.",
    )
    sat_retenciones_cancel_login_url: str = Field(
        default="", description="URL of the SAT's login for the cancellation of retenciones; empty: no login."
    )
    sat_tokens: Literal["decoded", "as-received"] = Field(
        default="decoded",
        description="How the token of a login is sent: URL-decoded or as received; providers do both.",
    )
    delivery_concurrency: int = Field(
        default=8, gt=0, le=64, description="Documents that the server delivers at the same time."
    )
    delivery_timeout_seconds: float = Field(
        default=25, gt=0, le=600, description="Timeout of one delivery, all its calls together, in seconds."
    )
    delivery_late_after_seconds: int = Field(
        default=3600,
        gt=0,
        description="A document that the SAT acknowledges later than this after its stamp counts as late; so does one "
        "whose acuse says so.",
    )
    delivery_queue_limit: int = Field(
        default=0,
        ge=0,
        description="Undelivered documents above which the server rejects stamps (503) until the queue is shorter; "
        "0: it stamps even if the SAT does not answer for long.",
    )
