"""The feature of cancellation."""

from timbra.core.features import Feature

FEATURE = Feature(
    "cancellation",
    position=40,
    operations=("api", "acceptance_api", "relations_api"),
    answers=("serializers",),
    commands=("commands",),
    tables=("tables",),
    services=("build",),
    jobs=("build",),
    consumers=("build",),
)
