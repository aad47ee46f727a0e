"""Autenticacion: a provider proves its certificate with WS-Security and gets a token for one service."""

from __future__ import annotations

from datetime import datetime, timedelta
from threading import Lock
from xml.sax.saxutils import escape

from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.core.soap import envelope
from timbra.emulator.options import EmulatorConfiguration
from timbra.emulator.providers import EmulatedProviders
from timbra.emulator.security_headers import SECURITY_TAG, timestamp_header
from timbra.emulator.soap import SoapEndpoint, SoapFault, SoapOperation, SoapRequest
from timbra.emulator.tokens import AccessTokens, Audience
from timbra.seals.xml_signatures.ws_security import (
    MAX_SKEW,
    SECURITY,
    VerifiedLogin,
    verify_security,
)

NAMESPACE = "http://tempuri.org/"
ACTION = "http://tempuri.org/IAutenticacion/Autentica"


class Authentication:
    """The logins of one emulator; every service that gives tokens has an endpoint of its own."""

    def __init__(
        self, providers: EmulatedProviders, tokens: AccessTokens, configuration: EmulatorConfiguration, wall: Clock
    ) -> None:
        """Serve logins. `configuration`: Decides about replayed logins."""
        self._providers = providers
        self._tokens = tokens
        self._configuration = configuration
        self._wall = wall
        self._lock = Lock()
        self._used: dict[bytes, datetime] = {}

    def endpoint(self, audience: Audience) -> SoapEndpoint:
        def authenticate(request: SoapRequest) -> bytes:
            return self._authenticate(request, audience)

        return SoapEndpoint(SoapOperation(ACTION, f"{{{NAMESPACE}}}Autentica", authenticate, (SECURITY_TAG,)))

    def _authenticate(self, request: SoapRequest, audience: Audience) -> bytes:
        headers = request.headers(SECURITY_TAG)
        if len(headers) != 1:
            raise _insecure("Falta el encabezado Security de WS-Security.")
        now = self._wall.now()
        try:
            login = verify_security(headers[0], now)
        except ServiceError as error:
            raise _insecure(error.detail or error.code) from error
        provider = self._providers.accepted(login.certificate)
        if provider is None:
            certificate = login.certificate
            raise SoapFault(
                "FailedAuthentication",
                f"El certificado {certificate.number} de {certificate.rfc} no es de un proveedor registrado, o no es "
                "de una autoridad de confianza, o no está vigente.",
                SECURITY,
            )
        self._require_first_use(login, now)
        token = self._tokens.issue(provider.rfc, audience)
        return envelope(
            f'<AutenticaResponse xmlns="{NAMESPACE}"><AutenticaResult>{escape(token)}</AutenticaResult>'
            "</AutenticaResponse>",
            timestamp_header(now),
        )

    def _require_first_use(self, login: VerifiedLogin, now: datetime) -> None:
        """Reject the signature of an earlier login while its Timestamp is valid."""
        with self._lock:
            self._used = {value: until for value, until in self._used.items() if until > now}
            is_replayed = login.signature in self._used
            self._used[login.signature] = login.expires_at + MAX_SKEW + timedelta(seconds=1)
        if is_replayed and self._configuration.options.replayed_logins == "reject":
            raise _insecure("Este mensaje ya se usó para autenticarse: firme otro Timestamp.")


def _insecure(detail: str) -> SoapFault:
    return SoapFault("InvalidSecurity", f"La seguridad del mensaje no es válida: {detail}", SECURITY)
