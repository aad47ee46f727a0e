"""The root of the command tree: the language of an invocation, for the help of all commands and for usage errors."""

from __future__ import annotations

import locale
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from timbra.console import typer_texts
from timbra.console.language import activate, choose_language, split_option


class RootGroup(TyperGroup):
    """Accepts `--lang` before and after subcommands, and translates the tree below it.

    typer builds a new tree for each run, so that a translated tree is not used again.
    """

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Choose the language, translate the tree and parse the arguments."""
        activate(choose_language(args, os.environ, locale.getlocale()[0]))
        typer_texts.translate_tree(self)
        options, others = split_option(args)
        if len(options) == 1:
            # Without this, the next argument would become the missing value.
            others = []
        elif not others and options:
            others = ["--help"]
        with _translated_errors():
            return super().make_context(info_name, [*options, *others], parent, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with _translated_errors():
            return super().invoke(ctx)


@contextmanager
def _translated_errors() -> Iterator[None]:
    try:
        yield
    except (TyperException, typer.Abort) as error:
        typer_texts.translate_error(error)
        raise
