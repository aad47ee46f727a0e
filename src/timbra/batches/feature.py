"""The feature of batches."""

from timbra.core.features import Feature

FEATURE = Feature(
    "batches",
    position=70,
    operations=("api", "soap"),
    answers=("serializers",),
    pages=("pages",),
    services=("build",),
    jobs=("build",),
)
