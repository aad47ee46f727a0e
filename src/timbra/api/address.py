"""The address under which clients reach this server."""

from __future__ import annotations

import re

from timbra.api.exchange import Exchange

_HOST = re.compile(r"[A-Za-z0-9.-]+(:[0-9]{1,5})?|\[[0-9a-fA-F:.]+\](:[0-9]{1,5})?")


def base_address(exchange: Exchange) -> str:
    """That of the settings, or the one that the request names; without a slash at its end."""
    public = exchange.house.settings.public_url.rstrip("/")
    if public:
        return public
    host = exchange.headers.get("host", "")
    if not _HOST.fullmatch(host):
        address, port = exchange.scope["server"]
        host = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
    return f"{exchange.scope['scheme']}://{host}"
