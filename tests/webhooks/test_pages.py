"""Webhooks and batches in the portal."""

from __future__ import annotations

import asyncio
import re
from datetime import timedelta

import pytest
from tests.support.browser import Visitor
from tests.support.hostile_archives import zipped

from timbra import examples
from timbra.batches.build import batch_runner, batch_service
from timbra.core.clock import to_central_mexico
from timbra.webhooks.build import webhook_service
from timbra.webhooks.kinds import KINDS

PATH, BATCHES = "/portal/webhooks", "/portal/lotes"


@pytest.fixture
def ana(visitor: Visitor) -> Visitor:
    visitor.sign_in("ana@example.com")
    visitor.get(PATH)
    return visitor


def one_of(visitor: Visitor) -> str:
    app = visitor.sandbox_app
    [webhook] = app.container.get(webhook_service).list(app.caller.account_id)
    return f"{PATH}/{webhook.id}"


def test_webhook_is_created_tested_and_removed(ana: Visitor) -> None:
    answer = ana.post(PATH, {"url": "https://erp.example/hook", "event": "cfdi.stamped", "description": "ERP"})
    assert "whsec_" in answer.text
    assert "whsec_" not in ana.get(PATH).text
    assert "ERP" in ana.text
    one = one_of(ana)
    ana.get(one)
    assert ana.post(f"{one}/prueba", {}).headers["location"] == f"{one}?aviso=prueba"
    ana.get(one)
    assert "webhook.test" in ana.text
    assert "en espera" in ana.text
    assert "whsec_" in ana.post(f"{one}/secreto", {}).text
    ana.get(one)
    assert ana.post(f"{one}/deshabilitar", {}).status_code == 303
    ana.get(one)
    assert "fallido" in ana.text
    assert ana.post(f"{one}/prueba", {}).status_code == 422
    ana.get(one)
    assert ana.post(f"{one}/habilitar", {}).status_code == 303
    ana.get(one)
    assert ana.post(f"{one}/reenviar", {}).status_code == 303
    ana.get(one)
    changed = ana.post(one, {"url": "https://erp.example/otro", "event": "batch.done", "description": ""})
    assert changed.status_code == 303
    ana.get(one)
    rejected = ana.post(one, {"url": "https://169.254.1.1/", "event": "batch.done", "description": "otra"})
    assert rejected.status_code == 422
    assert 'value="https://169.254.1.1/"' in rejected.text
    assert 'value="otra"' in rejected.text
    ana.get(one)
    assert ana.post(f"{one}/borrar", {}).headers["location"] == f"{PATH}?aviso=borrado"
    assert ana.get(one).status_code == 404


def test_rejected_address_names_the_setting_and_keeps_what_was_typed(ana: Visitor) -> None:
    answer = ana.post(PATH, {"url": "http://169.254.169.254/", "event": "batch.done", "description": "Mi ERP"})
    assert answer.status_code == 422
    assert "TIMBRA_WEBHOOK_NETWORKS no permite" in answer.text
    assert 'value="http://169.254.169.254/"' in answer.text
    assert 'value="Mi ERP"' in answer.text
    checked = [kind for kind in KINDS if re.search(rf'value="{kind}"\s+checked', answer.text)]
    assert checked == ["batch.done"]


def test_rejected_notification_of_batches_keeps_its_user_and_not_its_password(ana: Visitor) -> None:
    form = {"url": "ftp://erp.example/", "format": "sw-batch", "user": "lotes", "password": "secreta"}
    answer = ana.post(PATH, form)
    assert answer.status_code == 422
    assert '<details class="confirm" open>' in answer.text
    assert 'value="lotes"' in answer.text
    assert "secreta" not in answer.text


def test_sandbox_accepts_an_address_of_the_own_network(ana: Visitor) -> None:
    assert "http://localhost:3000/hook" in ana.get(PATH).text
    assert "whsec_" in ana.post(PATH, {"url": "http://192.168.1.1:3000/hook", "event": "batch.done"}).text


def test_webhook_of_another_account_is_not_found(ana: Visitor) -> None:
    ana.post(PATH, {"url": "https://erp.example/hook", "event": "cfdi.stamped"})
    one = one_of(ana)
    ana.sandbox_app.account("bea@example.com")
    bea = Visitor(ana.sandbox_app)
    bea.sign_in("bea@example.com")
    assert bea.get(one).status_code == 404
    bea.get(PATH)
    for action in ("", "/prueba", "/secreto", "/reenviar", "/borrar", "/deshabilitar"):
        assert bea.post(one + action, {"url": "https://a.example/"}).status_code == 404
        bea.get(PATH)


def test_batch_is_uploaded_listed_and_downloaded(ana: Visitor) -> None:
    app = ana.sandbox_app
    app.store(app.mint())
    fecha = to_central_mexico(app.now - timedelta(hours=1))
    archive = zipped({"a.xml": examples.ingreso({}, fecha=fecha).encode(), "b.xml": b"no"})
    ana.get(BATCHES)
    sent = ana.post(
        BATCHES, {"operacion": "issue", "plantilla": "moderna"}, files=[("archivo", ("enero.zip", archive))]
    )
    assert sent.headers["location"] == f"{BATCHES}?aviso=recibido"
    [batch] = app.container.get(batch_service).list(app.caller.account_id)
    assert batch.pdf_template == "moderna"
    ana.get(BATCHES)
    assert "enero.zip" in ana.text
    assert "en espera" in ana.text
    asyncio.run(app.container.get(batch_runner).run_due())
    page = ana.get(BATCHES).text
    assert "1 timbrados, 0 ya timbrados, 1 rechazados, de 2" in ana.text
    assert "output.zip?expires=" in page


def test_rejected_batch_and_cancelled_batch(ana: Visitor) -> None:
    ana.get(BATCHES)
    rejected = ana.post(BATCHES, {"operacion": "stamp"}, files=[("archivo", ("a.zip", b"no"))])
    assert rejected.status_code == 422
    assert "no es un archivo ZIP" in rejected.text
    ana.get(BATCHES)
    ana.post(BATCHES, {"operacion": "stamp"}, files=[("archivo", ("a.zip", zipped({"a.xml": b"<a/>"})))])
    app = ana.sandbox_app
    [batch] = app.container.get(batch_service).list(app.caller.account_id)
    ana.get(BATCHES)
    assert ana.post(f"{BATCHES}/{batch.id}/cancelar", {}).headers["location"] == f"{BATCHES}?aviso=cancelado"
    ana.get(BATCHES)
    assert "cancelado" in ana.text
    assert ana.post(f"{BATCHES}/{batch.id}/cancelar", {}).status_code == 422
    ana.get(BATCHES)
    assert ana.post(f"{BATCHES}/batch_0/cancelar", {}).status_code == 404
