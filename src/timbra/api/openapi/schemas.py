"""The component schemas of the OpenAPI document: requests and answers by name."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from timbra.api.openapi.dataclass_schema import Schema, schema_of
from timbra.api.serializers import accounts, documents, sandbox, stamps
from timbra.service.administration.certificates import CertificateItem

TEXT: Schema = {"type": "string"}
TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
FLAG: Schema = {"type": "boolean"}
FLAG_OR_NULL: Schema = {"type": ["boolean", "null"]}
WHOLE: Schema = {"type": "integer"}


def ref(name: str) -> Schema:
    """A reference to a component schema."""
    return {"$ref": f"#/components/schemas/{name}"}


def record(members: dict[str, Schema], *, optional: AbstractSet[str] = frozenset()) -> Schema:
    """An object of these members, required but the optional ones."""
    schema: Schema = {"type": "object", "properties": members}
    required = [name for name in members if name not in optional]
    return schema | {"required": required} if required else schema


def many(items: Schema) -> Schema:
    """An array."""
    return {"type": "array", "items": items}


def success(data: Schema) -> Schema:
    """The envelope of a success."""
    return record({"data": data, "status": {"const": "success"}})


def coded(data: Schema, *, message: bool = True) -> Schema:
    """The envelope of a success of the receiver's services."""
    told = {"data": data, "codStatus": TEXT, "message": TEXT, "status": {"const": "success"}}
    return record(told if message else {name: told[name] for name in ("data", "codStatus", "status")})


def account_answer(data: Schema) -> Schema:
    """The envelope of a success of the management services."""
    nothing: Schema = {"type": "null"}
    return record({"data": data, "meta": nothing, "links": nothing, "status": {"const": "success"}})


def texts(*names: str) -> dict[str, Schema]:
    """Members that are all text."""
    return dict.fromkeys(names, TEXT)


ENTRY = record(
    {
        "message": TEXT,
        "messageDetail": TEXT_OR_NULL,
        "type": {"type": "integer", "enum": [0, 1, 2]},
        "typeValue": {"enum": ["Error", "Information", "Warning"]},
        **texts("code", "path", "found", "expected", "hint", "page"),
    },
    optional=frozenset(("code", "path", "found", "expected", "hint", "page")),
)
STAMP_V4 = texts(
    "cadenaOriginalSAT",
    "noCertificadoSAT",
    "noCertificadoCFDI",
    "uuid",
    "selloSAT",
    "selloCFDI",
    "fechaTimbrado",
    "qrCode",
    "cfdi",
)
PARTIES = record(texts("uuid", "rfcEmisor", "rfcReceptor"))
CSD_IN_REQUEST = texts("rfc", "b64Cer", "b64Key", "password")
PFX_IN_REQUEST = texts("rfc", "b64Pfx", "password")
CANCELS = texts("uuid", "motivo", "foliosustitucion")
ANSWERS: dict[str, Schema] = {
    "uuids": many(record({"uuid": TEXT, "action": {"type": "string", "enum": ["Aceptacion", "Rechazo"]}}))
}
CHANGEABLE = ("name", "taxId", "notificationEmail", "phone")
PDF_OPTIONS = frozenset(("logo", "templateId", "extras"))
STORED: dict[str, Schema] = {
    **texts("uuid", "fechaTimbrado", "urlXml", "urlPdf"),
    **dict.fromkeys(("urlAckCfdi", "urlAckCancellation", "urlAddenda", "addenda"), TEXT_OR_NULL),
    "hasAddenda": FLAG,
    "total": {"type": "number"},
}
BYTES: Schema = {"type": "string", "format": "binary"}

SCHEMAS: dict[str, Schema] = {
    "Error": record(
        {
            "message": TEXT,
            "messageDetail": TEXT_OR_NULL,
            "data": {"type": ["object", "null"], "description": "Only with 307 and CFDI3307."},
            "status": {"const": "error"},
        }
    ),
    "Credentials": record(texts("user", "password")),
    "Session": success(
        record(
            {
                "token": TEXT,
                "expires_in": {"type": "integer", "description": "Unix seconds of the end; no duration."},
                "tokeny_type": {"const": "Bearer"},
                "token_type": {"const": "Bearer"},
            }
        )
    ),
    "XmlUpload": record({"xml": BYTES}),
    "ZipUpload": record({"xml": {**BYTES, "description": "A ZIP with one XML."}}),
    "XmlInJson": record(texts("data")),
    "JsonCfdi": {"type": "object", "description": "A CFDI by the names of its attributes and elements."},
    "Stamp": success(
        {
            "oneOf": [
                record(texts("tfd")),
                record(texts("tfd", "cfdi")),
                record(texts("cfdi")),
                record(STAMP_V4),
            ],
            "description": "v1, v2, v3, v4 in this order.",
        }
    ),
    "Report": record(
        {
            "detail": many(record({"detail": many(ENTRY), "section": TEXT})),
            **dict.fromkeys(
                (
                    "cadenaOriginalSAT",
                    "cadenaOriginalComprobante",
                    "uuid",
                    "statusSat",
                    "statusCodeSat",
                    "isCancelable",
                    "statusCancelation",
                    "validacionEFOS",
                ),
                TEXT_OR_NULL,
            ),
            "dataVersion": TEXT,
            "status": {"const": "success"},
        }
    ),
    "CertificateUpload": record(
        {**texts("type", "b64Cer", "b64Key", "password"), "is_active": FLAG}, optional=frozenset(("type", "is_active"))
    ),
    "Certificate": success(schema_of(CertificateItem)),
    "CertificateList": success(schema_of(list[CertificateItem])),
    "Text": success(TEXT),
    "StampPage": success(schema_of(stamps.StampPageAnswer)),
    "TaxpayerChange": record(
        {
            **texts("rfc", "name", "postalCode", "situation"),
            "regimes": many(TEXT),
            "obligations": {"type": "integer", "minimum": 0, "maximum": 4},
            "cancelled": FLAG,
        },
        optional=frozenset(("rfc", "name", "postalCode", "regimes", "obligations", "cancelled", "situation")),
    ),
    "Taxpayer": success(schema_of(sandbox.TaxpayerAnswer)),
    "TaxpayerList": success(schema_of(list[sandbox.TaxpayerAnswer])),
    "Refreshed": success(schema_of(sandbox.RefreshAnswer)),
    "Clock": success(schema_of(sandbox.ClockAnswer)),
    "ClockSet": record({"instant": TEXT, "running": FLAG}, optional=frozenset(("running",))),
    "ClockAdvance": record(texts("duration")),
    "Fault": success(schema_of(sandbox.FaultAnswer)),
    "FaultList": success(schema_of(list[sandbox.FaultAnswer])),
    "FaultOrder": record(
        {"name": TEXT, "times": WHOLE, "seconds": {"type": "number"}}, optional=frozenset(("times", "seconds"))
    ),
    "MintOrder": record(
        {**texts("rfc", "kind", "validFrom", "validTo", "name", "postalCode", "password"), "regimes": many(TEXT)},
        optional=frozenset(("kind", "validFrom", "validTo", "name", "postalCode", "password", "regimes")),
    ),
    "MintedCredential": success(schema_of(sandbox.MintedCredentialAnswer)),
    "Revocation": success(schema_of(sandbox.RevocationAnswer)),
    "Imported": success(schema_of(sandbox.ImportAnswer)),
    "Balance": account_answer(schema_of(accounts.BalanceAnswer)),
    "OldBalance": success(schema_of(accounts.OldBalanceAnswer)),
    "StampsMoved": record({"stamps": {"type": "integer", "minimum": 1}, "comment": TEXT}, optional={"comment"}),
    "NewBalance": account_answer(WHOLE),
    "User": account_answer(schema_of(accounts.UserAnswer)),
    "UserId": account_answer(TEXT),
    "UserList": schema_of(accounts.UserListAnswer),
    "NewUser": record(
        {
            **texts("name", "taxId", "email", "password", "notificationEmail", "phone"),
            "stamps": {"type": "integer", "minimum": 0},
            "isUnlimited": FLAG,
        },
        optional={"notificationEmail", "phone", "stamps", "isUnlimited"},
    ),
    "UserChange": record(
        {**dict.fromkeys(CHANGEABLE, TEXT_OR_NULL), **dict.fromkeys(("isUnlimited", "isActive"), FLAG_OR_NULL)},
        optional={*CHANGEABLE, "isUnlimited", "isActive"},
    ),
    "PdfOrder": record(texts("xmlContent", "logo", "templateId") | {"extras": {}}, optional=PDF_OPTIONS),
    "Pdf": success(schema_of(documents.PdfAnswer)),
    "PdfAgain": success(schema_of(documents.PdfAnswer)) | {"description": "With a `message`."},
    "ResendOrder": record(texts("uuid", "to")),
    "Resent": success({"const": "email sent ok"}),
    "StoredCfdi": success(
        record({"metaData": {"type": "object"}, "records": many({"type": "object", "properties": STORED})})
    ),
    "Lrfc": success(schema_of(documents.LrfcAnswer)),
    "Article69B": success({"type": "object", "properties": texts("rfc", "situacion_del_contribuyente")}),
    "CancelByCsd": record({**CANCELS, **CSD_IN_REQUEST}, optional={"foliosustitucion"}),
    "CancelByPfx": record({**CANCELS, **PFX_IN_REQUEST}, optional={"foliosustitucion"}),
    "Cancelled": success(
        record(
            {
                "acuse": TEXT,
                "uuid": {
                    "type": "object",
                    "additionalProperties": TEXT,
                    "description": "EstatusUUID by UUID in upper case.",
                },
            }
        )
    ),
    "AnswerByCsd": record({**ANSWERS, **CSD_IN_REQUEST}),
    "AnswerByPfx": record({**ANSWERS, **PFX_IN_REQUEST}),
    "Answered": coded(
        record({"acuse": TEXT, "folios": many(record(texts("uuid", "estatusUUID", "respuesta")))}), message=False
    ),
    "Pendings": coded(record({"uuid": many(TEXT)})),
    "RelatedByCsd": record({"uuid": TEXT, **CSD_IN_REQUEST}),
    "RelatedByPfx": record({"uuid": TEXT, **PFX_IN_REQUEST}),
    "Related": coded(
        record(
            {
                **texts("uuidConsultado", "resultado"),
                "uuidsRelacionadosPadres": many(PARTIES),
                "uuidsRelacionadosHijos": many(PARTIES),
            }
        )
        | {"type": ["object", "null"], "description": "null with codStatus 2001."}
    ),
    "ScriptOrder": record(
        {"rfc": TEXT, "answer": {"type": "string", "enum": ["accept", "reject", "silence"]}, "delay": TEXT},
        optional={"delay"},
    ),
    "ScriptList": success(schema_of(list[sandbox.AutoReplyAnswer])),
    "AnswerOrder": record({"answer": {"type": "string", "enum": ["accept", "reject"]}}),
    "AnsweredFor": success(schema_of(sandbox.ReplyAnswer)),
    "History": success(
        many(
            record(
                {
                    **texts("step", "fiscalTime", "centralMexico", "requestId", "motivo", "foliosustitucion"),
                    **dict.fromkeys(("from", "to"), many(TEXT)),
                    "reason": TEXT,
                },
                optional={"motivo", "foliosustitucion", "from", "to", "reason"},
            )
        )
    ),
    "SoapEnvelope": {"type": "string", "description": "SOAP 1.1."},
    "Health": success({"type": "object"}),
    "OpenApi": {"type": "object"},
}
