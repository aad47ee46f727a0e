"""Downloads of a taxpayer's documents."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from tests.support.bulk_download import TAXPAYER, document, unanswered
from tests.support.synchronizing import ANA, SyncTest

from timbra.core.errors import ServiceError
from timbra.received.synchronization.models import BulkRequestState
from timbra.sat.bulk_download import QueryProgress, QueryReceipt
from timbra.sat.soap import FaultDetail
from timbra.sat.transport import down

DOCUMENTS = tuple(document(day) for day in ("2026-11-01", "2026-11-02", "2026-11-02", "2026-11-03", "2026-11-16"))


def all_stored(syncing: SyncTest) -> bool:
    found = [syncing.documents.find(ANA, one.uuid) for one in syncing.sat.register.values()]
    return all(one is not None and one.has_xml for one in found)


def never_repeated(syncing: SyncTest) -> bool:
    return set(syncing.sat.questions.values()) == {1}


def test_run_stores_metadata_and_xml_of_closed_days(syncing_in_both: SyncTest, tmp_path: Path) -> None:
    today, cancelled = document("2026-11-17"), document("2026-11-05", status="0", cancelled_at="2026-11-06 09:00:00")
    syncing_in_both.sat.add(*DOCUMENTS, today, cancelled, document("2026-11-04", receiver="CCC010101CC1"))
    syncing_in_both.start()
    report = syncing_in_both.run()

    assert (report.documents, report.missing, report.requests) == (6, 0, {"done": 2})
    assert [(one.is_metadata, one.starts.isoformat(), one.ends.isoformat()) for one in syncing_in_both.sat.asked] == [
        (True, "2026-11-01T00:00:00", "2026-11-16T23:59:59"),
        (False, "2026-11-01T00:00:00", "2026-11-17T00:00:00"),
    ]
    found = syncing_in_both.documents.find(ANA, DOCUMENTS[0].uuid)
    assert found is not None
    assert (found.source, found.status, found.result, found.total, found.seal_tail) == (
        "sat",
        "Vigente",
        "valid",
        "116.00",
        "12345678",
    )
    assert syncing_in_both.documents.xml(ANA, DOCUMENTS[0].uuid) == DOCUMENTS[0].xml()
    kept = syncing_in_both.documents.find(ANA, cancelled.uuid)
    assert kept is not None
    assert (kept.has_xml, kept.status, kept.cancelled_at) == (False, "Cancelado", "2026-11-06T09:00:00")
    assert syncing_in_both.documents.find(ANA, today.uuid) is None
    assert list((tmp_path / "packages").iterdir()) == []
    assert syncing_in_both.audited() == ["received.started", *["received.requested", *["received.downloaded"] * 2] * 2]


def test_run_asks_for_the_days_that_ended_since_and_for_late_documents(syncing: SyncTest) -> None:
    syncing.sat.add(*DOCUMENTS)
    syncing.start()
    syncing.run()
    late, next_day = document("2026-11-14"), document("2026-11-17")
    syncing.sat.add(late, next_day)
    syncing.wall.advance(days=1)
    syncing.run()

    assert all_stored(syncing)
    assert never_repeated(syncing)
    assert syncing.sat.asked[2].starts.isoformat() == "2026-11-13T00:00:00"


def test_run_finds_cancellations_in_metadata_of_past_periods(syncing_in_both: SyncTest) -> None:
    syncing_in_both.sat.add(*DOCUMENTS)
    syncing_in_both.start()
    syncing_in_both.run()
    first = DOCUMENTS[0]
    syncing_in_both.sat.add(replace(first, status="0", cancelled_at="2026-11-20 00:00:00"))
    syncing_in_both.wall.advance(days=8)
    syncing_in_both.run()

    assert syncing_in_both.events() == [("received.cancelled", first.uuid)]
    assert never_repeated(syncing_in_both)
    found = syncing_in_both.documents.find(ANA, first.uuid)
    assert found is not None
    assert (found.status, found.has_xml) == ("Cancelado", True)


def test_run_separates_both_sides(syncing: SyncTest) -> None:
    issued = document("2026-11-02", issuer=TAXPAYER, receiver="CCC010101CC1")
    syncing.sat.add(DOCUMENTS[0], issued)
    syncing.start("2026-11-01", "received", "issued")
    for _ in range(20):
        due = syncing.synchronizer.run(ANA, TAXPAYER)
        syncing.wall.instant = due or syncing.wall.instant
    assert [report.documents for report in syncing.service.reports(ANA)] == [1, 1]
    assert all_stored(syncing)


def test_run_splits_a_period_with_too_many_documents(syncing_in_both: SyncTest) -> None:
    syncing_in_both.sat.most = 2
    syncing_in_both.sat.add(*DOCUMENTS)
    syncing_in_both.start()
    report = syncing_in_both.run()
    assert all_stored(syncing_in_both)
    assert report.requests["split"] >= 2
    assert never_repeated(syncing_in_both)


@pytest.mark.parametrize("code", ["404", "5005", "5006", "5002", "9999"])
def test_run_never_repeats_a_question_that_the_sat_may_have_counted(syncing: SyncTest, code: str) -> None:
    syncing.sat.add(*DOCUMENTS)
    syncing.sat.requests = [lambda receipt: QueryReceipt(code, receipt.request_id, "no")] * 2
    syncing.start()
    report = syncing.run()
    assert all_stored(syncing)
    assert report.requests == {"lost": 2, "done": 2}
    assert never_repeated(syncing)


def test_run_never_repeats_a_question_whose_answer_did_not_arrive(syncing: SyncTest) -> None:
    syncing.sat.add(*DOCUMENTS)
    syncing.sat.requests = [unanswered] * 3  # type: ignore[list-item]
    syncing.start()
    assert syncing.run().requests == {"lost": 3, "done": 2}
    assert all_stored(syncing)
    assert never_repeated(syncing)


def test_run_repeats_a_question_that_was_not_sent(syncing: SyncTest) -> None:
    syncing.sat.add(*DOCUMENTS)
    syncing.sat.logins = [unanswered] * 3
    syncing.start()
    assert syncing.run().requests == {"done": 2}
    assert syncing.sat.asked[0].ends.isoformat() == "2026-11-16T23:59:59"


class KilledError(BaseException):
    """The end of a process in the middle of a call."""


def killed(*_: object) -> None:
    raise KilledError


@pytest.mark.parametrize("service", ["requests", "verifications", "packages"])
def test_run_continues_what_an_ended_process_left(syncing_in_both: SyncTest, service: str) -> None:
    syncing_in_both.sat.add(*DOCUMENTS)
    setattr(syncing_in_both.sat, service, [killed])
    syncing_in_both.start()
    with pytest.raises(KilledError):
        syncing_in_both.run()
    report = syncing_in_both.run()
    assert all_stored(syncing_in_both)
    assert never_repeated(syncing_in_both)
    assert report.requests.get("lost", 0) == (1 if service == "requests" else 0)
    assert syncing_in_both.validation.parsed == len(DOCUMENTS)


def test_unpack_continues_a_package_that_was_stored_in_part(syncing: SyncTest, monkeypatch: pytest.MonkeyPatch) -> None:
    syncing.sat.add(*DOCUMENTS)
    syncing.start()
    with monkeypatch.context() as patch:
        patch.setattr(type(syncing.repository), "finish_package", killed)
        for _ in range(3):
            with pytest.raises(KilledError):
                syncing.run()
    syncing.run()
    assert all_stored(syncing)
    assert sum(syncing.sat.downloads.values()) == 4
    assert syncing.validation.parsed == len(DOCUMENTS)


@pytest.mark.parametrize(
    ("state", "request_code"), [(4, ""), (6, "5000"), (5, "5002"), (5, "5005"), (5, "5011"), (5, "")]
)
def test_run_asks_again_after_a_lost_request(syncing: SyncTest, state: int, request_code: str) -> None:
    syncing.sat.add(*DOCUMENTS)
    lost = lambda progress: replace(progress, state=state, request_code=request_code, packages=())  # noqa: E731
    syncing.sat.verifications = [lost]
    syncing.start()
    assert syncing.run().requests == {"lost": 1, "done": 2}
    assert all_stored(syncing)
    assert never_repeated(syncing)


def test_run_asks_again_for_a_request_that_does_not_end_in_three_days(syncing: SyncTest) -> None:
    syncing.sat.add(*DOCUMENTS)
    verify, polled = syncing.sat.verify, []

    def stuck(rfc: str, request_id: str) -> QueryProgress:
        progress = verify(rfc, request_id)
        if request_id != next(iter(syncing.sat.accepted)):
            return progress
        polled.append(syncing.wall.now())
        return replace(progress, state=1 + len(polled) % 2, packages=())

    syncing.sat.verify = stuck  # type: ignore[assignment,method-assign]
    syncing.start()
    report = syncing.run()
    pauses = [(after - before).total_seconds() for before, after in pairwise(polled)]

    assert pauses[:8] == [60, 120, 240, 480, 960, 1920, 3600, 3600]
    assert timedelta(hours=72) <= polled[-1] - polled[0] < timedelta(hours=74)
    assert report.requests["lost"] == 1
    assert all_stored(syncing)
    assert never_repeated(syncing)


def test_run_gives_a_period_up_after_many_attempts_and_reports_it(syncing: SyncTest) -> None:
    syncing.sat.add(*DOCUMENTS)
    syncing.sat.packages = [lambda _: ("5000", b"PK damaged")] * 1000
    syncing.start()
    report = syncing.run(2000)

    assert report.requests == {"lost": 8, "failed": 2}
    assert max(syncing.sat.downloads.values()) == 5
    assert never_repeated(syncing)
    [problem] = syncing.service.problems()
    assert "2 periodos sin descargar" in problem
    syncing.sat.packages = []
    syncing.start()
    assert "failed" not in syncing.run().requests
    assert all_stored(syncing)


def test_run_downloads_a_damaged_package_again(syncing: SyncTest) -> None:
    syncing.sat.add(*DOCUMENTS)
    syncing.sat.packages = [lambda content: ("5000", content[:-30]), lambda _: unanswered()]  # type: ignore[list-item,return-value]
    syncing.start()
    assert syncing.run().requests == {"done": 2}
    assert all_stored(syncing)


@pytest.mark.parametrize("code", ["5004", "5007", "5008"])
def test_run_asks_again_for_a_package_that_is_gone(syncing: SyncTest, code: str) -> None:
    syncing.sat.add(*DOCUMENTS)
    syncing.sat.packages = [lambda _: (code, b"")]
    syncing.start()
    assert syncing.run().requests == {"lost": 1, "done": 2}
    assert all_stored(syncing)


def test_run_asks_no_more_when_lost_packages_had_only_known_documents(syncing: SyncTest) -> None:
    syncing.sat.add(*(document(f"2026-11-0{day}") for day in range(1, 7)))
    delivered, gone = (lambda content: ("5000", content)), (lambda _: ("5008", b""))
    syncing.sat.packages = [delivered, delivered, gone, delivered, delivered, gone]  # of metadata, then of XML
    syncing.start()

    report = syncing.run()
    assert (report.requests, report.documents, report.missing) == ({"lost": 1, "done": 2}, 6, 0)


def test_run_asks_no_more_for_metadata_that_two_requests_delivered_together(syncing: SyncTest) -> None:
    syncing.sat.add(*(document(f"2026-11-0{day}") for day in range(1, 7)))
    delivered, gone = (lambda content: ("5000", content)), (lambda _: ("5008", b""))
    syncing.sat.packages = [delivered, delivered, gone, gone, delivered, delivered]
    syncing.start()

    report = syncing.run()
    assert (report.requests, report.documents, report.missing) == ({"lost": 1, "done": 2}, 6, 0)


def test_run_asks_again_for_lost_metadata_of_documents_that_were_known_before(syncing: SyncTest) -> None:
    syncing.sat.add(*(document(f"2026-11-0{day}") for day in range(1, 7)))
    syncing.start()
    syncing.run()
    syncing.wall.advance(days=8)
    delivered, gone = (lambda content: ("5000", content)), (lambda _: ("5008", b""))
    syncing.sat.packages = [gone, delivered, delivered]

    assert syncing.run().requests["lost"] == 1


@pytest.mark.parametrize("code", ["302", "303", "304", "305", "5001"])
def test_run_stops_when_the_sat_does_not_accept_the_efirma(syncing: SyncTest, code: str) -> None:
    syncing.sat.add(*DOCUMENTS)
    syncing.sat.requests = [lambda _: QueryReceipt(code, "", "Certificado Inválido")]
    syncing.start()
    report = syncing.run()
    assert report.sync.state == "blocked"
    assert report.sync.reason.startswith(f"{code} Certificado Inválido")
    assert len(syncing.sat.asked) == 1
    assert syncing.service.problems() == [
        f"Descarga de {TAXPAYER} (cuenta 1): detenida. {report.sync.reason}",
    ]
    syncing.wall.advance(hours=6)
    assert syncing.run().sync.state == "active"
    assert all_stored(syncing)


def test_run_stops_after_rejected_logins(syncing: SyncTest) -> None:
    def rejected() -> None:
        raise down("no", FaultDetail("InvalidSecurity", "no"))

    syncing.sat.logins = [rejected] * 5
    syncing.start()
    report = syncing.run()
    assert report.sync.state == "blocked"
    assert "revise el reloj" in report.sync.reason


def test_run_reports_a_question_that_is_malformed_and_asks_nothing_else(syncing: SyncTest) -> None:
    syncing.sat.requests = [lambda _: QueryReceipt("301", "", "XML Mal Formado")]
    syncing.start()
    report = syncing.run()
    assert report.requests == {"failed": 1}
    assert report.messages == ("301 XML Mal Formado",)


@pytest.mark.parametrize(
    "progress",
    [QueryProgress("5000", 3, "5000", 0, "", ()), QueryProgress("5000", 5, "5004", 0, "", ())],
)
def test_run_ends_an_empty_period(syncing: SyncTest, progress: QueryProgress) -> None:
    syncing.sat.verifications = [lambda _: progress]
    syncing.start()
    assert syncing.run().requests == {"done": 1}


def test_run_asks_again_for_documents_without_packages(syncing: SyncTest) -> None:
    syncing.sat.add(*DOCUMENTS)
    syncing.sat.verifications = [lambda progress: replace(progress, packages=())]
    syncing.start()
    assert syncing.run().requests == {"lost": 1, "done": 2}
    assert all_stored(syncing)


def test_run_bounds_the_requests_for_xml_that_never_comes(syncing_in_both: SyncTest) -> None:
    syncing_in_both.sat.add(*DOCUMENTS)
    found = syncing_in_both.sat.found
    syncing_in_both.sat.found = lambda query: found(query) if query.is_metadata else found(query)[1:]  # type: ignore[method-assign]
    syncing_in_both.start()
    for _ in range(6):
        syncing_in_both.run()
        syncing_in_both.wall.advance(days=8)
    xml = [query for query in syncing_in_both.sat.asked if not query.is_metadata]
    assert len(xml) == 3
    assert syncing_in_both.report().missing == 1


def test_start_with_an_earlier_day_asks_for_the_days_before(syncing: SyncTest) -> None:
    earlier = document("2026-10-30")
    syncing.sat.add(*DOCUMENTS, earlier)
    syncing.start()
    syncing.run()
    syncing.start("2026-10-30")
    syncing.run()
    assert all_stored(syncing)
    assert [query.starts.isoformat() for query in syncing.sat.asked[2:]] == ["2026-10-30T00:00:00"] * 2


def test_stop_leaves_requests_to_the_next_start(syncing: SyncTest) -> None:
    syncing.sat.add(*DOCUMENTS)
    syncing.start()
    syncing.synchronizer.run(ANA, TAXPAYER)
    syncing.service.stop(ANA, TAXPAYER)
    syncing.wall.advance(days=1)
    assert syncing.synchronizer.run(ANA, TAXPAYER) is None
    assert syncing.report().requests == {"waiting": 1}
    with pytest.raises(ServiceError, match="TB4041"):
        syncing.service.stop(2, TAXPAYER)
    syncing.start()
    syncing.run()
    assert all_stored(syncing)


def test_two_accounts_of_one_taxpayer_never_ask_the_same_question(syncing_in_both: SyncTest) -> None:
    syncing_in_both.sat.add(*DOCUMENTS)
    syncing_in_both.start()
    syncing_in_both.run()
    syncing_in_both.service.start(2, TAXPAYER, syncing_in_both.report().sync.since.date(), ("received",))
    for _ in range(10):
        due = syncing_in_both.synchronizer.run(2, TAXPAYER)
        syncing_in_both.wall.instant = due or syncing_in_both.wall.instant
    assert never_repeated(syncing_in_both)
    assert syncing_in_both.service.reports(2)[0].documents == len(DOCUMENTS)


def test_runner_leaves_a_taxpayer_to_the_process_that_has_it(syncing: SyncTest) -> None:
    syncing.sat.add(*DOCUMENTS)
    syncing.start()
    during: list[object] = []

    def ask_meanwhile(receipt: QueryReceipt) -> QueryReceipt:
        during.append(syncing.runner.run(ANA, TAXPAYER))
        return receipt

    syncing.sat.requests = [ask_meanwhile]
    syncing.runner.run(ANA, TAXPAYER)
    assert during == [syncing.wall.now() + timedelta(seconds=10)]
    assert [one.state for one in syncing.repository.newest(ANA, TAXPAYER, 5)] == [BulkRequestState.WAITING]
