"""The tax authority as the service sees it. Implementations: `authority.sandbox`, `authority.sat`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from timbra.seals.certificate import Certificate
from timbra.seals.signers.port import Signer


@dataclass(frozen=True, slots=True)
class StatusQuery:
    """What SAT's ConsultaCFDI is asked with: the printed expression's parts, values as the document writes them."""

    uuid: str
    issuer_rfc: str
    receiver_rfc: str
    total: str
    seal_tail: str


@dataclass(frozen=True, slots=True)
class FiscalStatus:
    """SAT's own words. status: `Vigente`, `Cancelado`, `No Encontrado`. efos: ValidacionEFOS, empty when not told."""

    status: str
    code: str
    cancelable: str | None
    cancellation: str
    efos: str = ""


class StatusService(Protocol):
    """Who knows the status of any CFDI."""

    def status(self, query: StatusQuery) -> FiscalStatus:
        """The fiscal status. ServiceError("authority-down") when the authority does not answer."""
        ...


class Authority(StatusService, Protocol):
    """What any authority, simulated or real, can do."""

    def deliver_all(self, uuids: Iterable[str]) -> None:
        """Report stored stamps; repeating is harmless. ServiceError when they must be tried again."""
        ...


class Provider(Protocol):
    """Who stamps: the provider's signer (certificate and key) and RFC."""

    @property
    def rfc(self) -> str: ...
    @property
    def signer(self) -> Signer: ...
    @property
    def certificate(self) -> Certificate: ...
