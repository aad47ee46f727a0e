"""The base URL under which clients reach this server."""

from __future__ import annotations

import re

from timbra.api.framework.request_context import RequestContext

_HOST = re.compile(r"[A-Za-z0-9.-]+(:[0-9]{1,5})?|\[[0-9a-fA-F:.]+\](:[0-9]{1,5})?")


def base_url(request: RequestContext) -> str:
    """Return the base URL, without a trailing slash.

    It is the one of the settings, or else the `Host` of the request, or else the address of the listening socket.
    """
    public_url = request.environment.public_url.rstrip("/")
    if public_url:
        return public_url
    host = request.headers.get("host", "")
    if not _HOST.fullmatch(host):
        address, port = request.scope["server"]
        host = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
    return f"{request.scope['scheme']}://{host}"
