"""The feature of backups."""

from timbra.core.features import Feature

FEATURE = Feature(
    "backup",
    position=170,
    commands=("commands",),
    check_sources=("backup_check",),
)
