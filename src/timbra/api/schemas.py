"""The component schemas of the OpenAPI document: requests and answers by name."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any

Schema = dict[str, Any]

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


def managed(data: Schema) -> Schema:
    """The envelope of a success of the management services."""
    nothing: Schema = {"type": "null"}
    return record({"data": data, "meta": nothing, "links": nothing, "status": {"const": "success"}})


def texts(*names: str) -> dict[str, Schema]:
    """Members that are all text."""
    return dict.fromkeys(names, TEXT)


CERTIFICATE = record(
    {
        **texts("issuer_rfc", "certificate_number", "csd_certificate"),
        "is_active": FLAG,
        **texts("issuer_business_name", "valid_from", "valid_to", "certificate_type"),
    }
)
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
STAMP_RECORD = texts(
    "uuid",
    "fechaTimbrado",
    "version",
    "tipoDeComprobante",
    "serie",
    "folio",
    "fecha",
    "rfcEmisor",
    "rfcReceptor",
    "total",
    "noCertificadoCFDI",
    "noCertificadoSAT",
    "requestId",
)
TAXPAYER = record(
    {
        **texts("rfc", "name", "postal_code", "situation"),
        "regimes": many(TEXT),
        "obligations": WHOLE,
        "cancelled": FLAG,
        "listed": FLAG,
        "pending": {"type": "object"},
    }
)
FAULT = record({"name": TEXT, "remaining": {"type": ["integer", "null"]}, "seconds": {"type": "number"}})
BALANCE = record(
    {
        **texts("idUserBalance", "idUser"),
        **dict.fromkeys(("stampsBalance", "stampsUsed", "stampsAssigned"), WHOLE),
        **dict.fromkeys(("isUnlimited", "unlimited"), FLAG),
        "expirationDate": {"type": "null"},
        "lastTransaction": record(
            {
                "folio": WHOLE,
                **texts("idUser", "idUserReceiver", "nameReceiver"),
                **dict.fromkeys(("stampsIn", "stampsOut", "stampsCurrent"), WHOLE),
                **texts("comment", "date"),
                "isEmailSent": FLAG,
            }
        ),
    }
)
USER = record(
    {
        **texts("idUser", "idDealer", "name", "taxId", "username", "lastPasswordChange", "email", "notificationEmail"),
        "profile": WHOLE,
        "isActive": FLAG,
        **texts("registeredDate", "accessToken", "phone"),
        "stamps": WHOLE,
        "isUnlimited": FLAG,
    }
)
PARTIES = record(texts("uuid", "rfcEmisor", "rfcReceptor"))
CSD_IN_REQUEST = texts("rfc", "b64Cer", "b64Key", "password")
PFX_IN_REQUEST = texts("rfc", "b64Pfx", "password")
CANCELS = texts("uuid", "motivo", "foliosustitucion")
ANSWERS: dict[str, Schema] = {
    "uuids": many(record({"uuid": TEXT, "action": {"type": "string", "enum": ["Aceptacion", "Rechazo"]}}))
}
CHANGEABLE = ("name", "taxId", "notificationEmail", "phone")
PDF = record(
    {
        **texts("contentB64", "uuid", "serie", "folio", "stampDate", "issuedDate", "rfcIssuer", "rfcReceptor", "total"),
        "contentSizeBytes": WHOLE,
    }
)
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
    "Certificate": success(CERTIFICATE),
    "CertificateList": success(many(CERTIFICATE)),
    "Text": success(TEXT),
    "StampPage": success(record({"records": many(record(STAMP_RECORD)), "cursor": TEXT_OR_NULL})),
    "TaxpayerChange": record(
        {
            **texts("rfc", "name", "postal_code", "situation"),
            "regimes": many(TEXT),
            "obligations": {"type": "integer", "minimum": 0, "maximum": 4},
            "cancelled": FLAG,
        },
        optional=frozenset(("rfc", "name", "postal_code", "regimes", "obligations", "cancelled", "situation")),
    ),
    "Taxpayer": success(TAXPAYER),
    "TaxpayerList": success(many(TAXPAYER)),
    "Refreshed": success(record({"changed": WHOLE, "listsVersion": TEXT})),
    "Clock": success(record({**texts("fiscal_time", "central_mexico"), "running": FLAG})),
    "ClockSet": record({"instant": TEXT, "running": FLAG}, optional=frozenset(("running",))),
    "ClockAdvance": record(texts("duration")),
    "Fault": success(FAULT),
    "FaultList": success(many(FAULT)),
    "FaultOrder": record(
        {"name": TEXT, "times": WHOLE, "seconds": {"type": "number"}}, optional=frozenset(("times", "seconds"))
    ),
    "MintOrder": record(
        {**texts("rfc", "kind", "valid_from", "valid_to", "name", "postal_code", "password"), "regimes": many(TEXT)},
        optional=frozenset(("kind", "valid_from", "valid_to", "name", "postal_code", "password", "regimes")),
    ),
    "MintedCredential": success(record(texts("rfc", "certificate_number", "b64Cer", "b64Key", "password"))),
    "Revocation": success(record(texts("certificate_number", "pending"))),
    "Imported": success(record({"uuid": TEXT, "new": FLAG})),
    "Balance": managed(BALANCE),
    "OldBalance": success(
        record(
            {
                **texts("idSaldoCliente", "idClienteUsuario"),
                "saldoTimbres": WHOLE,
                "timbresUtilizados": WHOLE,
                "fechaExpiracion": {"type": "null"},
                "unlimited": FLAG,
                "timbresAsignados": WHOLE,
            }
        )
    ),
    "StampsMoved": record({"stamps": {"type": "integer", "minimum": 1}, "comment": TEXT}, optional={"comment"}),
    "NewBalance": managed(WHOLE),
    "User": managed(USER),
    "UserId": managed(TEXT),
    "UserList": record(
        {
            "data": many(USER),
            "meta": record(dict.fromkeys(("page", "perPage", "pageCount", "totalCount", "totalPages"), WHOLE)),
            "links": record(texts("Self", "First", "End", "Next")),
            "status": {"const": "success"},
        }
    ),
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
    "Pdf": success(PDF),
    "PdfAgain": success(PDF) | {"description": "With a `message`."},
    "ResendOrder": record(texts("uuid", "to")),
    "Resent": success({"const": "email sent ok"}),
    "StoredCfdi": success(
        record({"metaData": {"type": "object"}, "records": many({"type": "object", "properties": STORED})})
    ),
    "Lrfc": success(record({"contribuyenteRFC": TEXT, "sncf": FLAG, "subcontratacion": FLAG})),
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
    "ScriptList": success(many(record({**texts("rfc", "answer"), "delay_seconds": WHOLE}))),
    "AnswerOrder": record({"answer": {"type": "string", "enum": ["accept", "reject"]}}),
    "AnsweredFor": success(record(texts("uuid", "code", "acuse"))),
    "History": success(
        many(
            record(
                {
                    **texts("step", "fiscal_time", "central_mexico", "request_id", "motivo", "foliosustitucion"),
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
