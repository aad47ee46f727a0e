"""The acuse of reception, `AcuseRecepcion`, and the store of acuses in files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from lxml import etree

from timbra.core.clock import to_central_mexico
from timbra.emulator.credentials import write_atomically

RECEPTION = "http://recibecfdi.sat.gob.mx"
RECEIVED = "Comprobante recibido satisfactoriamente"


@dataclass(frozen=True, slots=True)
class Incidencia:
    """A finding about a delivery.

    Attributes:
        code: CodigoError.
        message: MensajeIncidencia.
    """

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Reception:
    """The result of one delivery.

    Attributes:
        uuid: The announced folio, as written.
        status: CodEstatus.
        issuer_rfc: RfcEmisor, as announced.
        provider_rfc: The provider that delivered.
        received_at: Wall time, aware.
        acuse: The XML of AcuseRecepcion.
        incidencias: The findings.
    """

    uuid: str
    status: str
    issuer_rfc: str
    provider_rfc: str
    received_at: datetime
    acuse: str = field(repr=False)
    incidencias: Sequence[Incidencia] = ()

    @property
    def is_received(self) -> bool:
        """Whether the document was received, with an Incidencia or without."""
        return self.status == RECEIVED


def build_acuse(
    uuid: str, status: str, number: str, issuer_rfc: str, incidencias: Sequence[Incidencia], at: datetime
) -> str:
    """Return the XML of AcuseRecepcion.

    Args:
        uuid: The folio that the acuse names.
        status: CodEstatus.
        number: NoCertificadoSAT.
        issuer_rfc: RfcEmisor of an Incidencia.
        at: The instant of the acuse.
    """
    fecha = to_central_mexico(at)
    # The type stubs do not allow a default namespace.
    root = etree.Element(_tag("AcuseRecepcion"), nsmap={None: RECEPTION})  # type: ignore[dict-item]
    acuse = etree.SubElement(root, _tag("AcuseRecepcionCFDI"))
    for name, value in (("UUID", uuid), ("CodEstatus", status), ("Fecha", fecha), ("NoCertificadoSAT", number)):
        acuse.set(name, value)
    for incidencia in incidencias:
        node = etree.SubElement(acuse, _tag("Incidencia"))
        for name, text in (
            ("IdIncidencia", str(uuid4())),
            ("RfcEmisor", issuer_rfc),
            ("CodigoError", incidencia.code),
            ("MensajeIncidencia", incidencia.message),
            ("FechaRegistro", fecha),
        ):
            etree.SubElement(node, _tag(name)).text = text
    return etree.tostring(root, encoding="unicode")


class ReceptionStore:
    """The first good result of each folio, in files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, uuid: str) -> Reception | None:
        """Return the reception of a folio in lower case."""
        try:
            value = json.loads(self._path(uuid).read_text())
        except FileNotFoundError:
            return None
        incidencias = tuple(Incidencia(**found) for found in value.pop("incidencias"))
        received_at = datetime.fromisoformat(value.pop("received_at"))
        return Reception(**value, received_at=received_at, incidencias=incidencias)

    def put(self, uuid: str, reception: Reception) -> None:
        """Store the reception of a folio in lower case."""
        value = {**asdict(reception), "received_at": reception.received_at.isoformat()}
        write_atomically(self._path(uuid), json.dumps(value).encode())

    def uuids(self) -> Iterator[str]:
        """Return the received folios."""
        return (path.stem for path in sorted(self._folder.glob("*/*.json")))

    def _path(self, uuid: str) -> Path:
        return self._folder / uuid[:2] / f"{uuid}.json"


def _tag(name: str) -> str:
    return f"{{{RECEPTION}}}{name}"
