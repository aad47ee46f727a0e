"""Side effects of a stored stamp, equal on both databases."""

from __future__ import annotations

import json
from datetime import timedelta

from timbra.stamps.port import Claim

LIVE = timedelta(hours=72)
"""For how long after its stamp, in fiscal time, a customid rejects other content."""


def event_body(claim: Claim) -> str:
    """Return the JSON of the `stamped` event: the customid as the client wrote it; its table has only a hash."""
    return "{}" if claim.custom_id is None else json.dumps({"custom_id": claim.custom_id})
