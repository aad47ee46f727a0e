"""The CFDI attached to a PDF and the text of its pages, read in a child process: a PDF of a client may be hostile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from itertools import islice
from multiprocessing import current_process
from typing import TYPE_CHECKING

from timbra.core.errors import ServiceError
from timbra.pools import ProcessBusyError, ProcessPool, ProcessTimeoutError, WorkerDiedError

if TYPE_CHECKING:
    from pypdf import PdfReader

HEADER, HEADER_ROOM = b"%PDF-", 1024
PROCESSES = 2
MEMORY_BYTES = 512 * 1024 * 1024
SECONDS = 10.0
"""Timeout of a PDF on a loaded machine; an ordinary print takes 30 ms."""
NICENESS = 5
BUSY_SECONDS = 5
MAX_ATTACHMENTS = 50
"""Attached files that are looked at."""
MAX_XML_BYTES = 40 * 1024 * 1024
"""Size of an attached file, decompressed."""
MAX_STREAM_BYTES = 16 * 1024 * 1024
"""Size of the content of a page or of a stream of objects, decompressed."""
MAX_OBJECTS = 200_000
MAX_EDGE_PAGES = 3
"""Pages at the beginning and at the end whose text is read: totals are there."""
MAX_TEXT = 400_000
OWN_KEYWORD = "Timbra"
_NAMESPACES = (b"http://www.sat.gob.mx/cfd", b"http://www.sat.gob.mx/esquemas/retencionpago/")

POOL = ProcessPool(PROCESSES, MEMORY_BYTES, SECONDS, NICENESS)
"""The pool of this process; a child starts at its first use."""


@dataclass(frozen=True, slots=True)
class PdfContent:
    """What a validation reads of a PDF.

    Attributes:
        xml: the attached CFDI; None without one.
        text: the text of the first and the last pages; empty when they have none, as scanned pages.
        is_own: whether the metadata name this program as what has printed it.
    """

    xml: bytes | None = field(repr=False)
    text: str = field(repr=False)
    is_own: bool


def is_pdf(content: bytes) -> bool:
    """Whether content begins as a PDF; blanks may precede its header."""
    return content[:HEADER_ROOM].lstrip().startswith(HEADER)


def read_pdf(content: bytes) -> PdfContent:
    """Read a PDF in a child process, or in this one when it is such a child; blocks the calling thread.

    Raises:
        ServiceError: "source-unreadable" for a PDF that is damaged, encrypted, or exceeds the limits; "CO1000" with
            `retry_after` while no process is free.
    """
    try:
        found = _read(content) if current_process().daemon else POOL.call(_read, content)
    except ProcessBusyError as cause:
        raise ServiceError("CO1000", "Hay demasiados PDF en espera.", retry_after=BUSY_SECONDS) from cause
    except (ProcessTimeoutError, WorkerDiedError, MemoryError) as cause:
        raise ServiceError("source-unreadable", "Leer el PDF exige demasiado tiempo o memoria.") from cause
    if found is None:
        raise ServiceError("source-unreadable", "El PDF está dañado o cifrado.")
    return found


def _read(content: bytes) -> PdfContent | None:
    """Read a PDF; None for one that cannot be read. Runs in the child."""
    import logging

    import pypdf

    logging.getLogger("pypdf").setLevel(logging.CRITICAL + 1)  # it logs each defect
    with pypdf.apply_configuration(
        jbig2dec_binary=None,
        zlib_maximum_output_length=MAX_XML_BYTES,
        lzw_maximum_output_length=MAX_STREAM_BYTES,
        run_length_maximum_output_length=MAX_STREAM_BYTES,
        stream_decoding_work_maximum_length=2 * MAX_XML_BYTES,
        maximum_declared_stream_length=MAX_XML_BYTES,
        page_tree_maximum_entries=MAX_OBJECTS,
    ):
        try:
            reader = pypdf.PdfReader(BytesIO(content), xref_stream_maximum_entries=MAX_OBJECTS)
            metadata = reader.metadata
            keywords = "" if metadata is None else str(metadata.get("/Keywords", ""))
            xml = next((each for each in _attached(reader) if _is_cfdi(each)), None)
        except MemoryError:
            raise
        except Exception:  # whatever a damaged file makes of the library
            return None
        return PdfContent(xml, "" if xml is None else _text(reader), OWN_KEYWORD in keywords)


def _attached(reader: PdfReader) -> Iterator[bytes]:
    """Yield the attached files."""
    for attachment in islice(reader.attachment_list, MAX_ATTACHMENTS):
        yield attachment.content


def _is_cfdi(content: bytes) -> bool:
    return any(namespace in content for namespace in _NAMESPACES)


def _text(reader: PdfReader) -> str:
    """Return the text of the first and the last pages; empty when it cannot be read."""
    try:
        count = len(reader.pages)
        numbers = dict.fromkeys((*range(min(MAX_EDGE_PAGES, count)), *range(max(0, count - MAX_EDGE_PAGES), count)))
        return "\n".join(reader.pages[number].extract_text() for number in numbers)[:MAX_TEXT]
    except MemoryError:
        raise
    except Exception:  # the attached CFDI is evaluated in any case
        return ""
