"""The feature of batches."""

from timbra.core.features import Feature

FEATURE = Feature(
    "batches",
    position=70,
    operations=("api", "soap"),
    answers=("serializers",),
    tables=("store.tables",),
    pages=("pages",),
    services=("build",),
    jobs=("build",),
)
