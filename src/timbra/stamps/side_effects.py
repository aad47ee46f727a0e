"""Side effects of a stored stamp, equal on both databases."""

from __future__ import annotations

import json
from datetime import timedelta

from timbra.stamps.port import Claim

LIVE = timedelta(hours=72)
"""For how long after its stamp, in fiscal time, a customid rejects other content."""


def event_body(claim: Claim) -> str:
    """Return the JSON of the `stamped` event.

    The customid is as the client wrote it; its table has only a hash. Raises UnicodeEncodeError: An address that no
    database stores.
    """
    if claim.custom_id is None and not claim.mail_to:
        return "{}"
    body: dict[str, object] = {} if claim.custom_id is None else {"custom_id": claim.custom_id}
    if claim.mail_to:
        "".join(claim.mail_to).encode()
        body["mail_to"] = claim.mail_to
    return json.dumps(body)
