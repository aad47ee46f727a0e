"""Generator of the reference pages that are derived from the code: `make docs`. A test fails when one is stale."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import typer

from timbra.cli.main import app
from timbra.settings import DEPRECATED_NAMES, ENV_PREFIX, Settings
from tools.bulk_tables import bulk_tables_page
from tools.missing_data import missing_data_page

DOCS = Path(__file__).resolve().parents[1] / "docs"
GENERATED = "<!-- Written by `make docs`; change the code instead. -->\n\n"


def settings_page() -> str:
    """Return docs/settings.md: one line for each setting."""
    lines = [
        "# Settings",
        "",
        "Every setting is an environment variable; `TIMBRA_CONFIG` may name a file with lines `TIMBRA_NAME=value`.",
        "An environment variable takes precedence over the file.",
        "",
        "| variable | default | meaning |",
        "|---|---|---|",
    ]
    for name, field in Settings.model_fields.items():
        default = "" if field.default in (None, "") or field.default_factory else f"`{field.default}`"
        lines.append(f"| `{ENV_PREFIX}{name.upper()}` | {default} | {field.description} |")
    lines += ["", "## Deprecated names", "", "The server still reads these names, with a warning on standard error."]
    lines += ["The value `usual` of `TIMBRA_STATUS_SERVICE` is now `auto`.", "", "| former | new |", "|---|---|"]
    for former, name in DEPRECATED_NAMES.items():
        lines.append(f"| `{ENV_PREFIX}{former.upper()}` | `{ENV_PREFIX}{name.upper()}` |")
    return GENERATED + "\n".join(lines) + "\n"


def commands_page() -> str:
    """Return docs/commands.md: every command with its arguments and options."""
    lines = ["# Commands", "", "All commands can run while a server uses the same `--data` folder.", ""]
    command: Any = typer.main.get_command(app)
    lines += ["## Options of `timbra` itself", "", *_option_table(command.params), ""]
    _describe(command, "timbra", lines)
    return GENERATED + "\n".join(lines).rstrip() + "\n"


def _describe(command: Any, name: str, lines: list[str]) -> None:
    children = getattr(command, "commands", None)
    if children:
        for child in sorted(children):
            _describe(children[child], f"{name} {child}", lines)
        return
    arguments = " ".join(map(_argument, (p for p in command.params if p.param_type_name == "argument")))
    summary = " ".join((command.help or "").split())
    lines += [f"## `{' '.join(filter(None, (name, arguments)))}`", "", summary, ""]
    options = [p for p in command.params if p.param_type_name == "option" and p.name != "help"]
    if options:
        lines += [*_option_table(options), ""]


def _option_table(options: Iterable[Any]) -> list[str]:
    rows = [f"| `{', '.join(option.opts + option.secondary_opts)}` | {_meaning(option)} |" for option in options]
    return ["| option | meaning |", "|---|---|", *rows]


def _argument(argument: Any) -> str:
    name = f"{str(argument.name).upper()}{'...' if argument.nargs == -1 else ''}"
    return name if argument.required else f"[{name}]"


def _meaning(option: Any) -> str:
    default = option.default
    suffix = "" if default in (None, "", False, ()) or callable(default) else f" Default: `{default}`."
    return f"{option.help or ''}{' Required.' if option.required else ''}{suffix}"


def order_page() -> str:
    """Return docs/order-of-checks.md: the checks that issuing and stamping run, in order."""
    from timbra.service.stamping.checks import ORDER

    lines = [
        "# The order of checks",
        "",
        "The response has the code of the first check that rejects the document. Both operations follow this list.",
        "",
        "| step | codes | issue | stamp | check |",
        "|---|---|---|---|---|",
    ]
    for number, check in enumerate(ORDER, 1):
        issue, stamp = ("yes" if operation in check.operations else "" for operation in ("issue", "stamp"))
        lines.append(f"| {number} | {', '.join(check.codes)} | {issue} | {stamp} | {check.description} |")
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
