"""The feature of the provider."""

from timbra.core.features import Feature

FEATURE = Feature(
    "provider",
    position=160,
    commands=("commands", "delivery_commands"),
    services=("build", "checks"),
    diagnostics=("checks",),
)
