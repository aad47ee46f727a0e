"""The feature of drills."""

from timbra.core.features import Feature

FEATURE = Feature(
    "drill",
    position=230,
    commands=("commands",),
)
