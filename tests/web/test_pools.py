"""Edges run blocking work in the pools of the server, never in the executor that internal work uses."""

from __future__ import annotations

from pathlib import Path

import timbra

SOURCE = Path(timbra.__file__).parent
INTERNAL = {"web/server/periodic_jobs.py", "operations/api.py"}
"""Jobs and health: work of the server, which a request of no account may delay."""


def is_edge(parts: tuple[str, ...]) -> bool:
    """Whether a module handles requests: the framework, endpoints and pages."""
    names = {part.removesuffix(".py") for part in parts}
    return parts[0] == "web" or any(name in {"api", "pages"} or name.endswith(("_api", "_pages")) for name in names)


def test_edges_do_not_use_the_default_executor() -> None:
    files = [file for file in SOURCE.rglob("*.py") if is_edge(file.relative_to(SOURCE).parts)]
    assert len(files) > 100
    using = {str(file.relative_to(SOURCE)) for file in files if "to_thread" in file.read_text("utf-8")}
    assert using <= INTERNAL
