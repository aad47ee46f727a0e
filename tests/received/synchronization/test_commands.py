"""`timbra received sync` in the foreground."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.bulk_download import TAXPAYER, document
from tests.support.synchronizing import ANA, SyncTest
from typer.testing import CliRunner

from timbra.received import commands

DOCUMENTS = [document("2026-11-03"), document("2026-11-05")]


@pytest.mark.parametrize(("packages", "exit_code"), [(0, 0), (1000, 1)])
def test_sync_exits_with_1_when_a_period_was_given_up(
    syncing: SyncTest, monkeypatch: pytest.MonkeyPatch, packages: int, exit_code: int
) -> None:
    account = SimpleNamespace(account_id=ANA)
    services = SimpleNamespace(accounts=SimpleNamespace(find=lambda _user: account))

    @contextmanager
    def opened(*_: Any) -> Iterator[tuple[Any, ...]]:
        yield services, syncing.service, syncing.runner

    monkeypatch.setattr(commands, "open_services", opened)
    monkeypatch.setattr("time.sleep", lambda _seconds: syncing.wall.advance(hours=1))
    syncing.sat.add(*DOCUMENTS)
    syncing.sat.packages = [lambda _: ("5000", b"PK damaged")] * packages
    options = ["--account", "ana", "--rfc", TAXPAYER, "--since", "2026-11-01", "--side", "received", "--kind", "cfdi"]
    result = CliRunner().invoke(commands.app, ["sync", *options])
    assert result.exit_code == exit_code, result.output
    assert TAXPAYER in result.output
