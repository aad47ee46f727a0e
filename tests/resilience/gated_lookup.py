"""`timbra` whose lookup of related documents waits for a test: in the folder of TIMBRA_TEST_GATE, until `released`."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Mapping
from pathlib import Path

from timbra.cli.main import run
from timbra.evaluation.known_documents import KnownDocuments
from timbra.pools.event_loop import forbid_on_event_loop, require_thread

VARIABLE = "TIMBRA_TEST_GATE"
ENTERED = "entered"
RELEASED = "released"

_types_of = KnownDocuments.types_of


def gated_types_of(self: KnownDocuments, folios: Collection[str]) -> Mapping[str, str]:
    """Wait for the test, and look the documents up; like any database call, only outside the event loop."""
    require_thread()
    folder = Path(os.environ[VARIABLE])
    (folder / ENTERED).touch()
    while not (folder / RELEASED).exists():
        time.sleep(0.01)
    return _types_of(self, folios)


if __name__ == "__main__":
    KnownDocuments.types_of = gated_types_of  # type: ignore[method-assign]
    forbid_on_event_loop()
    run()
