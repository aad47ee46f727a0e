"""Documents of old months that are read from their archive: what is stored, read, reported and pruned."""

from __future__ import annotations

import asyncio
import random
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from obstore.store import HTTPStore
from sqlalchemy import func, select, update
from tests.archive.test_retention import MAY, OCTOBER, Provider, opened_provider
from tests.support.databases import prepare_sqlite
from tests.support.store_records import claim

from timbra.archive.build import archive_checks, archive_months, archive_services
from timbra.archive.cold_documents import ArchiveReader
from timbra.archive.digests import archive_digests
from timbra.archive.monthly import MonthlyArchives
from timbra.archive.storage import FolderStorage, ObjectStorage
from timbra.archive.store import ArchiveRecord
from timbra.cfdi.build import thread_parser
from timbra.core.checks import CheckOptions, CheckState
from timbra.core.errors import ServiceError
from timbra.core.periods import month_of
from timbra.database.build import archive_reader, opened_database
from timbra.database.codec import (
    ArchivedDocument,
    decode,
    decode_reference,
    encode,
    encode_reference,
    is_reference,
)
from timbra.database.database import open_database
from timbra.database.tables.stamps import STAMP
from timbra.documents.build import document_index
from timbra.documents.listing import DocumentListing
from timbra.events.cancellation_states import cancellation_states
from timbra.fsck.build import fsck_services
from timbra.fsck.findings import FsckFinding
from timbra.settings import Settings
from timbra.stamps.build import database_stamps, stamp_months
from timbra.stamps.group_commit import GroupCommit
from timbra.stamps.port import AlreadyStamped, Claim, DamagedStamp, Stored
from timbra.stamps.postgresql import PostgresStamps
from timbra.stamps.search import StampFilter, StampSearch

SEPTEMBER = datetime(2026, 9, 12, 18, tzinfo=UTC)
ARCHIVE = "timbra-2026-05"
EXISTS, INVALID, STORAGE = "archive-exists", "archive-invalid", "archive-storage"
FECHA = "2026-05-12T12:00:00"
# A stored document is larger than its reference.
CONTENT = b"<!--%s-->" % random.Random(1).randbytes(1500).hex().encode()


@pytest.fixture
def provider(tmp_path: Path) -> Iterator[Provider]:
    prepare_sqlite(tmp_path / "data")
    with opened_provider(tmp_path, retention_months=0, online_document_months=1) as opened:
        yield opened


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The database of a provider."""
    if request.param == "sqlite":
        prepare_sqlite(tmp_path / "data")
        return ""
    monkeypatch.setattr("timbra.stamps.repository.PostgresStamps", lambda **_: PostgresStamps())
    found: str = request.getfixturevalue("postgresql_address")
    return found


def stamp(provider: Provider, number: int, at: datetime, fecha: str = FECHA) -> str:
    return provider.stamp(number, at, fecha=fecha, content=CONTENT)


def work_in_october(provider: Provider) -> None:
    """Write the archives, and replace documents."""
    provider.wall.instant = OCTOBER
    provider.work()


def stored(provider: Provider) -> dict[str, bytes]:
    with provider.container.get(opened_database).read() as connection:
        return {row.uuid: row.cfdi for row in connection.execute(select(STAMP.c.uuid, STAMP.c.cfdi))}


def record_of(provider: Provider, name: str = ARCHIVE) -> ArchiveRecord:
    return {each.name: each for each in provider.container.get(archive_services).archives.repository.all()}[name]


def code_of(work: Callable[[], object]) -> str:
    with pytest.raises(ServiceError) as caught:
        work()
    return caught.value.code


def listing_of(provider: Provider) -> DocumentListing:
    get = provider.container.get
    database, index = get(opened_database), get(document_index)
    states = partial(cancellation_states, database)
    return DocumentListing(StampSearch(database), get(database_stamps), get(thread_parser), states, index)


def findings(provider: Provider) -> list[FsckFinding]:
    report = fsck_services(provider.container).check(lambda *_: None)
    return [found for found in report.findings if found.code == "document-damaged"]


def test_documents_of_old_months_are_read_from_their_archive(address: str, tmp_path: Path) -> None:
    with opened_provider(tmp_path, address, retention_months=0, online_document_months=1) as provider:
        stamps = provider.container.get(database_stamps)
        provider.container.get(stamp_months).create([date(2026, 5, 1)])
        old = [stamp(provider, number, MAY) for number in range(3)]
        new = [stamp(provider, 10, SEPTEMBER, "2026-09-12T12:00:00"), stamp(provider, 11, OCTOBER)]
        before = {uuid: stamps.by_uuid(uuid) for uuid in (*old, *new)}
        with provider.container.get(opened_database).read() as connection:
            size = connection.execute(select(func.sum(func.length(STAMP.c.cfdi)))).scalar_one()
        work_in_october(provider)
        found = stored(provider)
        assert {uuid for uuid, cfdi in found.items() if is_reference(cfdi)} == {*old}
        assert sum(map(len, found.values())) < size * 3 / 4
        assert decode_reference(found[old[0]]).archive == ARCHIVE
        assert {uuid: stamps.by_uuid(uuid) for uuid in before} == before
        assert {one.uuid: one for one in stamps.by_uuids(list(before)) if not isinstance(one, DamagedStamp)} == before
        assert [one.uuid for one in stamps.page(None).records] == [*reversed(new), *reversed(old)]
        one = before[old[0]]
        assert one is not None
        assert stamps.by_seal(one.seal_hash) == one
        assert stamps.claim([Claim(one), Claim(replace(one, uuid=new[0]))]) == [Stored(one), AlreadyStamped(one)]
        assert provider.problems() == ""


def test_prune_deletes_old_documents_without_reading_them(address: str, tmp_path: Path) -> None:
    with opened_provider(tmp_path, address, online_document_months=1) as provider:
        provider.container.get(stamp_months).create([date(2026, 5, 1)])
        old = [stamp(provider, number, MAY) for number in range(3)]
        new = stamp(provider, 10, OCTOBER)
        provider.wall.instant = datetime(2026, 7, 5, 18, tzinfo=UTC)
        provider.work()
        assert {uuid for uuid, cfdi in stored(provider).items() if is_reference(cfdi)} == {*old}
        provider.container.bindings[archive_reader] = _fails
        work_in_october(provider)
        assert stored(provider).keys() == {new}
        assert provider.problems() == ""


def test_document_that_is_not_in_the_archive_stays(provider: Provider) -> None:
    stamp(provider, 1, MAY)
    provider.wall.instant = datetime(2026, 6, 2, tzinfo=UTC)
    provider.work()
    late = stamp(provider, 2, MAY)
    work_in_october(provider)
    assert [uuid for uuid, cfdi in stored(provider).items() if not is_reference(cfdi)] == [late]


def test_document_that_changes_meanwhile_is_not_replaced(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened_provider(tmp_path, address, retention_months=0, online_document_months=1) as provider:
        changed, other = stamp(provider, 1, MAY), stamp(provider, 2, MAY)
        verify, later = MonthlyArchives.verify, encode(b"<other/>")

        def verify_and_change(archives: MonthlyArchives, record: ArchiveRecord) -> None:
            """The documents have been read before the archive is verified."""
            verify(archives, record)
            with provider.container.get(opened_database).write() as connection:
                connection.execute(update(STAMP).where(STAMP.c.uuid == changed).values(cfdi=later))

        monkeypatch.setattr(MonthlyArchives, "verify", verify_and_change)
        work_in_october(provider)
        found = stored(provider)
        assert found[changed] == later
        assert is_reference(found[other])


def test_job_stops_after_its_steps_and_goes_on(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("timbra.archive.retention.BATCH", 2)
    for number in range(5):
        stamp(provider, number, MAY)
    provider.wall.instant = datetime(2026, 6, 2, tzinfo=UTC)
    provider.work()
    provider.wall.instant = OCTOBER
    cold = provider.container.get(archive_services).cold
    assert [cold.replace(steps=1) for _ in range(4)] == [2, 2, 1, 0]
    assert all(map(is_reference, stored(provider).values()))


def test_storage_that_is_away_is_an_error_of_the_old_documents_only(provider: Provider, tmp_path: Path) -> None:
    old, new = stamp(provider, 1, MAY), stamp(provider, 2, OCTOBER)
    work_in_october(provider)
    stamps = provider.container.get(database_stamps)
    record = stamps.by_uuid(old)
    assert record is not None
    provider.place.rename(tmp_path / "away")
    with pytest.raises(ServiceError, match=STORAGE) as caught:
        stamps.by_uuid(old)
    assert (caught.value.retry_after, caught.value.detail) == (
        60,
        f"El documento está en el archivo histórico {ARCHIVE}, que no se puede leer ahora.",
    )
    assert code_of(lambda: stamps.by_seal(record.seal_hash)) == STORAGE
    assert [one.record.uuid for one in stamps.page(None).damaged] == [old]
    listing = listing_of(provider)
    rows = {row.stamp.uuid: row.damage for row in listing.page(StampFilter(None)).rows}
    assert (rows[old], rows[new]) == (
        "El documento está en el archivo histórico, que no se puede leer ahora.",
        "El documento guardado está dañado.",
    )
    assert listing.found(StampFilter(None)).number == 2
    # A selection with documents is not written without them.
    assert code_of(lambda: list(listing.pages(StampFilter(None), with_documents=True))) == STORAGE
    assert provider.exists(new)
    assert code_of(lambda: archive_months(provider.container)) == STORAGE
    assert f"No hay un archivo completo {ARCHIVE}" in provider.problems()
    [_, check] = archive_checks(provider.container, CheckOptions())
    assert check.state is CheckState.ERROR
    (tmp_path / "away").rename(provider.place)
    assert stamps.by_uuid(old) == record
    archive_months(provider.container)
    assert provider.problems() == ""
    [_, check] = archive_checks(provider.container, CheckOptions())
    assert (check.state, check.detail) == (CheckState.OK, "4")


def test_repeat_of_a_document_that_cannot_be_read_fails_alone(provider: Provider) -> None:
    old = stamp(provider, 1, MAY)
    work_in_october(provider)
    stamps = provider.container.get(database_stamps)
    record = stamps.by_uuid(old)
    assert record is not None
    shutil.rmtree(provider.place)
    new = replace(claim(5, at=OCTOBER).record, environment="rehearsal")

    async def run() -> tuple[object, object]:
        commit = GroupCommit(stamps)
        return await asyncio.gather(commit.claim(Claim(record)), commit.claim(Claim(new)), return_exceptions=True)

    failed, done = asyncio.run(run())
    assert isinstance(failed, ServiceError)
    assert failed.code == STORAGE
    assert done == Stored(new)
    assert stamps.by_uuid(new.uuid) == new


@pytest.mark.parametrize("is_missing", [False, True], ids=["changed", "missing"])
def test_changed_entry_of_an_archive_is_a_damaged_document(provider: Provider, *, is_missing: bool) -> None:
    uuid, sound = stamp(provider, 1, MAY), stamp(provider, 2, OCTOBER)
    work_in_october(provider)
    place = decode_reference(stored(provider)[uuid])
    path = provider.place / ARCHIVE / place.file
    content = bytearray(path.read_bytes())
    content[place.start + place.length // 2] ^= 1
    path.write_bytes(content)
    if is_missing:
        path.unlink()
    stamps = provider.container.get(database_stamps)
    with pytest.raises(ServiceError, match="document-damaged") as caught:
        stamps.by_uuid(uuid)
    assert caught.value.retry_after is None
    assert f"{ARCHIVE}/{place.file}" in str(caught.value.detail)
    [damaged] = [one for one in stamps.by_uuids([uuid, sound]) if isinstance(one, DamagedStamp)]
    assert (damaged.record.uuid, damaged.record.cfdi, damaged.error.code) == (uuid, b"", "document-damaged")
    assert [found.key for found in findings(provider) if ARCHIVE in found.stored] == [uuid]


def test_fsck_reads_documents_in_their_archive(provider: Provider) -> None:
    stamp(provider, 1, MAY)
    before = findings(provider)
    work_in_october(provider)
    assert findings(provider) == before
    shutil.rmtree(provider.place)
    assert code_of(lambda: findings(provider)) == STORAGE


class _Files(SimpleHTTPRequestHandler):
    """Sends the ranges of files that a request names, as object storage does."""

    requests: ClassVar[list[tuple[str, str]]] = []

    def do_GET(self) -> None:
        self.requests.append((self.path, self.headers["Range"]))
        start, last = map(int, self.headers["Range"].removeprefix("bytes=").split("-"))
        content = Path(self.translate_path(self.path)).read_bytes()
        part = content[start : last + 1]
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {start}-{start + len(part) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(part)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def test_object_storage_sends_the_entry_of_a_document_only(provider: Provider) -> None:
    for number in range(20):
        uuid = stamp(provider, number, MAY)
    work_in_october(provider)
    database = provider.container.get(opened_database)
    place = decode_reference(stored(provider)[uuid])
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Files, directory=provider.place))
    url = f"http://127.0.0.1:{server.server_port}"
    store = HTTPStore.from_url(url, client_options={"allow_http": True})
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        document = ArchiveReader(database, lambda _: ObjectStorage(url, store)).read(place)
    finally:
        server.shutdown()
        server.server_close()
    assert document == database.document(stored(provider)[uuid])
    assert _Files.requests == [(f"/{ARCHIVE}/{place.file}", f"bytes={place.start}-{place.start + place.length - 1}")]
    assert place.length * 10 < (provider.place / ARCHIVE / place.file).stat().st_size


def test_storage_that_does_not_answer_is_not_asked_for_each_document(provider: Provider) -> None:
    uuids = [stamp(provider, number, MAY) for number in range(3)]
    work_in_october(provider)
    asked = []

    class Silent(FolderStorage):
        def read_range(self, path: str, start: int, length: int) -> bytes:
            asked.append((path, start, length))
            time.sleep(1.1)
            raise TimeoutError

    reader = ArchiveReader(provider.container.get(opened_database), lambda place: Silent(Path(place)))
    provider.container.bindings[archive_reader] = lambda _: reader.read
    damaged = [
        each for each in provider.container.get(database_stamps).by_uuids(uuids) if isinstance(each, DamagedStamp)
    ]
    assert [each.error.code for each in damaged] == [STORAGE] * 3
    assert len(asked) == 1


def test_range_behind_the_end_of_an_object_is_empty(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"0123456789")
    for storage in (ObjectStorage(f"file://{tmp_path}"), FolderStorage(tmp_path)):
        ranges = [storage.read_range("file", start, 4) for start in (2, 8, 10, 20)]
        assert ranges == [b"2345", b"89", b"", b""]
        with pytest.raises(FileNotFoundError):
            storage.read_range("none", 0, 4)


def test_moved_archive_is_read_at_its_new_place(provider: Provider, tmp_path: Path) -> None:
    uuid = stamp(provider, 1, MAY)
    work_in_october(provider)
    stamps, archives = provider.container.get(database_stamps), provider.container.get(archive_services).archives
    record = stamps.by_uuid(uuid)
    provider.place.rename(tmp_path / "moved")
    assert code_of(lambda: stamps.by_uuid(uuid)) == STORAGE
    assert code_of(lambda: archives.move(ARCHIVE, str(provider.place))) == INVALID
    assert code_of(lambda: archives.move("timbra-2020-01", str(tmp_path / "moved"))) == INVALID
    archives.move(ARCHIVE, str(tmp_path / "moved"))
    assert record_of(provider).place == str(tmp_path / "moved")
    assert stamps.by_uuid(uuid) == record


def test_another_archive_is_not_the_one_that_moved(provider: Provider, tmp_path: Path) -> None:
    stamp(provider, 1, MAY)
    provider.wall.instant = datetime(2026, 6, 2, tzinfo=UTC)
    provider.work()
    stamp(provider, 2, MAY)
    services = provider.container.get(archive_services)
    services.archive.export(ARCHIVE, month_of("2026-05"), FolderStorage(tmp_path / "other"))
    assert code_of(lambda: services.archives.move(ARCHIVE, str(tmp_path / "other"))) == INVALID
    assert record_of(provider).place == str(provider.place)


def test_month_is_not_exported_again_from_its_own_archive(provider: Provider, tmp_path: Path) -> None:
    uuid = stamp(provider, 1, MAY)
    work_in_october(provider)
    services = provider.container.get(archive_services)
    other = str(tmp_path / "other")
    assert code_of(lambda: services.archives.export_month(month_of("2026-05"), other)) == EXISTS
    assert record_of(provider).place == str(provider.place)
    # The archive of other days has the documents.
    storage = FolderStorage(tmp_path / "other")
    totals = services.archive.export("timbra-2026-05-01-2026-06-30", month_of("2026-05"), storage)
    assert totals.documents == 1
    with archive_digests(totals.name, storage) as digests:
        assert digests.names_document(uuid)


@pytest.mark.parametrize(
    "damaged",
    [b"", b"{}", b"[]", b'["a","b",1,2,3,8,9]', b'["a","b",-1,2,3,8,"00"]', b'["a","b",1,999999999,3,8,"00"]'],
)
def test_damaged_reference_is_a_damaged_document(provider: Provider, damaged: bytes) -> None:
    uuid = stamp(provider, 1, MAY)
    with provider.container.get(opened_database).write() as connection:
        connection.execute(update(STAMP).values(cfdi=b"\x02" + damaged))
    assert code_of(lambda: provider.exists(uuid)) == "document-damaged"
    work_in_october(provider)
    with (provider.place / ARCHIVE / "data" / "documents.csv").open() as file:
        assert f"{uuid}.damaged" in file.read()


def test_reference_has_every_value_of_its_place() -> None:
    place = ArchivedDocument(ARCHIVE, "data/documents/2026-05-12.zip", 70, 1000, 3000, 8, "ab" * 32)
    assert decode_reference(encode_reference(place)) == place
    with pytest.raises(ValueError, match="codec"):
        decode(encode_reference(place))


def test_database_without_archives_says_so(tmp_path: Path) -> None:
    prepare_sqlite(tmp_path)
    database = open_database(f"sqlite:///{tmp_path / 'timbra.db'}")
    stored = encode_reference(ArchivedDocument(ARCHIVE, "data/documents/2026-05-12.zip", 70, 1000, 3000, 8, "ab" * 32))
    assert code_of(lambda: database.document(stored)) == STORAGE
    database.close()


def test_number_of_months_is_not_negative(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="online_document_months"):
        Settings(data=tmp_path, online_document_months=-1)


def _fails(_container: object) -> Callable[[ArchivedDocument], bytes]:
    def read(place: ArchivedDocument) -> bytes:
        raise AssertionError(f"{place.file} is read")

    return read
