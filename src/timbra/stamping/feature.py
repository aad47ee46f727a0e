"""The feature of issuing and stamping."""

from timbra.core.features import Feature

FEATURE = Feature(
    "stamping",
    position=20,
    operations=("api", "retenciones_api"),
    answers=("serializers",),
    commands=("commands",),
    services=("build",),
    jobs=("build",),
)
