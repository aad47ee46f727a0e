"""Client of the SAT's bulk download: one kind of document, the e.firma of one taxpayer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import BinaryIO, TypeVar

from timbra.cfdi.document import ParserLimits
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.core.soap import CONTENT_TYPE, envelope
from timbra.sat.access_token import LoginCredential, SatAccess, call_with_token
from timbra.sat.bulk_download import (
    BAD_TOKEN,
    DOWNLOAD_ACTION,
    LOGIN_SERVICE,
    VERIFICATION_ACTION,
    BulkQuery,
    PackageReader,
    PackageReceipt,
    QueryProgress,
    QueryReceipt,
    download_message,
    query_message,
    read_progress,
    read_receipt,
    verification_message,
)
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.soap import SoapService
from timbra.sat.transport import SUCCESS, Transport, down
from timbra.seals.certificates.certificate import Certificate
from timbra.seals.signers.port import Signer

Result = TypeVar("Result")
LIMITS = ParserLimits(max_bytes=1024 * 1024, max_depth=20, max_attributes=20)
"""A verification names each package in an element of its own."""
TOKEN_LIFE = timedelta(minutes=4)
"""The answer of the login states five minutes, the token ten; users report fewer than five."""
DOWNLOAD_TIMES = 5
"""How many times longer than other calls a download may take."""
MAX_PACKAGE_BYTES = 2 * 1024 * 1024 * 1024
"""Largest answer of the download service."""


@dataclass(frozen=True, slots=True)
class BulkAddresses:
    """Addresses of the four services for one kind of document."""

    authentication: str
    request: str
    verification: str
    download: str


class BulkDownloadClient:
    """Calls the services with the token of one taxpayer.

    Each call is made once, and once more with a new token when the service does not accept the token. Only the caller
    knows whether a call may be repeated: a request counts for life. Every method raises ServiceError: "authority-down"
    without an answer; those of the signer.

    Args:
        addresses: The services.
        credential: Returns the e.firma.
        transport: Sends the calls.
        breaker: Stops calls to these services, of all taxpayers, after repeated failures.
        wall: Wall time.
        seconds: Timeout of a call.
    """

    def __init__(
        self,
        addresses: BulkAddresses,
        credential: Callable[[], LoginCredential],
        transport: Transport,
        breaker: CircuitBreaker,
        wall: Clock,
        seconds: float,
    ) -> None:
        self._credential = credential
        self._transport = transport
        self._breaker = breaker
        self._seconds = seconds
        self._download_url = addresses.download
        self._requests = SoapService(addresses.request, transport, LIMITS)
        self._verifications = SoapService(addresses.verification, transport, LIMITS)
        login = SoapService(addresses.authentication, transport)
        self._access = SatAccess(login, credential, wall, decoded=False, namespace=LOGIN_SERVICE, life=TOKEN_LIFE)

    def authenticate(self) -> None:
        """Get a token unless there is one that is in force: a request that follows is sent at once."""
        self._guarded(lambda: self._access.authorization(self._seconds))

    def request(self, query: BulkQuery) -> QueryReceipt:
        """Ask for the documents of a period.

        Raises:
            ServiceError: "authority-down"; the service may have counted the request then.
        """

        def call(authorization: str, seconds: float) -> QueryReceipt:
            action, body = query_message(query, *self._signing())
            return read_receipt(self._requests.call(action, body, seconds, authorization))

        return self._call(call, lambda receipt: receipt.code == BAD_TOKEN)

    def verify(self, rfc: str, request_id: str) -> QueryProgress:
        """Return the state of a request."""

        def call(authorization: str, seconds: float) -> QueryProgress:
            body = verification_message(rfc, request_id, *self._signing())
            return read_progress(self._verifications.call(VERIFICATION_ACTION, body, seconds, authorization))

        return self._call(call, lambda progress: progress.code == BAD_TOKEN)

    def download(self, rfc: str, package_id: str, target: BinaryIO) -> PackageReceipt:
        """Write a package to a file, which is emptied first; the file is of no use when the call fails.

        The service counts the download also when the answer does not arrive.
        """

        def call(authorization: str, seconds: float) -> PackageReceipt:
            target.seek(0)
            target.truncate()
            body = download_message(rfc, package_id, *self._signing())
            reader = PackageReader(target)
            headers = {
                "Content-Type": CONTENT_TYPE,
                "SOAPAction": f'"{DOWNLOAD_ACTION}"',
                "Authorization": authorization,
            }
            status = self._transport.post(
                self._download_url,
                envelope(body),
                reader,
                seconds=seconds,
                max_bytes=MAX_PACKAGE_BYTES,
                headers=headers,
            )
            if status != SUCCESS:
                raise down(f"Respondió con el estado HTTP {status}.", reader.fault())
            return reader.finish()

        return self._call(call, lambda receipt: receipt.code == BAD_TOKEN, DOWNLOAD_TIMES)

    def _signing(self) -> tuple[Certificate, Signer]:
        credential = self._credential()
        return credential.certificate, credential.signer

    def _call(
        self, call: Callable[[str, float], Result], is_unauthenticated: Callable[[Result], bool], times: int = 1
    ) -> Result:
        return self._guarded(lambda: call_with_token(self._access, times * self._seconds, call, is_unauthenticated))

    def _guarded(self, call: Callable[[], Result]) -> Result:
        """Make a call unless the circuit is open, and count its failure."""
        if not self._breaker.allow():
            raise down("Sus últimas llamadas fallaron y no se repite todavía.")
        try:
            result = call()
        except ServiceError as error:
            if error.code == "authority-down":
                self._breaker.record_failure()
            raise
        self._breaker.record_success()
        return result
