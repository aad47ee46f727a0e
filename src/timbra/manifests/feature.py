"""The feature of manifests of issuers."""

from timbra.core.features import Feature

FEATURE = Feature(
    "manifests",
    position=150,
    pages=("pages",),
    commands=("commands",),
    services=("build",),
    bindings=("build",),
)
