"""The feature of amounts."""

from timbra.core.features import Feature

FEATURE = Feature(
    "amounts",
    position=35,
    operations=("api",),
    answers=("serializers",),
    commands=("commands",),
    services=("build",),
)
