"""Issuing and stamping: what comes out, what is kept, and what a repeat gets."""

from __future__ import annotations

import asyncio
import re
from base64 import b64decode
from typing import get_type_hints
from uuid import UUID, uuid4

import pytest
from lxml import etree
from tests.support.desk import FECHA, NOW, Desk

from timbra import examples
from timbra.cfdi.splice import DECLARATION
from timbra.cfdi.tfd import read, stamps_in
from timbra.errors import ServiceError
from timbra.examples import ingreso
from timbra.rules.cleared import Cleared
from timbra.seals.seal import verify
from timbra.service.making import make_stamp
from timbra.service.orders import CustomIdConflict, Stamped, StampOrder

SEALED = re.compile(r' (?:Sello|NoCertificado|Certificado)="[^"]*"')
COMPLEMENT = re.compile(r"<cfdi:Complemento>.*</cfdi:Complemento>", re.DOTALL)


def invoice(folio: str = "1", **arguments: object) -> bytes:
    return ingreso({"@Folio": folio}, fecha=FECHA, **arguments).encode()  # type: ignore[arg-type]


@pytest.fixture
def furnished(desk: Desk) -> Desk:
    desk.store(desk.mint())
    return desk


def test_an_issued_invoice_is_sealed_by_its_csd_and_stamped_by_the_provider(furnished: Desk) -> None:
    stamped = furnished.issue(invoice())
    root = etree.fromstring(stamped.cfdi.encode())
    (stamp,) = stamps_in(root)
    house = furnished.house
    certificate = house.tools.certificates.read_base64(root.get("Certificado") or "")
    assert verify(certificate.public_key, house.tools.cadena.of(root, "4.0"), root.get("Sello") or "")
    assert verify(house.authority_ca.provider.certificate.public_key, stamp.cadena_original, stamp.sello_sat)
    assert house.tools.structure.check(root) == []
    assert stamp.rfc_prov_certif == house.authority_ca.provider.rfc
    assert stamp.sello_cfd == root.get("Sello")


def test_the_answer_agrees_with_the_document(furnished: Desk) -> None:
    stamped = furnished.issue(invoice())
    root = etree.fromstring(stamped.cfdi.encode())
    stamp = read(etree.fromstring(stamped.tfd.encode()))
    assert stamps_in(root) == [stamp]
    assert stamped.tfd.startswith(DECLARATION.decode() + "<tfd:TimbreFiscalDigital ")
    assert stamped.cfdi.startswith("<?xml ")
    assert UUID(stamped.uuid).version == 4
    assert stamped.uuid == stamped.uuid.lower() == stamp.uuid
    assert stamped.fecha_timbrado == NOW
    assert stamped.cadena_original_sat == stamp.cadena_original
    assert stamped.numero_certificado_cfdi == root.get("NoCertificado")
    assert stamped.sello_cfdi == root.get("Sello")
    assert stamped.verification_url.endswith(f"&fe={stamped.sello_cfdi[-8:].replace('+', '%2B')}")


def test_nothing_changes_but_the_seal_and_the_complement(furnished: Desk) -> None:
    addenda = (
        "<cfdi:Addenda>\n <x:Y xmlns:x='urn:x' a='&#10;ñ'><![CDATA[<no>]]></x:Y>\n</cfdi:Addenda></cfdi:Comprobante>"
    )
    source = invoice().decode().replace("</cfdi:Comprobante>", f"<!-- note -->{addenda}")
    stamped = furnished.issue(source.encode()).cfdi
    assert addenda in stamped
    left = COMPLEMENT.sub("", SEALED.sub("", stamped))
    assert left.removeprefix(DECLARATION.decode()) == SEALED.sub("", source).removeprefix(DECLARATION.decode())


def test_what_the_client_wrote_into_the_sealed_attributes_is_replaced(furnished: Desk) -> None:
    source = invoice().decode().replace('Sello=""', 'Sello="viejo"').replace('Certificado=""', 'Certificado="viejo"')
    assert "viejo" not in furnished.issue(source.encode()).cfdi
    absent = SEALED.sub("", invoice("2").decode())
    root = etree.fromstring(furnished.issue(absent.encode()).cfdi.encode())
    assert len(b64decode(root.get("Sello") or "")) == 256


def test_a_byte_order_mark_does_not_come_back(furnished: Desk) -> None:
    assert furnished.issue(b"\xef\xbb\xbf" + invoice()).cfdi.startswith("<?xml ")


def test_the_stored_stamp_says_why_it_was_accepted(furnished: Desk) -> None:
    stamped = furnished.issue(invoice())
    record = furnished.house.stamps.by_uuid(stamped.uuid)
    assert record is not None
    assert record.cfdi.decode() == stamped.cfdi
    assert record.account_id == furnished.caller.account_id
    assert (record.issuer_rfc, record.receiver_rfc) == (examples.KEMPER.rfc, examples.ROBOTICA.rfc)
    assert (record.environment, record.kind, record.folio, record.fecha) == ("sandbox", "I", "1", FECHA)
    assert record.data_version == furnished.house.snapshot.version
    assert record.lists_version
    assert record.rule_set.startswith("cfdi40:")
    assert record.provider_certificate == stamped.numero_certificado_sat
    assert UUID(record.request_id).version == 4


def repeat(desk: Desk, xml: bytes, **arguments: object) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        desk.issue(xml, **arguments)  # type: ignore[arg-type]
    return caught.value


def test_a_repeat_gets_the_first_stamp(furnished: Desk) -> None:
    first = furnished.issue(invoice())
    again = repeat(furnished, invoice())
    assert again.code == "307"
    assert again.data == first


def test_a_repeat_by_another_account_gets_nothing_of_it(furnished: Desk) -> None:
    sealed = furnished.sealed(invoice().decode(), furnished.mint())
    furnished.stamp(sealed)
    other = furnished.account("berta@example.com")
    with pytest.raises(ServiceError) as caught:
        furnished.stamp(sealed, caller=other)
    assert (caught.value.code, caught.value.data) == ("307", None)


def test_a_stamped_document_sent_again_gets_its_stamp(furnished: Desk) -> None:
    first = furnished.issue(invoice())
    assert repeat(furnished, first.cfdi.encode()).data == first
    foreign = first.cfdi.replace(first.uuid, str(uuid4()))
    assert repeat(furnished, foreign.encode()).data is None


def test_two_identical_requests_at_once_give_one_stamp(furnished: Desk) -> None:
    async def both() -> list[Stamped | BaseException]:
        stamping = furnished.house.stamping
        orders = (StampOrder(furnished.caller, invoice(), str(uuid4())) for _ in range(2))
        return await asyncio.gather(*map(stamping.issue, orders), return_exceptions=True)

    first, second = asyncio.run(both())
    assert isinstance(first, Stamped)
    assert isinstance(second, ServiceError)
    assert (second.code, second.data) == ("307", first)


@pytest.mark.parametrize(("hours", "stamped"), [("71h", False), ("73h", True)])
def test_a_customid_holds_for_72_fiscal_hours(furnished: Desk, hours: str, stamped: bool) -> None:
    first = furnished.issue(invoice("1"), "pedido-1")
    furnished.house.clock_control.advance(hours)
    later = ingreso({"@Folio": "2"}, fecha="2026-11-19T12:00:00").encode()
    if stamped:
        assert furnished.issue(later, "pedido-1").uuid != first.uuid
        return
    refusal = repeat(furnished, later, custom_id="pedido-1")
    assert refusal.code == "CFDI3307"
    assert isinstance(refusal.data, CustomIdConflict)
    assert (refusal.data.uuid, refusal.data.tfd) == (first.uuid, first.tfd)


def test_customids_of_accounts_do_not_collide(furnished: Desk) -> None:
    credential = furnished.mint()
    other = furnished.account("berta@example.com")
    assert furnished.stamp(furnished.sealed(invoice("1").decode(), credential), "pedido").uuid
    assert furnished.stamp(furnished.sealed(invoice("2").decode(), credential), "pedido", caller=other).uuid


def test_same_content_wins_over_the_customid(furnished: Desk) -> None:
    furnished.issue(invoice("1"), "a")
    furnished.issue(invoice("2"), "b")
    assert repeat(furnished, invoice("1"), custom_id="b").code == "307"


def test_a_refused_invoice_reserves_nothing(furnished: Desk) -> None:
    wrong = ingreso({"Receptor/@UsoCFDI": "NO"}, fecha=FECHA).encode()
    assert repeat(furnished, wrong, custom_id="pedido").code.startswith("CFDI40")
    assert furnished.issue(invoice(), "pedido").uuid


def test_an_invoice_without_a_stored_csd_names_the_issuer(desk: Desk) -> None:
    refusal = repeat(desk, invoice())
    assert refusal.code == "csd-missing"
    assert examples.KEMPER.rfc in (refusal.detail or "")


def test_only_a_cleared_document_can_be_stamped() -> None:
    """The engine alone makes a Cleared; nothing else is taken here."""
    assert get_type_hints(make_stamp)["cleared"] is Cleared


def test_a_server_without_a_provider_says_so(desk: Desk) -> None:
    from timbra.service.stamping import Stamping
    from timbra.store.group_commit import GroupCommit

    stamping = Stamping(desk.house.tools, None, GroupCommit(desk.house.stamps), "production")
    with pytest.raises(ServiceError) as caught:
        asyncio.run(stamping.stamp(StampOrder(desk.caller, invoice(), str(uuid4()))))
    assert caught.value.code == "CO1000"
    assert "proveedor autorizado" in (caught.value.detail or "")
