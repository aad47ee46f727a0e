"""Edges run blocking work in the pools of the server, never in the executor that internal work uses."""

from __future__ import annotations

from pathlib import Path

import timbra

SOURCE = Path(timbra.__file__).parent
INTERNAL = {"api/server/periodic_jobs.py", "api/endpoints/operations.py"}


def test_edges_do_not_use_the_default_executor() -> None:
    files = [file for folder in ("api", "portal") for file in (SOURCE / folder).rglob("*.py")]
    using = {str(file.relative_to(SOURCE)) for file in files if "to_thread" in file.read_text("utf-8")}
    assert using <= INTERNAL
