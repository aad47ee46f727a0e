"""The feature of the operation of the server."""

from timbra.core.features import Feature

FEATURE = Feature(
    "operations",
    position=80,
    operations=("api",),
    answers=("serializers",),
    pages=("pages", "rejection_pages", "usage_pages"),
    cards=("rejection_pages",),
    commands=(
        "commands.data",
        "commands.confirmation",
        "mail_commands",
        "outbox_commands",
        "monitoring_commands",
        "doctor_commands",
    ),
    services=("build", "doctor"),
    diagnostics=("server_checks", "build"),
    jobs=("build",),
)
