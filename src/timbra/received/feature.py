"""The feature of received CFDI."""

from timbra.core.features import Feature

FEATURE = Feature(
    "received",
    position=100,
    operations=("synchronization.api", "documents.api", "submissions.api", "reconciliation.api"),
    answers=(
        "synchronization.serializers",
        "documents.serializers",
        "submissions.serializers",
        "reconciliation.serializers",
    ),
    pages=(
        "documents.pages",
        "synchronization.pages",
        "pages",
        "submissions.pages",
        "export_pages",
        "reconciliation.pages",
    ),
    commands=("commands", "reconciliation.commands"),
    tables=("tables", "documents.tables", "synchronization.tables", "reconciliation.tables", "submissions.tables"),
    services=("build", "synchronization.build", "reconciliation.build", "submissions.build"),
    jobs=("build", "synchronization.build", "reconciliation.build", "submissions.build"),
    warnings=("synchronization.build", "submissions.build"),
    rotations=("submissions.store",),
)
