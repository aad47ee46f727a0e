"""Harness: the API of a running Timbra sandbox. `python -m tools.cases.over_http URL`, token in TIMBRA_TOKEN.

The server must use the data folder that `make cases` leaves, and the token be an administrator's, which sets the clock:
`timbra dev --data build/cfdi-cases-sandbox`.
"""

from __future__ import annotations

import os
import sys

from httpx2 import Client

from timbra.testing import sandbox_at
from tools.cases.protocol import CannotEvaluateError, serve

UNSTAMPED = "TB6001"


def main(url: str, token: str) -> None:
    """Answer cases with `POST /validate/cfdi` and `POST /validate/retenciones`."""
    clock = ""
    headers = {"Authorization": f"Bearer {token}"}
    with sandbox_at(url, token) as sandbox, Client(base_url=url, headers=headers, trust_env=False) as client:

        def evaluate(xml: bytes, at: str, stage: str) -> list[str]:
            nonlocal clock
            if stage != "validation":
                raise CannotEvaluateError("a rule about the moment of stamping; validation does not evaluate it")
            if clock != at:
                sandbox.clock.set(at)
                clock = at
            return _validated(client, xml)

        serve(evaluate)


def _validated(client: Client, xml: bytes) -> list[str]:
    kind = "retenciones" if b"Retenciones" in xml[:400] else "cfdi"
    response = client.post(f"/validate/{kind}", params={"validatestatus": "false"}, files={"xml": ("case.xml", xml)})
    answer = response.json()
    if response.status_code != 200:
        raise CannotEvaluateError(f"HTTP {response.status_code}: {answer.get('message')}")
    codes = {entry.get("code") for section in answer["detail"] for entry in section["detail"]}
    return sorted(codes - {None, UNSTAMPED})


if __name__ == "__main__":
    main(sys.argv[1], os.environ["TIMBRA_TOKEN"])
