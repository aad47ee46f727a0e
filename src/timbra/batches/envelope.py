"""The SOAP envelope of SW's batch service, parsed while it arrives; its content is decoded into a file."""

from __future__ import annotations

import binascii
from dataclasses import dataclass, field
from typing import IO
from xml.parsers import expat

from timbra.core.errors import ServiceError
from timbra.core.soap import ENVELOPE

TEMPURI = "http://tempuri.org/"
OPERATIONS = ("ProcessBatchV2", "ProcessBatchV3")
CONTENT = "content"
FIELDS = ("token", "originalFileName", "generatePdf", "pdfTemplateId")
MAX_FIELD = 8_192
MAX_ELEMENTS = 64
MAX_DEPTH = 8
OPERATION_PATH = (f"{ENVELOPE} Envelope", f"{ENVELOPE} Body")


@dataclass(slots=True)
class BatchEnvelope:
    """What an envelope has said until now.

    Attributes:
        operation: `ProcessBatchV2` or `ProcessBatchV3`; empty before it was read.
        fields: Complete texts by element.
        content_bytes: Decoded bytes of the archive.
    """

    operation: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    content_bytes: int = 0


class BatchEnvelopeParser:
    """Parses an envelope in pieces. No DTD and no entity is accepted.

    Args:
        target: Receives the decoded archive.
        max_bytes: Largest archive.

    Raises:
        ServiceError: Every method raises "TB4032" for what is not such an envelope, and "TB4030" for an archive that is
            too large or not base64.
    """

    def __init__(self, target: IO[bytes], max_bytes: int) -> None:
        self.envelope = BatchEnvelope()
        self._target = target
        self._max_bytes = max_bytes
        self._path: list[str] = []
        self._elements = 0
        self._text: list[str] = []
        self._text_size = 0
        self._rest = b""
        self._has_content = False
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._reject_doctype
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        self._parser = parser

    def feed(self, piece: bytes) -> None:
        self._parse(piece, is_final=False)

    def close(self) -> BatchEnvelope:
        self._parse(b"", is_final=True)
        if not self.envelope.operation:
            raise unreadable(f"Se espera una operación {' o '.join(OPERATIONS)}.")
        if not self._has_content:
            raise unreadable("Falta el elemento content.")
        return self.envelope

    def _parse(self, piece: bytes, *, is_final: bool) -> None:
        try:
            self._parser.Parse(piece, is_final)
        except expat.ExpatError as error:
            raise unreadable(f"No es XML: renglón {error.lineno}, columna {error.offset}.") from error

    def _reject_doctype(self, *_: object) -> None:
        raise unreadable("No se admite una declaración DOCTYPE.")

    def _start(self, name: str, _: dict[str, str]) -> None:
        self._elements += 1
        if self._elements > MAX_ELEMENTS or len(self._path) >= MAX_DEPTH:
            raise unreadable("Trae demasiados elementos.")
        depth = len(self._path)
        if depth < len(OPERATION_PATH) and name != OPERATION_PATH[depth] and name != f"{ENVELOPE} Header":
            raise unreadable("Se espera un sobre de SOAP 1.1.")
        self._path.append(name)
        if tuple(self._path[:-1]) == OPERATION_PATH:
            self._begin_operation(name)
        self._text, self._text_size = [], 0

    def _begin_operation(self, name: str) -> None:
        namespace, _, operation = name.rpartition(" ")
        if namespace != TEMPURI or operation not in OPERATIONS or self.envelope.operation:
            raise unreadable(f"Se espera una operación {' o '.join(OPERATIONS)}.")
        self.envelope.operation = operation

    @property
    def _field(self) -> str:
        """The name of the current element when it is a child of the operation; else empty."""
        if len(self._path) != len(OPERATION_PATH) + 1 + 1 or tuple(self._path[:2]) != OPERATION_PATH:
            return ""
        return self._path[-1].rpartition(" ")[2]

    def _end(self, _: str) -> None:
        name = self._field
        if name == CONTENT:
            self._decode(b"", is_final=True)
            self._has_content = True
        elif name in FIELDS:
            if name in self.envelope.fields:
                raise unreadable(f"Trae dos elementos {name}.")
            self.envelope.fields[name] = "".join(self._text).strip()
        self._path.pop()
        self._text, self._text_size = [], 0

    def _characters(self, text: str) -> None:
        name = self._field
        if name == CONTENT:
            if self._has_content:
                raise unreadable("Trae dos elementos content.")
            self._decode(text.encode("ascii", "replace"), is_final=False)
            return
        self._text_size += len(text)
        if self._text_size > MAX_FIELD:
            raise unreadable("Un elemento trae demasiado texto.")
        self._text.append(text)

    def _decode(self, text: bytes, *, is_final: bool) -> None:
        """Decode base64 in groups of four characters; blanks between them are dropped."""
        joined = self._rest + text.translate(None, b" \t\r\n")
        whole = len(joined) if is_final else len(joined) - len(joined) % 4
        self._rest = joined[whole:]
        try:
            decoded = binascii.a2b_base64(joined[:whole], strict_mode=True) if whole else b""
        except binascii.Error as error:
            raise ServiceError("TB4030", "El contenido no es base64.") from error
        self.envelope.content_bytes += len(decoded)
        if self.envelope.content_bytes > self._max_bytes:
            raise ServiceError("TB4030", f"El ZIP pasa de {self._max_bytes} bytes.")
        self._target.write(decoded)


def unreadable(detail: str) -> ServiceError:
    return ServiceError("TB4032", detail)
