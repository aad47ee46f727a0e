"""Generator of the reference pages that are derived from the code: `make docs`. A test fails when one is stale."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from inspect import get_annotations
from pathlib import Path
from typing import Any, get_args

import typer
from pydantic.fields import FieldInfo

from timbra.cli.main import app
from timbra.settings import DEPRECATED_NAMES, ENV_PREFIX, Settings
from tools.bulk_tables import bulk_tables_page
from tools.markdown import item, items, paragraph
from tools.missing_data import missing_data_page

DOCS = Path(__file__).resolve().parents[1] / "docs"
GENERATED = "<!-- Written by `make docs`; change the code instead. -->\n\n"


def settings_page() -> str:
    """Return docs/settings.md: a section for each group of settings, with one heading for each setting."""
    lines = [
        "# Settings",
        "",
        "This page lists every setting of the server: meaning, default, values and limits. A setting is an environment",
        "variable. `TIMBRA_CONFIG` may name a file with lines `TIMBRA_NAME=value`. An environment variable takes",
        "precedence over the file. A variable `TIMBRA_NAME` that nothing reads is named with the nearest setting; in",
        "production and in a rehearsal the server then does not start.",
    ]
    group: type | None = None
    for name, field in Settings.model_fields.items():
        owner = next(base for base in Settings.__mro__ if name in get_annotations(base))
        if owner is not group:
            group = owner
            lines += ["", f"## {owner.__module__.rpartition('.')[2].capitalize()}", "", *paragraph(owner.__doc__ or "")]
        text = " ".join(filter(None, (field.description, _values(field))))
        lines += ["", f"### `{ENV_PREFIX}{name.upper()}`", "", *paragraph(text)]
    lines += ["", "## Deprecated names", "", "The server still reads these names, with a warning on standard error."]
    lines += ["The value `usual` of `TIMBRA_STATUS_SERVICE` is now `auto`.", "", "| former | new |", "|---|---|"]
    for former, name in DEPRECATED_NAMES.items():
        lines.append(f"| `{ENV_PREFIX}{former.upper()}` | `{ENV_PREFIX}{name.upper()}` |")
    return GENERATED + "\n".join(lines) + "\n"


def _values(field: FieldInfo) -> str:
    """Return the sentences about the default of a setting, its values and its limits."""
    sentences = []
    if not (field.default in (None, "") or field.default_factory):
        sentences.append(f"Default: `{_value(field.default)}`.")
    values = (True, False) if field.annotation is bool else get_args(field.annotation)
    if values and all(isinstance(value, str | bool) for value in values):
        sentences.append(f"Values: {', '.join(f'`{_value(value)}`' for value in values)}.")
    limits = [f"{text} {_plain(limit)}" for mark in field.metadata for text, limit in _limits(mark)]
    return " ".join([*sentences, *([f"Limits: {', '.join(limits)}."] if limits else [])])


def _plain(limit: float) -> str:
    return str(int(limit) if limit == int(limit) else limit)


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _limits(mark: object) -> Iterator[tuple[str, float]]:
    """Yield the words and the number of each limit that a mark of a field has."""
    for attribute, words in (("gt", "more than"), ("ge", "at least"), ("le", "at most"), ("lt", "less than")):
        limit = getattr(mark, attribute, None)
        if limit is not None:
            yield words, limit


def commands_page() -> str:
    """Return docs/commands.md: every command with its arguments and options."""
    lines = [
        "# Commands",
        "",
        "This page lists every command with its arguments and options. All commands can run while a server uses the",
        "same `--data` folder.",
        "",
    ]
    command: Any = typer.main.get_command(app)
    lines += ["## Options of `timbra` itself", "", *_option_list(command.params), ""]
    _describe(command, "timbra", lines)
    return GENERATED + "\n".join(lines).rstrip() + "\n"


def _describe(command: Any, name: str, lines: list[str]) -> None:
    children = getattr(command, "commands", None)
    if children:
        for child in sorted(children):
            _describe(children[child], f"{name} {child}", lines)
        return
    arguments = " ".join(map(_argument, (p for p in command.params if p.param_type_name == "argument")))
    lines += [f"## `{' '.join(filter(None, (name, arguments)))}`", "", *paragraph(command.help or ""), ""]
    options = [p for p in command.params if p.param_type_name == "option" and p.name != "help"]
    if options:
        lines += [*_option_list(options), ""]


def _option_list(options: Iterable[Any]) -> list[str]:
    return items(f"`{', '.join(option.opts + option.secondary_opts)}`: {_meaning(option)}" for option in options)


def _argument(argument: Any) -> str:
    name = f"{str(argument.name).upper()}{'...' if argument.nargs == -1 else ''}"
    return name if argument.required else f"[{name}]"


def _meaning(option: Any) -> str:
    default = option.default
    suffix = "" if default in (None, "", False, ()) or callable(default) else f" Default: `{default}`."
    return f"{option.help or ''}{' Required.' if option.required else ''}{suffix}"


def order_page() -> str:
    """Return docs/order-of-checks.md: the checks that issuing and stamping run, in order."""
    from timbra.stamping.check_sequence import BOTH
    from timbra.stamping.checks import ORDER

    lines = [
        "# The order of checks",
        "",
        *paragraph(
            "The server runs these checks, in this order, before it stamps a document. The response has the code of "
            "the first check that rejects the document. Issuing (the server seals) and stamping (the caller has "
            "sealed) follow the same list; a check that only one of them runs says so."
        ),
        "",
    ]
    for number, check in enumerate(ORDER, 1):
        codes = ", ".join(check.codes) or "no code"
        only = "" if check.operations == BOTH else f"; {', '.join(sorted(check.operations))} only"
        lines += item(f"{codes}{only}: {check.description}", number=number)
    return GENERATED + "\n".join(lines) + "\n"


PAGES: dict[str, Callable[[], str]] = {
    "settings.md": settings_page,
    "commands.md": commands_page,
    "order-of-checks.md": order_page,
    "missing-data.md": lambda: GENERATED + missing_data_page(),
    "bulk-tables.md": lambda: GENERATED + bulk_tables_page(),
}


def main() -> None:
    """Write every page."""
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
