"""In-memory reference data of rules: a few keys with their dates, some taxpayers, their obligations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Literal
from zoneinfo import ZoneInfo

from tests.support.carta_porte_catalogs import FREIGHT, carta_porte_catalogs
from tests.support.foreign_trade_catalogs import foreign_trade_catalogs
from tests.support.fuel_catalogs import fuel_catalogs
from tests.support.payroll_catalogs import payroll_catalogs
from tests.support.postal_catalogs import postal_catalogs
from tests.support.retenciones_catalogs import retenciones_catalogs

from timbra.examples import CASAS, KEMPER, ROBOTICA, XODAR
from timbra.rules.engine.ports import ListedCertificate, ReferenceData, Taxpayer

NOW = datetime(2026, 11, 17, 18, 30, tzinfo=UTC)
"""Half past twelve in central Mexico: half an hour after the examples' Fecha."""
START = date(2022, 1, 1)

Row = Mapping[str, str]


def _keys(*keys: str) -> dict[str, Row]:
    return {key: {} for key in keys}


def _numbers(first: int, last: int) -> dict[str, Row]:
    return _keys(*(f"{number:02}" for number in range(first, last + 1)))


def _products() -> dict[str, Row]:
    """Products: 80111700 requires IVA, 43231500 has no border stimulus."""
    plain = {"iva_trasladado": "", "ieps_trasladado": "", "complemento": "", "estimulo_frontera": "1"}
    keys = ("84111505", "84111506", "01010101", "50211503", "15101515", *FREIGHT)
    return {
        **dict.fromkeys(keys, plain),
        "80111700": {**plain, "iva_trasladado": "1"},
        "43231500": {**plain, "estimulo_frontera": "0"},
    }


def _regimes() -> dict[str, Row]:
    moral, fisica = "601 603 610 620 622 623 624 626", "605 606 607 608 610 611 612 614 615 616 621 625 626"
    return {
        key: {"aplica_fisica": "1" * (key in fisica), "aplica_moral": "1" * (key in moral)}
        for key in sorted({*moral.split(), *fisica.split()})
    }


def _uses() -> dict[str, Row]:
    business = "601,603,606,612,620,621,622,623,624,625,626"
    everyone = f"{business},605,607,608,610,611,614,615,616"
    rows = {
        "G01": ("1", "1", business),
        "G02": ("1", "1", f"{business},616"),
        "G03": ("1", "1", business),
        "D01": ("1", "", "605,606,607,608,611,612,614,615,625"),
        "S01": ("1", "1", everyone),
        "CP01": ("1", "1", everyone),
        "CN01": ("1", "", "605"),
    }
    columns = ("aplica_fisica", "aplica_moral", "regimenes_fiscales_receptores")
    return {key: dict(zip(columns, values, strict=True)) for key, values in rows.items()}


def _forms() -> dict[str, Row]:
    """Forms of payment: cash, cheque, transfer, electronic purse, to be defined."""
    columns = (
        "permite_banco_ordenante_rfc",
        "permite_cuenta_ordenante",
        "patron_cuenta_ordenante",
        "permite_banco_beneficiario_rfc",
        "permite_cuenta_beneficiario",
        "patron_cuenta_beneficiario",
        "permite_tipo_cadena_pago",
        "requiere_banco_ordenante_nombre_ext",
    )
    accounts = "[0-9]{10}|[0-9]{16}|[0-9]{18}"
    rows = {
        "01": ("",) * 8,
        "02": ("1", "1", accounts, "1", "1", "[0-9]{10,11}|[0-9]{15,16}|[0-9]{18}|[A-Z0-9_]{10,50}", "", "1"),
        "03": ("1", "1", accounts, "1", "1", "[0-9]{10}|[0-9]{18}", "1", "1"),
        "05": ("1", "1", accounts, "1", "1", accounts, "", ""),
        "99": ("", "1", ".*", "1", "1", ".*", "1", "1"),
    }
    return {key: dict(zip(columns, values, strict=True)) for key, values in rows.items()}


def _catalogs() -> dict[str, dict[str, Row]]:
    country = dict.fromkeys(
        ("patron_codigo_postal", "patron_identidad_tributaria", "validacion_identidad_tributaria", "agrupaciones"), ""
    )
    return {
        "c_FormaPago": _forms(),
        "pagos10:c_TipoCadenaPago": _keys("01"),
        "pagos20:c_TipoCadenaPago": _keys("01"),
        "c_Moneda": {
            "MXN": {"decimales": "2", "porcentaje_variacion": "5"},
            "USD": {"decimales": "2", "porcentaje_variacion": "5"},
            "JPY": {"decimales": "0", "porcentaje_variacion": "5"},
            "XXX": {"decimales": "0", "porcentaje_variacion": "0"},
        },
        "c_TipoDeComprobante": {
            key: {"valor_maximo": "0" if key == "T" else "999999999999999999.999999"} for key in "IETNP"
        },
        "c_Exportacion": _numbers(1, 4),
        "c_MetodoPago": _keys("PUE", "PPD"),
        **postal_catalogs(),
        **carta_porte_catalogs(),
        **payroll_catalogs(),
        **fuel_catalogs(),
        **retenciones_catalogs(),
        **foreign_trade_catalogs(),
        "c_Periodicidad": _numbers(1, 5),
        "c_Meses": _numbers(1, 18),
        "c_TipoRelacion": _numbers(1, 7),
        "c_RegimenFiscal": _regimes(),
        "c_UsoCFDI": _uses(),
        "cfdi33:c_UsoCFDI": {
            **{key: {"aplica_fisica": "1", "aplica_moral": "1"} for key in ("G01", "G02", "G03", "P01")},
            "D01": {"aplica_fisica": "1", "aplica_moral": ""},
        },
        "c_Pais": {
            "MEX": {**country, "validacion_identidad_tributaria": "Lista del SAT"},
            "USA": {
                **country,
                "patron_identidad_tributaria": "[0-9]{9}",
                "patron_codigo_postal": "[0-9]{5}(-[0-9]{4})?",
            },
            "DEU": {**country, "agrupaciones": "Unión Europea"},
        },
        "c_ClaveProdServ": _products(),
        "c_ClaveUnidad": _keys("E48", "ACT", "XBX", "H87", "LTR"),
        "c_ObjetoImp": _numbers(1, 8),
        "c_Impuesto": {
            "001": {"retencion": "1", "traslado": ""},
            "002": {"retencion": "1", "traslado": "1"},
            "003": {"retencion": "1", "traslado": "1"},
        },
        "c_TipoFactor": _keys("Tasa", "Cuota", "Exento"),
        "c_Aduana": _keys("01", "48"),
        "c_PatenteAduanal": _keys("3009"),
        "c_NumPedimentoAduana": {f"48|3009|{year:02}": {"cantidad": "999999"} for year in range(10, 27)},
    }


@dataclass(frozen=True)
class SmallRate:
    """One row of c_TasaOCuota."""

    tax: str
    factor: str
    minimum: Decimal
    maximum: Decimal
    transfer: bool
    withholding: bool
    since: date = START

    def allows(self, value: Decimal) -> bool:
        return self.minimum <= value <= self.maximum


def _fixed(tax: str, rate: str, *, withholding: bool = False) -> SmallRate:
    return SmallRate(tax, "Tasa", Decimal(rate), Decimal(rate), transfer=True, withholding=withholding)


RATES = (
    _fixed("002", "0"),
    _fixed("002", "0.16"),
    _fixed("002", "0.08"),
    SmallRate("002", "Tasa", Decimal(0), Decimal("0.16"), transfer=False, withholding=True),
    _fixed("003", "0.08", withholding=True),
    SmallRate("003", "Cuota", Decimal(0), Decimal("72.1605"), True, True, since=date(2026, 1, 1)),
    SmallRate("001", "Tasa", Decimal(0), Decimal("0.35"), transfer=False, withholding=True),
)

ZONES = {"22000": "America/Tijuana", "77500": "America/Cancun"}


@dataclass
class InMemoryCatalogs:
    """Keys in force from `since`; `columns` are those beyond the rows' own that `has` confirms."""

    version: str = "small"
    keys: dict[str, dict[str, Row]] = field(default_factory=_catalogs)
    since: dict[tuple[str, str], date] = field(default_factory=dict)
    columns: frozenset[tuple[str, str]] = frozenset()

    def contains(self, catalog: str, key: str, on: date) -> bool:
        return self.row(catalog, key, on) is not None

    def row(self, catalog: str, key: str, on: date) -> Row | None:
        row = self._rows(catalog).get(key)
        return row if row is not None and on >= self.since.get((catalog, key), START) else None

    def _rows(self, catalog: str) -> dict[str, Row]:
        """Return the catalog of CFDI 3.3 where it differs, else that of CFDI 4.0."""
        own = self.keys.get(catalog)
        return self.keys[catalog.removeprefix("cfdi33:")] if own is None else own

    def has(self, catalog: str, column: str) -> bool:
        rows: Iterable[Any] = self.keys.get(catalog, self.keys.get(catalog.removeprefix("cfdi33:"), {})).values()
        return (catalog, column) in self.columns or any(column in row for row in rows)

    def keys_with(self, catalog: str, columns: tuple[str, ...]) -> frozenset[str]:
        return frozenset(key for key, row in self._rows(catalog).items() if any(row.get(name) for name in columns))

    def published(self, catalog: str) -> date | None:
        return NOW.date()

    def rates(self, standard: Literal["cfdi40", "cfdi33"], on: date | None) -> Sequence[SmallRate]:
        return [rate for rate in RATES if on is None or rate.since <= on]

    def zone(self, postal_code: str) -> ZoneInfo | None:
        if postal_code not in self.keys["c_CodigoPostal"]:
            return None
        return ZoneInfo(ZONES.get(postal_code, "America/Mexico_City"))


@dataclass
class Registry:
    """Taxpayers and their obligations by RFC."""

    taxpayers: dict[str, Taxpayer] = field(default_factory=dict)
    enabled: dict[str, int] = field(default_factory=dict)
    certificates: dict[tuple[str, str], ListedCertificate] = field(default_factory=dict)

    def taxpayer(self, rfc: str) -> Taxpayer | None:
        return self.taxpayers.get(rfc)

    def obligations(self, rfc: str) -> int | None:
        return self.enabled.get(rfc)

    def certificate(self, rfc: str, number: str) -> ListedCertificate | None:
        return self.certificates.get((rfc, number))

    def is_registered(self, name: str) -> bool:
        return any(taxpayer.name == name and not taxpayer.cancelled for taxpayer in self.taxpayers.values())

    def add(self, rfc: str, name: str, postal_code: str, *regimes: str, cancelled: bool = False) -> None:
        self.taxpayers[rfc] = Taxpayer(rfc, name, postal_code, frozenset(regimes), cancelled)
        self.enabled[rfc] = 1


def registry() -> Registry:
    """Return the two taxpayers of the examples, a cancelled one and two persons."""
    lists = Registry()
    for party in (KEMPER, ROBOTICA):
        lists.add(party.rfc, party.name, party.postal_code, party.regime)
    lists.add("XIA190128J61", "XENON INDUSTRIAL ARTICLES", "76343", "601", cancelled=True)
    lists.add(CASAS.rfc, CASAS.name, CASAS.postal_code, "612")
    lists.add(XODAR.rfc, XODAR.name, XODAR.postal_code, "605")
    return lists


def reference_data(**changes: Any) -> ReferenceData:
    """Return the in-memory reference data with fields changed by name."""
    lists = registry()
    base = ReferenceData(
        now=NOW,
        catalogs=changes.pop("catalogs", None) or InMemoryCatalogs(),
        taxpayers=lists,
        obligations=lists,
        names=lists,
        lists_version="2026-11-17",
        discloses_registered_data=True,
    )
    return replace(base, **changes)
