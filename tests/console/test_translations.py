"""Every text of the command line has a Spanish translation, and `--lang es` prints no English."""

from __future__ import annotations

import re
import shutil
import string
from importlib import import_module
from pathlib import Path

import pytest
from tests.support import cli_texts
from typer.testing import CliRunner

from timbra.cli.main import app
from timbra.console.language import Language, activate, translate
from timbra.console.texts import spanish_texts
from timbra.console.typer_texts import translate_error_message

ENGLISH_WORDS = re.compile(
    r"\b(the|of|and|by|or|with|from|this|for|not|is|are|usage|options?|arguments?|commands?|show|message|exit|default"
    r"|required|missing|invalid|try|help for|such|value|account|folder|seal|stamp documents|print|list of|start here"
    r"|operate|validate documents|without|language|install|input|should|number|file|does|exist|error, )\b",
    re.IGNORECASE,
)
IDENTIFIERS = re.compile(r"--[\w-]+|/[^\s:,]+|'[^']*'|<[^>]*>|`[^`]*`|\{\w+\}|^│ +[a-z]+ +|RFC\.\w+", re.MULTILINE)
"""Names of options, paths, values, types, arguments and commands: they are the same in every language."""
TEXTS = {english: spanish for _, english, spanish in cli_texts.catalogs()}


def spanish_output(*arguments: str) -> str:
    result = CliRunner().invoke(app, [*arguments, "--lang", "es"], env={"COLUMNS": "200"})
    return result.output


def test_help_text_has_a_translation() -> None:
    assert [(place, text) for place, text in sorted(set(cli_texts.help_texts())) if text not in TEXTS] == []


def test_text_of_a_reference_page_has_a_translation() -> None:
    texts = (*cli_texts.summaries(), *cli_texts.settings_texts())
    assert [(name, text) for name, text in texts if text not in TEXTS] == []


def test_label_of_typer_has_a_translation() -> None:
    assert [text for text in cli_texts.typer_labels() if text not in TEXTS] == []


def test_translated_literal_has_a_translation() -> None:
    assert [(place, text) for place, text in cli_texts.literals() if text not in TEXTS] == []


def test_printed_literal_is_translated() -> None:
    assert list(cli_texts.untranslated()) == []


def test_translation_belongs_to_a_text_of_the_program() -> None:
    pairs = (*cli_texts.help_texts(), *cli_texts.literals(), *cli_texts.summaries(), *cli_texts.settings_texts())
    used = {text for _, text in pairs} | {*cli_texts.typer_labels()}
    assert sorted(TEXTS.keys() - used) == []


def test_catalogs_translate_a_text_alike() -> None:
    assert [entry for entry in cli_texts.catalogs() if not entry[2] or entry[2] != TEXTS[entry[1]]] == []


def test_catalogs_are_compiled(tmp_path: Path) -> None:
    for source in cli_texts.FOLDER.glob("*/es.po"):
        target = tmp_path / "src" / "timbra" / source.parent.name / source.name
        target.parent.mkdir(parents=True)
        shutil.copy(source, target)
        import_module("hatch_build").compile_catalogs(tmp_path)
        assert source.with_suffix(".mo").read_bytes() == target.with_suffix(".mo").read_bytes(), "run: make setup"
    assert {text: spanish_texts().gettext(text) for text in TEXTS} == TEXTS


def test_translate_keeps_the_empty_text() -> None:
    activate(Language.SPANISH)
    try:
        assert translate("") == ""
    finally:
        activate(Language.ENGLISH)


def test_translation_has_the_fields_of_its_text() -> None:
    def fields(text: str) -> list[str]:
        return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)

    assert [text for text, spanish in TEXTS.items() if fields(text) != fields(spanish)] == []


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--help",),
        ("stamp", "--help"),
        ("csd", "mint", "--help"),
        ("sandbox", "fault", "--help"),
        ("nothing",),
        ("stamp",),
        ("stamp", "--accoun", "a"),
        ("stamp", "/missing", "--account", "a"),
        ("stamp", "/", "--account", "a"),
        ("stamp", "--account"),
        ("stamp", "--sealed=1"),
        ("serve", "extra"),
        ("serve", "--port", "x"),
        ("serve", "--port", "-1"),
        ("serve", "--workers", "1000"),
        ("sandbox", "fault", "set", "latency", "--seconds", "x"),
        ("sandbox", "answer", "x", "maybe"),
        ("sandbox", "answer", "x"),
        ("vali",),
    ],
    ids=" ".join,
)
def test_output_has_no_english_word_when_the_language_is_spanish(arguments: tuple[str, ...]) -> None:
    output = spanish_output(*arguments)
    assert output.strip()
    assert ENGLISH_WORDS.findall(IDENTIFIERS.sub("", output)) == [], output


def test_english_words_are_found_in_english_help() -> None:
    output = CliRunner().invoke(app, ["--help"]).output
    assert len(ENGLISH_WORDS.findall(IDENTIFIERS.sub("", output))) > 20


def test_help_is_english_again_after_a_run_in_spanish() -> None:
    spanish = spanish_output("serve", "--help")
    english = CliRunner().invoke(app, ["serve", "--help"]).output
    assert "Opciones" in spanish
    assert "Options" in english
    assert "Opciones" not in english


def test_translate_error_message_keeps_an_unknown_message() -> None:
    activate(Language.SPANISH)
    try:
        assert translate_error_message("El documento no existe.") == "El documento no existe."
        assert translate_error_message("Invalid value: sin folio") == "Valor inválido: sin folio"
    finally:
        activate(Language.ENGLISH)
