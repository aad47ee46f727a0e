from __future__ import annotations

import fcntl
import gzip
import json
import random
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lists.signing import NOW, importer, lco, lrfc, published, seal, signed, signer, taxpayer
from tests.support.corpus import corpus_path

from timbra.core.clock import FixedClock
from timbra.core.errors import ServiceError
from timbra.lists.importer import ListImporter
from timbra.lists.ingest import ListColumns
from timbra.lists.published import PublishedLists
from timbra.lists.signer_policy import ListSigners
from timbra.lists.sources.columns import known_columns
from timbra.lists.sources.part_names import ListKind
from timbra.seals.certificates.trust_store import TrustStore

LCO_NAME, LRFC_NAME = "LCO_2026-11-20_{}.XML.gz", "l_RFC_2026_11_20_{}.txt.gz"
KEMPER, XIA, OÑO = "EKU9003173C9", "XIA190128J61", "OÑO120726RX3"
CODES = {"list-unreadable", "list-signature", "list-columns", "list-refused"}
GOOD_LCO = gzip.compress(signed(lco(taxpayer(KEMPER, seal(1)), taxpayer(OÑO, seal(2)))), mtime=0)
GOOD_LRFC = gzip.compress(signed(lrfc(f"{KEMPER}|0|0", f"{OÑO}|1|0")), mtime=0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "lists"


def rejection(folder: Path, kind: ListKind, *paths: Path, **options: object) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        importer(folder).run(kind, paths, **options)  # type: ignore[arg-type]
    return caught.value


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_run_imports_both_lists(tmp_path: Path, folder: Path) -> None:
    first = published(tmp_path, LCO_NAME.format(1), lco(taxpayer(KEMPER, seal(1), seal(2, "C")), taxpayer(OÑO)))
    second = published(tmp_path, LCO_NAME.format(2), lco(taxpayer(KEMPER, seal(3, "R", "2")), taxpayer(XIA, seal(4))))
    edition = importer(folder).run(ListKind.LCO, [second, first])
    assert (edition.rows, edition.certificates, edition.dated) == (3, 4, date(2026, 11, 20))
    assert (edition.signers, edition.digest, edition.signed_at) == (("00001000000000000009",), "sha256", NOW)
    assert (edition.imported_at, set(edition.parts)) == (NOW, {first.name, second.name})
    text = lrfc(f"{KEMPER}|0|0", f"{OÑO}|1|0")
    importer(folder).run(ListKind.LRFC, [published(tmp_path, LRFC_NAME.format(1), text)])
    lists = PublishedLists(folder)
    assert lists.lists_version == "LCO 2026-11-20, l_RFC 2026-11-20"
    found = lists.certificate(KEMPER, f"{3:020}")
    assert found is not None
    assert (found.status, found.obligations) == ("R", 2)
    assert lists.obligations(KEMPER) == 1
    assert lists.obligations(OÑO) == 0
    assert lists.certificate(XIA, f"{3:020}") is None
    row = lists.taxpayer(OÑO)
    assert row is not None
    assert (row.sncf, row.subcontracting, row.name, row.postal_code, row.regimes) == (True, False, "", "", frozenset())
    current = PublishedLists(folder).current
    assert current.coordinated is not None
    assert [current.coordinated.is_coordinated(rfc) for rfc in (OÑO, KEMPER, XIA)] == [True, False, False]


def test_run_reads_columns_of_the_setting(tmp_path: Path, folder: Path) -> None:
    columns = "NOMBRE=name,CP=postal_code,REGIMEN=regimes,RETENCION=withholding,BAJA=cancelled,OTRO=unused"
    text = lrfc(
        f"MUÑOZ Y CIA |{OÑO}|42501|601,603|1|0|x",
        f"ESCUELA KEMPER URGATE|{KEMPER}||||1|",
        header="NOMBRE|RFC|CP|REGIMEN|RETENCION|BAJA|OTRO",
    )
    path = published(tmp_path, LRFC_NAME.format(1), text)
    assert rejection(folder, ListKind.LRFC, path).code == "list-columns"
    importer(folder, columns=columns).run(ListKind.LRFC, [path])
    lists = PublishedLists(folder).current
    assert lists.taxpayers is not None
    row = lists.taxpayers.taxpayer(OÑO)
    assert row is not None
    assert (row.name, row.postal_code, row.regimes) == ("MUÑOZ Y CIA", "42501", frozenset({"601", "603"}))
    assert lists.marks is not None
    assert (lists.marks.withholding(OÑO), lists.marks.withholding(KEMPER), lists.marks.withholding(XIA)) == (
        "1",
        None,
        None,
    )
    assert lists.names is not None
    assert lists.names.is_registered("MUÑOZ Y CIA")
    assert not lists.names.is_registered("ESCUELA KEMPER URGATE")
    cancelled = lists.taxpayers.taxpayer(KEMPER)
    assert cancelled is not None
    assert cancelled.cancelled


CONTENT_OF_LIST: dict[ListKind, Callable[[date], tuple[str, bytes]]] = {
    ListKind.LCO: lambda day: (f"LCO_{day}_1.XML.gz", GOOD_LCO),
    ListKind.LRFC: lambda day: (f"l_RFC_{day:%Y_%m_%d}_1.txt.gz", GOOD_LRFC),
    ListKind.LCNE: lambda day: (
        f"L_CNE_{day:%Y_%m_%d}_1.txt.gz",
        gzip.compress(signed(f"NumeroPermiso|RFC|Clave\nPL/1/EXP/ES/2015|{KEMPER}|PR03\n".encode())),
    ),
    ListKind.ARTICLE_69B: lambda day: (
        "Listado_Completo_69-B.csv",
        f"No,RFC,Nombre del Contribuyente,Situación del contribuyente\n1,{KEMPER},NOMBRE,Definitivo\n".encode(),
    ),
    ListKind.EXCHANGE_RATES: lambda day: ("rates.csv", f"fecha,moneda,pesos\n{day},USD,18.5\n".encode()),
}


def make_folder(folder: Path) -> Path:
    folder.mkdir()
    return folder


def put_list(folder: Path, kind: ListKind, day: date) -> Path:
    name, content = CONTENT_OF_LIST[kind](day)
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("kind", ListKind)
@pytest.mark.parametrize("days_ahead", [1, 2, 7, 8, 400])
def test_run_rejects_a_list_of_a_future_day(tmp_path: Path, folder: Path, kind: ListKind, days_ahead: int) -> None:
    days_allowed = 7 if kind is ListKind.EXCHANGE_RATES else 0
    today = put_list(tmp_path, kind, date(2026, 11, 20))
    importer(folder).run(kind, [today], dated=date(2026, 11, 20))
    day = date(2026, 11, 20) + timedelta(days=days_ahead)
    path = put_list(make_folder(tmp_path / "future"), kind, day)
    if days_ahead <= days_allowed:
        assert importer(folder).run(kind, [path], dated=day).dated == day
        return
    rejected = rejection(folder, kind, path, dated=day)
    assert rejected.code == "list-refused"
    assert f"{day}" in (rejected.detail or "")
    assert PublishedLists(folder).current.editions[kind].dated == date(2026, 11, 20)
    # A list that was forced into force does not keep out the real ones.
    assert importer(folder).run(kind, [path], dated=day, force=True).dated == day
    if kind is not ListKind.EXCHANGE_RATES:
        assert importer(folder).run(kind, [today], dated=date(2026, 11, 20)).dated == date(2026, 11, 20)


def test_run_accepts_a_list_of_the_day_in_central_mexico(tmp_path: Path, folder: Path) -> None:
    path = put_list(tmp_path, ListKind.LCO, date(2026, 11, 21))
    late = FixedClock(datetime(2026, 11, 21, 6, 0, tzinfo=UTC))
    early = FixedClock(datetime(2026, 11, 21, 5, 59, 59, tzinfo=UTC))
    with pytest.raises(ServiceError, match="list-refused"):
        importer(folder, clock=early).run(ListKind.LCO, [path])
    assert importer(folder, clock=late).run(ListKind.LCO, [path]).dated == date(2026, 11, 21)


def test_run_accepts_a_list_with_the_rfc_column_only(tmp_path: Path, folder: Path) -> None:
    importer(folder).run(ListKind.LRFC, [published(tmp_path, LRFC_NAME.format(1), lrfc(KEMPER, header="RFC"))])
    found = PublishedLists(folder).taxpayer(KEMPER)
    assert found is not None
    assert found.rfc == KEMPER


def test_run_rejects_parts_with_different_columns(tmp_path: Path, folder: Path) -> None:
    parts = [
        published(tmp_path, LRFC_NAME.format(1), lrfc(f"{KEMPER}|0|0")),
        published(tmp_path, LRFC_NAME.format(2), lrfc(f"0|{OÑO}|0", header="SUBCONTRATACION|RFC|SNCF")),
    ]
    assert rejection(folder, ListKind.LRFC, *parts).code == "list-columns"


@settings(max_examples=15, deadline=None)
@given(
    rows=st.dictionaries(
        st.from_regex(r"[A-Z&Ñ]{3,4}[0-9]{2}(0[1-9]|1[012])(0[1-9]|[12][0-9])[A-Z0-9]{2}[0-9A]", fullmatch=True),
        st.lists(st.tuples(st.integers(0, 9), st.sampled_from("ACR"), st.sampled_from("01234")), max_size=3),
        min_size=1,
    ),
    parts=st.integers(1, 3),
)
def test_published_lists_return_what_was_imported(
    tmp_path_factory: pytest.TempPathFactory, rows: dict[str, list[tuple[int, str, str]]], parts: int
) -> None:
    tmp_path = tmp_path_factory.mktemp("published")
    written = [taxpayer(rfc.replace("&", "&amp;"), *(seal(*one) for one in seals)) for rfc, seals in rows.items()]
    paths = [published(tmp_path, LCO_NAME.format(n + 1), lco(*written[n::parts])) for n in range(parts)]
    importer(tmp_path / "lists").run(ListKind.LCO, paths)
    lists = PublishedLists(tmp_path / "lists")
    for rfc, seals in rows.items():
        last = {number: (status, int(obligations)) for number, status, obligations in seals}
        for number in range(10):
            found = lists.certificate(rfc, f"{number:020}")
            assert (None if found is None else (found.status, found.obligations)) == last.get(number)
        assert lists.obligations(rfc) is not None
    assert lists.obligations("AAA010101AAA") is None or "AAA010101AAA" in rows


def test_run_determines_the_date_of_a_list(tmp_path: Path, folder: Path) -> None:
    """The order is: its own date, its name, the operator's option, the date of its signature in central Mexico."""
    dated = published(tmp_path, LCO_NAME.format(1), lco(taxpayer(KEMPER), attributes=' fecha="2026-11-18"'))
    plain = published(tmp_path, "lista", lco(taxpayer(KEMPER)))
    run = importer(folder, clock=FixedClock(datetime(2026, 11, 23, 5, 59, tzinfo=UTC))).run
    assert run(ListKind.LCO, [dated]).dated == date(2026, 11, 18)
    assert run(ListKind.LCO, [plain], dated=date(2026, 11, 19)).dated == date(2026, 11, 19)
    assert run(ListKind.LCO, [plain]).dated == date(2026, 11, 20)
    late = tmp_path / "tarde"
    late.write_bytes(signed(lco(taxpayer(KEMPER)), signed_at=datetime(2026, 11, 23, 5, 59, tzinfo=UTC)))
    assert run(ListKind.LCO, [late]).dated == date(2026, 11, 22)
    late.write_bytes(signed(lco(taxpayer(KEMPER)), signed_at=None))
    assert rejection(folder, ListKind.LCO, late).code == "list-refused"


def test_run_rejects_parts_with_different_dates(tmp_path: Path, folder: Path) -> None:
    parts = [
        published(tmp_path, name, lco(taxpayer(KEMPER), attributes=f' fecha="2026-11-{day}"'))
        for name, day in (("a", 18), ("b", 19))
    ]
    assert rejection(folder, ListKind.LCO, *parts).code == "list-refused"


def test_run_requires_force_for_an_older_list(tmp_path: Path, folder: Path) -> None:
    path = published(tmp_path, "lista", lrfc(f"{KEMPER}|0|0"))
    importer(folder).run(ListKind.LRFC, [path], dated=date(2026, 11, 20))
    error = rejection(folder, ListKind.LRFC, path, dated=date(2026, 11, 19))
    assert (error.code, "2026-11-20" in str(error)) == ("list-refused", True)
    assert importer(folder).run(ListKind.LRFC, [path], dated=date(2026, 11, 19), force=True).dated == date(2026, 11, 19)


def test_run_requires_force_for_a_much_smaller_list(tmp_path: Path, folder: Path) -> None:
    rfcs = [f"AAA0101{day:02}AA1" for day in range(1, 21)]
    path = published(tmp_path, LRFC_NAME.format(1), lrfc(*(f"{rfc}|0|0" for rfc in rfcs)))
    importer(folder).run(ListKind.LRFC, [path])
    published(tmp_path, LRFC_NAME.format(1), lrfc(*(f"{rfc}|0|0" for rfc in rfcs[:17])))
    assert rejection(folder, ListKind.LRFC, path).code == "list-refused"
    assert PublishedLists(folder).taxpayer(rfcs[-1]) is not None
    assert importer(folder).run(ListKind.LRFC, [path], force=True).rows == 17
    assert PublishedLists(folder).taxpayer(rfcs[-1]) is None


def test_run_rejects_an_empty_list(tmp_path: Path, folder: Path) -> None:
    for kind, name, content in ((ListKind.LCO, LCO_NAME, lco()), (ListKind.LRFC, LRFC_NAME, lrfc())):
        assert rejection(folder, kind, published(tmp_path, name.format(1), content)).code == "list-unreadable"


def test_run_counts_few_malformed_rows_and_rejects_many(tmp_path: Path, folder: Path) -> None:
    good = [f"AAA0101{day:02}AA1|0|0" for day in range(1, 21)]
    path = published(tmp_path, LRFC_NAME.format(1), lrfc(*good, *["O?O120726RX3|0|0"] * 10))
    assert importer(folder).run(ListKind.LRFC, [path]).skipped == 10
    published(tmp_path, LRFC_NAME.format(1), lrfc(*good, *["O?O120726RX3|0|0"] * 11))
    assert "mal formados" in str(rejection(folder, ListKind.LRFC, path))


def test_run_rejects_lists_of_other_signers(tmp_path: Path, folder: Path) -> None:
    forger = signer("EKU9003173C9", "30001000000500003416", "MATRIZ")
    path = published(tmp_path, LCO_NAME.format(1), lco(taxpayer(KEMPER)), forger)
    assert rejection(folder, ListKind.LCO, path).code == "list-signature"
    assert PublishedLists(folder).current.obligations is None
    assert importer(folder, strict=False).run(ListKind.LCO, [path]).signers == (forger.certificate.number,)


@pytest.mark.parametrize(("kind", "good"), [(ListKind.LCO, GOOD_LCO), (ListKind.LRFC, GOOD_LRFC)])
def test_run_keeps_the_current_list_when_a_file_is_damaged(
    tmp_path: Path, folder: Path, kind: ListKind, good: bytes
) -> None:
    """Truncated files and files with a flipped bit, inside and outside of the gzip."""
    path = tmp_path / "lista"
    path.write_bytes(good)
    importer(folder).run(kind, [path])
    before, stamp = files(folder), PublishedLists(folder).current.editions
    chooser = random.Random(5)
    message = gzip.decompress(good)
    bad = [good[: chooser.randrange(len(good))] for _ in range(15)]
    bad += [gzip.compress(message[: chooser.randrange(len(message))]) for _ in range(15)]
    bad += [gzip.compress(message + b"\0"), b"", b"\x1f\x8b", b"x", bytes(1000), lco(), lrfc()]
    for data in bad:
        path.write_bytes(data)
        error = rejection(folder, kind, path)
        assert error.code == "list-unreadable"
        assert error.detail
    for _ in range(60):
        changed = bytearray(message)
        place = chooser.randrange(len(changed))
        changed[place] ^= 1 << chooser.randrange(8)
        path.write_bytes(changed)
        try:
            edition = importer(folder / "other").run(kind, [path])
        except ServiceError as error:
            assert error.code in CODES  # noqa: PT017
        else:
            assert edition.rows == 2
    assert files(folder) - {"other"} == before
    assert PublishedLists(folder).current.editions == stamp
    assert PublishedLists(folder).taxpayer(OÑO) is not None or PublishedLists(folder).obligations(OÑO) == 1


def test_run_rejects_a_concurrent_import(tmp_path: Path, folder: Path) -> None:
    path = published(tmp_path, LCO_NAME.format(1), lco(taxpayer(KEMPER)))
    importer(folder).run(ListKind.LCO, [path])
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert rejection(folder, ListKind.LCO, path).code == "list-busy"
    importer(folder).run(ListKind.LCO, [path])


def test_run_keeps_the_current_and_previous_lists_only(tmp_path: Path, folder: Path) -> None:
    path = published(tmp_path, LRFC_NAME.format(1), lrfc(f"N|{KEMPER}", header="NOMBRE|RFC"))
    run = importer(folder, columns="NOMBRE=name").run
    made = [run(ListKind.LRFC, [path]) for _ in range(4)]
    expected = {name for edition in made[-2:] for name in (edition.file, edition.names)}
    assert files(folder) == expected | {"current.json", "previous.json", "lock"}


def test_run_deletes_leftovers_of_a_crashed_import(tmp_path: Path, folder: Path) -> None:
    (folder / "making-crashed" / "rows").mkdir(parents=True)
    (folder / "making-crashed" / "rows" / "000").write_text("x")
    path = published(tmp_path, LCO_NAME.format(1), lco(taxpayer(KEMPER)))
    edition = importer(folder).run(ListKind.LCO, [path])
    assert files(folder) == {edition.file, "current.json", "previous.json", "lock"}


def test_run_rejects_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    path = published(tmp_path, LCO_NAME.format(1), lco(taxpayer(KEMPER)))
    (tmp_path / "file").write_text("no folder")
    assert rejection(tmp_path / "file", ListKind.LCO, path).code == "list-storage"


def test_run_replaces_a_damaged_record_with_force(tmp_path: Path, folder: Path) -> None:
    path = published(tmp_path, LCO_NAME.format(1), lco(taxpayer(KEMPER)))
    importer(folder).run(ListKind.LCO, [path])
    for name in ("current.json", "previous.json"):
        (folder / name).write_text("{")
    assert rejection(folder, ListKind.LCO, path).code == "list-damaged"
    importer(folder).run(ListKind.LCO, [path], force=True)
    assert PublishedLists(folder).obligations(KEMPER) == 0


def test_run_rejects_missing_files(tmp_path: Path, folder: Path) -> None:
    assert rejection(folder, ListKind.LCO, tmp_path / LCO_NAME.format(1)).code == "list-unreadable"


def test_run_rejects_a_decompression_bomb(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "lista"
    path.write_bytes(gzip.compress(signed(lrfc(*[f"{KEMPER}|0|0"] * 100_000))))
    with pytest.raises(ServiceError) as caught:
        importer(folder, largest=10**6).run(ListKind.LRFC, [path])
    assert caught.value.code == "list-unreadable"
    assert importer(folder, largest=10**8).run(ListKind.LRFC, [path]).rows == 1


def test_run_reports_progress(tmp_path: Path, folder: Path) -> None:
    path = published(tmp_path, LCO_NAME.format(1), lco(taxpayer(KEMPER)))
    steps: list[tuple[str, int, int]] = []
    importer(folder).run(ListKind.LCO, [path], on_progress=lambda *step: steps.append(step))
    size = path.stat().st_size
    assert steps[0] == (f"LCO {path.name}", size, size)
    assert steps[-1] == ("LCO 2026-11-20", 256, 256)


def test_record_contains_no_local_paths(tmp_path: Path, folder: Path) -> None:
    importer(folder).run(ListKind.LCO, [published(tmp_path, LCO_NAME.format(1), lco(taxpayer(KEMPER)))])
    (record,) = json.loads((folder / "current.json").read_text()).values()
    assert set(record) == {"LCO"}
    assert str(tmp_path) not in json.dumps(record)


def test_run_imports_the_samples_of_the_corpus(folder: Path) -> None:
    samples = corpus_path() / "services" / "synthetic"
    signers = ListSigners(TrustStore.built_in(production=False), strict=False)
    run = ListImporter(folder, signers, ListColumns(known_columns()), FixedClock(NOW)).run
    assert run(ListKind.LCO, [samples / "LCO_2026-11-20_1.XML.gz"]).certificates == 6
    assert run(ListKind.LRFC, [samples / "l_RFC_2026_11_20_1.txt.gz"]).rows == 10
    lists = PublishedLists(folder)
    assert (lists.obligations("XIA190128J61"), lists.obligations("H&E951128469")) == (0, 1)
    assert lists.taxpayer(OÑO) is not None
    production = ListSigners(TrustStore.built_in(production=True), strict=True)
    with pytest.raises(ServiceError) as caught:
        ListImporter(folder, production, ListColumns(known_columns()), FixedClock(NOW)).run(
            ListKind.LCO, [samples / "LCO_2026-11-20_1.XML.gz"]
        )
    assert caught.value.code == "list-signature"
