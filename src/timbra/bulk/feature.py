"""The feature of bulk runs."""

from timbra.core.features import Feature

FEATURE = Feature(
    "bulk",
    position=190,
    commands=("commands.app",),
)
