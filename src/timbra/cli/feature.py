"""The feature of the commands that start a server and explain rules."""

from timbra.core.features import Feature

FEATURE = Feature(
    "cli",
    position=210,
    commands=("development.dev", "development.demo", "explain", "serve", "lists"),
)
