"""The feature of the simulated authority."""

from timbra.core.features import Feature

FEATURE = Feature(
    "sandbox",
    position=90,
    operations=("api.controls", "api.state", "api.cancellation_replies", "api.status_service", "api.retenciones_page"),
    answers=("serializers",),
    pages=(
        "pages.first_run",
        "pages.controls",
        "pages.taxpayers",
        "pages.certificates",
        "pages.cancellations",
        "pages.ledger",
        "pages.mails",
        "pages.account_reset",
        "pages.verification",
    ),
    commands=("commands.controls", "commands.csd", "commands.example"),
    services=("build",),
    rotations=("authority.certificates.authority",),
    checks=("checks",),
)
