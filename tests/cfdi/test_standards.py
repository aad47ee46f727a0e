"""The XML standards of the snapshot and their compiled schemas."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from lxml import etree

from timbra._native import ValidForms
from timbra.cfdi.structure import standards
from timbra.cfdi.structure.standards import CompiledSchema, XmlStandards
from timbra.snapshot import locate, open_snapshot

THREADS = 4


def test_schema_compiles_one_schema_at_a_time_and_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    barrier, occupied = threading.Barrier(THREADS), threading.Lock()
    compiled: list[str] = []
    overlapping: list[str] = []

    class ExclusiveSchema(CompiledSchema):
        def __init__(self, root: etree._Element, prepare: Callable[[], ValidForms | None]) -> None:
            if not occupied.acquire(blocking=False):
                overlapping.append(str(root.base))
                return
            compiled.append(str(root.base))
            threading.Event().wait(0.02)  # gives the other threads the time to enter
            super().__init__(root, prepare)
            occupied.release()

    monkeypatch.setattr(standards, "CompiledSchema", ExclusiveSchema)
    table = XmlStandards(open_snapshot(locate(None)))
    chosen = table.all[:3]

    def compile_all(_: int) -> list[CompiledSchema]:
        barrier.wait()
        return [table.schema(standard) for standard in chosen]

    with ThreadPoolExecutor(THREADS) as pool:
        results = list(pool.map(compile_all, range(THREADS)))
    assert overlapping == []
    assert len(compiled) == len(set(compiled)) == len(chosen)
    assert all(result == results[0] for result in results)
