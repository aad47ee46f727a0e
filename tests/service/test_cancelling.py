"""Cancelling in the four ways, from the request to the state of the CFDI, over a real house."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from lxml import etree
from tests.support.cancelling import ISSUER, RECEIVER, CancelDesk, csd_files, pfx_file
from tests.support.desk import Desk

from timbra import examples
from timbra.accounts.signers import IssuerCredential
from timbra.authority.sandbox.ca import MintedCredential
from timbra.cfdi.cancelacion.request import Cancelacion, Folio
from timbra.errors import ServiceError
from timbra.messages import cancelling as told
from timbra.seals.certificate import Kind
from timbra.seals.keys import load_private_key, pair
from timbra.seals.xmldsig import verify
from timbra.service.cancelling import CancelOrder
from timbra.service.signed_requests import CsdFiles, PfxFile

UNKNOWN = "9d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11"
FREE = ("Cancelado", "Cancelable sin aceptación", "Cancelado sin aceptación")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> CancelDesk:
    desk = CancelDesk(tmp_path_factory.mktemp("template") / "data")
    desk.house.close()
    return desk


@pytest.fixture
def desk(template: CancelDesk, tmp_path: Path) -> Iterator[CancelDesk]:
    desk = template.copied(tmp_path / "data")
    yield desk
    desk.house.close()


def signed(desk: Desk, credential: MintedCredential, request: Cancelacion) -> bytes:
    signer = pair(credential.certificate, load_private_key(credential.key_der, credential.password))
    return desk.house.signed_requests.signed(
        IssuerCredential(credential.certificate, signer), request.to_root(desk.now)
    )


def by_files(desk: CancelDesk, order: CancelOrder, files: CsdFiles | PfxFile) -> dict[str, str]:
    return desk.house.cancelling.by_files(desk.caller, order, files, "request").codes


def refusal(desk: CancelDesk, order: CancelOrder, files: CsdFiles | PfxFile | None = None) -> tuple[str, str | None]:
    with pytest.raises(ServiceError) as refused:
        desk.cancelled(order) if files is None else by_files(desk, order, files)
    return refused.value.code, refused.value.detail


def xml_refusal(desk: CancelDesk, xml: bytes) -> tuple[str, str | None]:
    with pytest.raises(ServiceError) as refused:
        desk.house.cancelling.by_xml(desk.caller, xml, "request")
    return refused.value.code, refused.value.detail


def test_the_four_ways(desk: CancelDesk) -> None:
    by_csd, by_pfx, by_xml, by_uuid = (desk.invoice() for _ in range(4))
    order = desk.order
    assert by_files(desk, order(by_csd), csd_files(desk.issuer)) == {by_csd.upper(): "201"}
    assert by_files(desk, order(by_pfx.upper()), pfx_file(desk.issuer)) == {by_pfx.upper(): "201"}
    xml = signed(desk, desk.issuer, Cancelacion(ISSUER, (Folio(by_xml, "02"),)))
    assert desk.house.cancelling.by_xml(desk.caller, xml, "request").codes == {by_xml.upper(): "201"}
    assert desk.cancelled(order(by_uuid)).codes == {by_uuid.upper(): "201"}
    assert {desk.state(uuid) for uuid in (by_csd, by_pfx, by_xml, by_uuid)} == {FREE}


def test_the_acuse_is_signed_by_the_sandboxs_own_authority(desk: CancelDesk) -> None:
    uuid = desk.invoice()
    acuse = desk.cancelled(desk.order(uuid)).acuse
    assert acuse.startswith('<?xml version="1.0" encoding="utf-8"?><Acuse ')
    found = verify(etree.fromstring(acuse.encode()))
    assert found.certificate == desk.house.authority_ca.certificate
    assert f"<UUID>{uuid.upper()}</UUID><EstatusUUID>201</EstatusUUID>".encode() in found.content


def test_several_cfdi_in_one_document(desk: CancelDesk) -> None:
    first, second = desk.invoice(), desk.invoice()
    folios = (Folio(first, "02"), Folio(second, "09"), Folio(UNKNOWN, "02"))
    xml = signed(desk, desk.issuer, Cancelacion(ISSUER, folios))
    codes = desk.house.cancelling.by_xml(desk.caller, xml, "request").codes
    assert codes == {first.upper(): "201", second.upper(): "207", UNKNOWN.upper(): "205"}


def test_a_repeat_is_202_and_changes_nothing(desk: CancelDesk) -> None:
    uuid = desk.invoice()
    assert [desk.cancel(uuid) for _ in range(3)] == ["201", "202", "202"]
    assert desk.history(uuid) == ["cancelled"]
    [event] = desk.events(uuid)
    assert (event.account_id, event.request_id) == (desk.caller.account_id, "request")
    assert event.body["motivo"] == "02"


def test_two_at_once_are_one(desk: CancelDesk) -> None:
    uuid = desk.invoice()
    with ThreadPoolExecutor(4) as pool:
        codes = sorted(pool.map(lambda _: desk.cancel(uuid), range(4)))
    assert codes == ["201", "202", "202", "202"]
    assert desk.history(uuid) == ["cancelled"]


def test_of_another_issuer(desk: CancelDesk) -> None:
    assert desk.cancel(desk.invoice(), rfc=RECEIVER) == "203"


def test_the_right_order_of_a_substitution(desk: CancelDesk) -> None:
    wrong = desk.invoice()
    right = desk.invoice(relation="04", to=wrong)
    assert desk.state(wrong) == ("Vigente", "No cancelable", "")
    assert desk.cancel(wrong) == "204"
    assert desk.cancel(wrong, "01", right) == "201"
    assert desk.state(wrong) == FREE
    assert desk.cancel(right) == "201"


def test_the_wrong_order_has_no_effect_then_or_later(desk: CancelDesk) -> None:
    wrong = desk.invoice()
    assert desk.cancel(wrong, "01", UNKNOWN) == "201"
    unrelated = desk.invoice()
    assert desk.cancel(wrong, "01", unrelated) == "201"
    desk.invoice(relation="04", to=wrong)
    desk.advance("60d")
    assert desk.state(wrong) == ("Vigente", "No cancelable", "")
    assert desk.history(wrong) == ["ineffective", "ineffective"]


def test_a_cancelled_substitute_does_not_serve(desk: CancelDesk) -> None:
    wrong = desk.invoice()
    right = desk.invoice(relation="04", to=wrong)
    assert desk.cancel(right) == "201"
    assert desk.cancel(wrong, "01", right) == "201"
    assert desk.history(wrong) == ["ineffective"]
    assert desk.cancel(wrong) == "201"


def test_others_still_block_a_substitution(desk: CancelDesk) -> None:
    wrong = desk.invoice()
    right, note = desk.invoice(relation="04", to=wrong), desk.invoice(relation="01", to=wrong)
    assert desk.cancel(wrong, "01", right) == "204"
    assert desk.cancel(note) == "201"
    assert desk.cancel(wrong, "01", right) == "201"


def test_a_payment_blocks_until_it_is_cancelled(desk: CancelDesk) -> None:
    uuid = desk.invoice()
    payment = desk.payment(uuid)
    assert desk.cancel(uuid) == "204"
    assert desk.cancel(payment) == "201"
    assert desk.cancel(uuid) == "201"


def test_the_annual_limit_may_be_switched_off(template: CancelDesk, tmp_path: Path) -> None:
    for on, code in ((True, "210"), (False, "201")):
        desk = template.copied(tmp_path / str(on), cancellation_annual_limit=on)
        uuid = desk.invoice()
        desk.advance("135d")
        assert desk.state(uuid)[0] == "Vigente"
        assert desk.cancel(uuid) == code
        desk.house.close()


def test_what_is_stamped_elsewhere_is_cancelled_alike(desk: CancelDesk, template: CancelDesk, tmp_path: Path) -> None:
    other = template.copied(tmp_path / "other")
    uuid = other.invoice()
    record = other.house.stamps.by_uuid(uuid)
    other.house.close()
    assert record is not None
    assert desk.cancel(uuid) == "205"
    desk.house.ledger.import_document(record.cfdi)
    assert desk.cancel(uuid) == "201"
    assert desk.state(uuid) == FREE


def test_an_authority_that_is_down(desk: CancelDesk) -> None:
    uuid = desk.invoice()
    desk.house.faults.set("authority-down", times=1)
    assert refusal(desk, desk.order(uuid))[0] == "authority-down"
    assert desk.cancel(uuid) == "201"


ORDER = CancelOrder(ISSUER, UNKNOWN, "02")
FIELDS = ("cancel-fields", told.CSD_MISSING)
BAD_UUID = ("cancel-fields", told.BAD_UUID)


@pytest.mark.parametrize(
    ("changes", "sent", "expected"),
    [
        ({"uuid": ""}, {}, FIELDS),
        ({"rfc": " "}, {}, FIELDS),
        ({}, {"certificate": ""}, FIELDS),
        ({}, {"key": ""}, FIELDS),
        ({}, {"password": ""}, FIELDS),
        ({"rfc": "EKU"}, {}, ("cancel-failed", told.BAD_RFC)),
        ({"uuid": "no-uuid"}, {}, BAD_UUID),
        ({"substitute": "no-uuid"}, {}, BAD_UUID),
        ({"motivo": ""}, {}, ("cancel-xml", told.MOTIVE)),
        ({"motivo": "05"}, {}, ("cancel-xml", told.MOTIVE)),
        ({"motivo": "01"}, {}, ("cancel-fields", told.SUBSTITUTE_MISSING)),
        ({"motivo": "01", "substitute": "null"}, {}, ("cancel-fields", told.SUBSTITUTE_MISSING)),
        ({}, {"certificate": "!"}, ("cancel-fields", told.NOT_BASE64)),
        ({}, {"certificate": "AAAA"}, ("cancel-fields", "El contenido no es un certificado X.509 en DER.")),
        ({}, {"password": "otra"}, ("cancel-fields", "La contraseña no abre la llave privada.")),
        ({"rfc": RECEIVER}, {}, ("cancel-xml", told.OTHER_RFC)),
    ],
)
def test_what_a_request_with_files_may_lack(
    desk: CancelDesk, changes: dict[str, str], sent: dict[str, str], expected: tuple[str, str]
) -> None:
    order = CancelOrder(**{"rfc": ISSUER, "uuid": UNKNOWN, "motivo": "02", **changes})
    assert refusal(desk, order, csd_files(desk.issuer, **sent)) == expected


def test_certificates_that_may_not_sign(desk: CancelDesk) -> None:
    soon = desk.now + timedelta(days=1)
    expired = desk.mint(ISSUER, valid_to=desk.now - timedelta(days=1))
    late = desk.mint(ISSUER, valid_from=soon)
    assert refusal(desk, ORDER, csd_files(desk.mint(ISSUER, Kind.EFIRMA))) == ("cancel-xml", told.NOT_CSD)
    assert refusal(desk, ORDER, csd_files(expired)) == ("cancel-xml", told.EXPIRED)
    assert refusal(desk, ORDER, csd_files(late)) == ("cancel-xml", told.EXPIRED)
    mismatched = csd_files(desk.issuer, key=csd_files(desk.mint(ISSUER), password="x").key)
    assert refusal(desk, ORDER, mismatched)[0] == "cancel-fields"


def test_a_revoked_certificate(desk: CancelDesk) -> None:
    desk.house.registry.revoke(desk.issuer.number)
    desk.house.registry.refresh()
    assert refusal(desk, ORDER, csd_files(desk.issuer)) == ("cancel-xml", told.EXPIRED)


def test_a_certificate_of_nobody_known(desk: CancelDesk, tmp_path: Path) -> None:
    stranger = Desk(tmp_path / "stranger")
    files = csd_files(stranger.mint(ISSUER))
    stranger.house.close()
    assert refusal(desk, ORDER, files) == ("cancel-xml", told.NOT_SAT)


def test_what_is_wrong_with_a_pfx(desk: CancelDesk) -> None:
    assert refusal(desk, ORDER, PfxFile("", "x")) == ("cancel-fields", told.PFX_MISSING)
    assert refusal(desk, ORDER, PfxFile("AAAA", "")) == ("cancel-fields", told.PFX_FIELDS)
    wrong = PfxFile(pfx_file(desk.issuer).pfx, "otra")
    assert refusal(desk, ORDER, wrong) == ("cancel-fields", "La contraseña no abre el archivo PFX.")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"uuid": "no-uuid"}, ("cancel-failed", told.BAD_PATH_UUID)),
        ({"rfc": "EKU"}, ("cancel-failed", told.BAD_RFC)),
        (
            {"rfc": examples.CASAS.rfc},
            ("cancel-failed", f"No se encontró el CSD correspondiente al RFC {examples.CASAS.rfc} ."),
        ),
    ],
)
def test_what_a_path_may_say_wrong(desk: CancelDesk, changes: dict[str, str], expected: tuple[str, str]) -> None:
    assert refusal(desk, CancelOrder(**{"rfc": ISSUER, "uuid": UNKNOWN, "motivo": "02", **changes})) == expected


def test_a_stored_csd_that_expired(desk: CancelDesk) -> None:
    desk.advance("2000d")
    assert refusal(desk, ORDER) == ("cancel-xml", told.EXPIRED)


def test_of_a_signed_document_only_the_signed_part_counts(desk: CancelDesk) -> None:
    request = Cancelacion(ISSUER, (Folio(UNKNOWN, "02"),))
    xml = signed(desk, desk.issuer, request)
    assert xml_refusal(desk, xml.replace(UNKNOWN.upper().encode(), UNKNOWN.encode())) == ("cancel-xml", told.SIGNATURE)
    unsigned = etree.tostring(request.to_root(desk.now))
    assert xml_refusal(desk, unsigned) == ("cancel-xml", told.SIGNATURE)
    assert xml_refusal(desk, b"<Cancelacion/>") == ("cancel-failed", told.BAD_XML)
    assert xml_refusal(desk, b"") == ("xml-missing", None)
    efirma = signed(desk, desk.mint(ISSUER, Kind.EFIRMA), request)
    assert xml_refusal(desk, efirma) == ("cancel-xml", told.NOT_CSD)
    theirs = signed(desk, desk.receiver, request)
    assert xml_refusal(desk, theirs) == ("cancel-xml", told.OTHER_RFC)


@pytest.mark.parametrize(
    ("folios", "code", "detail"),
    [
        ((), "CASD", "La solicitud no trae folios."),
        ((Folio(UNKNOWN, "07"),), "cancel-xml", told.MOTIVE),
        ((Folio(UNKNOWN, "01"),), "cancel-fields", told.SUBSTITUTE_MISSING),
        ((Folio("no-uuid", "02"),), "cancel-fields", told.BAD_UUID),
        ((Folio(UNKNOWN, "02"),) * 501, "cancel-xml", "La solicitud trae 501 folios; el máximo es 500."),
    ],
)
def test_what_a_signed_document_may_say_wrong(
    desk: CancelDesk, folios: tuple[Folio, ...], code: str, detail: str
) -> None:
    assert xml_refusal(desk, signed(desk, desk.issuer, Cancelacion(ISSUER, folios))) == (code, detail)
