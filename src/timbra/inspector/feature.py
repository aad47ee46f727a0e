"""The feature of the request inspector."""

from timbra.core.features import Feature

FEATURE = Feature(
    "inspector",
    position=110,
    pages=("pages",),
    services=("build",),
    jobs=("build",),
    bindings=("build",),
    cards=("cards",),
    filters=("view",),
    tables=("tables",),
)
