"""Reading of a JSON invoice without amounts. Names are the SAT's; members that no amount depends on are not read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NoReturn

from timbra.amounts.lines import CUOTA, MAX_DECIMALS, Line, LineTax
from timbra.amounts.local_taxes import (
    BASE,
    NAME,
    TRANSFERRED,
    WITHHELD,
    LocalTax,
    LocalTaxes,
    LocalTaxKind,
    local_taxes_in,
)
from timbra.amounts.local_taxes import DECIMALS as LOCAL_DECIMALS
from timbra.core.errors import DocumentLocation, ServiceError
from timbra.core.money import written_decimals
from timbra.rules.engine.tax_sums import EXENTO
from timbra.rules.shared.amounts import Factor

IN_IVA_BASE = "EnBaseDeIVA"
"""Member of a Traslado of IEPS that is no attribute: whether it is part of the base of the IVA."""
MAX_LINES = 20_000
MAX_TAXES = 10
"""Taxes of a line."""
_NUMBER = re.compile(r"[0-9]{1,18}(\.[0-9]+)?")
_KEY = re.compile(r"[!-~]{0,40}")
"""Keys of catalogs, and the form of Fecha."""
MAX_LOCAL_TAXES = 20
MAX_NAME = 200


@dataclass(frozen=True, slots=True)
class Invoice:
    """What the amounts of an invoice depend on.

    Attributes:
        fecha: Fecha; empty without one.
        objects: ObjetoImp of each line.
        local_taxes: those of the complement.
    """

    tipo: str
    moneda: str
    fecha: str
    lines: tuple[Line, ...]
    objects: tuple[str, ...]
    local_taxes: LocalTaxes


def read_invoice(members: Mapping[str, Any]) -> Invoice:
    """Read the members of an invoice.

    Raises:
        ServiceError: "TB4005" with the place of a value that is absent or not valid.
    """
    version = _text(members, "Version", "", "4.0")
    if version != "4.0":
        _reject("@Version", version, "4.0")
    tipo = _text(members, "TipoDeComprobante", "", "I")
    if tipo not in ("I", "E"):
        _reject("@TipoDeComprobante", tipo, "I o E")
    conceptos = _array(members, "Conceptos", "")
    if not 0 < len(conceptos) <= MAX_LINES:
        _reject("Conceptos", str(len(conceptos)), f"de 1 a {MAX_LINES} conceptos")
    lines, objects = [], []
    for number, concepto in enumerate(conceptos, 1):
        place = f"Conceptos/Concepto[{number}]"
        line = _line(concepto, place)
        lines.append(line)
        objects.append(_text(concepto, "ObjetoImp", place, "02" if line.taxes else "01"))
    moneda = _text(members, "Moneda", "", "MXN")
    local_taxes = _local_taxes(members.get("Complemento"))
    return Invoice(tipo, moneda, _text(members, "Fecha", "", ""), tuple(lines), tuple(objects), local_taxes)


def _local_taxes(complements: Any) -> LocalTaxes:
    found = [*local_taxes_in(complements)]
    if not found:
        return LocalTaxes()
    (name, members), place = found[0], f"Complemento/{NAME}"
    if len(found) > 1 or not isinstance(members, Mapping):
        _reject(place, f"{len(found)} complementos", "un objeto")
    taxes = [
        LocalTax(kind, row, *_percent_and_base(row, kind, f"{place}/{kind.rows}[{number}]"))
        for kind in (WITHHELD, TRANSFERRED)
        for number, row in enumerate(_array(members, kind.rows, place), 1)
    ]
    if not 0 < len(taxes) <= MAX_LOCAL_TAXES:
        _reject(place, str(len(taxes)), f"de 1 a {MAX_LOCAL_TAXES} impuestos")
    return LocalTaxes(name, tuple(taxes))


def _percent_and_base(row: Mapping[str, Any], kind: LocalTaxKind, place: str) -> tuple[Decimal, Decimal | None]:
    name = row.get(kind.name)
    if not isinstance(name, str) or not 0 < len(name.strip()) <= MAX_NAME:
        _reject(f"{place}/@{kind.name}", name, "el nombre del impuesto")
    rate = _number(row, kind.rate, place)
    if written_decimals(rate.text) > LOCAL_DECIMALS:
        _reject(f"{place}/@{kind.rate}", rate.text, f"un porcentaje de hasta {LOCAL_DECIMALS} decimales")
    return rate.value, None if row.get(BASE) is None else _number(row, BASE, place).value


def _line(concepto: Mapping[str, Any], place: str) -> Line:
    quantity = _number(concepto, "Cantidad", place)
    if quantity.value <= 0:
        _reject(f"{place}/@Cantidad", quantity.text, "mayor que cero")
    price = _number(concepto, "ValorUnitario", place)
    discount = None if concepto.get("Descuento") is None else _number(concepto, "Descuento", place).value
    taxes = tuple(_taxes(concepto, place))
    if len(taxes) > MAX_TAXES:
        _reject(f"{place}/Impuestos", str(len(taxes)), f"a lo más {MAX_TAXES} impuestos")
    return Line(quantity, price.value, discount, taxes)


def _taxes(concepto: Mapping[str, Any], place: str) -> Iterator[LineTax]:
    node = concepto.get("Impuestos")
    if node is None:
        return
    place += "/Impuestos"
    if not isinstance(node, Mapping):
        _reject(place, str(node), "un objeto")
    for container, name in (("Traslados", "Traslado"), ("Retenciones", "Retencion")):
        for number, row in enumerate(_array(node, container, place), 1):
            yield _tax(row, f"{place}/{container}/{name}[{number}]", transfer=name == "Traslado")


def _tax(row: Mapping[str, Any], place: str, *, transfer: bool) -> LineTax:
    impuesto = _text(row, "Impuesto", place)
    factor = _text(row, "TipoFactor", place, "Tasa")
    rate = None if transfer and factor == EXENTO else _number(row, "TasaOCuota", place).value
    base = _number(row, "Base", place) if factor == CUOTA and row.get("Base") is not None else None
    in_iva_base = row.get(IN_IVA_BASE, True)
    if not isinstance(in_iva_base, bool):
        _reject(f"{place}/{IN_IVA_BASE}", str(in_iva_base), "true o false")
    return LineTax(impuesto, factor, rate, transfer, base, in_iva_base)


def _array(members: Mapping[str, Any], name: str, place: str) -> list[Mapping[str, Any]]:
    value = [] if members.get(name) is None else members[name]
    path = f"{place}/{name}".lstrip("/")
    if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
        _reject(path, type(value).__name__, "un arreglo de objetos")
    return value


def _text(members: Mapping[str, Any], name: str, place: str, default: str | None = None) -> str:
    value = default if members.get(name) is None else members[name]
    if not isinstance(value, str) or not _KEY.fullmatch(value):
        _reject(f"{place}/@{name}".lstrip("/"), value, "una clave")
    return value


def _number(members: Mapping[str, Any], name: str, place: str) -> Factor:
    """Read a number as text or number; one of a program, such as a Decimal, gets its digits without an exponent."""
    value = members.get(name)
    text = str(value)
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        number = Decimal(text)
        text = f"{number:f}" if number.is_finite() else text
    if isinstance(value, bool) or not _NUMBER.fullmatch(text) or written_decimals(text) > MAX_DECIMALS:
        expected = f"un número desde 0, de hasta 18 enteros y {MAX_DECIMALS} decimales"
        _reject(f"{place}/@{name}", None if value is None else text, expected)
    return Factor(text, Decimal(text))


def _reject(path: str, found: object, expected: str) -> NoReturn:
    text = None if found is None else str(found)[:60]
    sentence = f"{path}: falta; se esperaba {expected}." if text is None else f"{path}: {text}; se esperaba {expected}."
    raise ServiceError("TB4005", sentence, location=DocumentLocation(path, text, expected))
