"""The feature of archives."""

from timbra.core.features import Feature

FEATURE = Feature(
    "archive",
    position=140,
    commands=("commands",),
)
