"""Batches: archives that are rejected, outcomes of documents, and their results."""

from __future__ import annotations

import asyncio
import csv
import ctypes
import io
import zipfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pypdfium2
import pytest
from sqlalchemy import update
from tests.support.hostile_archives import SYSTEM_NAMES, bent, nameless, overlapping, untrue, with_system_files, zipped
from tests.support.sandbox_app import SandboxApp

from timbra import examples
from timbra.accounts.build import account_services
from timbra.batches.archive import BatchArchive, BatchLimits
from timbra.batches.build import batch_runner, batch_service
from timbra.batches.store.models import Batch
from timbra.batches.store.tables import BATCH
from timbra.core.clock import to_central_mexico
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.events.build import dispatch_events
from timbra.webhooks.build import webhook_service
from timbra.webhooks.endpoints import NewWebhook

ERRORS_FILE = "errors.csv"
OUTPUT_FILE = "output.zip"
REPORT_FILE = "report.csv"
DONE = "done"
FAILED = "failed"
QUEUED = "queued"
DEFAULT_FONT_SIZE = 8.5

LIMITS = BatchLimits(1024 * 1024, 10, 40 * 1024 * 1024, 20 * 1024 * 1024)
XML = b"<a/>"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("batches"))
    made.store(made.mint())
    yield made
    made.container.close()


def invoice(app: SandboxApp, folio: str) -> bytes:
    return examples.ingreso({"@Folio": folio}, fecha=to_central_mexico(app.now - timedelta(hours=1))).encode()


def submit(
    app: SandboxApp, content: bytes, operation: str = "issue", *, pdf: bool = False, pdf_template: str = ""
) -> Batch:
    batches, archive = app.container.get(batch_service), io.BytesIO(content)
    account_id = app.caller.account_id
    return batches.submit(account_id, archive, "lote.zip", operation, "http://h", pdf=pdf, pdf_template=pdf_template)


def font_sizes(pdf: bytes) -> set[float]:
    """Return the sizes of the texts of a PDF, in points."""
    size, sizes = ctypes.c_float(), set()
    for page in pypdfium2.PdfDocument(pdf):
        for text in page.get_objects([pypdfium2.raw.FPDF_PAGEOBJ_TEXT]):
            pypdfium2.raw.FPDFTextObj_GetFontSize(text, size)
            sizes.add(round(size.value, 1))
    return sizes


def run(app: SandboxApp) -> None:
    asyncio.run(app.container.get(batch_runner).run_due())


def ended(app: SandboxApp, batch: Batch) -> Batch:
    run(app)
    return app.container.get(batch_service).find(app.caller.account_id, batch.id)


def result(app: SandboxApp, batch: Batch, member: str) -> bytes:
    batches = app.container.get(batch_service)
    address = urlsplit(batches.addresses(batch)[member])
    query = {name: values[0] for name, values in parse_qs(address.query).items()}
    _, _, batch_id, name = address.path.split("/")
    return b"".join(batches.open_result(batch_id, name, query["expires"], query["signature"]))


def rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


def twice() -> bytes:
    archive = zipped({"a.xml": XML, "b.xml": XML})
    return archive.replace(b"b.xml", b"a.xml")


@pytest.mark.parametrize(
    ("archive", "sentence"),
    [
        (b"", "viene vacío"),
        (b"no es un zip", "no es un archivo ZIP"),
        (zipped({"a.xml": XML})[:-30], "ZIP"),
        (zipped({}), "no trae documentos"),
        (zipped({"../a.xml": XML}), "carpeta"),
        (zipped({"/etc/a.xml": XML}), "carpeta"),
        (zipped({"sub/../../a.xml": XML}), "carpeta"),
        (zipped({"sub\\..\\a.xml": XML}), "carpeta"),
        (zipped({"./a.xml": XML}), "carpeta"),
        (zipped({"sub//a.xml": XML}), "carpeta"),
        (zipped({"\\\\server\\a.xml": XML}), "carpeta"),
        (zipped({"C:a.xml": XML}), "carpeta"),
        (zipped({"a\n.xml": XML}), "nombre"),
        (zipped({"a" * 300 + ".xml": XML}), "nombre"),
        (zipped({"a.txt": XML}), ".xml"),
        (zipped({"b.zip": zipped({"a.xml": XML})}), "otros ZIP"),
        (zipped({"a.xml": XML, "A.XML": XML}), "mismo nombre"),
        (zipped({"sub/a.xml": XML, "Sub\\a.xml": XML}), "mismo nombre"),
        (zipped(dict.fromkeys(SYSTEM_NAMES, XML)), "no trae documentos"),
        (zipped({"sub/a.pdf": XML}), ".xml"),
        (twice(), "mismo nombre"),
        (zipped({f"{number}.xml": XML for number in range(11)}), "más de 10 archivos"),
        (lambda: zipped({"a.xml": bytes(30 * 1024 * 1024)}), "veces mayor"),
        (lambda: zipped({f"{number}.xml": bytes(15 * 1024 * 1024) for number in range(3)}), "pasa de"),
        (lambda: untrue(zipped({"a.xml": bytes(17 * 1024 * 1024)}), 17 * 1024 * 1024), "no se puede leer"),
        (zipped({"a.xml": XML}, zipfile.ZIP_BZIP2), "método de compresión"),
        (bent(zipped({"a.xml": XML}), 8, b"\x01"), "cifrado"),
        (overlapping(), "ZIP"),
        (nameless(), "ZIP"),
    ],
    ids=lambda value: value if isinstance(value, str) else "archive",
)
def test_archive_is_rejected_before_any_stamp(archive: bytes | Callable[[], bytes], sentence: str) -> None:
    content = archive() if callable(archive) else archive
    with pytest.raises(ServiceError) as raised:
        BatchArchive(io.BytesIO(content), LIMITS).check()
    assert raised.value.code == "TB4030"
    assert sentence in (raised.value.detail or "")


@pytest.mark.parametrize(
    "names",
    [("a.xml",), ("lote/a.xml", "lote/b.xml"), ("lote/a.xml", "otro/a.xml", "a.xml"), ("a b/ñ/c.XML",)],
)
def test_documents_are_taken_with_their_folders_and_without_files_of_the_system(names: tuple[str, ...]) -> None:
    opened = BatchArchive(io.BytesIO(with_system_files(dict.fromkeys(names, XML))), LIMITS)
    opened.check()
    assert [member.filename for member in opened.documents] == list(names)
    assert [opened.read(member) for member in opened.documents] == [XML] * len(names)


def test_backslash_of_windows_separates_folders() -> None:
    opened = BatchArchive(io.BytesIO(zipped({"lote\\": b"", "lote\\a.xml": XML})), LIMITS)
    opened.check()
    assert [(member.filename, opened.read(member)) for member in opened.documents] == [("lote/a.xml", XML)]


def test_limit_counts_documents_without_their_files_of_the_system() -> None:
    documents = {f"{number}.xml": XML for number in range(10)}
    opened = BatchArchive(
        io.BytesIO(zipped({**documents, **{f"__MACOSX/._{name}": b"" for name in documents}})), LIMITS
    )
    opened.check()
    assert len(opened.documents) == 10


def test_result_has_the_folders_of_the_documents(app: SandboxApp) -> None:
    content = with_system_files({"enero/a.xml": invoice(app, "71"), "febrero/a.xml": invoice(app, "72")})
    batch = ended(app, submit(app, content))
    assert (batch.files, batch.stamped, batch.rejected) == (2, 2, 0)
    with zipfile.ZipFile(io.BytesIO(result(app, batch, "urlOutput"))) as archive:
        assert archive.namelist() == ["enero/a.xml", "febrero/a.xml"]
    assert [row["file"] for row in rows(result(app, batch, "urlReport"))] == ["enero/a.xml", "febrero/a.xml"]


def test_archive_beyond_the_size_limit_is_rejected() -> None:
    limits = BatchLimits(10, 10, 10, 10)
    with pytest.raises(ServiceError, match="TB4030"):
        BatchArchive(io.BytesIO(zipped({"a.xml": XML})), limits)


def test_huge_member_is_rejected() -> None:
    limits = BatchLimits(1024 * 1024, 10, 1024 * 1024, 1000)
    with pytest.raises(ServiceError) as raised:
        BatchArchive(io.BytesIO(zipped({"a.xml": bytes(1001)})), limits).check()
    assert raised.value.detail == "a.xml pasa de 1000 bytes."


def test_batch_stamps_what_is_sound_and_names_what_is_not(app: SandboxApp) -> None:
    content = zipped({"a.xml": invoice(app, "1"), "b.xml": b"no es xml", "c.xml": b"", "d.xml": invoice(app, "2")})
    webhook, _ = app.container.get(webhook_service).create(app.caller.account_id, NewWebhook("https://a.example/"))
    queued = submit(app, content)
    assert (queued.state, queued.files) == (QUEUED, 4)
    assert submit(app, content).id == queued.id

    batch = ended(app, queued)

    assert (batch.state, batch.stamped, batch.repeated, batch.rejected) == (DONE, 2, 0, 2)
    with zipfile.ZipFile(io.BytesIO(result(app, batch, "urlOutput"))) as archive:
        assert archive.namelist() == ["a.xml", "d.xml"]
        assert b"TimbreFiscalDigital" in archive.read("a.xml")
    report = rows(result(app, batch, "urlReport"))
    assert [row["status"] for row in report] == ["stamped", "rejected", "rejected", "stamped"]
    errors = rows(result(app, batch, "urlReportError"))
    assert [(row["file"], row["code"]) for row in errors] == [("b.xml", "301"), ("c.xml", "301")]
    assert "Xml CFDI33 no proporcionado" in errors[1]["message"]
    dispatch_events(app.container)
    lines = app.container.get(webhook_service).lines(app.caller.account_id, webhook.id)
    assert sorted(line.kind for line in lines) == ["batch.done", "cfdi.stamped", "cfdi.stamped"]


def test_batch_sent_twice_stamps_nothing_twice(app: SandboxApp) -> None:
    content = zipped({"a.xml": invoice(app, "20"), "b.xml": invoice(app, "21")})
    first = ended(app, submit(app, content))
    second = ended(app, submit(app, content, pdf=True))
    assert (second.stamped, second.repeated, second.rejected) == (0, 2, 0)
    assert second.id != first.id
    report = [rows(result(app, batch, "urlReport")) for batch in (first, second)]
    assert [row["uuid"] for row in report[0]] == [row["uuid"] for row in report[1]]
    with zipfile.ZipFile(io.BytesIO(result(app, second, "urlOutput"))) as archive:
        assert archive.namelist() == ["a.xml", "a.pdf", "b.xml", "b.pdf"]
        assert archive.read("b.pdf").startswith(b"%PDF")


def test_pdf_has_the_template_of_the_batch(app: SandboxApp) -> None:
    content = zipped({"a.xml": invoice(app, "25")})
    printed = {}
    for template in ("cfdi40", "compacta"):
        batch = ended(app, submit(app, content, pdf=True, pdf_template=template))
        with zipfile.ZipFile(io.BytesIO(result(app, batch, "urlOutput"))) as archive:
            printed[template] = font_sizes(archive.read("a.pdf"))
    assert DEFAULT_FONT_SIZE in printed["cfdi40"]
    assert DEFAULT_FONT_SIZE not in printed["compacta"]


def test_unknown_template_is_rejected_before_anything_is_queued(app: SandboxApp) -> None:
    queued = len(app.container.get(batch_service).list(app.caller.account_id))
    with pytest.raises(ServiceError, match="TB4005"):
        submit(app, zipped({"a.xml": invoice(app, "26")}), pdf=True, pdf_template="otra")
    assert len(app.container.get(batch_service).list(app.caller.account_id)) == queued


def test_sealed_documents_are_stamped_with_the_operation_stamp(app: SandboxApp) -> None:
    sealed = app.sealed(invoice(app, "30").decode(), app.mint())
    unsealed = invoice(app, "31")
    batch = ended(app, submit(app, zipped({"a.xml": sealed, "b.xml": unsealed}), "stamp"))
    assert (batch.stamped, batch.rejected) == (1, 1)
    with pytest.raises(ServiceError, match="TB4005"):
        submit(app, zipped({"a.xml": sealed}), "seal")


def test_killed_worker_leaves_exact_counts(app: SandboxApp, monkeypatch: pytest.MonkeyPatch) -> None:
    queued = submit(app, zipped({f"{number}.xml": invoice(app, f"4{number}") for number in range(3)}))
    runner = app.container.get(batch_runner)
    repository = runner._repository
    with monkeypatch.context() as patched:
        # The stamps are committed; the process dies before their outcomes are stored.
        patched.setattr(repository, "save_items", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            run(app)
    leased = repository.find(queued.id)
    assert (leased.state, leased.processed) == ("running", 0)
    repository.give_back(leased, app.container.wall.now())

    batch = ended(app, queued)

    assert (batch.state, batch.stamped, batch.repeated) == (DONE, 3, 0)


def test_temporary_failure_keeps_the_batch(app: SandboxApp, monkeypatch: pytest.MonkeyPatch) -> None:
    queued = submit(app, zipped({"a.xml": invoice(app, "50")}))
    runner = app.container.get(batch_runner)

    async def down(*_: object) -> object:
        raise ServiceError("CO1000", retry_after=5)

    with monkeypatch.context() as patched:
        patched.setattr(type(runner._stamping), "issue", down)
        waiting = ended(app, queued)
    assert (waiting.state, waiting.processed, waiting.attempts) == ("running", 0, 0)
    assert waiting.due_at is not None
    assert waiting.due_at > app.container.wall.now()
    with app.container.get(opened_database).write() as connection:
        connection.execute(update(BATCH).values(due_at=app.container.wall.now()))
    assert ended(app, queued).stamped == 1


def test_condition_without_a_code_is_co1000_with_its_sentence(app: SandboxApp, monkeypatch: pytest.MonkeyPatch) -> None:
    queued = submit(app, zipped({"a.xml": invoice(app, "55")}))
    runner = app.container.get(batch_runner)

    async def mismatch(*_: object) -> object:
        raise ServiceError("key-mismatch", "Es de otro RFC.")

    with monkeypatch.context() as patched:
        patched.setattr(type(runner._stamping), "issue", mismatch)
        batch = ended(app, queued)
    assert rows(result(app, batch, "urlReportError")) == [
        {
            "file": "a.xml",
            "code": "CO1000",
            "message": "CO1000 - El servicio no pudo completar la operación.",
            "messageDetail": "La llave privada no corresponde al certificado. Es de otro RFC.",
        }
    ]


def test_batch_fails_without_a_name_in_its_sentence(app: SandboxApp, monkeypatch: pytest.MonkeyPatch) -> None:
    queued = submit(app, zipped({"a.xml": invoice(app, "56")}))

    def unknown(_: int) -> object:
        raise ServiceError("account-unknown")

    with monkeypatch.context() as patched:
        patched.setattr(app.container.get(batch_runner), "_caller", unknown)
        batch = ended(app, queued)
    assert batch.failure == "CO1000 - El servicio no pudo completar la operación. La cuenta no existe."


def test_batch_of_a_closed_account_fails_with_a_sentence(app: SandboxApp) -> None:
    other = app.account("cerrada@example.com")
    batches = app.container.get(batch_service)
    archive = io.BytesIO(zipped({"a.xml": invoice(app, "60")}))
    queued = batches.submit(other.account_id, archive, "", "issue", "http://h", pdf=False)
    app.container.get(account_services).accounts.set_active(other.user, False)
    run(app)
    found = batches.find(other.account_id, queued.id)
    assert found.state == FAILED
    assert "inactivo" in found.failure
    assert set(batches.addresses(found).values()) == {""}


def test_addresses_end_and_cannot_be_guessed(app: SandboxApp) -> None:
    batches = app.container.get(batch_service)
    batch = ended(app, submit(app, zipped({"a.xml": invoice(app, "70")})))
    address = urlsplit(batches.addresses(batch)["urlOutput"])
    query = {name: values[0] for name, values in parse_qs(address.query).items()}
    assert batches.addresses(batch)["urlReportError"] == ""
    for name, expires, signature in (
        (OUTPUT_FILE, query["expires"], "0" * 64),
        (OUTPUT_FILE, str(int(query["expires"]) + 1), query["signature"]),
        (REPORT_FILE, query["expires"], query["signature"]),
        (ERRORS_FILE, "", ""),
    ):
        with pytest.raises(ServiceError, match="TB4041"):
            batches.open_result(batch.id, name, expires, signature)
