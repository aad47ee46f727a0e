"""The feature of the emulator of the SAT."""

from timbra.core.features import Feature

FEATURE = Feature(
    "emulator",
    position=180,
    commands=("commands",),
    companions=("development",),
    tables=("bulk.tables",),
)
