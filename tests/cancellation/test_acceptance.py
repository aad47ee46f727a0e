"""The receiver's side: terms, answers, expiry, automatic replies, and relations."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from lxml import etree
from tests.support.cancellation_app import ISSUER, RECEIVER, CancellationApp, csd_files, pfx_file

from timbra.accounts.build import account_services
from timbra.accounts.certificates import certificate_services
from timbra.accounts.vault.signers import IssuerCredential
from timbra.app.composition import open_container
from timbra.cancellation.acceptance import AcceptanceRequest, PendingRequests
from timbra.cancellation.build import cancellation_services
from timbra.cancellation.relations import RelationsResult
from timbra.cfdi.cancelacion.answer import AcceptReject, ReceiverAnswer
from timbra.cfdi.cancelacion.relations import RelationsRequest
from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.delivery.ports import authority_work
from timbra.messages import cancelling as messages
from timbra.sandbox.build import sandbox_services
from timbra.sat.port import CfdiParties
from timbra.seals.keys.private_key import load_private_key
from timbra.seals.signers.memory import pair_key
from timbra.seals.xml_signatures.xmldsig import verify
from timbra.settings import Settings

UNKNOWN = "9d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11"
WITH = "Cancelable con aceptación"
WAITING = ("Vigente", WITH, "En proceso")
EXPIRED = ("Cancelado", WITH, "Plazo vencido")
ACCEPTED = ("Cancelado", WITH, "Cancelado con aceptación")
REJECTED = ("Vigente", WITH, "Solicitud rechazada")


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


def receiver(sandbox_app: CancellationApp) -> IssuerCredential:
    key = load_private_key(sandbox_app.receiver.key_der, sandbox_app.receiver.password)
    return IssuerCredential(sandbox_app.receiver.certificate, pair_key(sandbox_app.receiver.certificate, key))


def rejection(sandbox_app: CancellationApp, order: AcceptanceRequest) -> tuple[str, str | None]:
    with pytest.raises(ServiceError) as rejected:
        sandbox_app.container.get(cancellation_services).accepting.by_files(
            sandbox_app.caller, order, csd_files(sandbox_app.receiver), "request"
        )
    return rejected.value.code, rejected.value.detail


def test_by_files_accepts_and_rejects(sandbox_app: CancellationApp) -> None:
    wanted, kept = sandbox_app.invoice(), sandbox_app.old_invoice()
    assert (sandbox_app.cancel(wanted), sandbox_app.cancel(kept)) == ("201", "201")
    assert sandbox_app.state(wanted) == sandbox_app.state(kept) == WAITING
    assert sandbox_app.container.get(cancellation_services).accepting.pendings(
        sandbox_app.caller, RECEIVER
    ).uuids == tuple(sorted((wanted.upper(), kept.upper())))
    order = AcceptanceRequest(RECEIVER, [(wanted.upper(), "aceptacion"), (kept, "Rechazo"), (UNKNOWN, "Rechazo")])
    answered = sandbox_app.container.get(cancellation_services).accepting.by_files(
        sandbox_app.caller, order, csd_files(sandbox_app.receiver), "request"
    )
    assert [(folio.uuid, folio.code, folio.answer) for folio in answered.folios] == [
        (wanted.upper(), "1000", "Aceptacion"),
        (kept.upper(), "1000", "Rechazo"),
        (UNKNOWN.upper(), "1001", "Rechazo"),
    ]
    assert (sandbox_app.state(wanted), sandbox_app.state(kept)) == (ACCEPTED, REJECTED)
    assert (sandbox_app.history(wanted), sandbox_app.history(kept)) == (
        ["requested", "accepted"],
        ["requested", "rejected"],
    )
    assert sandbox_app.container.get(cancellation_services).accepting.pendings(
        sandbox_app.caller, RECEIVER
    ) == PendingRequests((), "1101", messages.NO_PENDINGS)
    assert (sandbox_app.answer(wanted, "Rechazo"), sandbox_app.answer(kept, "Aceptacion")) == ("1002", "1002")


def test_by_uuid_returns_signed_acuse(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.old_invoice()
    sandbox_app.cancel(uuid)
    answered = sandbox_app.answered(uuid, "Aceptacion")
    found = verify(etree.fromstring(answered.acuse.encode()))
    assert found.certificate == sandbox_app.container.get(sandbox_services).authority_ca.certificate
    assert b'Folios xmlns="http://cancelacfd.sat.gob.mx" Respuesta="Aceptacion"' in found.content


def test_answer_by_pfx_and_by_signed_xml(sandbox_app: CancellationApp) -> None:
    first, second = sandbox_app.invoice(), sandbox_app.old_invoice()
    sandbox_app.cancel(first)
    sandbox_app.cancel(second)
    order = AcceptanceRequest(RECEIVER, [(first, "Aceptacion")])
    sandbox_app.container.get(cancellation_services).accepting.by_files(
        sandbox_app.caller, order, pfx_file(sandbox_app.receiver), "request"
    )
    request = AcceptReject(RECEIVER, {second: ReceiverAnswer.REJECT}, "TIM010101SB9")
    xml = sandbox_app.container.get(cancellation_services).signed_requests.sign(
        receiver(sandbox_app), request.to_root(sandbox_app.now)
    )
    [folio] = (
        sandbox_app.container.get(cancellation_services).accepting.by_xml(sandbox_app.caller, xml, "request").folios
    )
    assert (folio.uuid, folio.code) == (second.upper(), "1000")
    assert (sandbox_app.state(first), sandbox_app.state(second)) == (ACCEPTED, REJECTED)


def test_answer_of_other_rfc_is_1001(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.old_invoice()
    assert sandbox_app.answer(uuid, "Aceptacion") == "1001"
    sandbox_app.cancel(uuid)
    assert sandbox_app.answer(uuid, "Aceptacion", rfc=ISSUER) == "1001"
    assert sandbox_app.state(uuid) == WAITING


def test_unanswered_request_cancels_after_third_working_day(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.old_invoice()
    sandbox_app.cancel(uuid)
    sandbox_app.container.get(sandbox_services).clock_control.set("2026-11-25T23:59:59")
    assert sandbox_app.state(uuid) == WAITING
    sandbox_app.advance("1s")
    assert sandbox_app.state(uuid) == EXPIRED
    assert sandbox_app.cancel(uuid) == "202"


def test_unanswered_request_cancels_after_72_hours_when_configured(template: CancellationApp, tmp_path: Path) -> None:
    sandbox_app = template.copied(tmp_path / "data", cancellation_term="72h")
    uuid = sandbox_app.old_invoice()
    sandbox_app.cancel(uuid)
    requested_at = sandbox_app.now
    sandbox_app.advance("30d")
    assert sandbox_app.state(uuid) == EXPIRED
    assert sandbox_app.events(uuid)[-1].fiscal_at == requested_at + timedelta(hours=72)
    sandbox_app.container.close()


@pytest.mark.parametrize("by_task", [True, False])
def test_expiry_leaves_same_history_by_job_and_by_query(sandbox_app: CancellationApp, by_task: bool) -> None:
    uuids = [sandbox_app.invoice(), sandbox_app.old_invoice()]
    for uuid in uuids:
        sandbox_app.cancel(uuid)
    sandbox_app.advance("30d")
    if by_task:
        sandbox_app.container.get(authority_work).refresh()
    else:
        assert sandbox_app.state(uuids[1]) == EXPIRED
    told_of = [
        (event.kind, event.fiscal_at.isoformat(), event.body) for uuid in uuids for event in sandbox_app.events(uuid)
    ]
    expired = ("cancellation.expired", "2026-11-26T06:00:00+00:00", told_of[1][2])
    assert [told_of[1], told_of[3]] == [expired, expired]
    assert expired[2] == {"from": ["Vigente", "En proceso"], "to": ["Cancelado", "Plazo vencido"]}


def test_rejected_request_can_be_repeated(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.old_invoice()
    sandbox_app.cancel(uuid)
    sandbox_app.answer(uuid, "Rechazo")
    assert sandbox_app.cancel(uuid) == "201"
    sandbox_app.advance("90d")
    assert sandbox_app.state(uuid) == WAITING
    assert sandbox_app.answer(uuid, "Aceptacion") == "1000"
    assert sandbox_app.history(uuid) == ["requested", "rejected", "requested", "accepted"]


def test_answer_after_term_is_1002(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.old_invoice()
    sandbox_app.cancel(uuid)
    sandbox_app.advance("30d")
    assert sandbox_app.answer(uuid, "Rechazo") == "1002"
    assert sandbox_app.state(uuid) == EXPIRED


@pytest.mark.parametrize(
    ("answer", "delay", "state", "steps"),
    [
        ("accept", "0s", ACCEPTED, ["requested", "accepted"]),
        ("reject", "1h", REJECTED, ["requested", "rejected"]),
        ("accept", "60d", EXPIRED, ["requested", "expired"]),
        ("silence", "0s", EXPIRED, ["requested", "expired"]),
    ],
)
def test_auto_replies_answer_requests(
    sandbox_app: CancellationApp, answer: str, delay: str, state: tuple[str, str, str], steps: list[str]
) -> None:
    sandbox_app.container.get(sandbox_services).cancellation_service.scripts.set(RECEIVER, "accept")
    sandbox_app.container.get(sandbox_services).cancellation_service.scripts.set(RECEIVER, answer, delay)
    uuid = sandbox_app.old_invoice()
    sandbox_app.cancel(uuid)
    if delay != "0s":
        assert sandbox_app.state(uuid) == WAITING
    sandbox_app.advance("30d")
    assert (sandbox_app.state(uuid), sandbox_app.history(uuid)) == (state, steps)


@pytest.mark.parametrize("given", [("X", "accept", "0s"), (RECEIVER, "perhaps", "0s"), (RECEIVER, "accept", "-1h")])
def test_auto_reply_rejects_invalid_values(sandbox_app: CancellationApp, given: tuple[str, str, str]) -> None:
    with pytest.raises(ServiceError, match="script-invalid"):
        sandbox_app.container.get(sandbox_services).cancellation_service.scripts.set(*given)
    assert sandbox_app.container.get(sandbox_services).cancellation_service.scripts.all() == []


def test_sandbox_answers_for_receiver(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.old_invoice()
    sandbox_app.cancel(uuid)
    receipt = sandbox_app.container.get(sandbox_services).cancellation_service.respond(
        uuid.upper(), ReceiverAnswer.REJECT
    )
    assert receipt.codes == {uuid: "1000"}
    assert sandbox_app.state(uuid) == REJECTED
    with pytest.raises(ServiceError, match="document-unknown"):
        sandbox_app.container.get(sandbox_services).cancellation_service.respond(UNKNOWN, ReceiverAnswer.REJECT)


def test_answer_rejects_missing_or_invalid_fields(sandbox_app: CancellationApp) -> None:
    assert rejection(sandbox_app, AcceptanceRequest(RECEIVER, [])) == ("cancel-fields", messages.CSD_MISSING)
    assert rejection(sandbox_app, AcceptanceRequest(RECEIVER, [(UNKNOWN, "quizá")])) == (
        "cancel-fields",
        messages.BAD_ANSWER,
    )
    for uuid in ("", " ", "x", UNKNOWN[:-1]):
        assert rejection(sandbox_app, AcceptanceRequest(RECEIVER, [(uuid, "Rechazo")])) == (
            "cancel-fields",
            "El uuid proporcionado es inválido. Favor de verificar",
        )
    assert rejection(sandbox_app, AcceptanceRequest(ISSUER, [(UNKNOWN, "Rechazo")])) == (
        "cancel-xml",
        messages.OTHER_RFC,
    )
    many = [(UNKNOWN, "Rechazo")] * 501
    assert rejection(sandbox_app, AcceptanceRequest(RECEIVER, many)) == ("cancel-fields", messages.MANY_ANSWERS)
    with pytest.raises(ServiceError, match="cancel-failed"):
        sandbox_app.container.get(cancellation_services).accepting.pendings(sandbox_app.caller, "x")


def test_pendings_require_usable_csd_of_receiver(sandbox_app: CancellationApp) -> None:
    def rejected(caller: Caller) -> tuple[str, str | None]:
        with pytest.raises(ServiceError) as rejection:
            sandbox_app.container.get(cancellation_services).accepting.pendings(caller, RECEIVER)
        return rejection.value.code, rejection.value.detail

    missing = ("cancel-failed", f"No se encontró el CSD correspondiente al RFC {RECEIVER} .")
    other = sandbox_app.account("luis@example.com")
    sandbox_app.store(sandbox_app.issuer, other)
    assert rejected(other) == missing
    sandbox_app.store(sandbox_app.receiver, other)
    assert sandbox_app.container.get(cancellation_services).accepting.pendings(other, RECEIVER).code == "1101"
    sandbox_app.container.get(certificate_services).vault.disable(
        other.account_id, sandbox_app.receiver.certificate.number
    )
    assert rejected(other) == missing
    sandbox_app.container.get(sandbox_services).certificates.revoke(sandbox_app.receiver.certificate.number)
    sandbox_app.advance("3d")
    sandbox_app.container.get(authority_work).refresh()
    assert rejected(sandbox_app.caller) == ("cancel-xml", messages.EXPIRED)


def test_pendings_are_rejected_in_production_before_authority_call(tmp_path: Path) -> None:
    with open_container(Settings(data=tmp_path / "production", environment="production")) as container:
        account = container.get(account_services).accounts.create("luis@example.com", "una contraseña larga")
        caller = Caller(account.account_id, account.user, account.role)
        with pytest.raises(ServiceError, match="cancel-failed: No se encontró el CSD"):
            container.get(cancellation_services).accepting.pendings(caller, RECEIVER)


def test_relations_returns_parents_and_children(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.invoice()
    payment, note = sandbox_app.payment(uuid), sandbox_app.invoice(relation="01", to=uuid)
    relating = sandbox_app.container.get(cancellation_services).relating
    found = relating.by_uuid(sandbox_app.caller, ISSUER, uuid.upper())
    assert (found.code, found.message, found.parents) == ("2000", "Se encontraron CFDI relacionados. ", ())
    assert {one.uuid for one in found.children} == {payment.upper(), note.upper()}
    back = relating.by_files(RECEIVER, note, csd_files(sandbox_app.receiver))
    assert back.parents == (CfdiParties(uuid.upper(), ISSUER, RECEIVER),)
    request = RelationsRequest(payment, RECEIVER, "TIM010101SB9")
    by_xml = relating.by_xml(
        sandbox_app.container.get(cancellation_services).signed_requests.sign(receiver(sandbox_app), request.to_root())
    )
    assert (by_xml.uuid, by_xml.parents) == (payment.upper(), back.parents)


def test_relations_returns_2001_or_2002_without_relations(sandbox_app: CancellationApp) -> None:
    def relations_of(uuid: str, rfc: str = ISSUER) -> RelationsResult:
        return sandbox_app.container.get(cancellation_services).relating.by_uuid(sandbox_app.caller, rfc, uuid)

    uuid = sandbox_app.invoice()
    assert (relations_of(uuid).code, relations_of(uuid).message) == ("2001", messages.NO_RELATIONS)
    assert relations_of(UNKNOWN).code == "2002"
    named = sandbox_app.invoice(relation="01", to=UNKNOWN)
    assert relations_of(named).parents == (CfdiParties(UNKNOWN.upper(), "", ""),)
