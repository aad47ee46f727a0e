"""Imports of large lists in a child process: the list in force, its record, and the limits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.lists.signing import authority, lco, published, seal, taxpayer
from tests.support.databases import prepare_sqlite

from timbra.app.composition import Container, open_container
from timbra.audit.build import audit_log
from timbra.core.errors import ServiceError
from timbra.events.audit.events import AuditFilter
from timbra.lists import importer
from timbra.lists import processes as list_processes
from timbra.lists.build import published_lists
from timbra.lists.importing import list_importer, list_offload
from timbra.lists.sources.part_names import ListKind
from timbra.settings import Settings

MEBIBYTE = 1024 * 1024


@pytest.fixture
def container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Container]:
    monkeypatch.setattr(importer, "LARGE_BYTES", 0)
    prepare_sqlite(tmp_path / "data")
    trust = tmp_path / "trust"
    trust.mkdir()
    (trust / "authority.cer").write_bytes(authority().der)
    with open_container(Settings(data=tmp_path / "data", trust_dir=trust)) as opened:
        yield opened


def allocate(*_: object) -> bytes:
    """Take more memory than the limit of a child."""
    return bytes(4096 * MEBIBYTE)


def fail(*_: object) -> Any:
    raise ServiceError("list-storage", "No hay espacio.")


def run(container: Container, folder: Path) -> str:
    path = published(folder, "LCO_2026-11-20_1.XML.gz", lco(taxpayer("EKU9003173C9", seal(1))))
    return str(list_importer(container, offload=container.get(list_offload)).run(ListKind.LCO, [path]).dated)


def test_large_list_is_imported_by_a_child_and_recorded_by_the_server(container: Container, tmp_path: Path) -> None:
    assert run(container, tmp_path) == "2026-11-20"
    assert container.get(published_lists).current.editions[ListKind.LCO].certificates == 1
    [event] = container.get(audit_log).page(AuditFilter(kind="lists.imported"))
    assert event.event.subject == "LCO"


@pytest.mark.parametrize(
    ("work", "code", "text"),
    [(allocate, "list-unreadable", "TIMBRA_LISTS_MEMORY_BYTES"), (fail, "list-storage", "No hay espacio")],
)
def test_failure_of_the_child_names_its_cause_and_changes_no_list(
    container: Container, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: Any, code: str, text: str
) -> None:
    monkeypatch.setattr(list_processes, "_publish", work)
    with pytest.raises(ServiceError, match=text) as caught:
        run(container, tmp_path)
    assert caught.value.code == code
    assert container.get(published_lists).current.editions == {}
