from __future__ import annotations

import pytest

from timbra.core.errors import ServiceError
from timbra.lists.sources.columns import FIELDS, fields_of, known_columns, row_pattern


def rejection(header: str, setting: str = "") -> str:
    with pytest.raises(ServiceError) as caught:
        fields_of(header, known_columns(setting))
    assert caught.value.code == "list-columns"
    return str(caught.value)


def test_fields_of_reads_the_documented_header() -> None:
    assert fields_of("RFC|SNCF|SUBCONTRATACION", known_columns()) == ("rfc", "sncf", "subcontracting")
    assert fields_of("RFC|SNCF|SUBCONTRATACION|", known_columns()) == ("rfc", "sncf", "subcontracting")
    assert fields_of("subcontratacion|rfc", known_columns()) == ("subcontracting", "rfc")


def test_fields_of_requires_a_setting_for_further_columns() -> None:
    assert "NOMBRE" in rejection("RFC|NOMBRE|SNCF")
    setting = known_columns("nombre=name, CP = postal_code ,LIMITE=unused,OTRO=unused")
    assert fields_of("RFC|NOMBRE|LIMITE|CP|OTRO", setting) == ("rfc", "name", "unused", "postal_code", "unused")


@pytest.mark.parametrize(
    "header", ["SNCF", "", "RFC|RFC", "RFC|SNCF|SNCF", "RFC,SNCF", "RFC;SNCF", "|".join(["RFC"] * 50)]
)
def test_fields_of_rejects_malformed_headers(header: str) -> None:
    rejection(header)


@pytest.mark.parametrize("setting", ["NOMBRE", "NOMBRE=", "=name", "NOMBRE=nombre"])
def test_known_columns_rejects_unknown_fields(setting: str) -> None:
    with pytest.raises(ServiceError) as caught:
        known_columns(setting)
    assert caught.value.code == "list-columns"


def test_row_pattern_matches_rows_by_the_form_of_their_columns() -> None:
    pattern = row_pattern(("sncf", "rfc", "name", "postal_code"))
    found = pattern.findall("0|EKU9003173C9|ESCUELA KEMPER URGATE|42501\r\n1|OÑO120726RX3||\n".encode())
    assert [(before, rfc.decode(), after) for before, rfc, after in found] == [
        (b"0|", "EKU9003173C9", b"|ESCUELA KEMPER URGATE|42501"),
        (b"1|", "OÑO120726RX3", b"||"),
    ]
    for wrong in (
        "2|EKU9003173C9|X|42501",
        "0|EKU9003173|X|42501",
        "0|EKU9003173C9|X|4250",
        "0|EKU9003173C9|X|Y|42501",
    ):
        assert pattern.findall(wrong.encode()) == []


def test_row_pattern_excludes_bars_and_newlines_from_every_field() -> None:
    for field in set(FIELDS) - {"rfc"}:
        pattern = row_pattern(("rfc", field))
        assert pattern.fullmatch(b"EKU9003173C9|1|1") is None
