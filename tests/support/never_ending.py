"""A typesetting function for child processes, in its own module so that a child imports little."""

from __future__ import annotations

import time

from timbra.rendering.branding import Branding, PrintExtras
from timbra.rendering.view import DocumentView, InvoiceView

MUCH_LONGER_THAN_ANY_DEADLINE = 3600


def typeset_never_ending(view: DocumentView, branding: Branding, extras: PrintExtras, xml: bytes) -> bytes:
    """Return at once for one line; sleep far beyond every deadline for more."""
    if isinstance(view, InvoiceView) and len(view.lines) > 1:
        time.sleep(MUCH_LONGER_THAN_ANY_DEADLINE)
    return b"%PDF"
