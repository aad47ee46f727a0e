"""The feature of the framework of commands."""

from timbra.core.features import Feature

FEATURE = Feature(
    "console",
    position=230,
    texts=("data_folder_texts", "help_texts"),
)
