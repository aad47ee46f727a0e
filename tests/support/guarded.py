"""`timbra` in which every database call on an event loop fails: `python -m tests.support.guarded serve ...`."""

from __future__ import annotations

from timbra.cli.main import run
from timbra.pools.event_loop import forbid_on_event_loop

if __name__ == "__main__":
    forbid_on_event_loop()
    run()
