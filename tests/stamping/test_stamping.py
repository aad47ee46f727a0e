"""Issuing and stamping: the response, the stored stamp, and repeats."""

from __future__ import annotations

import asyncio
import re
from base64 import b64decode
from uuid import UUID, uuid4

import pytest
from lxml import etree
from tests.support.sandbox_app import FECHA, NOW, SandboxApp

from timbra import examples
from timbra.cfdi.tfd import read_stamp, read_stamps
from timbra.core.errors import ServiceError
from timbra.examples import ingreso
from timbra.sandbox.build import sandbox_services
from timbra.seals.seal import verify
from timbra.snapshot.opening import opened_snapshot
from timbra.stamping.build import stamping_services
from timbra.stamping.models import CustomIdConflict, StampRequest, StampResult

DECLARATION = b'<?xml version="1.0" encoding="utf-8"?>'

SEALED = re.compile(r' (?:Sello|NoCertificado|Certificado)="[^"]*"')
COMPLEMENT = re.compile(r"<cfdi:Complemento>.*</cfdi:Complemento>", re.DOTALL)


def invoice(folio: str = "1", **arguments: object) -> bytes:
    return ingreso({"@Folio": folio}, fecha=FECHA, **arguments).encode()  # type: ignore[arg-type]


@pytest.fixture
def seeded(sandbox_app: SandboxApp) -> SandboxApp:
    sandbox_app.store(sandbox_app.mint())
    return sandbox_app


def test_issue_seals_with_csd_and_stamps_as_provider(seeded: SandboxApp) -> None:
    stamped = seeded.issue(invoice())
    root = etree.fromstring(stamped.cfdi.encode())
    (stamp,) = read_stamps(root)
    container = seeded.container
    certificate = container.get(stamping_services).checks.certificates.read_base64(root.get("Certificado") or "")
    assert verify(
        certificate.public_key,
        container.get(stamping_services).checks.cadena.build(root, "4.0"),
        root.get("Sello") or "",
    )
    assert verify(
        container.get(sandbox_services).authority_ca.provider.certificate.public_key,
        stamp.cadena_original,
        stamp.sello_sat,
    )
    assert container.get(stamping_services).checks.structure.check(root) == []
    assert stamp.rfc_prov_certif == container.get(sandbox_services).authority_ca.provider.rfc
    assert stamp.sello_cfd == root.get("Sello")


def test_issue_returns_values_of_document(seeded: SandboxApp) -> None:
    stamped = seeded.issue(invoice())
    root = etree.fromstring(stamped.cfdi.encode())
    stamp = read_stamp(etree.fromstring(stamped.tfd.encode()))
    assert read_stamps(root) == [stamp]
    assert stamped.tfd.startswith(DECLARATION.decode() + "<tfd:TimbreFiscalDigital ")
    assert stamped.cfdi.startswith("<?xml ")
    assert UUID(stamped.uuid).version == 4
    assert stamped.uuid == stamped.uuid.lower() == stamp.uuid
    assert stamped.fecha_timbrado == NOW
    assert stamped.cadena_original_sat == stamp.cadena_original
    assert stamped.numero_certificado_cfdi == root.get("NoCertificado")
    assert stamped.sello_cfdi == root.get("Sello")
    assert stamped.verification_query.text.endswith(f"&fe={stamped.sello_cfdi[-8:].replace('+', '%2B')}")


def test_issue_changes_only_seal_and_complement(seeded: SandboxApp) -> None:
    addenda = (
        "<cfdi:Addenda>\n <x:Y xmlns:x='urn:x' a='&#10;ñ'><![CDATA[<no>]]></x:Y>\n</cfdi:Addenda></cfdi:Comprobante>"
    )
    source = invoice().decode().replace("</cfdi:Comprobante>", f"<!-- note -->{addenda}")
    stamped = seeded.issue(source.encode()).cfdi
    assert addenda in stamped
    left = COMPLEMENT.sub("", SEALED.sub("", stamped))
    assert left.removeprefix(DECLARATION.decode()) == SEALED.sub("", source).removeprefix(DECLARATION.decode())


def test_issue_replaces_sealed_attributes_of_client(seeded: SandboxApp) -> None:
    source = invoice().decode().replace('Sello=""', 'Sello="viejo"').replace('Certificado=""', 'Certificado="viejo"')
    assert "viejo" not in seeded.issue(source.encode()).cfdi
    absent = SEALED.sub("", invoice("2").decode())
    root = etree.fromstring(seeded.issue(absent.encode()).cfdi.encode())
    assert len(b64decode(root.get("Sello") or "")) == 256


def test_issue_removes_byte_order_mark(seeded: SandboxApp) -> None:
    assert seeded.issue(b"\xef\xbb\xbf" + invoice()).cfdi.startswith("<?xml ")


def test_stored_stamp_has_versions_of_rules_and_lists(seeded: SandboxApp) -> None:
    stamped = seeded.issue(invoice())
    record = seeded.container.get(stamping_services).stamps.by_uuid(stamped.uuid)
    assert record is not None
    assert record.cfdi.decode() == stamped.cfdi
    assert record.account_id == seeded.caller.account_id
    assert (record.issuer_rfc, record.receiver_rfc) == (examples.KEMPER.rfc, examples.ROBOTICA.rfc)
    assert (record.environment, record.kind, record.folio, record.fecha) == ("sandbox", "I", "1", FECHA)
    assert record.data_version == seeded.container.get(opened_snapshot).version
    assert record.lists_version
    assert record.rule_set.startswith("cfdi40:")
    assert record.provider_certificate == stamped.numero_certificado_sat
    assert UUID(record.request_id).version == 4


def repeat(sandbox_app: SandboxApp, xml: bytes, **arguments: object) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        sandbox_app.issue(xml, **arguments)  # type: ignore[arg-type]
    return caught.value


def test_repeat_returns_first_stamp(seeded: SandboxApp) -> None:
    first = seeded.issue(invoice())
    again = repeat(seeded, invoice())
    assert again.code == "307"
    assert again.data == first


def test_repeat_by_other_account_returns_no_data(seeded: SandboxApp) -> None:
    sealed = seeded.sealed(invoice().decode(), seeded.mint())
    seeded.stamp(sealed)
    other = seeded.account("berta@example.com")
    with pytest.raises(ServiceError) as caught:
        seeded.stamp(sealed, caller=other)
    assert (caught.value.code, caught.value.data) == ("307", None)


def test_stamped_document_returns_its_stamp(seeded: SandboxApp) -> None:
    first = seeded.issue(invoice())
    assert repeat(seeded, first.cfdi.encode()).data == first
    foreign = first.cfdi.replace(first.uuid, str(uuid4()))
    assert repeat(seeded, foreign.encode()).data is None


def test_concurrent_identical_requests_make_one_stamp(seeded: SandboxApp) -> None:
    async def both() -> list[StampResult | BaseException]:
        stamping = seeded.container.get(stamping_services).stamping
        orders = (StampRequest(seeded.caller, invoice(), str(uuid4())) for _ in range(2))
        return await asyncio.gather(*map(stamping.issue, orders), return_exceptions=True)

    outcomes = asyncio.run(both())
    (stamped,) = [outcome for outcome in outcomes if isinstance(outcome, StampResult)]
    (rejection,) = [outcome for outcome in outcomes if isinstance(outcome, ServiceError)]
    assert (rejection.code, rejection.data) == ("307", stamped)


@pytest.mark.parametrize(("hours", "stamped"), [("71h", False), ("73h", True)])
def test_customid_is_idempotent_for_72_fiscal_hours(seeded: SandboxApp, hours: str, stamped: bool) -> None:
    first = seeded.issue(invoice("1"), "pedido-1")
    seeded.container.get(sandbox_services).clock_control.advance(hours)
    later = ingreso({"@Folio": "2"}, fecha="2026-11-19T12:00:00").encode()
    if stamped:
        assert seeded.issue(later, "pedido-1").uuid != first.uuid
        return
    rejection = repeat(seeded, later, custom_id="pedido-1")
    assert rejection.code == "CFDI3307"
    assert isinstance(rejection.data, CustomIdConflict)
    assert (rejection.data.uuid, rejection.data.tfd) == (first.uuid, first.tfd)


def test_customid_is_scoped_to_account(seeded: SandboxApp) -> None:
    credential = seeded.mint()
    other = seeded.account("berta@example.com")
    assert seeded.stamp(seeded.sealed(invoice("1").decode(), credential), "pedido").uuid
    assert seeded.stamp(seeded.sealed(invoice("2").decode(), credential), "pedido", caller=other).uuid


def test_same_content_precedes_customid(seeded: SandboxApp) -> None:
    seeded.issue(invoice("1"), "a")
    seeded.issue(invoice("2"), "b")
    assert repeat(seeded, invoice("1"), custom_id="b").code == "307"


def test_rejected_invoice_does_not_reserve_customid(seeded: SandboxApp) -> None:
    wrong = ingreso({"Receptor/@UsoCFDI": "NO"}, fecha=FECHA).encode()
    assert repeat(seeded, wrong, custom_id="pedido").code.startswith("CFDI40")
    assert seeded.issue(invoice(), "pedido").uuid


def test_issue_names_issuer_without_stored_csd(sandbox_app: SandboxApp) -> None:
    rejection = repeat(sandbox_app, invoice())
    assert rejection.code == "csd-missing"
    assert examples.KEMPER.rfc in (rejection.detail or "")


def test_stamp_raises_co1000_without_provider(sandbox_app: SandboxApp) -> None:
    from timbra.stamping.stamping import StampingService
    from timbra.stamps.group_commit import GroupCommit

    stamping = StampingService(
        sandbox_app.container.get(stamping_services).checks,
        lambda: None,
        GroupCommit(sandbox_app.container.get(stamping_services).stamps),
        "production",
    )
    with pytest.raises(ServiceError) as caught:
        asyncio.run(stamping.stamp(StampRequest(sandbox_app.caller, invoice(), str(uuid4()))))
    assert caught.value.code == "CO1000"
    assert "proveedor autorizado" in (caught.value.detail or "")
