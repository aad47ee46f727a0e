"""Harness: Timbra in this process. `python -m tools.cases.in_process DATA`, the folder that `make cases` leaves."""

from __future__ import annotations

import sys
from pathlib import Path

from timbra.sandbox.instants import parse_instant
from tools.cases.protocol import serve
from tools.cases.sandbox import CasesSandbox, open_cases_sandbox


def main(data: Path) -> None:
    """Answer cases with the sandbox that sealed them."""
    with open_cases_sandbox(data) as container:
        sandbox = CasesSandbox(container)

        def evaluate(xml: bytes, at: str, stage: str) -> list[str]:
            if sandbox.services.fiscal.now() != parse_instant(at):
                sandbox.services.clock_control.set(at)
            return sandbox.codes(xml, stage)

        serve(evaluate)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
