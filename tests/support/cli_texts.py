"""The texts of the command line: help of the command tree, texts of typer, literals that commands print, catalogs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from inspect import get_annotations
from pathlib import Path
from types import ModuleType
from typing import Any

import typer
from babel.messages.pofile import read_po

import timbra
from timbra.app.operation_table import OPERATIONS
from timbra.cli.main import app
from timbra.console import typer_texts
from timbra.settings import Settings

FOLDER = Path(timbra.__file__).parent
TRANSLATING = {"print_rows", "translate"}
"""Functions that translate their first argument."""
PRINTING = {"BadParameter", "add_column", "add_row", "confirm", "echo", "print", "prompt", "secho", "status"}
"""Functions that print a text, or raise it as a usage error."""
GENERIC_MODULES = {"console/language.py", "console/tables.py", "console/typer_texts.py"}
"""Modules that translate texts of others."""
NOT_TRANSLATED = {"CFDI", "Python ", "known", "new", "timbra "}
"""Names, and values that programs read."""
WORD = re.compile(r"[^\W\d_]{2,}")


def catalogs() -> Iterator[tuple[str, str, str]]:
    """Yield the package, the English and the Spanish text of each entry of the catalogs."""
    for source in sorted(FOLDER.glob("*/es.po")):
        with source.open("rb") as file:
            entries = [*read_po(file, abort_invalid=True)]
        yield from ((source.parent.name, entry.id, entry.string) for entry in entries if entry.id)


def help_texts() -> Iterator[tuple[str, str]]:
    """Yield the place and the text of each paragraph of help, each label and each prompt of the command tree."""
    for command in typer_texts.commands_below(typer.main.get_command(app)):
        owners: list[Any] = [command, *command.params]
        for owner in owners:
            for name in typer_texts.TRANSLATED_ATTRIBUTES:
                text = getattr(owner, name, None)
                if isinstance(text, str) and text:
                    yield from ((f"{command.name} {owner.name}", part) for part in typer_texts.paragraphs(text))


def summaries() -> Iterator[tuple[str, str]]:
    """Yield the name and the summary of each operation of the API, which the Spanish page of endpoints has."""
    yield from ((operation.name, operation.summary) for operation in OPERATIONS)


def settings_texts() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each setting and group of settings, which the Spanish page of settings has."""
    groups = [
        (each.__name__, each.__doc__)
        for each in Settings.__mro__
        if Settings.model_fields.keys() & get_annotations(each)
    ]
    described = [(name, field.description) for name, field in Settings.model_fields.items()]
    for name, text in (*groups, *described):
        yield from ((name, part) for part in typer_texts.paragraphs(text or ""))


def typer_labels() -> list[str]:
    """Return the texts of typer itself."""
    own = [typer_texts.USAGE, typer_texts.HELP_OPTION, *typer_texts.LABELS.values()]
    return [*own, *typer_texts.ERRORS, *typer_texts.REASONS]


def modules() -> Iterator[tuple[str, ast.Module, ModuleType]]:
    """Yield the path, the tree and the module of each source file that prints to a terminal."""
    for path in sorted(FOLDER.rglob("*.py")):
        parts = path.relative_to(FOLDER).with_suffix("").parts
        name, source = "/".join(parts) + ".py", path.read_text(encoding="utf-8")
        prints = parts[0] in {"cli", "console"} or "from timbra.console" in source
        if prints and path.stem != "__main__" and name not in GENERIC_MODULES:
            yield name, ast.parse(source), import_module(".".join(("timbra", *parts)).removesuffix(".__init__"))


def literals() -> Iterator[tuple[str, str | None]]:
    """Yield the place and each text that a function of `TRANSLATING` translates; None for an unknown text."""
    for name, tree, module in modules():
        for function, call in _calls(tree):
            if function in TRANSLATING and call.args:
                found: list[str | None] = [*_texts(_without_loop(call.args[0], tree), module)]
                yield from ((f"{name}:{call.lineno}", text) for text in found or [None])


def untranslated() -> Iterator[tuple[str, str]]:
    """Yield the place and each text with a word that a function of `PRINTING` gets without translation."""
    for name, tree, module in modules():
        for function, call in _calls(tree):
            if function in PRINTING and call.args:
                for text in _texts(call.args[0], module, calls=False):
                    if WORD.search(text) and text not in NOT_TRANSLATED:
                        yield f"{name}:{call.lineno}", text


def _calls(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            yield function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", ""), node


def _without_loop(node: ast.AST, tree: ast.Module) -> ast.AST:
    """Return the sequence of the loop whose variable the node is; other nodes unchanged."""
    if isinstance(node, ast.Name):
        for loop in ast.walk(tree):
            if not isinstance(loop, (ast.For, ast.comprehension)) or not isinstance(loop.iter, ast.Name):
                continue
            if isinstance(loop.target, ast.Name) and loop.target.id == node.id:
                return loop.iter
    return node


def _texts(node: ast.AST, module: ModuleType, *, calls: bool = True) -> Iterator[str]:
    """Yield the texts of an expression: its literals and the values of the module's constants that it names.

    Args:
        node: the expression.
        module: the module that contains it.
        calls: whether arguments of calls in the expression, tuples and dictionaries count.
    """
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.Name):
        value = getattr(module, node.id, None)
        if isinstance(value, str):
            yield value
        elif isinstance(value, (Mapping, tuple)) and calls:
            values = value.values() if isinstance(value, Mapping) else value
            yield from (each for each in values if isinstance(each, str))
    elif isinstance(node, (ast.FormattedValue, ast.Subscript)):  # without its format specification
        yield from _texts(node.value, module, calls=calls)
    elif isinstance(node, ast.IfExp):
        yield from (*_texts(node.body, module, calls=calls), *_texts(node.orelse, module, calls=calls))
    elif calls or not isinstance(node, ast.Call):
        for child in ast.iter_child_nodes(node):
            yield from _texts(child, module, calls=calls)
