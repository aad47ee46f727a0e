"""The choice of the language."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from timbra.cli.main import app
from timbra.console.language import choose_language, split_option


@pytest.mark.parametrize(
    ("arguments", "environment", "system_locale", "expected"),
    [
        (["--lang", "es", "stamp"], {"TIMBRA_LANG": "en"}, None, "es"),
        (["stamp", "--lang=es"], {}, None, "es"),
        (["stamp", "--lang", "en"], {"TIMBRA_LANG": "es"}, None, "en"),
        (["--lang", "fr"], {"TIMBRA_LANG": "es"}, None, "es"),
        (["--", "--lang", "es"], {}, None, "en"),
        (["--lang"], {}, None, "en"),
        ([], {"TIMBRA_LANG": "es", "LANG": "en_US.UTF-8"}, None, "es"),
        ([], {"TIMBRA_LANG": "fr", "LANG": "es_MX.UTF-8"}, None, "es"),
        ([], {"LC_ALL": "C", "LANG": "es_MX.UTF-8"}, None, "en"),
        ([], {"LC_ALL": "", "LC_MESSAGES": "es_ES"}, None, "es"),
        ([], {}, "Spanish_Mexico", "es"),
        ([], {"LANG": "de_DE"}, "es_MX", "en"),
        ([], {}, None, "en"),
    ],
)
def test_choose_language_prefers_option_then_variable_then_locale(
    arguments: list[str], environment: dict[str, str], system_locale: str | None, expected: str
) -> None:
    assert choose_language(arguments, environment, system_locale) == expected


@pytest.mark.parametrize(
    ("arguments", "option", "others"),
    [
        (["a", "--lang", "es", "b"], ["--lang", "es"], ["a", "b"]),
        (["a", "--lang=es"], ["--lang", "es"], ["a"]),
        (["--lang", "es", "a", "--lang", "en"], ["--lang", "en"], ["a"]),
        (["a", "--", "--lang", "es"], [], ["a", "--", "--lang", "es"]),
        (["a", "--lang"], ["--lang"], ["a"]),
        (["--language", "es"], [], ["--language", "es"]),
    ],
)
def test_split_option_separates_the_option(arguments: list[str], option: list[str], others: list[str]) -> None:
    assert split_option(arguments) == (option, others)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--lang", "fr", "stamp"], "'fr' is not one of"),
        (["stamp", "--help", "--lang", "fr"], "'fr' is not one of"),
        (["stamp", "--lang"], "requires an argument"),
    ],
)
def test_lang_without_a_known_language_is_a_usage_error(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert message in result.output


def test_lang_is_accepted_after_a_subcommand() -> None:
    result = CliRunner().invoke(app, ["sandbox", "clock", "--lang", "es", "set", "--help"])
    assert result.exit_code == 0
    assert "Establece la hora fiscal" in result.output


def test_lang_alone_prints_the_help() -> None:
    assert "Para empezar" in CliRunner().invoke(app, ["--lang", "es"]).output


def test_variable_chooses_the_language() -> None:
    assert "Para empezar" in CliRunner().invoke(app, ["--help"], env={"TIMBRA_LANG": "es"}).output
