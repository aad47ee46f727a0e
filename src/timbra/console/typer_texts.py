"""Translation of what typer prints: the help of the command tree, typer's own labels, and usage errors.

Type names and the names of commands, options and arguments are not translated.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from types import ModuleType
from typing import Any

from typer.core import TyperGroup

from timbra.console.language import translate
from timbra.core.bounds import Bound, BoundKind

LABELS = {
    "ABORTED_TEXT": "Aborted.",
    "ARGUMENTS_PANEL_TITLE": "Arguments",
    "COMMANDS_PANEL_TITLE": "Commands",
    "DEFAULT_STRING": "[default: {}]",
    "DEPRECATED_STRING": "(deprecated) ",
    "ENVVAR_STRING": "[env var: {}]",
    "ERRORS_PANEL_TITLE": "Error",
    "OPTIONS_PANEL_TITLE": "Options",
    "REQUIRED_LONG_STRING": "[required]",
    "RICH_HELP": "Try [blue]'{command_path} {help_option}'[/] for help.",
}
"""Labels by their names in `typer.rich_utils`."""
USAGE = "Usage: "
HELP_OPTION = "Show this message and exit."
ERRORS = (
    "Got unexpected extra argument(s) ({arguments})",
    "Missing argument {name}. Choose from:\n\t{choices}",
    "Missing option {name}. Choose from:\n\t{choices}",
    "Missing argument {name}.",
    "Missing option {name}.",
    "Missing command.",
    "No such command {name}. Did you mean {suggestions}?",
    "No such command {name}.",
    "No such option: {name} (Possible options: {suggestions})",
    "No such option: {name}",
    "Option {name} does not take a value.",
    "Option {name} requires an argument.",
    "Invalid value for {name}: {reason}",
    "Invalid value: {reason}",
)
"""Usage errors of typer, more specific ones first."""
REASONS = (
    "Value error, {value} is not one of {choices}.",
    "Input should be a valid integer, unable to parse string as an integer",
    "Input should be a valid number, unable to parse string as a number",
    "Input should be greater than or equal to {limit}",
    "Input should be less than or equal to {limit}",
    "file {path} does not exist.",
    "file {path} is a directory.",
    "file {path} is not readable.",
    "directory {path} does not exist.",
    "directory {path} is a file.",
    "directory {path} is not writable.",
    "path {path} does not exist.",
    "path {path} is not readable.",
)
"""Reasons of `Invalid value`."""
TRANSLATED_ATTRIBUTES = (
    "epilog",
    "help",
    "metavar",
    "options_metavar",
    "prompt",
    "rich_help_panel",
    "short_help",
    "subcommand_metavar",
)
"""Attributes of commands and parameters with texts that typer prints."""
UNUSED_BY_HELP = {"rich.markdown": "Markdown", "rich.traceback": "Traceback"}
"""Slow modules that `typer.rich_utils` imports, and the class that it takes of each."""
_FIELD = re.compile(r"\{(\w+)\}")


class _UsageFormatter(TyperGroup.context_class.formatter_class):  # type: ignore[misc, name-defined]
    """Writes the usage line with a translated prefix."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, args, prefix if prefix is not None else translate(USAGE))


TyperGroup.context_class.formatter_class = _UsageFormatter


def translate_tree(command: Any) -> None:
    """Translate the help of a command and of all commands below it, in place.

    Args:
        command: A command or group of typer, as typer built it from the English texts.
    """
    for each in commands_below(command):
        for owner in (each, *each.params):
            for name in TRANSLATED_ATTRIBUTES:
                text = getattr(owner, name, None)
                if isinstance(text, str) and text:
                    setattr(owner, name, translate_help(text))
        each.format_help = partial(_format_help, each)


def commands_below(command: Any) -> Iterator[Any]:
    """Yield a command, and every command below a group."""
    yield command
    for child in getattr(command, "commands", {}).values():
        yield from commands_below(child)


def translate_help(text: str) -> str:
    """Translate a help text paragraph by paragraph."""
    return "\n\n".join(map(translate, paragraphs(text)))


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a help text, each in one line: the units of translation."""
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]


def translate_error(error: Any) -> None:
    """Translate an error that typer is about to print, in place.

    Args:
        error: A usage error, or `typer.Abort`.
    """
    _translate_labels()
    if hasattr(error, "format_message"):
        message = translate_error_message(error.format_message())
        error.format_message = lambda: message


def translate_error_message(message: str) -> str:
    """Translate the message of a usage error; one that is not of typer is returned unchanged."""
    for template in ERRORS:
        if match := _pattern(template).fullmatch(message):
            values = match.groupdict()
            if "reason" in values:
                values["reason"] = _translate_reason(values["reason"])
            return translate(template).format(**values)
    return message


def _translate_reason(reason: str) -> str:
    for template in REASONS:
        if match := _pattern(template).fullmatch(reason):
            return translate(template).format(**match.groupdict())
    return reason


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """Return the expression that matches the messages of a template, with a group for each field."""
    parts = _FIELD.split(template)
    fields = (f"(?P<{part}>.*?)" if place % 2 else re.escape(part) for place, part in enumerate(parts))
    return re.compile("".join(fields), re.DOTALL)


def _format_help(command: Any, context: Any, formatter: Any) -> None:
    """Print the help of a command with translated labels; replaces the method of one command."""
    _translate_labels()
    option = command.get_help_option(context)
    if option is not None:
        option.help = translate(HELP_OPTION)
    type(command).format_help(command, context, formatter)


def _translate_labels() -> None:
    # Imported here, because it is slow and most commands print neither help nor errors.
    with _placeholders():
        from typer import rich_utils

    for name, label in LABELS.items():
        setattr(rich_utils, name, translate(label))


@contextmanager
def _placeholders() -> Iterator[None]:
    """Replace modules by empty ones while `typer.rich_utils` is imported: half of its time, for unused functions.

    Help here is no Markdown, and tracebacks are not printed after a help text or a usage error.
    """
    added = {name: ModuleType(name) for name in UNUSED_BY_HELP if name not in sys.modules}
    for name, module in added.items():
        setattr(module, UNUSED_BY_HELP[name], type(UNUSED_BY_HELP[name], (), {}))
    sys.modules.update(added)
    try:
        yield
    finally:
        for name in added:
            sys.modules.pop(name, None)


BOUNDS = (Bound("_pattern", BoundKind.CACHE, "one for each template of a message", "There are no further templates."),)
