"""White space before the root of a document without declaration: stamped, stored from the root on, and found again."""

from __future__ import annotations

import pytest
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra.examples import ingreso


@pytest.mark.parametrize(("first", "second"), [(b"\n", b""), (b"", b" \t\r\n"), (b"\n", b"  ")])
def test_stamp_gives_307_for_a_repeat_with_other_white_space_before_the_root(
    sandbox_app: SandboxApp, first: bytes, second: bytes
) -> None:
    document = sandbox_app.sealed(ingreso({"@Folio": f"{first!r}{second!r}"[:20]}, fecha=FECHA), sandbox_app.mint())
    document = document[document.index(b"<cfdi:Comprobante") :]
    stamped = sandbox_app.stamp(first + document)
    assert stamped.cfdi.encode().removeprefix(b"<?xml").lstrip().startswith((b"<cfdi:Comprobante", b"version"))
    repeat = sandbox_app.rejection(second + document)
    assert (repeat.code, repeat.data) == ("307", stamped)


def test_stamp_rejects_white_space_before_a_declaration(sandbox_app: SandboxApp) -> None:
    document = sandbox_app.sealed(ingreso(fecha=FECHA), sandbox_app.mint())
    document = b'<?xml version="1.0" encoding="UTF-8"?>' + document[document.index(b"<cfdi:Comprobante") :]
    assert sandbox_app.rejection(b"\n" + document).code == "301"
