from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timbra.catalogs import SnapshotCatalogs, TaxRate

ON = date(2026, 5, 5)


def _admitted(rates: tuple[TaxRate, ...], tax: str, factor: str, value: str, kind: str) -> bool:
    return any(
        rate.allows(Decimal(value)) and (rate.transfer if kind == "traslado" else rate.withholding)
        for rate in rates
        if (rate.tax, rate.factor) == (tax, factor)
    )


@pytest.mark.parametrize(
    ("tax", "factor", "value", "kind", "admitted"),
    [
        ("002", "Tasa", "0.160000", "traslado", True),
        ("002", "Tasa", "0.16", "traslado", True),
        ("002", "Tasa", "0", "traslado", True),
        ("002", "Tasa", "0.08", "traslado", True),
        ("002", "Tasa", "0.11", "traslado", False),
        ("002", "Tasa", "0.106667", "retencion", True),
        ("002", "Tasa", "0.160001", "retencion", False),
        ("002", "Cuota", "0.16", "traslado", False),
        ("001", "Tasa", "0.35", "retencion", True),
        ("001", "Tasa", "0.350001", "retencion", False),
        ("001", "Tasa", "0.1", "traslado", False),
        ("003", "Tasa", "1.6", "traslado", True),
        ("003", "Tasa", "0.03", "traslado", True),
        ("003", "Tasa", "0.03", "retencion", False),
        ("003", "Tasa", "0.04", "traslado", False),
        ("003", "Cuota", "72.160500", "traslado", True),
        ("003", "Cuota", "72.160501", "retencion", False),
        ("004", "Tasa", "0.16", "traslado", False),
    ],
)
def test_rates_of_2026_are_complete(
    catalogs: SnapshotCatalogs, tax: str, factor: str, value: str, kind: str, admitted: bool
) -> None:
    assert _admitted(tuple(catalogs.rates("cfdi40", ON)), tax, factor, value, kind) == admitted


@pytest.mark.parametrize(("value", "item"), [("2", "tobacco"), ("0.32", "hand-made cigars"), ("1", "nicotine")])
def test_rates_of_ieps_of_2026_begin_with_the_year(catalogs: SnapshotCatalogs, value: str, item: str) -> None:
    admitted = [
        _admitted(tuple(catalogs.rates("cfdi40", on)), "003", "Tasa", value, "traslado")
        for on in (date(2025, 12, 31), date(2026, 1, 1))
    ]
    assert admitted == [False, True], item


def test_rates_use_keys_of_c_impuesto(catalogs: SnapshotCatalogs) -> None:
    for rate in (*catalogs.rates("cfdi40", None), *catalogs.rates("cfdi33", None)):
        assert catalogs.contains("c_Impuesto", rate.tax, ON)
        assert catalogs.contains("c_TipoFactor", rate.factor, ON)
        assert rate.transfer or rate.withholding


def test_rates_mark_the_border_stimulus(catalogs: SnapshotCatalogs) -> None:
    marked = [rate for rate in catalogs.rates("cfdi40", None) if rate.border_stimulus]

    assert [(rate.tax, rate.minimum, rate.maximum) for rate in marked] == [("002", Decimal("0.08"), Decimal("0.08"))]


def test_rates_respects_validity_dates(catalogs: SnapshotCatalogs) -> None:
    def quotas(on: date | None) -> list[TaxRate]:
        return [rate for rate in catalogs.rates("cfdi40", on) if rate.factor == "Cuota"]

    first_days = (date(2023, 12, 31), date(2024, 12, 31), date(2025, 12, 31), date(2026, 1, 1))
    highest = [[str(rate.maximum) for rate in quotas(on)] for on in first_days]
    assert highest == [[], ["66.506200"], ["69.525500"], ["72.160500"]]
    assert len(quotas(None)) == 3
    assert len(catalogs.rates("cfdi33", date(2018, 12, 31))) < len(catalogs.rates("cfdi33", date(2019, 1, 7)))


@given(value=st.decimals(0, 100, places=6))
def test_allows_checks_fixed_rates_and_ranges(catalogs: SnapshotCatalogs, value: Decimal) -> None:
    for rate in catalogs.rates("cfdi40", None):
        assert rate.allows(rate.maximum)
        assert rate.allows(rate.minimum)
        if rate.minimum == rate.maximum:
            assert rate.allows(value) == (value == rate.maximum)
        else:
            assert rate.allows(value) == (rate.minimum <= value <= rate.maximum)
