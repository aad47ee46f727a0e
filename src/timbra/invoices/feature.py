"""The feature of invoices by hand."""

from timbra.core.features import Feature

FEATURE = Feature(
    "invoices",
    position=45,
    pages=("pages", "draft_pages", "payment_pages", "substitution"),
    tables=("tables",),
    services=("build",),
)
