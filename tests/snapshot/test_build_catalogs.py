from __future__ import annotations

import os
import pickle
from collections import OrderedDict
from collections.abc import Callable
from datetime import date
from functools import cache
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.catalogs.wheels import (
    NEWER_PACKAGE,
    catalogs_snapshot,
    database_of,
    label_tables,
    small_tables,
    small_wheel,
    wheel_of,
)
from tests.support.effort import cases

from timbra.catalogs import SnapshotCatalogs
from timbra.core.errors import ServiceError
from timbra.snapshot.build import catalogs
from timbra.snapshot.build.catalogs import DATABASE, ENUMERATIONS, write_catalogs
from timbra.snapshot.build.pickles import UntrustedPickleError, read_texts
from timbra.snapshot.build.tables import TABLES, OwnTable, own_editions, read_large_table
from timbra.snapshot.packed import (
    key_number,
    pack_keys,
    pack_postal_codes,
    pack_table,
    unpack_keys,
    unpack_postal_codes,
    unpack_table,
)

ON = date(2026, 5, 5)


@pytest.fixture
def few_own_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the project's own large tables to some keys: what is wrong in a wheel does not depend on them."""
    monkeypatch.setattr(catalogs, "read_large_table", _few_keys)


@cache
def _few_keys(catalog: str) -> OwnTable:
    table = read_large_table(catalog)
    return OwnTable(table.columns, dict(islice(table.values.items(), 5)))


class _Shell:
    """An object that creates a folder when the standard library unpickles it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.path),)


def test_built_catalogs_contain_keys_of_a_newer_wheel(tmp_path: Path) -> None:
    wheel = small_wheel(database_of(small_tables()))
    built = SnapshotCatalogs(catalogs_snapshot(wheel, tmp_path, NEWER_PACKAGE))

    assert built.contains("c_ClaveProdServ", "84111506", ON)
    assert not built.contains("c_ClaveProdServ", "84111507", ON)
    assert built.contains("c_Colonia", "0002|01000", ON)
    assert built.contains("cartaporte31:c_ClaveProdServCP", "10101500", ON)
    assert built.contains("cartaporte31:c_ClaveProdSTCC", "01", ON)
    assert built.row("c_CodigoPostal", "22000", ON) == {
        "clave": "22000",
        "estado": "BCN",
        "municipio": "004",
        "localidad": "",
        "estimulo_frontera": "1",
        "huso_horario": "Tiempo del Noroeste",
        "vigencia_desde": "2019-01-07",
        "vigencia_hasta": "",
    }
    product = built.row("c_ClaveProdServ", "84111506", ON)
    assert product is not None
    assert product["estimulo_frontera"] == "1", "a column that the package lacks is that of the own table"
    station = built.row("cartaporte31:c_Estaciones", "PM001", ON)
    assert station is not None
    assert (station["clave_transporte"], station["descripcion"]) == ("02", "Estación PM001")


def test_built_catalogs_contain_keys_of_the_own_tables_when_they_are_newer(tmp_path: Path) -> None:
    built = SnapshotCatalogs(catalogs_snapshot(small_wheel(database_of(small_tables())), tmp_path))

    assert built.contains("c_ClaveProdServ", "80111700", ON)
    assert built.contains("c_CodigoPostal", "42501", ON)


def test_newer_package_leaves_columns_of_new_keys_empty(tmp_path: Path) -> None:
    database = database_of({**small_tables(), "C756_c_ClaveProdServ": {"99999999": "", "80111700": ""}})
    built = SnapshotCatalogs(catalogs_snapshot(small_wheel(database), tmp_path, NEWER_PACKAGE))

    new, known = (built.row("c_ClaveProdServ", key, ON) for key in ("99999999", "80111700"))
    assert new is not None
    assert known is not None
    assert (new["iva_trasladado"], new["estimulo_frontera"]) == ("", "")
    assert known["iva_trasladado"] == "1"
    assert not built.contains("c_ClaveProdServ", "84111506", ON)


def test_own_editions_name_tables_of_their_folder() -> None:
    for catalog, own in own_editions().items():
        assert any((TABLES / f"{catalog}.{suffix}").is_file() for suffix in ("csv", "csv.xz")), catalog
        assert own.edition.published <= own.compared


def test_large_tables_have_only_keys_dates_and_flags() -> None:
    for file in TABLES.rglob("*.csv.xz"):
        table = read_large_table(file.relative_to(TABLES).as_posix().removesuffix(".csv.xz"))
        assert table.values
        assert "texto" not in table.columns
        assert {len(values) for values in table.values.values()} == {len(table.columns)}


_READ = [(table, "key") for table in small_tables()] + [
    ("C756_c_CodigoPostal", "value"),
    ("C592_c_Estaciones", "value"),
    *((table, "value") for table in label_tables()),
]


@pytest.mark.usefixtures("few_own_keys")
@pytest.mark.parametrize(("table", "side"), cases(_READ[::8], _READ))
def test_read_texts_rejects_calls(tmp_path: Path, table: str, side: str) -> None:
    trap = tmp_path / "trap"
    evil, good = pickle.dumps(_Shell(trap)), pickle.dumps("99999")
    blob = (table, evil, good) if side == "key" else (table, good, evil)

    with pytest.raises(ServiceError, match="snapshot-source"):
        write_catalogs(small_wheel(database_of(small_tables(), [blob])), tmp_path / "snapshot", NEWER_PACKAGE)

    assert not trap.exists()
    pickle.loads(evil)
    assert trap.is_dir(), "the trap itself works"


@pytest.mark.parametrize(
    "value",
    [None, 1, 1.5, True, b"x", {}, {"a": "b"}, set(), ["a", 1], ["a", ["b"]], [("a",)], OrderedDict(), len, Path("x")],
    ids=repr,
)
@pytest.mark.parametrize("protocol", range(6))
def test_read_texts_rejects_other_values(value: object, protocol: int) -> None:
    with pytest.raises(UntrustedPickleError):
        read_texts(pickle.dumps(value, protocol))


def test_read_texts_rejects_recursive_list() -> None:
    loop: list[object] = ["a"]
    loop.append(loop)

    with pytest.raises(UntrustedPickleError):
        read_texts(pickle.dumps(loop, 4))


@given(
    value=st.text() | st.lists(st.text() | st.none()) | st.lists(st.text() | st.none()).map(tuple),
    repeated=st.integers(0, 3),
)
def test_read_texts_round_trips(value: object, repeated: int) -> None:
    if isinstance(value, list | tuple):
        value = type(value)([*value, *(["same"] * repeated)])
    expected = (value,) if isinstance(value, str) else tuple(part or "" for part in value)  # type: ignore[attr-defined]

    assert read_texts(pickle.dumps(value, 4)) == expected


@given(blob=st.binary(max_size=60), cut=st.integers(0, 60), place=st.integers(0, 60), byte=st.integers(0, 255))
def test_read_texts_raises_only_its_error_for_random_bytes(blob: bytes, cut: int, place: int, byte: int) -> None:
    spoiled = bytearray(pickle.dumps(["ab", "", "cd", "ab"], 4))
    spoiled[place % len(spoiled)] = byte
    for candidate in (blob, bytes(spoiled), bytes(spoiled[:cut])):
        try:
            texts = read_texts(candidate)
        except UntrustedPickleError:
            continue
        assert all(type(text) is str for text in texts)


def _without(*tables: str) -> bytes:
    return database_of({name: rows for name, rows in small_tables().items() if name not in tables})


def _with(table: str, key: object, value: object) -> bytes:
    return database_of(small_tables(), [(table, pickle.dumps(key, 4), pickle.dumps(value, 4))])


_CENTRO = "Tiempo del Centro"
_WRONG: dict[str, Callable[[], bytes]] = {
    "no database": lambda: b"",
    "other bytes": lambda: b"not a database" * 100,
    "no postal codes": lambda: _without("C756_c_CodigoPostal"),
    "no uses": lambda: _without("C756_c_UsoCFDI"),
    "no stations": lambda: _without("C592_c_Estaciones"),
    "unknown zone": lambda: _with("C756_c_CodigoPostal", "77000", ["ROO", "005", "01", "0", "Tiempo de Marte"]),
    "short postal code": lambda: _with("C756_c_CodigoPostal", "7700", ["ROO", "005", "01", "0", _CENTRO]),
    "digits of another script": lambda: _with("C756_c_CodigoPostal", "٠١٠٠٠", ["ROO", "005", "01", "0", _CENTRO]),
    "missing column": lambda: _with("C756_c_CodigoPostal", "77000", ["ROO", "005", "01", _CENTRO]),
    "product with letters": lambda: _with("C756_c_ClaveProdServ", "8411150X", ""),
    "neighbourhood without parent": lambda: _with("C756_c_Colonia", "0001", ""),
    "value that is no blob": lambda: database_of(small_tables(), [("C756_c_ClaveProdServ", "84111506", None)]),
}


@pytest.mark.usefixtures("few_own_keys")
@pytest.mark.parametrize("database", _WRONG.values(), ids=_WRONG.keys())
def test_write_catalogs_rejects_database_of_another_form(tmp_path: Path, database: Callable[[], bytes]) -> None:
    with pytest.raises(ServiceError, match="snapshot-source"):
        write_catalogs(small_wheel(database()), tmp_path, NEWER_PACKAGE)


@pytest.mark.usefixtures("few_own_keys")
@pytest.mark.parametrize("missing", [DATABASE, *dict.fromkeys(ENUMERATIONS.values())])
def test_write_catalogs_rejects_incomplete_wheel(tmp_path: Path, missing: str) -> None:
    whole = small_wheel(database_of(small_tables()))
    members = {name: whole.read(name) for name in whole.namelist() if name != missing}

    with pytest.raises(ServiceError, match="snapshot-source"):
        write_catalogs(wheel_of(members), tmp_path, NEWER_PACKAGE)


@pytest.mark.usefixtures("few_own_keys")
def test_write_catalogs_rejects_schema_without_type(tmp_path: Path) -> None:
    empty = b'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>'
    members = {DATABASE: database_of(small_tables()), **dict.fromkeys(ENUMERATIONS.values(), empty)}

    with pytest.raises(ServiceError, match="snapshot-source"):
        write_catalogs(wheel_of(members), tmp_path, NEWER_PACKAGE)


def test_tables_have_only_keys_dates_and_flags() -> None:
    described = {"texto", "descripcion", "nota", "notas", "razon_social", "nombre_tecnico"}
    files = sorted(TABLES.glob("*/*.csv"))

    assert len(files) > 100
    for file in files:
        header, *rows = file.read_text("utf-8").splitlines()
        assert not described & set(header.split(",")), file
        assert rows, file
        assert "\r" not in header


def test_tables_are_small() -> None:
    assert sum(file.stat().st_size for file in TABLES.rglob("*")) < 2_500_000


@given(keys=st.sets(st.from_regex(r"[0-9]{8}", fullmatch=True)))
def test_pack_keys_round_trips(keys: set[str]) -> None:
    widths, numbers = unpack_keys(pack_keys(keys, (8,)))

    assert widths == (8,)
    assert [f"{number:08}" for number in numbers] == sorted(keys)


@given(text=st.text("0123456789|٣a", max_size=12))
def test_key_number_rejects_other_forms(text: str) -> None:
    parts = text.split("|")
    well_formed = len(parts) == 2 and [len(part) for part in parts] == [4, 5] and set(text) <= set("0123456789|")

    assert key_number(text, (4, 5)) == (int("".join(parts)) if well_formed else None)


@settings(max_examples=15)
@given(
    codes=st.dictionaries(
        st.from_regex(r"[0-9]{5}", fullmatch=True), st.tuples(st.text(max_size=4), st.sampled_from("ab")), max_size=20
    )
)
def test_pack_postal_codes_round_trips(codes: dict[str, tuple[str, str]]) -> None:
    columns, rows, numbers = unpack_postal_codes(pack_postal_codes(("one", "two"), codes))

    assert columns == ("one", "two")
    assert {f"{code:05}": rows[number - 1] for code, number in enumerate(numbers) if number} == codes


def test_unpack_postal_codes_rejects_truncated_file() -> None:
    packed = pack_postal_codes(("one",), {"01000": ("a",)})

    with pytest.raises(ValueError, match="postal codes"):
        unpack_postal_codes(packed[:-2])


@given(
    values=st.dictionaries(
        st.from_regex(r"[0-9]{2}\|[0-9]{4}\|[0-9]{2}", fullmatch=True),
        st.tuples(st.text(max_size=4), st.sampled_from("ab")),
    )
)
def test_pack_table_round_trips(values: dict[str, tuple[str, str]]) -> None:
    table = unpack_table(pack_table(("one", "two"), values, (2, 4, 2)))

    found = {number: table.rows[place] for number, place in zip(table.numbers, table.places, strict=True)}
    assert (table.widths, table.columns) == ((2, 4, 2), ("one", "two"))
    assert found == {int(key.replace("|", "")): row for key, row in values.items()}
    assert [*table.numbers] == sorted(table.numbers)


@pytest.mark.parametrize("cut", [1, 2, 4, 6])
def test_unpack_table_rejects_truncated_file(cut: int) -> None:
    packed = pack_table(("one",), {"01": ("a",), "02": ("b",)}, (2,))

    with pytest.raises(ValueError, match=r"keys|bytes"):
        unpack_table(packed[:-cut])


@pytest.mark.parametrize(("key", "row"), [("1", ("a",)), ("01", ()), ("01", ("a", "b"))])
def test_pack_table_rejects_other_rows(key: str, row: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="not a key"):
        pack_table(("one",), {key: row}, (2,))
