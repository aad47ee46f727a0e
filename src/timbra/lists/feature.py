"""The feature of the SAT's published lists."""

from timbra.core.features import Feature

FEATURE = Feature(
    "lists",
    position=85,
    services=("importing",),
    jobs=("importing",),
)
