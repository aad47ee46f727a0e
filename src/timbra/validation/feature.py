"""The feature of validation."""

from timbra.core.features import Feature

FEATURE = Feature(
    "validation",
    position=30,
    operations=("api", "catalog_api"),
    answers=("serializers",),
    pages=("pages",),
    commands=("commands",),
    services=("build",),
)
