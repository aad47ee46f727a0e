"""Calls of the operations about accounts, certificates, webhooks, batches and the server."""

from __future__ import annotations

from collections.abc import Iterator

from tools.api_examples.calls import FORM, Call

NUMBER = {"number": "{{newCertificateNumber}}"}
USER = {"id": "{{userId}}"}
ACCOUNT_USER = {"id": "{{accountUserId}}"}
WEBHOOK = {"id": "{{webhookId}}"}
EVENT = {**WEBHOOK, "event": "{{eventId}}"}
RUN = {"id": "{{runId}}"}
BATCH = {"id": "{{batchId}}"}
UNKNOWN = "00000000-0000-4000-8000-000000000000"
SOAP = (
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:tem="http://tempuri.org/">'
    "<soapenv:Body><tem:ProcessBatchV3><tem:token>{{token}}</tem:token>"
    "<tem:originalFileName>lote.zip</tem:originalFileName><tem:generatePdf>false</tem:generatePdf>"
    "<tem:content>{{sealedBatchB64}}</tem:content></tem:ProcessBatchV3></soapenv:Body></soapenv:Envelope>"
)


def security() -> Iterator[Call]:
    """Yield the calls that log in."""
    credentials = {"user": "{{user}}", "password": "{{password}}"}
    yield Call("authenticate", body=credentials)
    yield Call("authenticate", "in-headers", headers=credentials)
    yield Call("authenticate", "wrong-password", body={**credentials, "password": "otra"}, status=400)
    yield Call("authenticate", "no-credentials", body={}, status=400)
    yield Call("authenticate-without-v2", body=credentials)
    yield Call("authenticate-without-v2", "in-headers", headers=credentials)


def certificates() -> Iterator[Call]:
    """Yield the calls that store and read certificates."""
    csd = {"type": "stamp", "b64Cer": "{{newB64Cer}}", "b64Key": "{{newB64Key}}", "password": "{{newCsdPassword}}"}
    yield Call("certificates-save", body={**csd, "is_active": True})
    yield Call("certificates-save", "wrong-password", body={**csd, "password": "otra"}, status=400)
    yield Call("certificates-list")
    yield Call("certificates-by-type", path={"type": "stamp"})
    yield Call("certificates-by-rfc", path={"rfc": "{{rfc}}"})
    yield Call("certificates-active", path={"rfc": "{{rfc}}", "type": "stamp"})
    yield Call("certificates-one", path=NUMBER)
    yield Call("certificates-disable", path=NUMBER)
    yield Call("certificates-one", "unknown-number", path={"number": "30001000000400000000"}, status=400)


def lists() -> Iterator[Call]:
    """Yield the look-ups of an RFC, and those in the catalogs."""
    yield Call("lrfc", path={"rfc": "{{rfc}}"})
    yield Call("lrfc", "unknown-rfc", path={"rfc": "XAX160101AB3"}, status=400)
    yield Call("article-69b", path={"rfc": "{{listedRfc}}"})
    yield Call("article-69b", "unknown-rfc", path={"rfc": "{{rfc}}"}, status=400)
    yield Call("catalogs-list")
    of_company = {"where": "aplica_moral:1,regimenes_fiscales_receptores:601", "limit": "5"}
    yield Call("catalogs-search", path={"name": "c_UsoCFDI"}, query=of_company)
    words = {"q": "servicios de contabilidad", "on": "2026-11-17", "limit": "3", "offset": "3"}
    yield Call("catalogs-search", "by-words", path={"name": "c_ClaveProdServ"}, query=words)
    yield Call("catalogs-search", "unknown-catalog", path={"name": "c_Nada"}, status=404)


def management() -> Iterator[Call]:
    """Yield the calls that manage users and balances."""
    new = {
        "name": "Xenón Industrial",
        "taxId": "XIA190128J61",
        "email": "luis@xenon.example",
        "password": "Swpass1! y algo más",
        "notificationEmail": "avisos@xenon.example",
        "phone": "5555555555",
        "stamps": 10,
        "isUnlimited": False,
    }
    found = {"IdUser": "{{userId}}", "Email": "luis@xenon.example", "TaxId": "XIA190128J61", "IsActive": "true"}
    yield Call("balance")
    yield Call("balance-v1")
    yield Call("users-create", body=new, captures={"userId": "data.idUser"})
    yield Call("users-create", "used-email", body=new, status=400)
    yield Call("users-list", query={**found, "page": "1", "perPage": "10"})
    yield Call("users-one", path=USER)
    yield Call("users-one", "unknown-user", path={"id": UNKNOWN}, status=400)
    yield Call("users-update", path=USER, body={"phone": "5544443333", "isActive": True})
    yield Call("balance-of-user", path=USER)
    yield Call("stamps-add", path=USER, body={"stamps": 5, "comment": "Compra de noviembre"})
    yield Call("users-delete", "has-stamps", path=USER, status=500)
    yield Call("stamps-remove", path=USER, body={"stamps": 15, "comment": "Cierre de la cuenta"})
    yield Call("stamps-remove", "more-than-balance", path=USER, body={"stamps": 1}, status=400)
    yield Call("users-delete", path=USER)


def users() -> Iterator[Call]:
    """Yield the calls that manage the users of the account."""
    new = {"user": "caja@example.com", "password": "una frase Larga y rara 77", "role": "operator"}
    yield Call("account-users-create", body=new, captures={"accountUserId": "data.id"})
    yield Call("account-users-create", "used-name", body=new, status=400)
    yield Call("account-users-list")
    yield Call("account-users-update", path=ACCOUNT_USER, body={"role": "reader", "isActive": True})
    yield Call("account-users-remove", path=ACCOUNT_USER)


def webhooks() -> Iterator[Call]:
    """Yield the calls that manage webhooks."""
    new = {"url": "https://erp.example/timbra", "events": ["cfdi.stamped", "batch.done"], "description": "ERP"}
    yield Call("webhooks-create", body=new, captures={"webhookId": "data.webhook.id"})
    yield Call("webhooks-create", "reserved-address", body={"url": "http://169.254.169.254/"}, status=400)
    yield Call("webhooks-list")
    yield Call("webhooks-read", path=WEBHOOK)
    yield Call("webhooks-read", "unknown-webhook", path={"id": "wh_0"}, status=404)
    yield Call("webhooks-update", path=WEBHOOK, body={"events": ["*"], "enabled": True})
    yield Call("webhooks-secret", path=WEBHOOK, body={"overlapHours": 24})
    yield Call("webhooks-test", path=WEBHOOK, captures={"eventId": "data.eventId"})
    yield Call("webhooks-deliveries", path=WEBHOOK, query={"limit": "20"})
    yield Call("webhooks-event", path=EVENT)
    yield Call("webhooks-redeliver", path=EVENT)
    yield Call("webhooks-redeliver-failed", path=WEBHOOK)
    yield Call("webhooks-remove", path=WEBHOOK)


def batches() -> Iterator[Call]:
    """Yield the calls of batches."""
    fields = {"file": "{{batchFile}}", "operation": "issue", "pdf": "false", "pdfTemplateId": "cfdi40"}
    captures = {
        f"{file}{name.title()}": f"data.{link}?{name}"
        for file, link in (("output", "urlOutput"), ("report", "urlReport"))
        for name in ("expires", "signature")
    }
    yield Call("batches-create", body=fields, media_type=FORM, captures={"batchId": "data.id"})
    yield Call("batches-create", "not-a-zip", body={"file": "no es un ZIP"}, media_type=FORM, status=400)
    yield Call("batches-list", query={"limit": "20"})
    yield Call("batches-read", path=BATCH, captures=captures)
    for file, name, result in (("output", "success", "output.zip"), ("report", "report", "report.csv")):
        signature = {"expires": f"{{{{{file}Expires}}}}", "signature": f"{{{{{file}Signature}}}}"}
        yield Call("batches-result", name, path={**BATCH, "file": result}, query=signature)
    yield Call("batches-cancel", path={"id": "{{queuedBatchId}}"})
    yield Call("batches-cancel", "finished-batch", path=BATCH, status=400)
    yield Call("batch-soap", body=SOAP, media_type="text/xml")
    yield Call("batch-soap", "fault", body=SOAP.replace("{{sealedBatchB64}}", "!"), media_type="text/xml", status=500)
    yield Call("batch-soap-wsdl")


def received() -> Iterator[Call]:
    """Yield the calls of received documents."""
    yield Call("received-add", query={"rfc": "{{rfc}}"}, body={"file": "{{stampedXml}}"}, media_type=FORM)
    yield Call("received-add", "rejected", body={"files": [{"name": "borrador.xml", "data": "{{invoiceXmlB64}}"}]})
    yield Call("received-add", "without-files", body={"files": []}, status=400)
    order = {"name": "Papelería del Centro", "issuerRfc": "{{rfc}}", "days": 90}
    yield Call("received-links-create", body=order, captures={"linkId": "data.id"})
    yield Call("received-links-create", "without-name", body={"name": ""}, status=400)
    yield Call("received-links-list")
    yield Call("received-links-revoke", path={"id": "{{linkId}}"})
    yield Call("received-submissions", query={"limit": "20"})


def reconciliations() -> Iterator[Call]:
    """Yield the calls of reconciliations."""
    rows = "UUID,Fecha,Total\n{{uuid}},2026-11-17,1.00\n11111111-2222-4333-8444-555555555555,2026-11-17,116.00\n"
    fields = {"rfc": "{{rfc}}", "side": "issued", "since": "2026-01-01", "until": "2026-12-31", "ledger": "true"}
    yield Call("reconciliations-create", body={**fields, "erp": rows}, media_type=FORM, captures={"runId": "data.id"})
    yield Call("reconciliations-create", "without-sat", body={**fields, "ledger": "false"}, media_type=FORM, status=400)
    yield Call("reconciliations-list", query={"limit": "20"})
    yield Call("reconciliations-read", path=RUN)
    yield Call("reconciliations-differences", path=RUN, query={"kind": "not-at-sat", "page": "0"})
    yield Call("reconciliations-report", path={**RUN, "file": "differences.csv"})
    for form in ("html", "json", "xlsx"):
        yield Call("reconciliations-report", form, path={**RUN, "file": f"report.{form}"})
    yield Call("reconciliations-delete", path=RUN)


def downloads() -> Iterator[Call]:
    """Yield the calls of the bulk download and of stored documents."""
    efirma = {"b64Cer": "{{efirmaB64Cer}}", "b64Key": "{{efirmaB64Key}}", "password": "{{efirmaCsdPassword}}"}
    yield Call("received-efirmas-save", body=efirma)
    yield Call("received-efirmas-list")
    start = {"rfc": "{{receiverRfc}}", "since": "2026-11-01", "sides": ["received"], "kinds": ["cfdi"]}
    yield Call("received-synchronizations-start", body=start)
    yield Call("received-synchronizations-start", "last-days", body={**start, "since": "", "days": 30})
    yield Call("received-synchronizations-start", "without-efirma", body={**start, "rfc": "{{rfc}}"}, status=400)
    taxpayer = {"rfc": "{{receiverRfc}}"}
    yield Call("received-synchronizations-list")
    yield Call("received-synchronizations-read", path=taxpayer)
    following = {"cursor": "{{requestCursor}}", "limit": "1"}
    captures = {"requestCursor": "data.cursor"}
    requests = "received-synchronizations-requests"
    yield Call(requests, path=taxpayer, query={"limit": "1"}, captures=captures)
    yield Call(requests, "next-page", path=taxpayer, query=following)
    for name in ("stop", "resume"):
        yield Call(f"received-synchronizations-{name}", path=taxpayer)
    selection = {"rfc": "{{receiverRfc}}", "side": "received", "since": "2026-01-01", "until": "2026-12-31"}
    further = {"text": "Kemper", "type": "I", "status": "Vigente", "result": "valid", "xml": "yes", "mark": "listed"}
    captures = {"documentCursor": "data.cursor"}
    yield Call("received-documents-list", query={**selection, **further})
    yield Call("received-documents-list", "listed", query={"mark": "listed", "limit": "1"}, captures=captures)
    yield Call("received-documents-list", "next-page", query={"limit": "1", "cursor": "{{documentCursor}}"})
    yield Call("received-documents-totals", query={**selection, **further})
    yield Call("received-changes", query={"limit": "1"}, captures={"changeCursor": "data.cursor"})
    yield Call("received-changes", "next-page", query={"event": "received.cancelled", "cursor": "{{changeCursor}}"})
    yield Call("received-documents-read", path={"uuid": "{{receivedUuid}}"})
    yield Call("received-documents-xml", path={"uuid": "{{receivedUuid}}"})
    for form in ("csv", "xlsx", "zip"):
        path, query = {"file": f"documents.{form}"}, {**selection, **further}
        yield Call("received-documents-export", form, path=path, query=query)
    yield Call("received-efirmas-delete", path=taxpayer)


def service() -> Iterator[Call]:
    """Yield the calls of monitoring, and that of the OpenAPI document."""
    yield from map(Call, ("health", "health-live", "health-ready", "metrics"))
    yield Call("metrics", "openmetrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})
    yield Call("openapi")
