"""Declarations of commands: the command tree is built from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import typer


class Panel(IntEnum):
    """Panels of the help, in their order."""

    START_HERE = 0
    STAMP = 1
    VALIDATE = 2
    OPERATE = 3
    SANDBOX = 4

    @property
    def label(self) -> str:
        """The heading of the panel."""
        return self.name.capitalize().replace("_", " ")


@dataclass(frozen=True, slots=True)
class Command:
    """A command, or a group of commands.

    Attributes:
        name: Name on the command line.
        target: The function of a command, or the tree of a group.
        panel: Panel of the help.
        position: Place in the panel.
    """

    name: str
    target: typer.Typer | Callable[..., Any]
    panel: Panel
    position: int
