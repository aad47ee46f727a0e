"""Publication of the heads of the audit log to destinations outside of the machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from pydantic import ValidationError
from structlog.testing import capture_logs
from tests.support.smtp import mail_server

from timbra.audit.head_publication import (
    HeadAddress,
    HeadDestination,
    HeadEmail,
    HeadFile,
    HeadPublication,
    problems,
)
from timbra.core.errors import ServiceError
from timbra.core.metrics import MetricsRegistry
from timbra.core.smtp import Smtp
from timbra.events.audit.chain import AuditHead
from timbra.sat.transport import Transport
from timbra.settings import Settings

START = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.instant = START

    def now(self) -> datetime:
        return self.instant


class Destination:
    """Takes heads, or fails."""

    is_daily = False

    def __init__(self) -> None:
        self.taken: list[int] = []
        self.failure = ""

    def send(self, head: AuditHead, checkpoint: str) -> None:
        assert checkpoint == "timbra/1\n5\n"
        if self.failure:
            raise ServiceError("authority-down", self.failure)
        self.taken.append(head.sequence)


class Log:
    """An audit log with a newest head, and its publication."""

    def __init__(self, folder: Path, **destinations: HeadDestination) -> None:
        self.folder, self.clock, self.metrics, self.sequence = folder, Clock(), MetricsRegistry(), 0
        self.destinations = {name.replace("_", ":"): one for name, one in destinations.items()}
        self.publication = HeadPublication(
            self.newest, self.destinations, folder, self.clock, self.metrics, lambda: "timbra/1\n5\n"
        )

    def newest(self) -> AuditHead | None:
        if not self.sequence:
            return None
        return AuditHead(self.sequence, bytes([self.sequence]) * 32, START, "0123456789abcdef", b"signature")

    def run(self, sequence: int, after: timedelta = timedelta(minutes=1)) -> None:
        self.sequence, self.clock.instant = sequence, self.clock.instant + after
        self.publication.run()

    def problems(self) -> list[str]:
        return problems(self.folder, list(self.destinations))


def test_run_sends_each_new_head_once_and_after_a_restart_too(tmp_path: Path) -> None:
    destination = Destination()
    log = Log(tmp_path, one=destination)
    for sequence in (0, 3, 3, 5):
        log.run(sequence)
    again = Log(tmp_path, one=destination)
    again.run(5)
    assert destination.taken == [3, 5]
    again.run(6)
    assert destination.taken == [3, 5, 6]


def test_run_reports_a_destination_that_fails_until_it_takes_the_newest_head(tmp_path: Path) -> None:
    good, bad = Destination(), Destination()
    log = Log(tmp_path, good=good, bad=bad)
    bad.failure = "La conexión falló."
    with capture_logs() as lines:
        for sequence in (1, 2, 3):
            log.run(sequence)
    assert [(line["event"], line["log_level"], line["destination"]) for line in lines] == [
        ("audit head not sent", "error", "bad")
    ]
    assert log.problems() == ["La bitácora de auditoría no llega a bad desde 2026-11-20T18:01:00Z: La conexión falló."]
    assert good.taken == [1, 2, 3]
    assert log.metrics.counts == {("audit_heads", ("sent",)): 3, ("audit_heads", ("authority-down",)): 3}
    bad.failure = ""
    log.run(4)
    assert (bad.taken, log.problems()) == ([4], [])


def test_run_sends_one_mail_a_day_of_central_mexico(tmp_path: Path) -> None:
    daily = Destination()
    daily.is_daily = True
    log = Log(tmp_path, daily=daily)
    for sequence, hours in ((1, 1), (2, 4), (3, 7), (4, 1), (5, 24)):
        log.run(sequence, timedelta(hours=hours))
    assert daily.taken == [1, 3, 5]  # 13:00; the next day at 00:00; the day after that at 01:00


def test_head_file_appends_lines_and_names_why_it_cannot(tmp_path: Path) -> None:
    log = Log(tmp_path, file=HeadFile(tmp_path / "heads.jsonl"), lost=HeadFile(tmp_path / "absent" / "heads.jsonl"))
    log.run(7)
    log.run(9)
    rows = [json.loads(line) for line in (tmp_path / "heads.jsonl").read_text().splitlines()]
    assert [(row["sequence"], row["hash"], row["key"]) for row in rows] == [
        (7, "07" * 32, "0123456789abcdef"),
        (9, "09" * 32, "0123456789abcdef"),
    ]
    assert "No such file or directory" in log.problems()[0]


@pytest.fixture
def notary() -> Iterator[tuple[str, list[bytes], list[int]]]:
    """An HTTP server on loopback: its address, the bodies that it got, and the statuses of its next answers."""
    bodies: list[bytes] = []
    statuses: list[int] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(statuses.pop(0))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/heads", bodies, statuses
    server.shutdown()
    thread.join()
    server.server_close()


def test_head_address_posts_json_and_reports_other_answers(
    tmp_path: Path, notary: tuple[str, list[bytes], list[int]]
) -> None:
    url, bodies, statuses = notary
    log = Log(tmp_path, address=HeadAddress(url, Transport(1), 5))
    statuses += [500, 201]
    log.run(1)
    assert log.problems() == ["La bitácora de auditoría no llega a address desde 2026-11-20T18:01:00Z: Respondió 500."]
    log.run(1)
    assert log.problems() == []
    assert [json.loads(body)["sequence"] for body in bodies] == [1, 1]


def test_head_email_sends_what_verify_takes(tmp_path: Path) -> None:
    with mail_server() as mail:
        smtp = Smtp("127.0.0.1", mail.port, "none")
        log = Log(tmp_path, mail=HeadEmail("notary@example.com", "timbra@example.com", "pac.example.com", smtp.send))
        log.run(8)
    [message] = mail.messages
    assert (message["To"], message["From"]) == ("notary@example.com", "timbra@example.com")
    assert f"timbra audit verify --head 8:{'08' * 32}" in message.get_content()


@pytest.mark.parametrize(
    ("text", "is_accepted"),
    [
        ("", True),
        ("file:/mnt/notary/heads.jsonl", True),
        ("https://notary.example.com/heads, mailto:notary@example.com", True),
        ("http://notary.example.com/heads", False),
        ("file:heads.jsonl", False),
        ("https://", False),
        ("s3://bucket/heads", False),
    ],
)
def test_settings_accept_known_destinations_only(text: str, is_accepted: bool) -> None:
    if is_accepted:
        assert Settings(audit_heads=text).audit_heads == text
        return
    with pytest.raises(ValidationError, match="destination"):
        Settings(audit_heads=text)
