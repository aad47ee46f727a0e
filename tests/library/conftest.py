"""A document that a sandbox sealed and stamped, and the folder with which a program trusts that sandbox."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.support.sandbox_app import SandboxApp
from tests.support.stamped import stamped

from timbra import examples
from timbra.core.clock import to_central_mexico


@dataclass(frozen=True)
class StampedDocument:
    """A stamped invoice.

    Attributes:
        trust: the folder with the certificates of its sandbox.
        cer, key, password: a CSD of its issuer.
        on: fiscal time of the sandbox, with a zone.
    """

    xml: bytes
    trust: Path
    cer: bytes
    key: bytes
    password: str
    on: str


@pytest.fixture(scope="module")
def invoice(module_sandbox_app: SandboxApp) -> StampedDocument:
    app = module_sandbox_app
    fecha, credential = to_central_mexico(app.now), app.mint()
    return StampedDocument(
        stamped(app, examples.ingreso(fecha=fecha), fecha, credential),
        app.container.settings.data / "certificates",
        credential.certificate_der,
        credential.key_der,
        credential.password,
        fecha,
    )
