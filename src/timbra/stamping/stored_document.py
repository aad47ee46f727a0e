"""Parsing of stored documents. A document that does not parse is an error of the server, not of the client."""

from __future__ import annotations

from timbra.cfdi.document import Document, DocumentParser
from timbra.core.errors import ServiceError
from timbra.stamps.port import StampRecord

STAMP_ROOM = 64 * 1024
"""Largest number of bytes that seal and stamp add: a document within the size limit can be read again."""


def read_stored(record: StampRecord, parser: DocumentParser) -> Document:
    """Parse the document of a stamp.

    Raises:
        ServiceError: "document-damaged" when it does not parse; "CO1000" when it exceeds the limit of this parser, as
            very large documents do outside of their own process.
    """
    try:
        return parser.parse(record.cfdi, room=STAMP_ROOM)
    except ServiceError as error:
        if len(record.cfdi) > parser.max_bytes + STAMP_ROOM:
            raise ServiceError("CO1000", "El documento guardado es demasiado grande para abrirse aquí.") from error
        raise ServiceError("document-damaged", f"Timbre {record.uuid}: {error.detail}") from error
