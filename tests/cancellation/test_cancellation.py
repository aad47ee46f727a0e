"""Cancellation by files, PFX, UUID and XML over a real container, from the request to the state of the CFDI."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from lxml import etree
from tests.support.cancellation_app import ISSUER, RECEIVER, CancellationApp, csd_files, pfx_file
from tests.support.sandbox_app import SandboxApp

from timbra import examples
from timbra.accounts.vault.signers import IssuerCredential
from timbra.cancellation.build import cancellation_services
from timbra.cancellation.cancelling import CancellationRequest
from timbra.cancellation.signed_requests import CsdFiles, PfxFile
from timbra.cfdi.cancelacion.request import Cancelacion, Folio
from timbra.core.errors import ServiceError
from timbra.events.build import dispatch_events
from timbra.messages import cancelling as messages
from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.sandbox.build import sandbox_services
from timbra.seals.certificates.certificate import CertificateKind
from timbra.seals.keys.private_key import load_private_key
from timbra.seals.signers.memory import pair_key
from timbra.seals.xml_signatures.xmldsig import verify
from timbra.stamping.build import stamping_services
from timbra.webhooks.build import webhook_service
from timbra.webhooks.endpoints import NewWebhook

UNKNOWN = "9d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11"
FREE = ("Cancelado", "Cancelable sin aceptación", "Cancelado sin aceptación")


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


def signed(sandbox_app: SandboxApp, credential: MintedCredential, request: Cancelacion) -> bytes:
    signer = pair_key(credential.certificate, load_private_key(credential.key_der, credential.password))
    return sandbox_app.container.get(cancellation_services).signed_requests.sign(
        IssuerCredential(credential.certificate, signer), request.to_root(sandbox_app.now)
    )


def by_files(sandbox_app: CancellationApp, order: CancellationRequest, files: CsdFiles | PfxFile) -> dict[str, str]:
    return (
        sandbox_app.container.get(cancellation_services)
        .cancelling.by_files(sandbox_app.caller, order, files, "request")
        .codes
    )


def rejection(
    sandbox_app: CancellationApp, order: CancellationRequest, files: CsdFiles | PfxFile | None = None
) -> tuple[str, str | None]:
    with pytest.raises(ServiceError) as rejected:
        sandbox_app.cancelled(order) if files is None else by_files(sandbox_app, order, files)
    return rejected.value.code, rejected.value.detail


def xml_rejection(sandbox_app: CancellationApp, xml: bytes) -> tuple[str, str | None]:
    with pytest.raises(ServiceError) as rejected:
        sandbox_app.container.get(cancellation_services).cancelling.by_xml(sandbox_app.caller, xml, "request")
    return rejected.value.code, rejected.value.detail


def test_cancel_by_files_pfx_uuid_and_xml(sandbox_app: CancellationApp) -> None:
    by_csd, by_pfx, by_xml, by_uuid = (sandbox_app.invoice() for _ in range(4))
    order = sandbox_app.order
    assert by_files(sandbox_app, order(by_csd), csd_files(sandbox_app.issuer)) == {by_csd.upper(): "201"}
    assert by_files(sandbox_app, order(by_pfx.upper()), pfx_file(sandbox_app.issuer)) == {by_pfx.upper(): "201"}
    xml = signed(sandbox_app, sandbox_app.issuer, Cancelacion(ISSUER, (Folio(by_xml, "02"),)))
    assert sandbox_app.container.get(cancellation_services).cancelling.by_xml(
        sandbox_app.caller, xml, "request"
    ).codes == {by_xml.upper(): "201"}
    assert sandbox_app.cancelled(order(by_uuid)).codes == {by_uuid.upper(): "201"}
    assert {sandbox_app.state(uuid) for uuid in (by_csd, by_pfx, by_xml, by_uuid)} == {FREE}


def test_acuse_is_signed_by_sandbox_authority(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.invoice()
    acuse = sandbox_app.cancelled(sandbox_app.order(uuid)).acuse
    assert acuse.startswith('<?xml version="1.0" encoding="utf-8"?><Acuse ')
    found = verify(etree.fromstring(acuse.encode()))
    assert found.certificate == sandbox_app.container.get(sandbox_services).authority_ca.certificate
    assert f"<UUID>{uuid.upper()}</UUID><EstatusUUID>201</EstatusUUID>".encode() in found.content


def test_every_accepted_request_is_told_to_webhooks(sandbox_app: CancellationApp) -> None:
    webhooks, account = sandbox_app.container.get(webhook_service), sandbox_app.caller.account_id
    kinds = ("cancellation.requested", "cancellation.done")
    webhook, _ = webhooks.create(account, NewWebhook("https://erp.example/", kinds))
    old, free, retencion = sandbox_app.old_invoice(), sandbox_app.invoice(price="100.00"), sandbox_app.retencion()
    assert (sandbox_app.cancel(old), sandbox_app.cancel(free), sandbox_app.cancel(free)) == ("201", "201", "202")
    assert sandbox_app.cancel_retencion(retencion) == "1201"
    dispatch_events(sandbox_app.container)
    told = [(line.subject, line.kind) for line in webhooks.lines(account, webhook.id)]
    assert sorted(told) == sorted(
        [
            (old, "cancellation.requested"),
            *((uuid, kind) for uuid in (free, retencion) for kind in kinds),
        ]
    )


def test_by_xml_cancels_several_cfdi(sandbox_app: CancellationApp) -> None:
    first, second = sandbox_app.invoice(), sandbox_app.invoice()
    folios = (Folio(first, "02"), Folio(second, "09"), Folio(UNKNOWN, "02"))
    xml = signed(sandbox_app, sandbox_app.issuer, Cancelacion(ISSUER, folios))
    codes = sandbox_app.container.get(cancellation_services).cancelling.by_xml(sandbox_app.caller, xml, "request").codes
    assert codes == {first.upper(): "201", second.upper(): "207", UNKNOWN.upper(): "205"}


def test_repeated_cancellation_is_202(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.invoice()
    assert [sandbox_app.cancel(uuid) for _ in range(3)] == ["201", "202", "202"]
    assert sandbox_app.history(uuid) == ["cancelled"]
    [event] = sandbox_app.events(uuid)
    assert (event.account_id, event.request_id) == (sandbox_app.caller.account_id, "request")
    assert event.body["motivo"] == "02"


def test_concurrent_cancellations_have_one_effect(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.invoice()
    with ThreadPoolExecutor(4) as pool:
        codes = sorted(pool.map(lambda _: sandbox_app.cancel(uuid), range(4)))
    assert codes == ["201", "202", "202", "202"]
    assert sandbox_app.history(uuid) == ["cancelled"]


def test_cancel_cfdi_of_other_issuer_is_203(sandbox_app: CancellationApp) -> None:
    assert sandbox_app.cancel(sandbox_app.invoice(), rfc=RECEIVER) == "203"


def test_substitution_in_right_order(sandbox_app: CancellationApp) -> None:
    wrong = sandbox_app.invoice()
    right = sandbox_app.invoice(relation="04", to=wrong)
    assert sandbox_app.state(wrong) == ("Vigente", "No cancelable", "")
    assert sandbox_app.cancel(wrong) == "204"
    assert sandbox_app.cancel(wrong, "01", right) == "201"
    assert sandbox_app.state(wrong) == FREE
    assert sandbox_app.cancel(right) == "201"


def test_substitution_in_wrong_order_has_no_effect(sandbox_app: CancellationApp) -> None:
    wrong = sandbox_app.invoice()
    assert sandbox_app.cancel(wrong, "01", UNKNOWN) == "201"
    unrelated = sandbox_app.invoice()
    assert sandbox_app.cancel(wrong, "01", unrelated) == "201"
    sandbox_app.invoice(relation="04", to=wrong)
    sandbox_app.advance("60d")
    assert sandbox_app.state(wrong) == ("Vigente", "No cancelable", "")
    assert sandbox_app.history(wrong) == ["ineffective", "ineffective"]


def test_cancelled_substitute_makes_cancellation_ineffective(sandbox_app: CancellationApp) -> None:
    wrong = sandbox_app.invoice()
    right = sandbox_app.invoice(relation="04", to=wrong)
    assert sandbox_app.cancel(right) == "201"
    assert sandbox_app.cancel(wrong, "01", right) == "201"
    assert sandbox_app.history(wrong) == ["ineffective"]
    assert sandbox_app.cancel(wrong) == "201"


def test_substitution_is_blocked_by_other_relations(sandbox_app: CancellationApp) -> None:
    wrong = sandbox_app.invoice()
    right, note = sandbox_app.invoice(relation="04", to=wrong), sandbox_app.invoice(relation="01", to=wrong)
    assert sandbox_app.cancel(wrong, "01", right) == "204"
    assert sandbox_app.cancel(note) == "201"
    assert sandbox_app.cancel(wrong, "01", right) == "201"


def test_payment_blocks_cancellation_until_cancelled(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.invoice()
    payment = sandbox_app.payment(uuid)
    assert sandbox_app.cancel(uuid) == "204"
    assert sandbox_app.cancel(payment) == "201"
    assert sandbox_app.cancel(uuid) == "201"


def test_annual_limit_can_be_disabled(template: CancellationApp, tmp_path: Path) -> None:
    for on, code in ((True, "210"), (False, "201")):
        sandbox_app = template.copied(tmp_path / str(on), cancellation_annual_limit=on)
        uuid = sandbox_app.invoice()
        sandbox_app.advance("135d")
        assert sandbox_app.state(uuid)[0] == "Vigente"
        assert sandbox_app.cancel(uuid) == code
        sandbox_app.container.close()


def test_cancel_cfdi_stamped_elsewhere(sandbox_app: CancellationApp, template: CancellationApp, tmp_path: Path) -> None:
    other = template.copied(tmp_path / "other")
    uuid = other.invoice()
    record = other.container.get(stamping_services).stamps.by_uuid(uuid)
    other.container.close()
    assert record is not None
    assert sandbox_app.cancel(uuid) == "205"
    sandbox_app.container.get(sandbox_services).ledger.import_document(record.cfdi)
    assert sandbox_app.cancel(uuid) == "201"
    assert sandbox_app.state(uuid) == FREE


def test_cancel_raises_authority_down(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.invoice()
    sandbox_app.container.get(sandbox_services).faults.set("authority-down", times=1)
    assert rejection(sandbox_app, sandbox_app.order(uuid))[0] == "authority-down"
    assert sandbox_app.cancel(uuid) == "201"


def cancel_code(sandbox_app: CancellationApp, uuid: str, *, is_retencion: bool) -> str:
    """Return the code without the digit that distinguishes retenciones: 205 for 205 and 1205."""
    return (sandbox_app.cancel_retencion(uuid) if is_retencion else sandbox_app.cancel(uuid))[-3:]


@pytest.mark.parametrize("is_retencion", [False, True])
def test_cancel_answers_205_while_the_delivery_is_late(sandbox_app: CancellationApp, *, is_retencion: bool) -> None:
    faults = sandbox_app.container.get(sandbox_services).faults
    faults.set("delivery-late", seconds=90)
    uuid = sandbox_app.retencion() if is_retencion else sandbox_app.invoice()
    assert cancel_code(sandbox_app, uuid, is_retencion=is_retencion) == "205"
    sandbox_app.advance("89s")
    assert cancel_code(sandbox_app, uuid, is_retencion=is_retencion) == "205"
    sandbox_app.advance("1s")
    assert cancel_code(sandbox_app, uuid, is_retencion=is_retencion) == "201"
    faults.clear()


def test_late_delivery_affects_as_many_cancellations_as_it_is_set_for(sandbox_app: CancellationApp) -> None:
    sandbox_app.container.get(sandbox_services).faults.set("delivery-late", times=2, seconds=90)
    uuid = sandbox_app.invoice()
    assert [sandbox_app.cancel(uuid) for _ in range(3)] == ["205", "205", "201"]
    assert sandbox_app.container.get(sandbox_services).faults.active() == []


def test_setting_keeps_the_delivery_late(tmp_path: Path) -> None:
    app = CancellationApp(tmp_path / "data", unknown_after_stamping_seconds=30)
    uuid = app.invoice()
    assert app.cancel(uuid) == "205"
    app.advance("30s")
    assert app.cancel(uuid) == "201"
    app.container.close()


ORDER = CancellationRequest(ISSUER, UNKNOWN, "02")
FIELDS = ("cancel-fields", messages.CSD_MISSING)
BAD_UUID = ("cancel-fields", messages.BAD_UUID)


@pytest.mark.parametrize(
    ("changes", "sent", "expected"),
    [
        ({"uuid": ""}, {}, FIELDS),
        ({"rfc": " "}, {}, FIELDS),
        ({}, {"certificate": ""}, FIELDS),
        ({}, {"key": ""}, FIELDS),
        ({}, {"password": ""}, FIELDS),
        ({"rfc": "EKU"}, {}, ("cancel-failed", messages.BAD_RFC)),
        ({"uuid": "no-uuid"}, {}, BAD_UUID),
        ({"substitute": "no-uuid"}, {}, BAD_UUID),
        ({"motivo": ""}, {}, ("cancel-xml", messages.MOTIVE)),
        ({"motivo": "05"}, {}, ("cancel-xml", messages.MOTIVE)),
        ({"motivo": "01"}, {}, ("cancel-fields", messages.SUBSTITUTE_MISSING)),
        ({"motivo": "01", "substitute": "null"}, {}, ("cancel-fields", messages.SUBSTITUTE_MISSING)),
        ({}, {"certificate": "!"}, ("cancel-fields", messages.NOT_BASE64)),
        ({}, {"certificate": "AAAA"}, ("cancel-fields", "El contenido no es un certificado X.509 en DER.")),
        ({}, {"password": "otra"}, ("cancel-fields", "La contraseña no abre la llave privada.")),
        ({"rfc": RECEIVER}, {}, ("cancel-xml", messages.OTHER_RFC)),
    ],
)
def test_by_files_rejects_missing_or_invalid_fields(
    sandbox_app: CancellationApp, changes: dict[str, str], sent: dict[str, str], expected: tuple[str, str]
) -> None:
    order = CancellationRequest(**{"rfc": ISSUER, "uuid": UNKNOWN, "motivo": "02", **changes})
    assert rejection(sandbox_app, order, csd_files(sandbox_app.issuer, **sent)) == expected


def test_by_files_rejects_unusable_certificates(sandbox_app: CancellationApp) -> None:
    soon = sandbox_app.now + timedelta(days=1)
    expired = sandbox_app.mint(ISSUER, valid_to=sandbox_app.now - timedelta(days=1))
    late = sandbox_app.mint(ISSUER, valid_from=soon)
    assert rejection(sandbox_app, ORDER, csd_files(sandbox_app.mint(ISSUER, CertificateKind.EFIRMA))) == (
        "cancel-xml",
        messages.NOT_CSD,
    )
    assert rejection(sandbox_app, ORDER, csd_files(expired)) == ("cancel-xml", messages.EXPIRED)
    assert rejection(sandbox_app, ORDER, csd_files(late)) == ("cancel-xml", messages.EXPIRED)
    mismatched = csd_files(sandbox_app.issuer, key=csd_files(sandbox_app.mint(ISSUER), password="x").key)
    assert rejection(sandbox_app, ORDER, mismatched)[0] == "cancel-fields"


def test_by_files_rejects_revoked_certificate(sandbox_app: CancellationApp) -> None:
    sandbox_app.container.get(sandbox_services).certificates.revoke(sandbox_app.issuer.number)
    sandbox_app.container.get(sandbox_services).registry.refresh()
    assert rejection(sandbox_app, ORDER, csd_files(sandbox_app.issuer)) == ("cancel-xml", messages.EXPIRED)


def test_by_files_rejects_certificate_of_unknown_authority(sandbox_app: CancellationApp, tmp_path: Path) -> None:
    other_sandbox = SandboxApp(tmp_path / "other_sandbox", own_keys=True)
    files = csd_files(other_sandbox.mint(ISSUER))
    other_sandbox.container.close()
    assert rejection(sandbox_app, ORDER, files) == ("cancel-xml", messages.NOT_SAT)


def test_by_files_rejects_invalid_pfx(sandbox_app: CancellationApp) -> None:
    assert rejection(sandbox_app, ORDER, PfxFile("", "x")) == ("cancel-fields", messages.PFX_MISSING)
    pfx = pfx_file(sandbox_app.issuer).pfx
    assert rejection(sandbox_app, ORDER, PfxFile(pfx, " ")) == ("cancel-fields", messages.PFX_FIELDS)
    for password in ("", "x"):
        rejected = rejection(sandbox_app, ORDER, PfxFile("AAAA", password))
        assert rejected == ("cancel-fields", "El archivo no es un PFX en DER.")
    wrong = PfxFile(pfx, "otra")
    assert rejection(sandbox_app, ORDER, wrong) == ("cancel-fields", "La contraseña no abre el archivo PFX.")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"uuid": "no-uuid"}, ("cancel-failed", messages.BAD_PATH_UUID)),
        ({"rfc": "EKU"}, ("cancel-failed", messages.BAD_RFC)),
        (
            {"rfc": examples.CASAS.rfc},
            ("cancel-failed", f"No se encontró el CSD correspondiente al RFC {examples.CASAS.rfc} ."),
        ),
    ],
)
def test_by_uuid_rejects_invalid_values(
    sandbox_app: CancellationApp, changes: dict[str, str], expected: tuple[str, str]
) -> None:
    assert (
        rejection(sandbox_app, CancellationRequest(**{"rfc": ISSUER, "uuid": UNKNOWN, "motivo": "02", **changes}))
        == expected
    )


def test_by_uuid_rejects_expired_csd(sandbox_app: CancellationApp) -> None:
    sandbox_app.advance("2000d")
    assert rejection(sandbox_app, ORDER) == ("cancel-xml", messages.EXPIRED)


def test_by_xml_reads_only_the_signed_content(sandbox_app: CancellationApp) -> None:
    request = Cancelacion(ISSUER, (Folio(UNKNOWN, "02"),))
    xml = signed(sandbox_app, sandbox_app.issuer, request)
    assert xml_rejection(sandbox_app, xml.replace(UNKNOWN.upper().encode(), UNKNOWN.encode())) == (
        "cancel-xml",
        messages.SIGNATURE,
    )
    unsigned = etree.tostring(request.to_root(sandbox_app.now))
    assert xml_rejection(sandbox_app, unsigned) == ("cancel-xml", messages.SIGNATURE)
    assert xml_rejection(sandbox_app, b"<Cancelacion/>") == ("cancel-failed", messages.BAD_XML)
    assert xml_rejection(sandbox_app, b"") == ("xml-missing", None)
    efirma = signed(sandbox_app, sandbox_app.mint(ISSUER, CertificateKind.EFIRMA), request)
    assert xml_rejection(sandbox_app, efirma) == ("cancel-xml", messages.NOT_CSD)
    theirs = signed(sandbox_app, sandbox_app.receiver, request)
    assert xml_rejection(sandbox_app, theirs) == ("cancel-xml", messages.OTHER_RFC)


@pytest.mark.parametrize(
    ("folios", "code", "detail"),
    [
        ((), "CASD", "La solicitud no trae folios."),
        ((Folio(UNKNOWN, "07"),), "cancel-xml", messages.MOTIVE),
        ((Folio(UNKNOWN, "01"),), "cancel-fields", messages.SUBSTITUTE_MISSING),
        ((Folio("no-uuid", "02"),), "cancel-fields", messages.BAD_UUID),
        ((Folio(UNKNOWN, "02"),) * 501, "cancel-xml", "La solicitud trae 501 folios; el máximo es 500."),
    ],
)
def test_by_xml_rejects_invalid_documents(
    sandbox_app: CancellationApp, folios: tuple[Folio, ...], code: str, detail: str
) -> None:
    assert xml_rejection(sandbox_app, signed(sandbox_app, sandbox_app.issuer, Cancelacion(ISSUER, folios))) == (
        code,
        detail,
    )
