"""The public interface of the library, as text: a change of it is a decision about the version."""

from __future__ import annotations

import inspect
from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import assert_type

import pytest

import timbra

FUNCTIONS = {
    "cadena": "(xml: 'Xml') -> 'str'",
    "catalog": "(name: 'str', *, on: 'When | None' = None) -> 'Catalog'",
    "example": "(name: 'str' = 'ingreso', *, version: 'str | None' = None, on: 'When | None' = None) -> 'str'",
    "explain": "(code: 'str') -> 'list[Explanation]'",
    "from_json": "(document: 'str | bytes | Mapping[str, Any]') -> 'bytes'",
    "print_pdf": "(xml: 'Xml', *, trust: 'Folder | None' = None) -> 'bytes'",
    "read": "(xml: 'Xml') -> 'Cfdi'",
    "seal": "(xml: 'Xml', cer: 'KeyFile', key: 'KeyFile', password: 'str') -> 'bytes'",
    "to_json": "(xml: 'Xml') -> 'dict[str, Any]'",
    "totals": "(invoice: 'str | bytes | Mapping[str, Any]', *, price_includes_tax: 'bool' = False, "
    "rounding: \"Literal['line', 'total']\" = 'line', on: 'When | None' = None) -> 'Totals'",
    "validate": "(xml: 'Xml', *, on: 'When | None' = None, lists: 'Folder | None' = None, "
    "trust: 'Folder | None' = None, status: 'bool' = False) -> 'Report'",
    "validate_async": "(xml: 'Xml', *, on: 'When | None' = None, lists: 'Folder | None' = None, "
    "trust: 'Folder | None' = None) -> 'Report'",
    "validate_many": "(documents: 'Xml | Iterable[Xml]', *, on: 'When | None' = None, lists: 'Folder | None' = None, "
    "trust: 'Folder | None' = None, status: 'bool' = False, workers: 'int' = 1) -> 'Iterator[Report]'",
    "verify": "(xml: 'Xml', *, on: 'When | None' = None, lists: 'Folder | None' = None, "
    "trust: 'Folder | None' = None) -> 'SealCheck'",
}
CLASSES = {
    "Catalog": "get items keys name on search values",
    "Cfdi": "comprobante document retenciones stamp uuid version xml",
    "Error": "add_note args code data detail location retry_after with_traceback",
    "Explanation": "cause code example facts message remedy requirements",
    "Finding": "caused_by citation code detail expected expected_value found hint message path section severity "
    "to_dict",
    "LineTotal": "difference total wished",
    "Report": "cancelable cancellation error errors findings not_evaluated ok row rows source status to_dict uuid "
    "version warnings",
    "SealCheck": "findings not_evaluated ok seal stamp",
    "Totals": "comprobante difference lines total",
}


def test_interface_has_these_names() -> None:
    assert sorted(timbra.__all__) == sorted([*FUNCTIONS, *CLASSES, "__version__"])
    assert set(timbra.__all__) <= set(dir(timbra))


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_function_has_this_signature(name: str) -> None:
    function = getattr(timbra, name)
    assert str(inspect.signature(function)) == FUNCTIONS[name]
    assert inspect.getdoc(function)


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_class_has_these_members(name: str) -> None:
    found = getattr(timbra, name)
    members = {member for member in dir(found) if not member.startswith("_")}
    if is_dataclass(found):
        members |= {field.name for field in fields(found) if not field.name.startswith("_")}
    if name == "Error":
        members |= vars(found("301")).keys()
    if name == "Catalog":
        members |= {member for member in vars(timbra.catalog("c_UsoCFDI")) if not member.startswith("_")}
    assert sorted(members) == CLASSES[name].split()


def test_error_is_the_error_of_the_service() -> None:
    from timbra.core.errors import ServiceError

    assert timbra.Error is ServiceError
    with pytest.raises(timbra.Error) as raised:
        timbra.read("<a/>")
    assert (raised.value.code, str(raised.value)[:5]) == ("301", "301: ")


def test_version_is_that_of_the_distribution() -> None:
    from importlib.metadata import version

    assert timbra.__version__ == version("timbra")


def test_package_has_no_other_attributes() -> None:
    with pytest.raises(AttributeError, match="module 'timbra' has no attribute 'validate_all'"):
        timbra.validate_all  # type: ignore[attr-defined]  # noqa: B018 - it raises


def test_values_have_the_types_that_checkers_see() -> None:
    text = timbra.example()
    report, total = timbra.validate(text), timbra.read(text).comprobante.total
    assert isinstance(assert_type(report, timbra.Report), timbra.Report)
    assert isinstance(assert_type(total, Decimal), Decimal)
    assert isinstance(assert_type(report.findings, tuple[timbra.Finding, ...])[0], timbra.Finding)
