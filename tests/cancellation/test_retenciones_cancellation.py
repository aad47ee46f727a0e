"""Cancellation of retenciones by files, PFX, UUID and XML, and the register that the authority keeps of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from lxml import etree
from tests.support.cancellation_app import ISSUER, RECEIVER, CancellationApp, csd_files, pfx_file
from tests.support.signing import signed

from timbra.accounts.build import account_services
from timbra.cancellation.build import cancellation_services
from timbra.cancellation.cancelling import CancellationRequest
from timbra.cancellation.signed_requests import CsdFiles
from timbra.cfdi.cancelacion.request import Cancelacion, Folio
from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.documents.build import document_services
from timbra.messages import cancelling as messages
from timbra.sandbox.build import sandbox_services
from timbra.sat.port import StatusQuery
from timbra.seals.certificates.certificate import CertificateKind
from timbra.seals.xml_signatures.xmldsig import verify
from timbra.stamps.port import StampRecord
from timbra.validation.build import validation_services

CANCELACFD = "http://cancelacfd.sat.gob.mx"
CANCELARETENCION = "http://cancelaretencion.sat.gob.mx"
RETENCIONES_NAMESPACES = ("http://www.sat.gob.mx/esquemas/retencionpago/1", "http://cancelaretencion.sat.gob.mx")

UNKNOWN = "9d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11"
CANCELLED = ("Cancelado", None, "")
IN_FORCE = ("Vigente", None, "")
FIRST, SECOND = RETENCIONES_NAMESPACES


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> CancellationApp:
    sandbox_app = CancellationApp(tmp_path_factory.mktemp("template") / "data")
    sandbox_app.container.close()
    return sandbox_app


@pytest.fixture
def sandbox_app(template: CancellationApp, tmp_path: Path) -> Iterator[CancellationApp]:
    sandbox_app = template.copied(tmp_path / "data")
    yield sandbox_app
    sandbox_app.container.close()


def request_of(*folios: Folio, namespace: str = FIRST, rfc: str = ISSUER) -> Cancelacion:
    return Cancelacion(rfc, folios, namespace)


def by_xml(sandbox_app: CancellationApp, xml: bytes, *, cfdi: bool = False) -> dict[str, str]:
    services = sandbox_app.container.get(cancellation_services)
    service = services.cancelling if cfdi else services.cancelling_retenciones
    return service.by_xml(sandbox_app.caller, xml, "request").codes


def xml_rejection(sandbox_app: CancellationApp, xml: bytes, *, cfdi: bool = False) -> tuple[str, str | None]:
    with pytest.raises(ServiceError) as rejected:
        by_xml(sandbox_app, xml, cfdi=cfdi)
    return rejected.value.code, rejected.value.detail


def rejection(sandbox_app: CancellationApp, order: CancellationRequest, caller: Caller | None = None) -> str:
    """Return code and the beginning of the detail."""
    service = sandbox_app.container.get(cancellation_services).cancelling_retenciones
    with pytest.raises(ServiceError) as rejected:
        service.by_uuid(caller or sandbox_app.caller, order, "request")
    return f"{rejected.value.code} {(rejected.value.detail or '')[:6]}"


def test_cancel_by_files_pfx_uuid_and_xml(sandbox_app: CancellationApp) -> None:
    uuids = [sandbox_app.retencion() for _ in range(5)]
    by_csd, by_pfx, first, second, by_uuid = uuids
    service, order = sandbox_app.container.get(cancellation_services).cancelling_retenciones, sandbox_app.order
    for uuid, files in ((by_csd, csd_files(sandbox_app.issuer)), (by_pfx, pfx_file(sandbox_app.issuer))):
        assert service.by_files(sandbox_app.caller, order(uuid), files, "r").codes == {uuid.upper(): "1201"}
    for uuid, namespace in ((first, FIRST), (second, SECOND)):
        root = request_of(Folio(uuid, "02"), namespace=namespace).to_root(sandbox_app.now)
        assert by_xml(sandbox_app, signed(sandbox_app.issuer, root)) == {uuid.upper(): "1201"}
    assert sandbox_app.cancel_retencion(by_uuid) == "1201"
    assert [sandbox_app.state(uuid) for uuid in uuids] == [CANCELLED] * 5


def test_acuse_has_the_shape_of_retenciones_and_is_signed(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.retencion()
    service = sandbox_app.container.get(cancellation_services).cancelling_retenciones
    acuse = service.by_uuid(sandbox_app.caller, sandbox_app.order(uuid), "request").acuse
    root = etree.fromstring(acuse.encode())
    assert (root.tag, root.get("RfcEmisor")) == (f"{{{CANCELARETENCION}}}Acuse", ISSUER)
    assert root.findtext(f"{{{CANCELARETENCION}}}Folios/{{{CANCELARETENCION}}}EstatusUUID") == "1201"
    assert verify(root).certificate == sandbox_app.container.get(sandbox_services).authority_ca.certificate


def test_stored_acuse_has_the_shape_of_retenciones(sandbox_app: CancellationApp) -> None:
    uuid, invoice = sandbox_app.retencion(), sandbox_app.invoice()
    storage = sandbox_app.container.get(document_services).storage
    assert storage.cancellation(stored(sandbox_app, uuid)) is None
    sandbox_app.cancel_retencion(uuid)
    sandbox_app.cancel(invoice)
    acuses = [storage.cancellation(stored(sandbox_app, one)) or b"" for one in (uuid, invoice)]
    assert [etree.QName(etree.fromstring(acuse)).namespace for acuse in acuses] == [CANCELARETENCION, None]
    assert [etree.fromstring(acuse).findtext("{*}Folios/{*}EstatusUUID") for acuse in acuses] == ["1201", "201"]


def stored(sandbox_app: CancellationApp, uuid: str) -> StampRecord:
    return sandbox_app.container.get(document_services).storage.of_any_account(uuid)


def test_repeated_cancellation_is_1202(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.retencion()
    assert [sandbox_app.cancel_retencion(uuid) for _ in range(3)] == ["1201", "1202", "1202"]
    assert sandbox_app.history(uuid) == ["cancelled"]


def test_concurrent_cancellations_have_one_effect(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.retencion()
    with ThreadPoolExecutor(4) as pool:
        codes = sorted(pool.map(lambda _: sandbox_app.cancel_retencion(uuid), range(4)))
    assert codes == ["1201", "1202", "1202", "1202"]
    assert sandbox_app.history(uuid) == ["cancelled"]


def test_cancellation_needs_no_acceptance_and_has_no_last_day(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.retencion()
    sandbox_app.advance("800d")
    assert sandbox_app.cancel_retencion(uuid) == "1201"
    assert sandbox_app.state(uuid) == CANCELLED


def test_unknown_folio_is_1205_and_folio_of_another_issuer_is_1203(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.retencion()
    assert sandbox_app.cancel_retencion(UNKNOWN) == "1205"
    assert sandbox_app.cancel_retencion(uuid, rfc=RECEIVER) == "1203"
    assert sandbox_app.state(uuid) == IN_FORCE


def test_each_service_does_not_find_the_documents_of_the_other(sandbox_app: CancellationApp) -> None:
    retencion, invoice = sandbox_app.retencion(), sandbox_app.invoice()
    assert sandbox_app.cancel(retencion) == "205"
    assert sandbox_app.cancel_retencion(invoice) == "1205"
    assert (sandbox_app.state(retencion), sandbox_app.state(invoice)[0]) == (IN_FORCE, "Vigente")
    assert sandbox_app.history(retencion) == sandbox_app.history(invoice) == []


def test_by_xml_cancels_several(sandbox_app: CancellationApp) -> None:
    uuid, other = sandbox_app.retencion(), sandbox_app.retencion()
    root = request_of(Folio(uuid, "02"), Folio(other, "03"), Folio(UNKNOWN, "02")).to_root(sandbox_app.now)
    codes = by_xml(sandbox_app, signed(sandbox_app.issuer, root))
    assert codes == {uuid.upper(): "1201", other.upper(): "1201", UNKNOWN.upper(): "1205"}


def test_by_xml_accepts_an_indented_document_with_an_empty_substitute(sandbox_app: CancellationApp) -> None:
    """The vendor's client indents the document after it signed it, and writes an empty FolioSustitucion."""
    uuid = sandbox_app.retencion()
    root = request_of(Folio(uuid, "02")).to_root(sandbox_app.now)
    next(root.iter(f"{{{FIRST}}}Folio")).set("FolioSustitucion", "")
    document = etree.fromstring(signed(sandbox_app.issuer, root))
    etree.indent(document)
    assert by_xml(sandbox_app, etree.tostring(document, encoding="utf-8")) == {uuid.upper(): "1201"}


def test_motive_01_needs_a_related_substitute_in_force(sandbox_app: CancellationApp) -> None:
    replaced = sandbox_app.retencion()
    unrelated, wrong = sandbox_app.retencion(), sandbox_app.retencion(relation="01", to=replaced)
    substitute = sandbox_app.retencion(relation="04", to=replaced)
    for folio in ("", "null", UNKNOWN, unrelated, wrong, sandbox_app.invoice()):
        assert rejection(sandbox_app, sandbox_app.order(replaced, "01", folio)) == "cancel-xml CR1311"
    assert sandbox_app.state(replaced) == IN_FORCE
    assert sandbox_app.cancel_retencion(replaced, "01", substitute) == "1201"
    assert sandbox_app.events(replaced)[0].body["foliosustitucion"] == substitute


def test_motive_01_rejects_a_cancelled_substitute(sandbox_app: CancellationApp) -> None:
    replaced = sandbox_app.retencion()
    substitute = sandbox_app.retencion(relation="04", to=replaced)
    assert sandbox_app.cancel_retencion(substitute) == "1201"
    assert rejection(sandbox_app, sandbox_app.order(replaced, "01", substitute)) == "cancel-xml CR1311"


def test_request_with_an_unrelated_substitute_cancels_nothing(sandbox_app: CancellationApp) -> None:
    first, second, third = (sandbox_app.retencion() for _ in range(3))
    root = request_of(Folio(first, "02"), Folio(second, "01", third)).to_root(sandbox_app.now)
    assert xml_rejection(sandbox_app, signed(sandbox_app.issuer, root)) == (
        "cancel-xml",
        messages.RETENCIONES_UNRELATED,
    )
    assert sandbox_app.state(first) == IN_FORCE
    assert sandbox_app.history(first) == []


def test_retencion_that_names_a_cfdi_does_not_forbid_its_cancellation(sandbox_app: CancellationApp) -> None:
    invoice = sandbox_app.invoice()
    sandbox_app.retencion(relation="04", to=invoice)
    assert sandbox_app.cancel(invoice) == "201"
    assert sandbox_app.state(invoice)[0] == "Cancelado"


def test_relations_and_answers_are_for_cfdi(sandbox_app: CancellationApp) -> None:
    invoice, retencion = sandbox_app.invoice(), sandbox_app.retencion()
    sandbox_app.retencion(relation="04", to=retencion)
    sandbox_app.retencion(relation="04", to=invoice)
    relating = sandbox_app.container.get(cancellation_services).relating
    assert relating.by_uuid(sandbox_app.caller, ISSUER, retencion).code == "2002"
    assert relating.by_uuid(sandbox_app.caller, ISSUER, invoice).code == "2001"
    assert sandbox_app.answer(retencion, "Aceptacion") == "1001"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"motivo": ""}, "cancel-xml CR1310"),
        ({"motivo": "05"}, "cancel-xml CR1310"),
        ({"substitute": UNKNOWN}, "cancel-xml CR1311"),
        ({"rfc": "EKU"}, "cancel-failed El Rfc"),
        ({"uuid": "no-uuid"}, "cancel-failed El uui"),
        ({"substitute": "no-uuid"}, "cancel-failed El uui"),
        ({"rfc": "XIA190128J61"}, "cancel-failed No se "),
    ],
)
def test_by_uuid_rejects_bad_input(sandbox_app: CancellationApp, changes: dict[str, str], expected: str) -> None:
    values = {"rfc": ISSUER, "uuid": UNKNOWN, "motivo": "02", "substitute": "", **changes}
    assert rejection(sandbox_app, CancellationRequest(**values)) == expected


def test_by_uuid_needs_a_csd_of_the_own_account(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.retencion()
    other = sandbox_app.container.get(account_services).accounts.create("other@example.com", "Una-clave-larga-1")
    caller = replace(sandbox_app.caller, account_id=other.account_id)
    assert rejection(sandbox_app, sandbox_app.order(uuid), caller) == "cancel-failed No se "
    assert sandbox_app.state(uuid) == IN_FORCE


@pytest.mark.parametrize(
    ("name", "value", "code", "detail"),
    [
        ("certificate", "", "cancel-fields", messages.CSD_MISSING),
        ("password", "", "cancel-fields", messages.CSD_MISSING),
        ("key", "no base64!", "cancel-fields", messages.NOT_BASE64),
    ],
)
def test_by_files_rejects_bad_files(
    sandbox_app: CancellationApp, name: str, value: str, code: str, detail: str
) -> None:
    service = sandbox_app.container.get(cancellation_services).cancelling_retenciones
    files: CsdFiles = csd_files(sandbox_app.issuer, **{name: value})
    with pytest.raises(ServiceError) as rejected:
        service.by_files(sandbox_app.caller, sandbox_app.order(UNKNOWN), files, "request")
    assert (rejected.value.code, rejected.value.detail) == (code, detail)


def test_by_files_rejects_certificates_that_may_not_sign(sandbox_app: CancellationApp) -> None:
    service, order = sandbox_app.container.get(cancellation_services).cancelling_retenciones, sandbox_app.order(UNKNOWN)
    expired = sandbox_app.mint(ISSUER, valid_to=sandbox_app.now - timedelta(days=2))
    rejected = {
        sandbox_app.receiver: messages.RETENCIONES_OTHER_RFC,
        sandbox_app.mint(ISSUER, kind=CertificateKind.EFIRMA): messages.RETENCIONES_NOT_CSD,
        expired: messages.EXPIRED,
    }
    for credential, detail in rejected.items():
        with pytest.raises(ServiceError) as caught:
            service.by_files(sandbox_app.caller, order, csd_files(credential), "request")
        assert (caught.value.code, caught.value.detail) == ("cancel-xml", detail)


def test_by_xml_rejects_bad_documents_with_their_codes(sandbox_app: CancellationApp) -> None:
    issuer, at = sandbox_app.issuer, sandbox_app.now
    folio = Folio(sandbox_app.retencion(), "02")

    def rejected(request: Cancelacion, *changes: tuple[str, str]) -> str:
        text = etree.tostring(request.to_root(at), encoding="unicode")
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        code, detail = xml_rejection(sandbox_app, signed(issuer, etree.fromstring(text)))
        return f"{code} {(detail or '')[:6]}"

    good, fecha = request_of(folio), f'Fecha="{sandbox_app.now.year}'
    assert rejected(request_of(folio, namespace=CANCELACFD)) == "CASD CR1301"
    assert rejected(request_of(folio, namespace="http://www.sat.gob.mx/esquemas/retencionpago/2")) == "CASD CR1301"
    assert rejected(good, (folio.uuid.upper(), "1")) == "cancel-xml CR1302"
    assert rejected(good, (ISSUER, "EKU")) == "cancel-xml CR1303"
    assert rejected(good, (fecha, 'Fecha="el ')) == "cancel-xml CR1304"
    assert rejected(good, (ISSUER, RECEIVER)) == "cancel-xml CR1305"
    assert rejected(good, ('Motivo="02"', "")) == "cancel-xml CR1310"
    assert rejected(good, ('Motivo="02"', 'Motivo="07"')) == "cancel-xml CR1310"
    assert rejected(good, ('Motivo="02"', 'Motivo="01"')) == "cancel-xml CR1311"
    assert rejected(request_of(Folio(folio.uuid, "02", UNKNOWN))) == "cancel-xml CR1311"
    assert rejected(request_of()) == "CASD La sol"
    changed = signed(issuer, good.to_root(at)).replace(b'Motivo="02"', b'Motivo="03"')
    assert xml_rejection(sandbox_app, changed) == ("cancel-xml", messages.SIGNATURE)
    assert xml_rejection(sandbox_app, b"<a") == ("CASD", messages.RETENCIONES_XML)
    assert sandbox_app.state(folio.uuid) == IN_FORCE


def test_by_xml_rejects_the_retencion_itself_of_either_version(sandbox_app: CancellationApp) -> None:
    record = stored(sandbox_app, sandbox_app.retencion())
    old = b'<r:Retenciones xmlns:r="http://www.sat.gob.mx/esquemas/retencionpago/1" Version="1.0"/>'
    for xml in (record.cfdi, old):
        assert xml_rejection(sandbox_app, xml) == ("CASD", messages.RETENCIONES_XML)


def test_by_xml_of_cfdi_rejects_a_request_for_retenciones(sandbox_app: CancellationApp) -> None:
    for namespace in RETENCIONES_NAMESPACES:
        root = request_of(Folio(sandbox_app.retencion(), "02"), namespace=namespace).to_root(sandbox_app.now)
        rejected = xml_rejection(sandbox_app, signed(sandbox_app.issuer, root), cfdi=True)
        assert rejected == ("cancel-failed", messages.BAD_XML)


def test_status_of_cfdi_does_not_find_a_retencion(sandbox_app: CancellationApp) -> None:
    for uuid, is_retencion in ((sandbox_app.retencion(), False), (sandbox_app.invoice(), True)):
        record = stored(sandbox_app, uuid)
        query = StatusQuery(uuid, record.issuer_rfc, record.receiver_rfc, record.total, "", is_retencion)
        assert (
            sandbox_app.container.get(sandbox_services).ledger.status(query).code
            == "N - 602: Comprobante no encontrado."
        )


def test_validation_shows_the_status_of_a_retencion(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.retencion()
    xml, validation = stored(sandbox_app, uuid).cfdi, sandbox_app.container.get(validation_services).validation

    def status(document: bytes = xml) -> tuple[str | None, str | None, str | None, str | None]:
        report = asyncio.run(validation.validate(document, with_status=True))
        return report.status_sat, report.status_code_sat, report.is_cancelable, report.status_cancelation

    found = "S - Comprobante obtenido satisfactoriamente"
    assert status() == ("Vigente", found, None, "")
    sandbox_app.cancel_retencion(uuid)
    assert status() == ("Cancelado", found, None, "")
    changed = xml.replace(b'MontoTotOperacion="1000.00"', b'MontoTotOperacion="1000.01"')
    assert status(changed)[0] == "No Encontrado"
    without = asyncio.run(validation.validate(xml, with_status=False))
    assert without.status_sat == "No Aplica"
