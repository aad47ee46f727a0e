"""The feature of the transparency log."""

from timbra.core.features import Feature

FEATURE = Feature(
    "transparency",
    position=125,
    operations=("api",),
    commands=("commands",),
    services=("build",),
    jobs=("build",),
    consumers=("build",),
    warnings=("build",),
    rotations=("keys",),
)
