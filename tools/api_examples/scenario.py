"""All calls by the tags of the OpenAPI document, in the order in which they are sent."""

from __future__ import annotations

from itertools import chain

from tools.api_examples import administration, controls, documents, stamping
from tools.api_examples.calls import Call

SCENARIO: tuple[Call, ...] = tuple(
    chain(
        administration.security(),
        stamping.calls(),
        documents.validation(),
        documents.cancellation(),
        administration.certificates(),
        documents.stored(),
        administration.lists(),
        administration.management(),
        administration.users(),
        administration.webhooks(),
        administration.batches(),
        administration.service(),
        controls.sandbox(),
    )
)
LARGE = frozenset({"stamp-zip", "stamp-zip-2"})
"""Operations for documents of at least 10,000 Conceptos, which take seconds."""
