"""The signature of a webhook: HMAC-SHA-256 of the time and the body, hexadecimal."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from hashlib import sha256

HEADER = "Timbra-Signature"


def signature_header(secrets: Sequence[str], timestamp: int, body: bytes) -> str:
    """Return the value of the header: `t=1763402400,v1=HEX`, with one `v1` for each secret that is valid now.

    Args:
        secrets: The secret of the endpoint, then the previous one while it is valid.
        timestamp: Unix time in seconds.
        body: The body of the request, as it is sent.
    """
    signed = f"{timestamp}.".encode() + body
    signatures = [hmac.new(secret.encode(), signed, sha256).hexdigest() for secret in secrets]
    return ",".join([f"t={timestamp}", *(f"v1={signature}" for signature in signatures)])
