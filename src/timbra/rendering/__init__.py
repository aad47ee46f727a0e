"""Display of an invoice: one view model, rendered as HTML and as PDF."""

from __future__ import annotations

from timbra.rendering.reading import ViewReader
from timbra.rendering.view import InvoiceView

__all__ = ["InvoiceView", "ViewReader"]
