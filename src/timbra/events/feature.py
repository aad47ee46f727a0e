"""The feature of events."""

from timbra.core.features import Feature

FEATURE = Feature("events", services=("build",))
