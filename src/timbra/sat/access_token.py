"""The login of a provider at the SAT's services, and its token, which is used until shortly before it expires."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Protocol, TypeVar
from urllib.parse import unquote

from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.sat.soap import SoapService, is_security_fault
from timbra.sat.transport import down
from timbra.seals.certificates.certificate import Certificate
from timbra.seals.signers.port import Signer
from timbra.seals.xml_signatures.ws_security import security_header

SERVICE = "http://tempuri.org/"
OPERATION = "/IAutenticacion/Autentica"
RENEWAL = timedelta(seconds=100)
"""A token is renewed when less than this is left of its life."""
UNDATED_LIFE = timedelta(seconds=420)
"""The use of a token without ExpiresOn."""
MAX_TOKEN_LENGTH = 4096
Result = TypeVar("Result")
_TOKEN = re.compile(r'[^\s"<>]+\Z')
_EXPIRES_ON = re.compile(r"(?:^|&)ExpiresOn=([0-9]{9,12})(?:&|\Z)")


class LoginCredential(Protocol):
    """The certificate of a provider and its key."""

    @property
    def certificate(self) -> Certificate: ...
    @property
    def signer(self) -> Signer: ...


class Access(Protocol):
    """The token of a service."""

    def authorization(self, seconds: float) -> str:
        """Return the value of the header Authorization; empty for none."""
        ...

    def discard(self, authorization: str) -> None:
        """Forget a token that the service did not accept."""
        ...


class NoAccess:
    """The `Access` of services that are called without a token."""

    def authorization(self, _seconds: float) -> str:
        return ""

    def discard(self, _authorization: str) -> None:
        """Do nothing."""


NO_ACCESS = NoAccess()


class SatAccess:
    """The token of one service. Thread-safe: one thread logs in, the others wait for its token."""

    def __init__(
        self,
        service: SoapService,
        credential: Callable[[], LoginCredential],
        wall: Clock,
        *,
        decoded: bool = True,
        namespace: str = SERVICE,
        life: timedelta = UNDATED_LIFE,
    ) -> None:
        """Log in at first use.

        Args:
            service: The login of the service.
            credential: Returns the credential of the provider that is in force at a login.
            decoded: Whether the token is URL-decoded before it is sent; otherwise it is sent as received.
            namespace: The namespace of the login.
            life: How long a token without ExpiresOn is used.
        """
        self._service = service
        self._credential = credential
        self._wall = wall
        self._decoded = decoded
        self._namespace = namespace
        self._life = life
        self._lock = Lock()
        self._token = ""
        self._renew_at = datetime.min.replace(tzinfo=UTC)

    def authorization(self, seconds: float) -> str:
        """Return the value of the header Authorization.

        Args:
            seconds: The timeout of a login.

        Raises:
            ServiceError: "authority-down" when the login fails; those of the signer.
        """
        with self._lock:
            now = self._wall.now()
            if not self._token or now >= self._renew_at:
                self._token = self._login(now, seconds)
                self._renew_at = _renewal(unquote(self._token), now, self._life)
            token = unquote(self._token) if self._decoded else self._token
        return f'WRAP access_token="{token}"'

    def discard(self, authorization: str) -> None:
        """Forget a token that a service did not accept, unless another thread has renewed it."""
        with self._lock:
            if authorization in (f'WRAP access_token="{form}"' for form in (self._token, unquote(self._token))):
                self._token = ""

    def _login(self, now: datetime, seconds: float) -> str:
        credential = self._credential()
        header = security_header(credential.certificate, credential.signer, now)
        name, action = self._namespace, self._namespace.rstrip("/") + OPERATION
        response = self._service.call(action, f'<Autentica xmlns="{name}"/>', seconds, header=header)
        token = (response.findtext(f"{{{name}}}AutenticaResult") or "").strip()
        if response.tag != f"{{{name}}}AutenticaResponse" or len(token) > MAX_TOKEN_LENGTH:
            raise down("La respuesta no es de Autentica.")
        if not _TOKEN.match(token) or not _TOKEN.match(unquote(token)):
            raise down("Autentica no dio un token.")
        return token


def call_with_token(
    access: Access,
    seconds: float,
    call: Callable[[str, float], Result],
    is_unauthenticated: Callable[[Result], bool],
    now: Callable[[], float] = time.monotonic,
) -> Result:
    """Call a service with a token, and once more with a new one when the service does not accept the token.

    A service may end the life of a token that is good by its date. It says so in its answer or by a SOAP fault.

    Args:
        seconds: The timeout of both calls and of a login.
        call: Calls the service with the value of the header Authorization within some seconds.
        is_unauthenticated: Whether an answer says that the token is not accepted.
        now: Monotonic seconds.

    Returns:
        The last answer, which may say that the second token is not accepted either.

    Raises:
        ServiceError: Those of the login and of the call.
    """
    deadline = now() + seconds
    authorization = access.authorization(seconds)
    fault: ServiceError | None = None
    try:
        result = call(authorization, max(deadline - now(), 0.001))
        if not authorization or not is_unauthenticated(result):
            return result
    except ServiceError as error:
        if not authorization or not is_security_fault(error):
            raise
        fault = error
    access.discard(authorization)
    rest = deadline - now()
    if rest <= 0:
        raise down("No respondió a tiempo.") from fault
    return call(access.authorization(rest), max(deadline - now(), 0.001))


def _renewal(token: str, now: datetime, undated_life: timedelta) -> datetime:
    """Return the instant at which a token is renewed; a token with a short life is used for half of it."""
    found = _EXPIRES_ON.search(token)
    if found is None:
        return now + undated_life
    life = datetime.fromtimestamp(int(found[1]), UTC) - now
    return now + max(life - RENEWAL, life / 2)
