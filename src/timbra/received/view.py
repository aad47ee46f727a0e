"""Texts of the results of a validation of received documents."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from timbra.received.results import table_row
from timbra.received.store import StoredResult
from timbra.rendering.texts import amount
from timbra.stamps.port import RETENCION
from timbra.validation.tables import DOCUMENTS, FINDINGS, Row
from timbra.web.portal.views.formatting import document_kind

RESULTS = {
    "": "Todos",
    "wrong": "Con errores o ilegibles",
    "valid": "Sin errores",
    "warned": "Solo con avisos",
    "invalid": "Con errores",
    "unreadable": "Ilegibles",
    "none": "Solo metadatos",
}
"""Values of the field `resultado`, with their texts."""
STATUSES = {
    "": "Todos",
    "Vigente": "Vigente",
    "Cancelado": "Cancelado",
    "No Encontrado": "No encontrado",
    "none": "Sin consultar",
}
"""Values of the field `estado`, with their texts."""
RESULT_BADGES = {
    "valid": ("sin errores", "good", "circle-check"),
    "warned": ("con avisos", "warn", "triangle-alert"),
    "invalid": ("con errores", "bad", "circle-x"),
    "unreadable": ("ilegible", "bad", "circle-x"),
    None: ("solo metadatos", "", "info"),
}
"""Text, class of the badge and icon of each result."""
STATUS_BADGES = {
    "Vigente": ("Vigente", "good", "circle-check"),
    "Cancelado": ("Cancelado", "bad", "ban"),
    "No Encontrado": ("No encontrado", "bad", "circle-x"),
}


@dataclass(frozen=True, slots=True)
class ResultView:
    """A document of a run as the pages show it.

    Attributes:
        document_id: Number of the document in its run.
        duplicate_of: Number of the first document with its UUID; None for a first one.
        values: Columns of `documents`.
        findings: Rows of `findings`.
        result, status: Text, class and icon of a badge; no status when it is not known.
        is_ours: Whether the receiver is the account; None when the account has no RFC, or the document no receiver.
    """

    document_id: int
    duplicate_of: int | None
    values: Row
    findings: list[Row]
    result: tuple[str, str, str]
    status: tuple[str, str, str] | None
    is_ours: bool | None

    @property
    def name(self) -> str:
        """Serie and folio, or the name of the file."""
        number = " ".join(filter(None, (self.values["serie"], self.values["folio"])))
        return number or str(self.values["source"]).rpartition("!")[2].rpartition("/")[2]

    @property
    def kind(self) -> str:
        """TipoDeComprobante in words."""
        is_retencion = self.values["kind"] == "retenciones"
        return document_kind(RETENCION if is_retencion else self.values["tipo_de_comprobante"] or "")

    @property
    def total(self) -> str:
        """The total, `1,234.50`; empty for none."""
        return "" if self.values["total"] is None else amount(str(self.values["total"]))

    @property
    def hidden_findings(self) -> int:
        """Number of findings that are not stored."""
        counted = (self.values["errors"] or 0) + (self.values["warnings"] or 0)
        return max(0, counted - len(self.findings))


def result_view(stored: StoredResult, rfcs: Collection[str]) -> ResultView:
    """Return the view of a stored result. `rfcs`: RFC of the account."""
    values = table_row(DOCUMENTS, stored.document)
    receiver: Any = values["receiver_rfc"]
    status = values["status"]
    return ResultView(
        stored.document_id,
        stored.duplicate_of,
        values,
        [table_row(FINDINGS, finding) for finding in stored.findings],
        RESULT_BADGES.get(values["result"], RESULT_BADGES[None]),
        None if status is None else STATUS_BADGES.get(status, (status, "", "info")),
        receiver in rfcs if rfcs and receiver else None,
    )
