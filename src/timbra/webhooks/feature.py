"""The feature of webhooks."""

from timbra.core.features import Feature

FEATURE = Feature(
    "webhooks",
    position=60,
    operations=("api",),
    answers=("serializers",),
    pages=("pages",),
    commands=("commands", "listen_command"),
    services=("build",),
    jobs=("build",),
    consumers=("build",),
    rotations=("secrets",),
)
