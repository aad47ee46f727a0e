"""The component schemas of request bodies."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from timbra.accounts.article_69b import CHOICES
from timbra.app.openapi.dataclass_schema import Schema
from timbra.core.roles import ROLE_SCOPES

TEXT: Schema = {"type": "string"}
TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
FLAG: Schema = {"type": "boolean"}
FLAG_OR_NULL: Schema = {"type": ["boolean", "null"]}
WHOLE: Schema = {"type": "integer"}
AMOUNT: Schema = {"type": "string", "description": "A number as text; a JSON number is read too."}
ROLE: Schema = {"type": "string", "enum": list(ROLE_SCOPES)}


def record(members: dict[str, Schema], *, optional: AbstractSet[str] = frozenset()) -> Schema:
    """Build the schema of an object.

    Args:
        members: Schema of each member, by its name.
        optional: Names of the members that are not required.
    """
    schema: Schema = {"type": "object", "properties": members}
    required = [name for name in members if name not in optional]
    return schema | {"required": required} if required else schema


def open_record(members: dict[str, Schema], *, optional: AbstractSet[str]) -> Schema:
    """Build the schema of an object that may have other members, see `record`."""
    return record(members, optional=optional) | {"additionalProperties": True}


def ref(name: str) -> Schema:
    """Build the reference to a component schema."""
    return {"$ref": f"#/components/schemas/{name}"}


def many(items: Schema) -> Schema:
    """Build the schema of an array."""
    return {"type": "array", "items": items}


def texts(*names: str) -> dict[str, Schema]:
    """Build members that are all strings."""
    return dict.fromkeys(names, TEXT)


FILE: Schema = {"type": "string", "description": "Base64 of the file, DER or PEM; or its PEM as it is."}
PASSWORD: Schema = {
    "type": ["string", "null", "boolean"],
    "description": "Password of the key; null, false or absent for a key that is not encrypted.",
}
CSD_FILES: dict[str, Schema] = {"b64Cer": FILE, "b64Key": FILE, "password": PASSWORD}
CSD_IN_REQUEST = {"rfc": TEXT, **CSD_FILES}
PFX_IN_REQUEST = {"rfc": TEXT, "b64Pfx": FILE, "password": PASSWORD}
CANCELS = texts("uuid", "motivo", "foliosustitucion")
ANSWERS: dict[str, Schema] = {
    "uuids": many(record({"uuid": TEXT, "action": {"type": "string", "enum": ["Aceptacion", "Rechazo"]}}))
}
CHANGEABLE = ("name", "taxId", "notificationEmail", "phone")
BRANDING = ("template", "color", "footer", "logo")
PDF_OPTIONS = frozenset(("logo", "templateId", "extras"))
BYTES: Schema = {"type": "string", "format": "binary"}
XML_IN_JSON: Schema = {"type": "string", "description": "XML, or its base64; alone, in `application/json`."}

REQUEST_SCHEMAS: dict[str, Schema] = {
    "Credentials": record(texts("user", "password")),
    "XmlUpload": record({"xml": BYTES}),
    "ZipUpload": record({"xml": {**BYTES, "description": "A ZIP with one XML."}}),
    "BatchUpload": record(
        {
            "file": {**BYTES, "description": "A ZIP with XML files."},
            "operation": {"type": "string", "enum": ["stamp", "issue"]},
            "pdf": FLAG,
            "pdfTemplateId": TEXT,
        },
        optional={"operation", "pdf", "pdfTemplateId"},
    ),
    "EfirmaUpload": record({**CSD_FILES}, optional=frozenset(("password",))),
    "SynchronizationStart": record(
        {
            **texts("rfc", "since"),
            "days": {"type": "integer"},
            "sides": many({"type": "string", "enum": ["received", "issued"]}),
            "kinds": many({"type": "string", "enum": ["cfdi", "retenciones"]}),
        },
        optional={"since", "days", "sides", "kinds"},
    ),
    "ReconciliationUpload": record(
        {
            **texts("rfc", "month", "since", "until", "tolerance", "types"),
            "side": {"type": "string", "enum": ["issued", "received"]},
            "stored": FLAG,
            "ledger": FLAG,
            **dict.fromkeys(("sat", "erp", "payments"), BYTES),
            "erpColumns": {**TEXT, "description": "Map of the columns, as JSON."},
            "paymentsColumns": {**TEXT, "description": "Map of the columns, as JSON."},
        },
        optional={
            *("month", "since", "until", "tolerance", "types", "side", "stored", "ledger", "sat", "erp", "payments"),
            *("erpColumns", "paymentsColumns"),
        },
    ),
    "DocumentsUpload": record({"file": {**BYTES, "description": "An XML, ZIP or PDF; parts of any name are files."}}),
    "DocumentsOrder": record({"files": many(record({"name": TEXT, "data": {**TEXT, "description": "Base64."}}))}),
    "SupplierLinkOrder": record(
        {"name": TEXT, "issuerRfc": TEXT, "days": {"type": "integer", "minimum": 1}}, optional={"issuerRfc", "days"}
    ),
    "JsonCfdi": {
        "type": "object",
        "description": "A CFDI by the names of its attributes and elements; or its XML in `data`.",
        "properties": {"data": XML_IN_JSON},
        "additionalProperties": True,
    },
    "InvoiceLines": open_record({"Moneda": TEXT, "Conceptos": many(ref("InvoiceLine"))}, optional={"Moneda"}),
    "InvoiceLine": open_record(
        {
            **dict.fromkeys(("Cantidad", "ValorUnitario", "Descuento"), AMOUNT),
            "ObjetoImp": TEXT,
            "Impuestos": record(
                {"Traslados": many(ref("LineTax")), "Retenciones": many(ref("LineTax"))},
                optional={"Traslados", "Retenciones"},
            ),
        },
        optional={"Descuento", "ObjetoImp", "Impuestos"},
    ),
    "LineTax": record(
        {
            "Impuesto": TEXT,
            "TipoFactor": {**TEXT, "description": "`Tasa` without it."},
            "TasaOCuota": AMOUNT,
            "Base": {
                **AMOUNT,
                "description": "Units of a `Cuota`, the quantity without it; that of a `Tasa` is computed.",
            },
            "EnBaseDeIVA": {**FLAG, "description": "`false`: this IEPS is not part of the base of the IVA."},
        },
        optional={"TipoFactor", "TasaOCuota", "Base", "EnBaseDeIVA"},
    ),
    "JsonRetencion": {
        "type": "object",
        "description": "A Retenciones by the names of its attributes and elements; or its XML in `data`.",
        "properties": {"data": XML_IN_JSON},
        "additionalProperties": True,
    },
    "CertificateUpload": record(
        {"type": TEXT, **CSD_FILES, "is_active": FLAG}, optional=frozenset(("type", "password", "is_active"))
    ),
    "TaxpayerChange": record(
        {
            **texts("rfc", "name", "postalCode", "situation"),
            "regimes": many(TEXT),
            "obligations": {"type": "integer", "minimum": 0, "maximum": 4},
            "cancelled": FLAG,
        },
        optional=frozenset(("rfc", "name", "postalCode", "regimes", "obligations", "cancelled", "situation")),
    ),
    "ClockSet": record({"instant": TEXT, "running": FLAG}, optional=frozenset(("running",))),
    "ClockAdvance": record(texts("duration")),
    "FaultOrder": record(
        {
            **texts("name", "route", "account"),
            "times": WHOLE,
            "seed": WHOLE,
            "seconds": {"type": "number"},
            "probability": {"type": "number"},
        },
        optional=frozenset(("times", "seconds", "probability", "seed", "route", "account")),
    ),
    "MintOrder": record(
        {**texts("rfc", "kind", "validFrom", "validTo", "name", "postalCode", "password"), "regimes": many(TEXT)},
        optional=frozenset(("kind", "validFrom", "validTo", "name", "postalCode", "password", "regimes")),
    ),
    "ConfirmationOrder": record(texts("rfc")),
    "StampsMoved": record({"stamps": {"type": "integer", "minimum": 1}, "comment": TEXT}, optional={"comment"}),
    "UserOrder": record(
        {
            **texts("name", "taxId", "email", "password", "notificationEmail", "phone"),
            "stamps": {"type": "integer", "minimum": 0},
            "isUnlimited": FLAG,
        },
        optional={"notificationEmail", "phone", "stamps", "isUnlimited"},
    ),
    "UserChange": record(
        {
            **dict.fromkeys(CHANGEABLE, TEXT_OR_NULL),
            **dict.fromkeys(("isUnlimited", "isActive"), FLAG_OR_NULL),
            "article69b": {"type": ["string", "null"], "enum": [*CHOICES, None]},
            "vendorLeniency": TEXT_OR_NULL,
        },
        optional={*CHANGEABLE, "isUnlimited", "isActive", "article69b", "vendorLeniency"},
    ),
    "BrandingOrder": record(texts(*BRANDING), optional=frozenset(BRANDING)),
    "PdfOrder": record(
        texts("xmlContent", "logo", "templateId") | {"extras": {"type": ["object", "null"]}}, optional=PDF_OPTIONS
    ),
    "AccountUserOrder": record({**texts("user", "password"), "role": ROLE}),
    "AccountUserChange": record(
        {"role": ROLE, "password": TEXT, "isActive": FLAG_OR_NULL}, optional={"role", "password", "isActive"}
    ),
    "WebhookOrder": record(
        {**texts("url", "description", "format", "user", "password"), "events": many(TEXT)},
        optional={"events", "description", "format", "user", "password"},
    ),
    "WebhookChange": record(
        {**texts("url", "description"), "events": many(TEXT), "enabled": FLAG_OR_NULL},
        optional={"url", "events", "description", "enabled"},
    ),
    "WebhookSecretOrder": record({"overlapHours": WHOLE}, optional={"overlapHours"}),
    "ResendOrder": record(texts("uuid", "to")),
    "CancelByCsd": record({**CANCELS, **CSD_IN_REQUEST}, optional={"foliosustitucion", "password"}),
    "CancelByPfx": record({**CANCELS, **PFX_IN_REQUEST}, optional={"foliosustitucion", "password"}),
    "AnswerByCsd": record({**ANSWERS, **CSD_IN_REQUEST}, optional={"password"}),
    "AnswerByPfx": record({**ANSWERS, **PFX_IN_REQUEST}, optional={"password"}),
    "RelatedByCsd": record({"uuid": TEXT, **CSD_IN_REQUEST}, optional={"password"}),
    "RelatedByPfx": record({"uuid": TEXT, **PFX_IN_REQUEST}, optional={"password"}),
    "AutoReplyOrder": record(
        {"rfc": TEXT, "answer": {"type": "string", "enum": ["accept", "reject", "silence"]}, "delay": TEXT},
        optional={"delay"},
    ),
    "SandboxAccountResetOrder": record({"confirm": TEXT}),
    "SandboxResetOrder": record({"accounts": FLAG}, optional={"accounts"}),
    "SandboxState": BYTES,
    "AnswerOrder": record({"answer": {"type": "string", "enum": ["accept", "reject"]}}),
    "SoapEnvelope": {"type": "string", "description": "SOAP 1.1."},
}
