"""The feature of received CFDI."""

from timbra.core.features import Feature

FEATURE = Feature(
    "received",
    position=100,
    pages=("pages", "export_pages"),
    tables=("tables",),
    services=("build",),
    jobs=("build",),
)
