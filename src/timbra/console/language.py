"""The language of the command line: English or Spanish, for help and messages."""

from __future__ import annotations

import locale
import os
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum

OPTION = "--lang"
VARIABLE = "TIMBRA_LANG"
LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


class Language(StrEnum):
    """Languages of the command line."""

    ENGLISH = "en"
    SPANISH = "es"


_active: Language | None = None


def choose_language(
    arguments: Sequence[str], environment: Mapping[str, str], system_locale: str | None = None
) -> Language:
    """Return the language of the option `--lang`, else of TIMBRA_LANG, else of the locale.

    Args:
        arguments: Arguments of the command line; the option may stand anywhere before `--`.
        environment: Environment variables.
        system_locale: Locale when no environment variable names one, as on Windows: `Spanish_Mexico`.
    """
    options, _ = split_option(arguments)
    locales = [*(environment.get(name) for name in LOCALE_VARIABLES), system_locale]
    name = next(filter(None, locales), "").lower()
    candidates = (options[-1] if options else "", environment.get(VARIABLE, ""))
    by_locale = Language.SPANISH if name.startswith(("es", "spanish")) else Language.ENGLISH
    return next((Language(candidate) for candidate in candidates if candidate in set(Language)), by_locale)


def split_option(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Separate the option `--lang` from the other arguments, so that it may follow a subcommand.

    Args:
        arguments: Arguments of the command line.

    Returns:
        The arguments of the option as `--lang` and its value (`--lang` alone without a value), and the others.
    """
    options: list[str] = []
    others: list[str] = []
    remaining = iter(arguments)
    for argument in remaining:
        name, has_value, value = argument.partition("=")
        if argument == "--":
            others += [argument, *remaining]
        elif name != OPTION:
            others.append(argument)
        elif has_value:
            options = [OPTION, value]
        else:
            options = [OPTION, *([value] if (value := next(remaining, "")) else [])]
    return options, others


def activate(chosen: Language) -> None:
    """Set the language of this process."""
    global _active
    _active = chosen


def language() -> Language:
    """Return the language of this process; the first call chooses it when none is active."""
    if _active is None:
        activate(choose_language(sys.argv[1:], os.environ, locale.getlocale()[0]))
    return _active or Language.ENGLISH


def translate(text: str) -> str:
    """Return an English text of the command line in the language of this process.

    Args:
        text: A complete sentence or label, with `str.format` fields for values: translate it first, then format it.
    """
    if not text or language() is Language.ENGLISH:  # the empty text of a catalog is its header
        return text
    from timbra.console.texts import spanish_texts

    return spanish_texts().gettext(text)
