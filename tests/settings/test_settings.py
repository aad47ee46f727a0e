"""Settings: deprecated names and values are read with one warning each; new names take precedence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from timbra.rules.engine.profiles import LENIENT_RULES
from timbra.settings import DEPRECATED_NAMES, Settings, load_settings
from timbra.settings.deprecated import warn

VALUES = {
    "accept_any_rfc": ("true", True),
    "rejection_days": ("7", 7),
    "rejection_documents": ("true", True),
    "sat_acceptance_url": ("https://sat.example/aceptacion", "https://sat.example/aceptacion"),
    "body_min_bytes_per_second": ("77", 77),
}
"""The text and the value of each renamed field that is not a number of seconds."""
SECONDS = ("21", 21)


@pytest.fixture(autouse=True)
def fresh_warnings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("TIMBRA_CONFIG", raising=False)
    warn.cache_clear()
    yield
    warn.cache_clear()


def write_config(folder: Path, monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    path = folder / "timbra.env"
    path.write_text("\n".join(lines))
    monkeypatch.setenv("TIMBRA_CONFIG", str(path))


@pytest.mark.parametrize(("former", "name"), DEPRECATED_NAMES.items())
def test_load_settings_reads_deprecated_name_of_environment_with_one_warning(
    former: str, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text, value = VALUES.get(name, SECONDS)
    monkeypatch.setenv(f"TIMBRA_{former.upper()}", text)
    assert getattr(load_settings(), name) == value
    assert getattr(load_settings(), name) == value
    expected = f"timbra: TIMBRA_{former.upper()} is deprecated; use TIMBRA_{name.upper()}\n"
    assert capsys.readouterr().err == expected


def test_load_settings_reads_deprecated_name_of_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_config(tmp_path, monkeypatch, "TIMBRA_SAT_SECONDS=21")
    assert load_settings().sat_timeout_seconds == 21
    assert "TIMBRA_SAT_SECONDS is deprecated" in capsys.readouterr().err


def test_load_settings_prefers_new_name_over_deprecated_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_config(tmp_path, monkeypatch, "TIMBRA_SAT_TIMEOUT_SECONDS=5")
    monkeypatch.setenv("TIMBRA_SAT_SECONDS", "21")
    assert load_settings().sat_timeout_seconds == 5
    assert "TIMBRA_SAT_SECONDS is deprecated" in capsys.readouterr().err


def test_load_settings_prefers_environment_over_file_for_deprecated_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_config(tmp_path, monkeypatch, "TIMBRA_SAT_SECONDS=5")
    monkeypatch.setenv("TIMBRA_SAT_SECONDS", "21")
    assert load_settings().sat_timeout_seconds == 21


def test_load_settings_prefers_overrides_over_deprecated_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIMBRA_SAT_SECONDS", "21")
    assert load_settings(sat_timeout_seconds=3).sat_timeout_seconds == 3


def test_load_settings_validates_deprecated_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIMBRA_SAT_SECONDS", "0")
    with pytest.raises(ValueError, match="sat_timeout_seconds"):
        load_settings()


@pytest.mark.parametrize(("text", "warned"), [("usual", True), ("auto", False)])
def test_load_settings_reads_deprecated_value_of_status_service(
    text: str, warned: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TIMBRA_STATUS_SERVICE", text)
    assert load_settings().status_service == "auto"
    assert ("TIMBRA_STATUS_SERVICE=usual is deprecated" in capsys.readouterr().err) is warned


def test_load_settings_writes_no_warning_without_deprecated_names(capsys: pytest.CaptureFixture[str]) -> None:
    load_settings()
    assert capsys.readouterr().err == ""


def test_deprecated_names_map_to_fields() -> None:
    assert set(DEPRECATED_NAMES.values()) <= set(Settings.model_fields)
    assert not set(DEPRECATED_NAMES) & set(Settings.model_fields)


def test_load_settings_warns_once_of_the_former_default_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("TIMBRA_DATA", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "timbra-data").mkdir()
    assert [load_settings().data for _ in range(2)] == [Path("timbra-data")] * 2
    assert capsys.readouterr().err.count("timbra-data is deprecated") == 1
    assert load_settings(data=Path("other")).data == Path("other")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, ()),
        ({"vendor_leniency": "all"}, ("carta-porte", "foreign-use")),
        ({"vendor_leniency": " foreign-use , carta-porte"}, ("carta-porte", "foreign-use")),
        ({"carta_porte": "vendor"}, ("carta-porte",)),
        ({"carta_porte": "vendor", "vendor_leniency": "foreign-use"}, ("carta-porte", "foreign-use")),
    ],
)
def test_vendor_leniencies_are_those_of_both_settings(given: dict[str, str], expected: tuple[str, ...]) -> None:
    assert Settings(**given).vendor_leniencies == expected  # type: ignore[arg-type]
    assert set(expected) <= {*LENIENT_RULES}


def test_vendor_leniency_rejects_an_unknown_difference() -> None:
    with pytest.raises(ValueError, match="foreign-uso: known are carta-porte, foreign-use and all"):
        Settings(vendor_leniency="foreign-uso")


def test_page_lists_every_difference_of_the_vendor_with_its_codes() -> None:
    page = (Path(__file__).parents[2] / "docs" / "seed-and-matrix.md").read_text()
    for name, rules in LENIENT_RULES.items():
        (row,) = [line for line in page.splitlines() if line.startswith(f"| `{name}` |")]
        assert all(rule.partition(":")[0] in row for rule in rules)
