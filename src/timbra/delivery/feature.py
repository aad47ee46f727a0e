"""The feature of deliveries to the authority."""

from timbra.core.features import Feature

FEATURE = Feature(
    "delivery",
    position=55,
    jobs=("build",),
    consumers=("build",),
)
