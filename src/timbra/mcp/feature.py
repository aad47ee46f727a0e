"""The feature of the Model Context Protocol."""

from timbra.core.features import Feature

FEATURE = Feature(
    "mcp",
    position=220,
    commands=("commands",),
)
