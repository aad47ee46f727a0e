"""The language of the command line: English or Spanish, for help and messages."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from functools import cache

LANGUAGES = ("en", "es")
OPTION = "--lang"
LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


def choose_language(arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return `en` or `es`: of the option `--lang`, else of TIMBRA_LANG, else of the locale.

    Args:
        arguments: Arguments of the command line; the option may stand anywhere.
        environment: Environment variables.
    """
    for place, argument in enumerate(arguments):
        name, has_value, value = argument.partition("=")
        if name == OPTION:
            chosen = value if has_value else next(iter(arguments[place + 1 :]), "")
            if chosen in LANGUAGES:
                return chosen
    if environment.get("TIMBRA_LANG", "") in LANGUAGES:
        return environment["TIMBRA_LANG"]
    locale = next((environment[name] for name in LOCALE_VARIABLES if environment.get(name)), "")
    return "es" if locale.startswith("es") else "en"


@cache
def language() -> str:
    """Return the language of this process."""
    return choose_language(sys.argv[1:], os.environ)


def translate(text: str) -> str:
    """Return an English text of the command line in the language of this process.

    Args:
        text: A complete sentence or label, with `str.format` fields for values: translate it first, then format it.
    """
    if language() == "en":
        return text
    from timbra.messages.cli import spanish_texts

    return spanish_texts().get(text, text)
