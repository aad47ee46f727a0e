"""The feature of the home page."""

from timbra.core.features import Feature

FEATURE = Feature(
    "home",
    position=200,
    pages=("pages",),
)
