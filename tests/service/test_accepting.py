"""The receiver's side: terms, answers, silence, scripts; and what is related to what."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from lxml import etree
from tests.support.cancelling import ISSUER, RECEIVER, CancelDesk, csd_files, pfx_file

from timbra.accounts.signers import IssuerCredential
from timbra.authority.port import CfdiParties, Origin
from timbra.cfdi.cancelacion.answer import AcceptReject, Answer
from timbra.cfdi.cancelacion.relations import RelationsRequest
from timbra.errors import ServiceError
from timbra.messages import cancelling as told
from timbra.seals.keys import load_private_key, pair
from timbra.seals.xmldsig import verify
from timbra.service.accepting import AnswerOrder, Pendings
from timbra.service.relating import Related

UNKNOWN = "9d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11"
WITH = "Cancelable con aceptación"
WAITING = ("Vigente", WITH, "En proceso")
EXPIRED = ("Cancelado", WITH, "Plazo vencido")
ACCEPTED = ("Cancelado", WITH, "Cancelado con aceptación")
REJECTED = ("Vigente", WITH, "Solicitud rechazada")


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


def receiver(desk: CancelDesk) -> IssuerCredential:
    key = load_private_key(desk.receiver.key_der, desk.receiver.password)
    return IssuerCredential(desk.receiver.certificate, pair(desk.receiver.certificate, key))


def refusal(desk: CancelDesk, order: AnswerOrder) -> tuple[str, str | None]:
    with pytest.raises(ServiceError) as refused:
        desk.house.accepting.by_files(desk.caller, order, csd_files(desk.receiver), "request")
    return refused.value.code, refused.value.detail


def test_a_receiver_accepts_one_and_rejects_another(desk: CancelDesk) -> None:
    wanted, kept = desk.invoice(), desk.old_invoice()
    assert (desk.cancel(wanted), desk.cancel(kept)) == ("201", "201")
    assert desk.state(wanted) == desk.state(kept) == WAITING
    assert desk.house.accepting.pendings(RECEIVER).uuids == tuple(sorted((wanted.upper(), kept.upper())))
    order = AnswerOrder(RECEIVER, [(wanted.upper(), "aceptacion"), (kept, "Rechazo"), (UNKNOWN, "Rechazo")])
    answered = desk.house.accepting.by_files(desk.caller, order, csd_files(desk.receiver), "request")
    assert [(folio.uuid, folio.code, folio.answer) for folio in answered.folios] == [
        (wanted.upper(), "1000", "Aceptacion"),
        (kept.upper(), "1000", "Rechazo"),
        (UNKNOWN.upper(), "1001", "Rechazo"),
    ]
    assert (desk.state(wanted), desk.state(kept)) == (ACCEPTED, REJECTED)
    assert (desk.history(wanted), desk.history(kept)) == (["requested", "accepted"], ["requested", "rejected"])
    assert desk.house.accepting.pendings(RECEIVER) == Pendings((), "1101", told.NO_PENDINGS)
    assert (desk.answer(wanted, "Rechazo"), desk.answer(kept, "Aceptacion")) == ("1002", "1002")


def test_the_acuse_of_an_answer(desk: CancelDesk) -> None:
    uuid = desk.old_invoice()
    desk.cancel(uuid)
    answered = desk.answered(uuid, "Aceptacion")
    found = verify(etree.fromstring(answered.acuse.encode()))
    assert found.certificate == desk.house.authority_ca.certificate
    assert b'Folios xmlns="http://cancelacfd.sat.gob.mx" Respuesta="Aceptacion"' in found.content


def test_an_answer_by_pfx_and_by_signed_document(desk: CancelDesk) -> None:
    first, second = desk.invoice(), desk.old_invoice()
    desk.cancel(first)
    desk.cancel(second)
    order = AnswerOrder(RECEIVER, [(first, "Aceptacion")])
    desk.house.accepting.by_files(desk.caller, order, pfx_file(desk.receiver), "request")
    request = AcceptReject(RECEIVER, {second: Answer.REJECT}, "TIM010101SB9")
    xml = desk.house.signed_requests.signed(receiver(desk), request.to_root(desk.now))
    [folio] = desk.house.accepting.by_xml(desk.caller, xml, "request").folios
    assert (folio.uuid, folio.code) == (second.upper(), "1000")
    assert (desk.state(first), desk.state(second)) == (ACCEPTED, REJECTED)


def test_only_the_receiver_answers(desk: CancelDesk) -> None:
    uuid = desk.old_invoice()
    assert desk.answer(uuid, "Aceptacion") == "1001"
    desk.cancel(uuid)
    assert desk.answer(uuid, "Aceptacion", rfc=ISSUER) == "1001"
    assert desk.state(uuid) == WAITING


def test_silence_cancels_at_the_end_of_the_third_working_day(desk: CancelDesk) -> None:
    uuid = desk.old_invoice()
    desk.cancel(uuid)
    desk.house.clock_control.set("2026-11-25T23:59:59")
    assert desk.state(uuid) == WAITING
    desk.advance("1s")
    assert desk.state(uuid) == EXPIRED
    assert desk.cancel(uuid) == "202"


def test_72_hours_as_a_setting(template: CancelDesk, tmp_path: Path) -> None:
    desk = template.copied(tmp_path / "data", cancellation_term="72h")
    uuid = desk.old_invoice()
    desk.cancel(uuid)
    asked = desk.now
    desk.advance("30d")
    assert desk.state(uuid) == EXPIRED
    assert desk.events(uuid)[-1].fiscal_at == asked + timedelta(hours=72)
    desk.house.close()


@pytest.mark.parametrize("by_task", [True, False])
def test_silence_leaves_the_same_history_whoever_notices_it(desk: CancelDesk, by_task: bool) -> None:
    uuids = [desk.invoice(), desk.old_invoice()]
    for uuid in uuids:
        desk.cancel(uuid)
    desk.advance("30d")
    if by_task:
        desk.house.refresh()
    else:
        assert desk.state(uuids[1]) == EXPIRED
    told_of = [(event.kind, event.fiscal_at.isoformat(), event.body) for uuid in uuids for event in desk.events(uuid)]
    expired = ("cancellation.expired", "2026-11-26T06:00:00+00:00", told_of[1][2])
    assert [told_of[1], told_of[3]] == [expired, expired]
    assert expired[2] == {"from": ["Vigente", "En proceso"], "to": ["Cancelado", "Plazo vencido"]}


def test_a_rejected_request_may_be_repeated_but_has_no_term(desk: CancelDesk) -> None:
    uuid = desk.old_invoice()
    desk.cancel(uuid)
    desk.answer(uuid, "Rechazo")
    assert desk.cancel(uuid) == "201"
    desk.advance("90d")
    assert desk.state(uuid) == WAITING
    assert desk.answer(uuid, "Aceptacion") == "1000"
    assert desk.history(uuid) == ["requested", "rejected", "requested", "accepted"]


def test_an_answer_after_the_term_comes_too_late(desk: CancelDesk) -> None:
    uuid = desk.old_invoice()
    desk.cancel(uuid)
    desk.advance("30d")
    assert desk.answer(uuid, "Rechazo") == "1002"
    assert desk.state(uuid) == EXPIRED


@pytest.mark.parametrize(
    ("answer", "delay", "state", "steps"),
    [
        ("accept", "0s", ACCEPTED, ["requested", "accepted"]),
        ("reject", "1h", REJECTED, ["requested", "rejected"]),
        ("accept", "60d", EXPIRED, ["requested", "expired"]),
        ("silence", "0s", EXPIRED, ["requested", "expired"]),
    ],
)
def test_scripted_receivers(
    desk: CancelDesk, answer: str, delay: str, state: tuple[str, str, str], steps: list[str]
) -> None:
    desk.house.counter.scripts.set(RECEIVER, "accept")
    desk.house.counter.scripts.set(RECEIVER, answer, delay)
    uuid = desk.old_invoice()
    desk.cancel(uuid)
    if delay != "0s":
        assert desk.state(uuid) == WAITING
    desk.advance("30d")
    assert (desk.state(uuid), desk.history(uuid)) == (state, steps)


@pytest.mark.parametrize("given", [("X", "accept", "0s"), (RECEIVER, "perhaps", "0s"), (RECEIVER, "accept", "-1h")])
def test_a_script_that_makes_no_sense(desk: CancelDesk, given: tuple[str, str, str]) -> None:
    with pytest.raises(ServiceError, match="script-invalid"):
        desk.house.counter.scripts.set(*given)
    assert desk.house.counter.scripts.all() == []


def test_the_sandbox_answers_in_the_receivers_place(desk: CancelDesk) -> None:
    uuid = desk.old_invoice()
    desk.cancel(uuid)
    receipt = desk.house.counter.respond(uuid.upper(), Answer.REJECT, Origin(None, ""))
    assert receipt.codes == {uuid: "1000"}
    assert desk.state(uuid) == REJECTED
    with pytest.raises(ServiceError, match="document-unknown"):
        desk.house.counter.respond(UNKNOWN, Answer.REJECT, Origin(None, ""))


def test_what_an_answer_may_lack(desk: CancelDesk) -> None:
    assert refusal(desk, AnswerOrder(RECEIVER, [])) == ("cancel-fields", told.CSD_MISSING)
    assert refusal(desk, AnswerOrder(RECEIVER, [(UNKNOWN, "quizá")])) == ("cancel-fields", told.BAD_ANSWER)
    assert refusal(desk, AnswerOrder(RECEIVER, [("x", "Rechazo")])) == ("cancel-fields", told.BAD_UUID)
    assert refusal(desk, AnswerOrder(ISSUER, [(UNKNOWN, "Rechazo")])) == ("cancel-xml", told.OTHER_RFC)
    many = [(UNKNOWN, "Rechazo")] * 501
    assert refusal(desk, AnswerOrder(RECEIVER, many)) == ("cancel-fields", told.MANY_ANSWERS)
    with pytest.raises(ServiceError, match="cancel-failed"):
        desk.house.accepting.pendings("x")


def test_relations_both_ways(desk: CancelDesk) -> None:
    uuid = desk.invoice()
    payment, note = desk.payment(uuid), desk.invoice(relation="01", to=uuid)
    relating = desk.house.relating
    found = relating.by_uuid(desk.caller, ISSUER, uuid.upper())
    assert (found.code, found.message, found.parents) == ("2000", "Se encontraron CFDI relacionados. ", ())
    assert {one.uuid for one in found.children} == {payment.upper(), note.upper()}
    back = relating.by_files(RECEIVER, note, csd_files(desk.receiver))
    assert back.parents == (CfdiParties(uuid.upper(), ISSUER, RECEIVER),)
    request = RelationsRequest(payment, RECEIVER, "TIM010101SB9")
    by_xml = relating.by_xml(desk.house.signed_requests.signed(receiver(desk), request.to_root()))
    assert (by_xml.uuid, by_xml.parents) == (payment.upper(), back.parents)


def test_no_relations(desk: CancelDesk) -> None:
    def asked(uuid: str, rfc: str = ISSUER) -> Related:
        return desk.house.relating.by_uuid(desk.caller, rfc, uuid)

    uuid = desk.invoice()
    assert (asked(uuid).code, asked(uuid).message) == ("2001", told.NO_RELATIONS)
    assert asked(UNKNOWN).code == "2002"
    named = desk.invoice(relation="01", to=UNKNOWN)
    assert asked(named).parents == (CfdiParties(UNKNOWN.upper(), "", ""),)
