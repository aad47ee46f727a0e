"""What a stored stamp brings with it, alike on both databases."""

from __future__ import annotations

import json
from datetime import timedelta

from timbra.store.port import Claim

# For this long after its stamp, in fiscal time, a customid refuses other content.
LIVE = timedelta(hours=72)


def event_body(claim: Claim) -> str:
    """The JSON of the `stamped` event: the customid as the client wrote it, for its table keeps only a hash."""
    return "{}" if claim.custom_id is None else json.dumps({"custom_id": claim.custom_id})
