"""The catalogs for documents of CFDI 3.3."""

from __future__ import annotations

from datetime import date

import pytest

from timbra.catalogs import SnapshotCatalogs
from timbra.rules.engine.versions import Catalogs33

REPUBLISHED = date(2017, 8, 14)


@pytest.fixture
def older(catalogs: SnapshotCatalogs) -> Catalogs33:
    return Catalogs33(catalogs)


def test_contains_accepts_dates_before_the_first_table(older: Catalogs33) -> None:
    first = date(2017, 7, 1)
    assert older.contains("c_Moneda", "MXN", first)
    assert older.row("c_Moneda", "MXN", first) == older.row("c_Moneda", "MXN", REPUBLISHED)
    assert not older.contains("c_FormaPago", "31", first)
    assert older.contains("c_FormaPago", "31", date(2017, 12, 5))


def test_snapshot_name_keeps_prefixed_names(older: Catalogs33) -> None:
    assert older.contains("pagos20:c_TipoCadenaPago", "01", date(2022, 1, 1))
    assert older.has("c_Moneda", "decimales")
    assert not older.has("c_UsoCFDI", "regimenes_fiscales_receptores")


@pytest.mark.parametrize("regime", ["628", "629", "630"])
def test_contains_accepts_regimes_without_start_date(older: Catalogs33, regime: str) -> None:
    assert older.contains("c_RegimenFiscal", regime, date(2018, 1, 1))


def test_postal_codes_of_cfdi33_are_those_of_cfdi40(older: Catalogs33) -> None:
    assert older.contains("c_CodigoPostal", "42501", date(2018, 1, 1))
    assert older.contains("c_CodigoPostal", "77000", date(2018, 1, 1))
    assert older.zone("77000") is not None


def test_products_of_cfdi33_are_those_of_cfdi40(older: Catalogs33) -> None:
    row = older.row("c_ClaveProdServ", "84111506", date(2018, 1, 1))
    assert row is not None
    assert row["vigencia_desde"] == "2022-01-01"
