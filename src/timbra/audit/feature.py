"""The feature of the audit log."""

from timbra.core.features import Feature

FEATURE = Feature(
    "audit",
    position=120,
    pages=("pages",),
    filters=("texts",),
    commands=("commands",),
    services=("build",),
    jobs=("heads",),
    warnings=("heads",),
    diagnostics=("heads",),
)
