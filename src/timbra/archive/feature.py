"""The feature of archives."""

from timbra.core.features import Feature

FEATURE = Feature(
    "archive",
    position=115,
    commands=("commands",),
    services=("build",),
    jobs=("build",),
    bindings=("build",),
    warnings=("build",),
    diagnostics=("build",),
    check_sources=("archive_check",),
)
