"""Signed requests that were indented after they were signed, as .NET programs write them, and forgeries of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy

import pytest
from lxml import etree
from structlog.testing import capture_logs
from tests.support.cancellation_app import ISSUER, RECEIVER, CancellationApp

from timbra.accounts.vault.signers import IssuerCredential
from timbra.cancellation.build import cancellation_services
from timbra.cfdi.cancelacion.answer import AcceptReject, ReceiverAnswer
from timbra.cfdi.cancelacion.relations import RelationsRequest
from timbra.cfdi.cancelacion.request import Cancelacion, Folio, read_cancelacion
from timbra.core.errors import ServiceError
from timbra.messages import cancelling as messages
from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.seals.keys.private_key import load_private_key
from timbra.seals.signers.memory import pair_key
from timbra.seals.xml_signatures.xmldsig import verify

CANCELACFD = "http://cancelacfd.sat.gob.mx"
DSIG = "http://www.w3.org/2000/09/xmldsig#"

OTHER = "9d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11"
ACCEPTED_LATE = "signature verified without blank text"
Forgery = Callable[[etree._Element], etree._Element]


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancellationApp]:
    sandbox_app = CancellationApp(tmp_path_factory.mktemp("indented") / "data")
    yield sandbox_app
    sandbox_app.container.close()


def signed(sandbox_app: CancellationApp, credential: MintedCredential, root: etree._Element) -> etree._Element:
    signer = pair_key(credential.certificate, load_private_key(credential.key_der, credential.password))
    requests = sandbox_app.container.get(cancellation_services).signed_requests
    return etree.fromstring(requests.sign(IssuerCredential(credential.certificate, signer), root))


def written(root: etree._Element, *, indented: bool = True) -> bytes:
    if indented:
        etree.indent(root, space="\t")
    return etree.tostring(root, xml_declaration=True, encoding="utf-8")


def cancelacion(sandbox_app: CancellationApp, *uuids: str) -> etree._Element:
    request = Cancelacion(ISSUER, tuple(Folio(uuid, "02") for uuid in uuids))
    return signed(sandbox_app, sandbox_app.issuer, request.to_root(sandbox_app.now))


def test_cancel_by_xml_accepts_an_indented_request_and_logs_it(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.invoice()
    xml = written(cancelacion(sandbox_app, uuid))
    with capture_logs() as logged:
        result = sandbox_app.container.get(cancellation_services).cancelling.by_xml(sandbox_app.caller, xml, "request")
    assert result.codes == {uuid.upper(): "201"}
    [line] = [line for line in logged if line["event"] == ACCEPTED_LATE]
    assert (line["document"], line["rfc"], line["log_level"]) == ("Cancelacion", ISSUER, "info")


def test_cancel_by_xml_forwards_a_document_that_verifies_strictly(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.invoice()
    requests = sandbox_app.container.get(cancellation_services).signed_requests
    verified = requests.verify(written(cancelacion(sandbox_app, uuid)), "Cancelacion")
    again = verify(etree.fromstring(verified.document))
    assert again.content == verified.content
    assert read_cancelacion(verified.document).folios == (Folio(uuid, "02"),)


def test_cancel_by_xml_does_not_log_a_request_that_verifies_as_sent(sandbox_app: CancellationApp) -> None:
    xml = written(cancelacion(sandbox_app, sandbox_app.invoice()), indented=False)
    with capture_logs() as logged:
        verified = sandbox_app.container.get(cancellation_services).signed_requests.verify(xml, "Cancelacion")
    assert (verified.document, [line for line in logged if line["event"] == ACCEPTED_LATE]) == (xml, [])


def test_acceptance_by_xml_accepts_an_indented_answer(sandbox_app: CancellationApp) -> None:
    message = AcceptReject(RECEIVER, {OTHER: ReceiverAnswer.ACCEPT})
    xml = written(signed(sandbox_app, sandbox_app.receiver, message.to_root(sandbox_app.now)))
    accepting = sandbox_app.container.get(cancellation_services).accepting
    [folio] = accepting.by_xml(sandbox_app.caller, xml, "request").folios
    assert (folio.uuid, folio.code) == (OTHER.upper(), "1001")


def test_relations_by_xml_accepts_an_indented_query(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.invoice()
    xml = written(signed(sandbox_app, sandbox_app.issuer, RelationsRequest(uuid, ISSUER).to_root()))
    assert sandbox_app.container.get(cancellation_services).relating.by_xml(xml).code == "2001"


def change_motive(root: etree._Element) -> etree._Element:
    root.find(".//{*}Folio").set("Motivo", "03")  # type: ignore[union-attr]
    return root


def add_folio(root: etree._Element) -> etree._Element:
    folios = root[0]
    folios.append(deepcopy(folios[0]))
    folios[1].set("UUID", OTHER)
    return root


def add_text(root: etree._Element) -> etree._Element:
    root[0].text = "x"
    return root


def wrap_in_signature(root: etree._Element) -> etree._Element:
    """Move the signed folios into an Object of the signature and act on others."""
    signature = root[-1]
    holder = etree.SubElement(signature, f"{{{DSIG}}}Object")
    holder.append(deepcopy(root[0]))
    return change_motive(root)


def wrap_in_root(root: etree._Element) -> etree._Element:
    """Put the signed document below a new root with other folios."""
    outer = deepcopy(root)
    outer.remove(outer[-1])
    change_motive(outer).append(root)
    return outer


def wrap_with_reference(root: etree._Element) -> etree._Element:
    """Give the signed document an Id, refer to it, and place it in the signature of another document."""
    outer = wrap_in_root(root)
    inner = outer[-1]
    signature = inner[-1]
    inner.set("Id", "signed")
    outer.append(signature)
    signature.append(inner)
    next(signature.iter(f"{{{DSIG}}}Reference")).set("URI", "#signed")
    return outer


def add_second_signature(root: etree._Element) -> etree._Element:
    root.append(deepcopy(root[-1]))
    return change_motive(root)


def move_signature(root: etree._Element) -> etree._Element:
    root[0].append(root[-1])
    return root


def replace_digest(root: etree._Element) -> etree._Element:
    next(root.iter(f"{{{DSIG}}}DigestValue")).text = "AAAAAAAAAAAAAAAAAAAAAAAAAAA="
    return root


FORGERIES = [
    change_motive,
    add_folio,
    add_text,
    wrap_in_signature,
    wrap_in_root,
    wrap_with_reference,
    add_second_signature,
    move_signature,
    replace_digest,
]


@pytest.mark.parametrize("indented", [False, True])
@pytest.mark.parametrize("forge", FORGERIES)
def test_cancel_by_xml_rejects_forgeries_for_both_readings(
    sandbox_app: CancellationApp, forge: Forgery, indented: bool
) -> None:
    xml = written(forge(cancelacion(sandbox_app, sandbox_app.invoice())), indented=indented)
    with pytest.raises(ServiceError) as rejected:
        sandbox_app.container.get(cancellation_services).cancelling.by_xml(sandbox_app.caller, xml, "request")
    assert (rejected.value.code, rejected.value.detail) == ("cancel-xml", messages.SIGNATURE)


@pytest.mark.parametrize("indented", [False, True])
def test_acceptance_by_xml_rejects_values_that_the_signed_content_does_not_have(
    sandbox_app: CancellationApp, indented: bool
) -> None:
    """A comment inside of a value: the canonical form has the whole value, the document's first text a part of it."""
    message = AcceptReject(RECEIVER, {OTHER: ReceiverAnswer.ACCEPT})
    root = signed(sandbox_app, sandbox_app.receiver, message.to_root(sandbox_app.now))
    answer = root.find(f".//{{{CANCELACFD}}}UUID")
    assert answer is not None
    answer.append(etree.Comment("x"))
    answer[0].tail, answer.text = (answer.text or "")[4:], (answer.text or "")[:4]
    xml = written(root, indented=indented)
    with pytest.raises(ServiceError) as rejected:
        sandbox_app.container.get(cancellation_services).accepting.by_xml(sandbox_app.caller, xml, "request")
    assert rejected.value.code in {"cancel-xml", "cancel-fields"}


def test_cancel_by_xml_rejects_an_indented_request_with_a_dtd(sandbox_app: CancellationApp) -> None:
    xml = written(cancelacion(sandbox_app, sandbox_app.invoice()))
    declared = xml.replace(b"<Cancelacion ", b"<!DOCTYPE Cancelacion><Cancelacion ", 1)
    assert declared != xml
    with pytest.raises(ServiceError) as rejected:
        sandbox_app.container.get(cancellation_services).cancelling.by_xml(sandbox_app.caller, declared, "request")
    assert (rejected.value.code, rejected.value.detail) == ("cancel-failed", messages.BAD_XML)
