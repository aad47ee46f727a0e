"""The feature of the SAT's published lists and of the editions of its catalogs."""

from timbra.core.features import Feature

FEATURE = Feature(
    "lists",
    position=85,
    commands=("catalog_commands",),
    services=("importing", "catalog_build"),
    jobs=("importing",),
    warnings=("catalog_build",),
    diagnostics=("catalog_build",),
    bindings=("catalog_build",),
)
