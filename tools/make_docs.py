"""Generator of the reference pages that are derived from the code: `make docs`. A test fails when one is stale."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from inspect import get_annotations
from pathlib import Path
from typing import Any, get_args

import typer
from pydantic.fields import FieldInfo

from timbra.cli.main import app
from timbra.operations.alert_rules import rule_file
from timbra.operations.dashboard import dashboard_file
from timbra.settings import DEPRECATED_NAMES, ENV_PREFIX, Settings
from tools.alerts_page import alerts_page
from tools.bounds_page import bounds_page
from tools.bulk_tables import bulk_tables_page
from tools.fsck_page import fsck_page
from tools.markdown import item, items, paragraph
from tools.missing_data import missing_data_page
from tools.page_language import PageLanguage, reference_name
from tools.promises import readme

DOCS = Path(__file__).resolve().parents[1] / "docs"
GENERATED = "<!-- Written by `make docs`; change the code instead. -->\n\n"


def settings_page(language: PageLanguage = PageLanguage.ENGLISH) -> str:
    """Return the page of settings: a section for each group of settings, with one heading for each setting."""
    text = language.text
    lines = [
        text("# Settings", "# Ajustes"),
        "",
        *paragraph(
            text(
                "This page lists every setting of the server: meaning, default, values and limits. A setting is an "
                "environment variable. `TIMBRA_CONFIG` may name a file with lines `TIMBRA_NAME=value`. An environment "
                "variable takes precedence over the file. A variable `TIMBRA_NAME` that nothing reads is named with "
                "the nearest setting; in production and in a rehearsal the server then does not start.",
                "Esta página lista todos los ajustes del servidor: significado, valor normal, valores y límites. Un "
                "ajuste es una variable de entorno. `TIMBRA_CONFIG` puede nombrar un archivo con líneas "
                "`TIMBRA_NOMBRE=valor`. La variable de entorno vale más que el archivo. Una variable `TIMBRA_NOMBRE` "
                "que nada lee se nombra con el ajuste más parecido; en producción y en un ensayo el servidor entonces "
                "no arranca.",
            )
        ),
    ]
    group: type | None = None
    for name, field in Settings.model_fields.items():
        owner = next(base for base in Settings.__mro__ if name in get_annotations(base))
        if owner is not group:
            group = owner
            title = owner.__module__.rpartition(".")[2]
            heading = text(title.capitalize().replace("_", " "), SPANISH_GROUPS[title])
            lines += ["", f"## {heading}", "", *paragraph(language.translated(owner.__doc__ or ""))]
        described = " ".join(filter(None, (language.translated(field.description or ""), _values(field, language))))
        lines += ["", f"### `{ENV_PREFIX}{name.upper()}`", "", *paragraph(described)]
    lines += [
        "",
        text("## Deprecated names", "## Nombres anteriores"),
        "",
        *paragraph(
            text(
                "The server still reads these names, with a warning on standard error. The value `usual` of "
                "`TIMBRA_STATUS_SERVICE` is now `auto`.",
                "El servidor todavía lee estos nombres, con un aviso en la salida de errores. El valor `usual` de "
                "`TIMBRA_STATUS_SERVICE` es ahora `auto`.",
            )
        ),
        "",
        text("| former | new |", "| anterior | nuevo |"),
        "|---|---|",
    ]
    for former, name in DEPRECATED_NAMES.items():
        lines.append(f"| `{ENV_PREFIX}{former.upper()}` | `{ENV_PREFIX}{name.upper()}` |")
    return GENERATED + "\n".join(lines) + "\n"


SPANISH_GROUPS = {
    "sandbox": "Sandbox",
    "installation": "Instalación",
    "integrations": "Integraciones",
    "inspector": "Inspector",
    "documents": "Documentos",
    "archive": "Archivo",
    "lists": "Listas",
    "provider": "Proveedor",
    "delivery": "Entrega",
    "authority": "Autoridad",
    "bulk_download": "Descarga masiva",
    "server": "Servidor",
}


def _values(field: FieldInfo, language: PageLanguage) -> str:
    """Return the sentences about the default of a setting, its values and its limits."""
    sentences = []
    text = language.text
    if not (field.default in (None, "") or field.default_factory):
        sentences.append(f"{text('Default', 'Normal')}: `{_value(field.default)}`.")
    values = (True, False) if field.annotation is bool else get_args(field.annotation)
    if values and all(isinstance(value, str | bool) for value in values):
        sentences.append(f"{text('Values', 'Valores')}: {', '.join(f'`{_value(value)}`' for value in values)}.")
    limits = [f"{text(*words)} {_plain(limit)}" for mark in field.metadata for words, limit in _limits(mark)]
    return " ".join([*sentences, *([f"{text('Limits', 'Límites')}: {', '.join(limits)}."] if limits else [])])


def _plain(limit: float) -> str:
    return str(int(limit) if limit == int(limit) else limit)


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _limits(mark: object) -> Iterator[tuple[tuple[str, str], float]]:
    """Yield the words, in English and Spanish, and the number of each limit that a mark of a field has."""
    for attribute, words in LIMITS.items():
        limit = getattr(mark, attribute, None)
        if limit is not None:
            yield words, limit


LIMITS = {
    "gt": ("more than", "más de"),
    "ge": ("at least", "al menos"),
    "le": ("at most", "a lo más"),
    "lt": ("less than", "menos de"),
}


def commands_page(language: PageLanguage = PageLanguage.ENGLISH) -> str:
    """Return the page of commands: every command with its arguments and options."""
    lines = [
        language.text("# Commands", "# Comandos"),
        "",
        *paragraph(
            language.text(
                "This page lists every command with its arguments and options. All commands can run while a server "
                "uses the same `--data` folder.",
                "Esta página lista todos los comandos con sus argumentos y opciones. Todos pueden correr mientras un "
                "servidor usa la misma carpeta de `--data`.",
            )
        ),
        "",
    ]
    command: Any = typer.main.get_command(app)
    title = language.text("## Options of `timbra` itself", "## Opciones de `timbra`")
    lines += [title, "", *_option_list(command.params, language), ""]
    _describe(command, "timbra", lines, language)
    return GENERATED + "\n".join(lines).rstrip() + "\n"


def _describe(command: Any, name: str, lines: list[str], language: PageLanguage) -> None:
    children = getattr(command, "commands", None)
    if children:
        for child in sorted(children):
            _describe(children[child], f"{name} {child}", lines, language)
        return
    arguments = " ".join(map(_argument, (p for p in command.params if p.param_type_name == "argument")))
    lines += [
        f"## `{' '.join(filter(None, (name, arguments)))}`",
        "",
        *paragraph(language.translated(command.help or "")),
        "",
    ]
    options = [p for p in command.params if p.param_type_name == "option" and p.name != "help"]
    if options:
        lines += [*_option_list(options, language), ""]


def _option_list(options: Iterable[Any], language: PageLanguage) -> list[str]:
    return items(
        f"`{', '.join(option.opts + option.secondary_opts)}`: {_meaning(option, language)}" for option in options
    )


def _argument(argument: Any) -> str:
    name = f"{str(argument.name).upper()}{'...' if argument.nargs == -1 else ''}"
    return name if argument.required else f"[{name}]"


def _meaning(option: Any, language: PageLanguage) -> str:
    value = option.default
    default, required = language.text("Default", "Normal"), language.text("Required", "Obligatorio")
    suffix = "" if value in (None, "", False, ()) or callable(value) else f" {default}: `{value}`."
    return f"{language.translated(option.help or '')}{f' {required}.' if option.required else ''}{suffix}"


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
    reference_name("settings.md", PageLanguage.SPANISH): lambda: settings_page(PageLanguage.SPANISH),
    "commands.md": commands_page,
    reference_name("commands.md", PageLanguage.SPANISH): lambda: commands_page(PageLanguage.SPANISH),
    "alerts.md": lambda: GENERATED + alerts_page(),
    reference_name("alerts.md", PageLanguage.SPANISH): lambda: GENERATED + alerts_page(PageLanguage.SPANISH),
    "../deploy/prometheus/timbra-alerts.yaml": rule_file,
    "../deploy/grafana/timbra.json": dashboard_file,
    "order-of-checks.md": order_page,
    "missing-data.md": lambda: GENERATED + missing_data_page(),
    "bulk-tables.md": lambda: GENERATED + bulk_tables_page(),
    "bounds.md": bounds_page,
    "fsck.md": fsck_page,
    "../README.md": readme,
}


def main() -> None:
    """Write every page."""
    for name, page in PAGES.items():
        (DOCS / name).parent.mkdir(exist_ok=True)
        (DOCS / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
