"""The base URL under which clients reach this server."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from timbra.cfdi.qr import VerificationPages
from timbra.web.framework.request_context import RequestContext

if TYPE_CHECKING:
    from starlette.types import Scope

    from timbra.web.request_environment import RequestEnvironment

_HOST = re.compile(r"[A-Za-z0-9.-]+(:[0-9]{1,5})?|\[[0-9a-fA-F:.]+\](:[0-9]{1,5})?")


def base_url(request: RequestContext) -> str:
    return base_url_of(request.environment, request.scope, request.headers.get("host", ""))


def verification_pages(request: RequestContext) -> VerificationPages:
    """Return the pages that the QR codes in the answer to a request lead to, see `verification_pages_of`."""
    return verification_pages_of(request.environment, request.scope, request.headers.get("host", ""))


def base_url_of(environment: RequestEnvironment, scope: Scope, host: str) -> str:
    """Return the base URL, without a trailing slash.

    It is the one of the settings, or else the bound address of a sandbox, or else the `Host` of the request, or else
    the address of the listening socket.

    Args:
        environment: the settings.
        host: header `Host`; empty without one.
    """
    public_url = environment.public_url.rstrip("/")
    if public_url:
        return public_url
    if environment.bound_address:
        host = environment.bound_address
    elif not _HOST.fullmatch(host):
        host = _listening_address(scope)
    return f"{scope.get('scheme', 'http')}://{host}"


def _listening_address(scope: Scope) -> str:
    """Return address and port of the listening socket; `localhost` for a Unix socket."""
    address, port = scope.get("server") or ("", None)
    if port is None:
        return "localhost"
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def verification_pages_of(environment: RequestEnvironment, scope: Scope, host: str) -> VerificationPages:
    """Return the pages that QR codes lead to: those of the environment, or else of this server, see `base_url_of`."""
    return environment.verification_pages or VerificationPages.at(base_url_of(environment, scope, host))
