"""The page about retenciones: its JSON is a valid document, and its codes are those of the server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra.rules.reference.messages import MESSAGES
from timbra.stamping.build import stamping_services
from timbra.stamping.models import DocumentKind

PAGE = (Path(__file__).parents[2] / "docs" / "retenciones.md").read_text("utf-8")


def test_json_of_the_page_is_issued(tmp_path: Path) -> None:
    found = re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    sandbox_app = SandboxApp(tmp_path)
    sandbox_app.store(sandbox_app.mint())
    body = re.sub(r'"FechaExp": "[^"]*"', f'"FechaExp": "{FECHA}"', found[1])
    conversion = sandbox_app.container.get(stamping_services).json_documents.retencion(body.encode())
    result = sandbox_app.issue(conversion.xml, kind=DocumentKind.RETENCIONES)
    sandbox_app.container.close()
    assert conversion.ignored_keys == ()
    assert result.uuid in result.cfdi


@pytest.mark.parametrize("code", re.findall(r"^\| .+ \| ((?:TB|T|Reten)\d+) \|$", PAGE, re.MULTILINE))
def test_code_of_the_page_exists(code: str) -> None:
    assert code in MESSAGES
