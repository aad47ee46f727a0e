"""The selection of stored documents that the fields of a form or of a request describe."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Final

from timbra.core.errors import ServiceError
from timbra.received.documents.models import CANCELLED, IN_FORCE, DocumentFilter

CHOICES: Final[Mapping[str, Mapping[str, str]]] = {
    "side": {"": "Ambos", "received": "Recibidos", "issued": "Emitidos"},
    "type": {
        "": "Todos",
        "cfdi": "CFDI",
        "I": "Ingreso",
        "E": "Egreso",
        "T": "Traslado",
        "N": "Nómina",
        "P": "Pago",
        "retenciones": "Retenciones",
    },
    "status": {"": "Todos", IN_FORCE: "Vigente", CANCELLED: "Cancelado"},
    "result": {
        "": "Todos",
        "valid": "Sin errores",
        "warned": "Solo con avisos",
        "invalid": "Con errores",
        "unreadable": "Ilegibles",
    },
    "xml": {"": "Con y sin XML", "yes": "Con XML", "no": "Sin XML: solo metadatos"},
    "mark": {
        "": "Todos",
        "pending": "Cancelación por responder",
        "listed": "En la lista 69-B",
        "different": "Con otro XML",
    },
}
"""The values of fields, each with its text in Spanish; empty for no condition."""
PARAMETERS: Final[Mapping[str, str]] = {
    "text": "A folio fiscal, an RFC, or a part of a name or of serie and folio.",
    "rfc": "RFC of a taxpayer, on `side`.",
    "side": "`received` or `issued`; both when absent.",
    "since": "First issue date, `YYYY-MM-DD`.",
    "until": "Last issue date, `YYYY-MM-DD`.",
    "type": "`I`, `E`, `T`, `N`, `P`, `cfdi` or `retenciones`.",
    "status": f"`{IN_FORCE}` or `{CANCELLED}`.",
    "result": "Result of the validation: `valid`, `warned`, `invalid` or `unreadable`.",
    "xml": "`no`: documents whose XML the SAT has not delivered; `yes`: the others.",
    "mark": "`pending`: a cancellation waits for its receiver; `listed`: a party is in the list of article 69-B; "
    "`different`: a differing XML was delivered.",
}
"""Fields of a selection with their descriptions for the OpenAPI document."""


class ParameterError(ServiceError):
    """A value that is not accepted.

    Attributes:
        name: The parameter.
    """

    def __init__(self, name: str, detail: str) -> None:
        super().__init__("TB4005", detail)
        self.name = name


def selection_of(fields: Mapping[str, str]) -> DocumentFilter:
    """Return the selection of the fields of `PARAMETERS`; absent and empty ones are no condition.

    Raises:
        ParameterError: a value is not accepted.
    """
    values = {name: fields.get(name, "").strip() for name in PARAMETERS}
    for name, choices in CHOICES.items():
        if values[name] not in choices:
            raise ParameterError(name, f"{name}: uno de {', '.join(filter(None, choices))}.")
    kind, mark = values["type"], values["mark"]
    is_kind = kind in ("cfdi", "retenciones")
    return DocumentFilter(
        rfc=values["rfc"].upper(),
        is_issued={"issued": True, "received": False}.get(values["side"]),
        kind=kind if is_kind else "",
        tipo_de_comprobante="" if is_kind else kind,
        text=values["text"],
        since=_day("since", values["since"]),
        until=_day("until", values["until"], 1),
        status=values["status"],
        is_pending=mark == "pending",
        has_xml={"yes": True, "no": False}.get(values["xml"]),
        result=values["result"],
        is_listed=mark == "listed",
        is_different=mark == "different",
    )


def _day(name: str, text: str, later: int = 0) -> str:
    try:
        return (date.fromisoformat(text) + timedelta(days=later)).isoformat() if text else ""
    except (ValueError, OverflowError) as error:
        raise ParameterError(name, "Las fechas se escriben como AAAA-MM-DD.") from error
