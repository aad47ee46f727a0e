"""Property tests: the computed amounts of random invoices violate no rule of the SAT and no schema."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree
from tests.support.reference_data import reference_data

import timbra
from timbra.amounts.local_taxes import TRANSFERRED
from timbra.amounts.local_taxes import WITHHELD as WITHHELD_LOCALLY
from timbra.amounts.totals import Rounding, Totals, totals_of
from timbra.catalogs import SnapshotCatalogs
from timbra.cfdi.nodes.documents import walk_document
from timbra.cfdi.structure import Structure
from timbra.core.errors import ServiceError
from timbra.core.money import half_up, truncate, written_decimals
from timbra.examples import ingreso
from timbra.rules.engine.ports import ReferenceData
from timbra.rules.engine.profiles import STAMP
from timbra.rules.registry import check
from timbra.snapshot import locate, open_snapshot

CURRENCIES = {"MXN": 2, "USD": 2, "JPY": 0, "KWD": 3, "CLF": 4}
IVA = [{"Impuesto": "002", "TasaOCuota": rate} for rate in ("0.16", "0.000000")]
EXEMPT = {"Impuesto": "002", "TipoFactor": "Exento"}
IEPS = [{"Impuesto": "003", "TasaOCuota": rate} for rate in ("0.08", "0.265", "0.53", "1.600000")]
WITHHELD = [
    {"Impuesto": "001", "TasaOCuota": "0.100000"},
    {"Impuesto": "001", "TasaOCuota": "0.0125"},
    {"Impuesto": "002", "TasaOCuota": "0.106667"},
    {"Impuesto": "002", "TasaOCuota": "0.04"},
]


def decimals(least: str, most: str, places: int) -> st.SearchStrategy[str]:
    """Return numbers as text, with up to `places` decimals."""
    return st.integers(0, places).flatmap(
        lambda count: st.decimals(Decimal(least), Decimal(most), places=count).map(lambda value: f"{value:f}")
    )


@st.composite
def quotas(draw: st.DrawFn) -> dict[str, Any]:
    quota = {"Impuesto": "003", "TipoFactor": "Cuota", "TasaOCuota": draw(decimals("0.01", "7", 4))}
    quota |= draw(st.sampled_from([{}, {"EnBaseDeIVA": False}, {"Base": "0.355"}]))
    return quota


@st.composite
def lines(draw: st.DrawFn) -> dict[str, Any]:
    price = draw(st.one_of(decimals("1", "99999", 6), decimals("1", "200", 2)))
    quantity = draw(st.one_of(decimals("1", "9", 0), decimals("1", "5000", 3)))
    line: dict[str, Any] = {"Cantidad": quantity, "ValorUnitario": price}
    if draw(st.booleans()):
        share = draw(st.decimals(Decimal(0), Decimal("0.9"), places=2))
        line["Descuento"] = f"{truncate(Decimal(quantity) * Decimal(price) * share, draw(st.integers(0, 4))):f}"
    transferred = draw(st.lists(st.sampled_from([*IVA, EXEMPT]), max_size=1))
    transferred += draw(st.lists(st.one_of(st.sampled_from(IEPS), quotas()), max_size=2))
    withheld = draw(st.lists(st.sampled_from(WITHHELD), max_size=2)) if transferred else []
    taxes = {"Traslados": transferred, "Retenciones": withheld}
    if transferred:
        line["Impuestos"] = {name: rows for name, rows in taxes.items() if rows}
    return line


@st.composite
def local_taxes(draw: st.DrawFn) -> dict[str, Any]:
    """Return a complement with local taxes; none in half of the draws."""
    rows: dict[str, list[dict[str, str]]] = {}
    for _ in range(draw(st.sampled_from((0, 0, 1, 3)))):
        kind = draw(st.sampled_from((TRANSFERRED, TRANSFERRED, WITHHELD_LOCALLY)))
        row = {kind.name: "ISH", kind.rate: draw(decimals("0", "5", 2))}
        row |= draw(st.sampled_from(({}, {"Base": "10.55"})))
        rows.setdefault(kind.rows, []).append(row)
    return {"Complemento": {"implocal:ImpuestosLocales": rows}} if rows else {}


@st.composite
def invoices(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "Moneda": draw(st.sampled_from(list(CURRENCIES))),
        "Conceptos": draw(st.lists(lines(), min_size=1, max_size=5)),
        **draw(local_taxes()),
    }


@cache
def catalog_data() -> ReferenceData:
    return reference_data(catalogs=SnapshotCatalogs(open_snapshot(locate(None))))


@cache
def frame() -> dict[str, Any]:
    """Return the members of an example invoice except its amounts."""
    amounts = ("Moneda", "SubTotal", "Total", "Conceptos", "Impuestos")
    return {name: value for name, value in timbra.to_json(ingreso()).items() if name not in amounts}


@cache
def structure() -> Structure:
    return Structure(open_snapshot(locate(None)))


def faults_of(totals: Totals) -> list[tuple[str, str]]:
    """Return what schema and rules find in an example invoice with the amounts."""
    product = {"ClaveProdServ": "84111506", "ClaveUnidad": "E48", "Descripcion": "Venta"}
    conceptos = [{**product, **concepto} for concepto in totals.comprobante["Conceptos"]]
    rate = {} if totals.comprobante["Moneda"] == "MXN" else {"TipoCambio": "18.5"}
    root = etree.fromstring(timbra.from_json({**frame(), **totals.comprobante, **rate, "Conceptos": conceptos}))
    faults = [("schema", fault.path) for fault in structure().check(root)]
    found = check(walk_document(root), catalog_data(), STAMP).findings
    return faults + [(finding.code, finding.path) for finding in found if finding.severity == "error"]


def is_too_cheap(invoice: dict[str, Any]) -> bool:
    """Whether the price of a line, less its discount, does not exceed its quotas."""
    places = CURRENCIES[invoice["Moneda"]]
    for line in invoice["Conceptos"]:
        gross = Decimal(line["Cantidad"]) * Decimal(line["ValorUnitario"]) - Decimal(line.get("Descuento", 0))
        rows = line.get("Impuestos", {}).get("Traslados", [])
        fixed = [
            Decimal(row.get("Base", line["Cantidad"])) * Decimal(row["TasaOCuota"]) * Decimal("1.16")
            for row in rows
            if row.get("TipoFactor") == "Cuota"
        ]
        if half_up(gross, places) <= sum(fixed):
            return True
    return False


def is_negative(invoice: dict[str, Any]) -> bool:
    """Whether what is withheld locally may exceed the prices."""
    return (
        "RetencionesLocales" in str(invoice.get("Complemento"))
        and sum(Decimal(line["Cantidad"]) * Decimal(line["ValorUnitario"]) for line in invoice["Conceptos"]) < 100
    )


def has_more_decimals(totals: Totals) -> bool:
    """Whether a line, so cheap that its Base would be zero, has more decimals than the currency."""
    places = CURRENCIES[totals.comprobante["Moneda"]]
    return any(written_decimals(concepto["Importe"]) > places for concepto in totals.comprobante["Conceptos"])


def computed(invoice: dict[str, Any], price_includes_tax: bool, rounding: Rounding) -> Totals | str:
    """Return the amounts, or the code of the rejection."""
    try:
        return totals_of(invoice, catalog_data(), price_includes_tax=price_includes_tax, rounding=rounding)
    except ServiceError as error:
        return error.code


@pytest.mark.parametrize("rounding", ["line", "total"])
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(invoice=invoices(), price_includes_tax=st.booleans())
def test_amounts_of_any_invoice_satisfy_rules_and_schema(
    invoice: dict[str, Any], price_includes_tax: bool, rounding: Rounding
) -> None:
    totals = computed(invoice, price_includes_tax, rounding)
    if isinstance(totals, str):
        assert totals == "TB4005"
        assert (price_includes_tax and is_too_cheap(invoice)) or is_negative(invoice)
        return
    assert faults_of(totals) == []
    withheld = Decimal(totals.comprobante.get("Impuestos", {}).get("TotalImpuestosRetenidos", 0))
    for local in totals.comprobante.get("Complemento", {}).values():
        withheld += Decimal(local["TotaldeRetenciones"]) - Decimal(local["TotaldeTraslados"])
    if price_includes_tax:
        assert [line.difference for line in totals.lines if line.difference] == []
        assert sum(line.wished or 0 for line in totals.lines) == totals.total + withheld + totals.difference
        assert rounding == "total" or not totals.difference or has_more_decimals(totals)
    else:
        assert {line.wished for line in totals.lines} == {None}
