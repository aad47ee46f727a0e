"""Display of invoices and retenciones: one view model of each kind, rendered as HTML and as PDF."""

from __future__ import annotations

from timbra.rendering.reading import ViewReader
from timbra.rendering.view import DocumentView, InvoiceView, RetencionView

__all__ = ["DocumentView", "InvoiceView", "RetencionView", "ViewReader"]
