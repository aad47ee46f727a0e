"""The list of article 69-B and published exchange rates, as files."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from tests.lists.signing import importer

from timbra.core.errors import ServiceError
from timbra.lists.published import PublishedLists
from timbra.lists.sources.article_69b import Article69bFile
from timbra.lists.sources.exchange_rates import ExchangeRateFile, series_of
from timbra.lists.sources.part_names import ListKind

LISTED = """Información actualizada al 15 de octubre de 2026,,,
Listado completo de contribuyentes (Artículo 69-B del Código Fiscal de la Federación),,,
No,RFC,Nombre del Contribuyente,Situación del contribuyente,Número y fecha de oficio
1,EKU9003173C9,"ESCUELA KEMPER, URGATE",Definitivo,500-05
2,XIA190128J61,XENON  INDUSTRIAL,Sentencia Favorable,500-06
3,XXXXXXXXXXXX,POR RESOLUCIÓN JUDICIAL,Definitivo,500-07
4,IIA040805DZ4,INDISTRIA,Situación nueva,500-08
"""


def test_article_69b_is_read_by_its_headings() -> None:
    file = Article69bFile(LISTED.encode("cp1252"))
    assert file.rows() == [
        (b"EKU9003173C9", b"EKU9003173C9|Definitivo|ESCUELA KEMPER, URGATE\n"),
        (b"XIA190128J61", b"XIA190128J61|Sentencia Favorable|XENON INDUSTRIAL\n"),
    ]
    assert (file.dated, file.skipped) == (date(2026, 10, 15), 1)


def test_article_69b_is_looked_up_after_its_import(tmp_path: Path) -> None:
    (tmp_path / "Listado_Completo_69-B.csv").write_bytes(LISTED.encode())
    edition = importer(tmp_path / "lists").run(ListKind.ARTICLE_69B, [tmp_path / "Listado_Completo_69-B.csv"])
    assert (edition.dated, edition.signers, edition.rows) == (date(2026, 10, 15), (), 2)
    listed = PublishedLists(tmp_path / "lists").current.presumptions
    assert listed is not None
    found = listed.presumed("EKU9003173C9")
    assert found is not None
    assert (found.situation, found.name) == ("Definitivo", "ESCUELA KEMPER, URGATE")
    assert listed.presumed("IIA040805DZ4") is None


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"<html><head></head></html>", "list-unreadable"), (b"a,b\n1,2\n", "list-columns"), (b"", "list-columns")],
)
def test_article_69b_rejects_another_file(tmp_path: Path, content: bytes, code: str) -> None:
    (tmp_path / "69b.csv").write_bytes(content)
    with pytest.raises(ServiceError) as caught:
        importer(tmp_path / "lists").run(ListKind.ARTICLE_69B, [tmp_path / "69b.csv"])
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b'{"bmx": {"series": [{"idSerie": "SF1", "datos": []}]}}', "list-columns"),
        (b'{"error": {"mensaje": "Token"}}', "list-unreadable"),
        (b"moneda,pesos\nUSD,18\n", "list-columns"),
    ],
)
def test_exchange_rates_reject_another_file(content: bytes, code: str) -> None:
    with pytest.raises(ServiceError) as caught:
        ExchangeRateFile(content, {"SF60653": "USD"}).rows()
    assert caught.value.code == code


def test_exchange_rates_skip_malformed_rows() -> None:
    text = (
        b"fecha,moneda,pesos\n20/11/2026,USD,-1\n20/11/2026,USD,NaN\n31/02/2026,USD,1\n20/11/2026,dolar,1\n20/11/2026\n"
    )
    file = ExchangeRateFile(text, {})
    assert (file.rows(), file.skipped, file.dated) == ([], 5, None)


def test_series_of_rejects_another_form() -> None:
    assert series_of("SF60653=USD, SF46410=EUR") == {"SF60653": "USD", "SF46410": "EUR"}
    with pytest.raises(ServiceError):
        series_of("SF60653")
