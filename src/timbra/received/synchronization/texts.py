"""Texts of the states of synchronizations, requests and packages, and of the codes of the SAT."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from timbra.received.synchronization.models import BulkPackageState, BulkRequestState, SyncState

Badge = tuple[str, str, str]
SYNC_STATES: Final[Mapping[SyncState, Badge]] = {
    SyncState.ACTIVE: ("activa", "good", "circle-check"),
    SyncState.STOPPED: ("detenida", "", "ban"),
    SyncState.BLOCKED: ("bloqueada", "bad", "circle-x"),
}
"""Text, class of the badge and icon of each state."""
REQUEST_STATES: Final[Mapping[BulkRequestState, Badge]] = {
    BulkRequestState.PLANNED: ("por enviar", "", "clock"),
    BulkRequestState.SENDING: ("enviándose", "warn", "clock"),
    BulkRequestState.WAITING: ("el SAT la prepara", "warn", "hourglass"),
    BulkRequestState.READY: ("descargando", "warn", "download"),
    BulkRequestState.DONE: ("terminada", "good", "circle-check"),
    BulkRequestState.SPLIT: ("dividida en dos", "", "copy-plus"),
    BulkRequestState.LOST: ("repetida con otro fin", "", "replace"),
    BulkRequestState.FAILED: ("abandonada", "bad", "circle-x"),
}
PACKAGE_STATES: Final[Mapping[BulkPackageState, Badge]] = {
    BulkPackageState.WAITING: ("por descargar", "warn", "clock"),
    BulkPackageState.STORED: ("descargado", "warn", "download"),
    BulkPackageState.DONE: ("guardado", "good", "circle-check"),
    BulkPackageState.LOST: ("perdido", "bad", "circle-x"),
}
CAUSES: Final[Mapping[str, str]] = {
    "300": "El SAT no aceptó el token; se pide otro.",
    "301": "El SAT rechaza los datos de la pregunta; repetirla no sirve.",
    "302": "El SAT no acepta la firma de la e.firma.",
    "303": "La e.firma no es del RFC.",
    "304": "La e.firma está revocada o caduca.",
    "305": "El SAT no acepta el certificado de la e.firma, o su servicio falla.",
    "404": "Falla del SAT; se pregunta otra vez con otro fin.",
    "5001": "El SAT no autoriza la descarga con esta e.firma.",
    "5002": "Esa pregunta ya se hizo las veces que el SAT permite; se hace otra, un segundo más larga.",
    "5003": "Son más documentos de los que el SAT entrega de una vez; el periodo se parte en dos.",
    "5004": "El SAT no encontró documentos, o ya no tiene la solicitud.",
    "5005": "El SAT ya tiene una solicitud igual; se hace otra con otro fin.",
    "5006": "Falla del SAT; se pregunta otra vez.",
    "5007": "El paquete venció: el SAT lo guarda 72 horas.",
    "5008": "El SAT ya entregó el paquete las dos veces que permite.",
    "5011": "Se alcanzó el límite de un día; se sigue mañana.",
    "5012": "El documento está cancelado, y el SAT no entrega su XML.",
}
"""What the codes of the SAT mean for the download."""


def cause_of(code: str) -> str:
    """Return what a code means; empty for one that needs no explanation."""
    return CAUSES.get(code, "")
