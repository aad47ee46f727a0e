"""Calls of the operations about stamped documents: validation, cancellation, storage, prints and e-mail."""

from __future__ import annotations

from collections.abc import Iterator

from tools.api_examples.calls import FORM, Call

UNKNOWN = "00000000-0000-4000-8000-000000000000"
CSD = {"b64Cer": "{{b64Cer}}", "b64Key": "{{b64Key}}", "password": "{{csdPassword}}"}
PFX = {"b64Pfx": "{{b64Pfx}}", "password": "{{pfxPassword}}"}
RECEIVER_CSD = {
    "b64Cer": "{{receiverB64Cer}}",
    "b64Key": "{{receiverB64Key}}",
    "password": "{{receiverCsdPassword}}",
}
RECEIVER_PFX = {"b64Pfx": "{{receiverB64Pfx}}", "password": "{{receiverPfxPassword}}"}
BY_RFC = {"rfc": "{{rfc}}", "uuid": "{{uuid}}"}
QUERY = {"validatestatus": "false", "requirestamp": "true"}


def validation() -> Iterator[Call]:
    """Yield the calls that validate documents."""
    for operation_id in ("validate", "validate-cfdi33"):
        yield Call(operation_id, query=QUERY, body={"xml": "{{stampedXml}}"}, media_type=FORM)
    yield Call("validate-retencion", query=QUERY, body={"xml": "{{stampedRetencion}}"}, media_type=FORM)
    yield Call("validate", "not-xml", body={"xml": "no es XML"}, media_type=FORM, status=400)


def amounts() -> Iterator[Call]:
    """Yield the calls that compute amounts."""
    iva = {"Impuesto": "002", "TasaOCuota": "0.16"}
    concepto = {"Cantidad": "3", "ValorUnitario": "99.90", "Impuestos": {"Traslados": [iva]}}
    query = {"price_includes_tax": "true", "rounding": "line"}
    yield Call("totals", query=query, body={"Moneda": "MXN", "Conceptos": [concepto]})
    free = {**concepto, "ValorUnitario": "0"}
    yield Call("totals", "no-base", body={"Moneda": "MXN", "Conceptos": [free]}, status=400)


def cancellation() -> Iterator[Call]:
    """Yield the calls that cancel documents."""
    yield from _cancellation("cancel", "cancellableUuid", "replacedUuid", "substituteUuid", "signedCancellation")
    yield from _cancellation(
        "retencion-cancel",
        "cancellableRetencionUuid",
        "replacedRetencionUuid",
        "substituteRetencionUuid",
        "signedRetencionCancellation",
    )
    yield from _acceptance()
    yield from _relations()


def _cancellation(name: str, uuid: str, replaced: str, substitute: str, document: str) -> Iterator[Call]:
    order = {"uuid": f"{{{{{uuid}}}}}", "motivo": "02", "rfc": "{{rfc}}"}
    path = {"rfc": "{{rfc}}", "uuid": f"{{{{{uuid}}}}}"}
    replacement = {"uuid": f"{{{{{replaced}}}}}", "foliosustitucion": f"{{{{{substitute}}}}}", "motivo": "01"}
    yield Call(f"{name}-csd", body={**order, **CSD})
    yield Call(f"{name}-csd", "unknown-uuid", body={**order, "motivo": "09", **CSD}, status=400)
    yield Call(f"{name}-pfx", body={**order, **PFX})
    yield Call(f"{name}-xml", body={"xml": f"{{{{{document}}}}}"}, media_type=FORM)
    yield Call(f"{name}-uuid", path={**path, "motivo": "02"})
    yield Call(f"{name}-uuid-foliosustitucion", path={**path, **replacement})
    yield Call(f"{name}-uuid-without-motivo", "without-motivo", path=path, status=400)


def _acceptance() -> Iterator[Call]:
    answer = {"uuids": [{"uuid": "{{pendingUuid}}", "action": "Aceptacion"}], "rfc": "{{receiverRfc}}"}
    yield Call("pendings", path={"rfc": "{{receiverRfc}}"})
    yield Call("pendings", "none", path={"rfc": "{{rfc}}"}, status=400)
    yield Call("acceptreject-csd", body={**answer, **RECEIVER_CSD})
    yield Call("acceptreject-pfx", body={**answer, **RECEIVER_PFX})
    yield Call("acceptreject-xml", body={"xml": "{{signedAcceptance}}"}, media_type=FORM)
    yield Call("acceptreject-uuid", path={"rfc": "{{receiverRfc}}", "uuid": "{{pendingUuid}}", "action": "Rechazo"})


def _relations() -> Iterator[Call]:
    query = {"uuid": "{{relatedUuid}}", "rfc": "{{rfc}}"}
    yield Call("relations-csd", body={**query, **CSD})
    yield Call("relations-csd", "not-found", body={**query, "uuid": UNKNOWN, **CSD}, status=400)
    yield Call("relations-pfx", body={**query, **PFX})
    yield Call("relations-pfx", "not-found", body={**query, "uuid": UNKNOWN, **PFX}, status=400)
    yield Call("relations-xml", body={"xml": "{{signedRelations}}"}, media_type=FORM)
    yield Call("relations-uuid", path={"rfc": "{{rfc}}", "uuid": "{{relatedUuid}}"})
    yield Call("relations-uuid", "not-found", path={"rfc": "{{rfc}}", "uuid": UNKNOWN}, status=400)


def stored() -> Iterator[Call]:
    """Yield the calls that read, print and mail stamped documents."""
    yield Call("stamps", query={"limit": "2"}, captures={"cursor": "data.cursor"})
    yield Call("stamps", "next-page", query={"limit": "2", "cursor": "{{cursor}}"})
    yield Call("stamp-delivery", path={"uuid": "{{uuid}}"})
    captures = {
        f"{file}{name.title()}": f"data.records.0.{link}?{name}"
        for file, link in (("xml", "urlXml"), ("pdf", "urlPdf"))
        for name in ("expires", "signature")
    }
    yield Call("storage-live", path={"uuid": "{{uuid}}"}, captures=captures)
    yield Call("storage-live", "unknown-uuid", path={"uuid": UNKNOWN}, status=400)
    for file, name in (("xml", "success"), ("pdf", "pdf")):
        signature = {"expires": f"{{{{{file}Expires}}}}", "signature": f"{{{{{file}Signature}}}}"}
        yield Call("storage-file", name, path={"uuid": "{{uuid}}", "name": f"cfdi.{file}"}, query=signature)
    yield Call(
        "pdf-generate", body={"xmlContent": "{{stampedXml}}", "templateId": "moderna", "extras": {"NOTA": "Gracias"}}
    )
    yield Call("pdf-generate", "without-xml", body={"xmlContent": ""}, status=400)
    yield Call("pdf-regenerate", path={"uuid": "{{uuid}}"})
    yield Call("pdf-regenerate", "unknown-uuid", path={"uuid": UNKNOWN}, status=400)
    yield Call("pdf-branding")
    yield Call("pdf-branding-change", body={"template": "compacta", "color": "#7a1f2b", "footer": "Tel. 55 5555 5555"})
    yield Call("pdf-branding-change", "pale-color", body={"color": "#fefefe"}, status=400)
    yield Call("pdf-branding-reset")
    yield Call("mail-resend", body={"uuid": "{{uuid}}", "to": "cliente@example.com"})
    yield Call("mail-resend", "unknown-uuid", body={"uuid": UNKNOWN, "to": "cliente@example.com"}, status=400)


def transparency() -> Iterator[Call]:
    """Yield the calls of the transparency log, which has leaves after those of stored documents."""
    yield Call("log-checkpoint")
    yield Call("log-proof", path={"uuid": "{{uuid}}"}, query={"kind": "stamped"})
    yield Call("log-proof", "unknown-uuid", path={"uuid": UNKNOWN}, query={"kind": "stamped"}, status=404)
    yield Call("log-tile", path={"level": "0", "rest": "000.p/1"})
    yield Call("log-tile", "unknown-tile", path={"level": "0", "rest": "x001/000"}, status=404)
