"""The feature of the check of a whole data folder."""

from timbra.core.features import Feature

FEATURE = Feature(
    "fsck",
    position=86,
    commands=("commands",),
    services=("build",),
    jobs=("build",),
    checks=(
        "stamp_events",
        "index_rows",
        "usage",
        "deliveries",
        "balances",
        "consumers",
        "audit_chain",
        "transparency_log",
        "keys",
        "folder",
        "digest_check",
        "seal_check",
    ),
)
