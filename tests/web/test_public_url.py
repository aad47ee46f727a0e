"""Links to files of stored CFDI in production: only with the public address of the settings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.support.asgi import call
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra import examples
from timbra.accounts.build import account_services
from timbra.app.api_factory import build
from timbra.app.request_environment import request_environment


def test_production_makes_no_link_for_the_host_of_the_request(tmp_path: Path) -> None:
    sandbox_app = SandboxApp(tmp_path)
    container = sandbox_app.container
    try:
        sandbox_app.store(sandbox_app.mint())
        uuid = sandbox_app.issue(examples.ingreso({}, fecha=FECHA).encode()).uuid
        token = container.get(account_services).accounts.create_infinite_token("ana@example.com")
        headers = {"Authorization": f"Bearer {token}", "Host": "evil.example"}
        for public_url, status in (("", 400), ("https://pac.example.com", 200)):
            environment = replace(container.get(request_environment), is_production=True, public_url=public_url)
            app = build(environment, container.groups)
            answer = call(app, "GET", f"/datawarehouse/v1/live/{uuid}", headers=headers)
            assert answer.status == status
            assert "evil.example" not in answer.body.decode()
    finally:
        container.close()
