"""The feature of the framework of pages."""

from timbra.core.features import Feature

FEATURE = Feature(
    "web",
    position=220,
    pages=("portal.theme_page",),
)
