"""The feature of validation."""

from timbra.core.features import Feature

FEATURE = Feature(
    "validation",
    position=30,
    operations=("api", "taxpayer_lookup_api"),
    answers=("serializers",),
    pages=("pages", "rule_pages"),
    commands=("commands",),
    services=("build",),
)
