"""The feature of reports."""

from timbra.core.features import Feature

FEATURE = Feature(
    "reports",
    position=130,
    pages=("pages",),
    commands=("commands",),
    bindings=("build",),
    services=("build",),
)
