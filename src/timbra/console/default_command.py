"""A group of commands with a default: `timbra backup FILE` runs `timbra backup create FILE`."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

DEFAULT = "create"


class DefaultCommandGroup(TyperGroup):
    """Runs the command `create` when the first argument names no command of the group."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert the name of the default command where none is given."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)
