"""The SAT's repository of certificates: those of providers that no data snapshot knows yet."""

from __future__ import annotations

import os
import re
from collections import OrderedDict
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Lock

import structlog

from timbra.authority.sat.breaker import Breaker
from timbra.authority.sat.patience import Patience
from timbra.authority.sat.transport import SUCCESS, Transport, down
from timbra.errors import ServiceError
from timbra.seals.anchors import ProviderCertificate, provider_of
from timbra.seals.certificate import LARGEST_CERTIFICATE, Kind, read_certificate
from timbra.seals.trust import LOCAL, Trust

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.repository")

NUMBER = re.compile(r"[0-9]{20}\Z", re.ASCII)
ABSENT = (404, 410)
ABSENCE_SECONDS = 3_600
"""How long a number that the SAT does not know is not asked for again."""
MOST_REMEMBERED = 4_096


class CertificateRepository:
    """Finds provider certificates by number: in the folder, else at the SAT. Nothing is believed without its issuer.

    folder: keeps what was found. Shared by threads; processes may share the folder.
    """

    def __init__(
        self, url: str, folder: Path, trust: Trust, transport: Transport, breaker: Breaker, patience: Patience
    ) -> None:
        self._url = url.rstrip("/")
        self._folder = folder
        self._trust = trust
        self._transport = transport
        self._breaker = breaker
        self._patience = patience
        self._remembered: OrderedDict[str, tuple[ProviderCertificate | None, float]] = OrderedDict()
        self._lock = Lock()

    def provider(self, number: str) -> ProviderCertificate | None:
        """The certificate of 20 digits; None when the SAT has none of that number, or it is no provider's.

        ServiceError("authority-down") when that cannot be told now.
        """
        if not NUMBER.match(number):
            return None
        now = self._patience.now()
        with self._lock:
            found, until = self._remembered.get(number, (None, now))
        if found is None and until <= now:
            found = self._kept(number) or self._fetched(number)
            self._remember(number, found, now + ABSENCE_SECONDS)
        return found

    def _remember(self, number: str, found: ProviderCertificate | None, until: float) -> None:
        with self._lock:
            self._remembered[number] = found, until
            if len(self._remembered) > MOST_REMEMBERED:
                self._remembered.popitem(last=False)

    def _kept(self, number: str) -> ProviderCertificate | None:
        """From the folder; what is damaged there is fetched anew."""
        try:
            return self._believed(number, (self._folder / f"{number}.cer").read_bytes())
        except (FileNotFoundError, NotADirectoryError, ServiceError):
            return None

    def _fetched(self, number: str) -> ProviderCertificate | None:
        if not self._breaker.admits():
            raise down("El repositorio de certificados del SAT no respondió hace poco.")
        try:
            der = self._patience.ask(lambda seconds: self._asked(number, seconds))
            found = None if der is None else self._believed(number, der)
        except ServiceError:
            self._breaker.failed()
            raise
        self._breaker.succeeded()
        if der is not None and found is not None:
            self._keep(number, der)
        return found

    def _asked(self, number: str, seconds: float) -> bytes | None:
        url = f"{self._url}/{place(number)}"
        answer = self._transport.exchange("GET", url, seconds=seconds, largest=LARGEST_CERTIFICATE)
        if answer.status in ABSENT:
            return None
        if answer.status != SUCCESS:
            raise down(f"El repositorio respondió con el estado HTTP {answer.status}.")
        return answer.body

    def _believed(self, number: str, der: bytes) -> ProviderCertificate | None:
        """The certificate if it is a provider's, issued by a known authority; None if not.

        ServiceError("authority-down") for what is not the certificate of that number at all.
        """
        try:
            certificate = read_certificate(der)
        except ServiceError as cause:
            raise down("El repositorio respondió con algo que no es un certificado.") from cause
        if certificate.number != number:
            raise down("El repositorio respondió con otro certificado.")
        known = certificate.kind is Kind.PROVIDER and self._trust.issuer_of(certificate) is not None
        return provider_of(certificate, LOCAL) if known else None

    def _keep(self, number: str, der: bytes) -> None:
        """Whole or not at all, whoever writes it at the same time. A folder that cannot be written costs time alone."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=self._folder, delete=False) as file:
                file.write(der)
            os.replace(file.name, self._folder / f"{number}.cer")
        except OSError:
            log.exception("certificate not kept", number=number)


def place(number: str) -> str:
    """Where the repository has a certificate: its 20 digits cut into 6, 6, 2, 2 and 2, then the whole number."""
    return f"{number[:6]}/{number[6:12]}/{number[12:14]}/{number[14:16]}/{number[16:18]}/{number}.cer"
