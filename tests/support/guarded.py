"""`timbra` in which every database call on an event loop fails: `python -m tests.support.guarded serve ...`.

Its sandboxes have the cached keys of the tests.
"""

from __future__ import annotations

from tests.support import cached_keys

from timbra.cli.main import run
from timbra.pools.event_loop import forbid_on_event_loop

if __name__ == "__main__":
    cached_keys.install()
    forbid_on_event_loop()
    run()
