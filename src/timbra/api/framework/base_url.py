"""The address under which clients reach this server."""

from __future__ import annotations

import re

from timbra.api.framework.request_context import RequestContext

_HOST = re.compile(r"[A-Za-z0-9.-]+(:[0-9]{1,5})?|\[[0-9a-fA-F:.]+\](:[0-9]{1,5})?")


def base_address(request: RequestContext) -> str:
    """That of the settings, or the one that the request names; without a slash at its end."""
    public = request.environment.public_url.rstrip("/")
    if public:
        return public
    host = request.headers.get("host", "")
    if not _HOST.fullmatch(host):
        address, port = request.scope["server"]
        host = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
    return f"{request.scope['scheme']}://{host}"
