"""The documents of uploaded files: XML, PDF with a CFDI, and ZIP archives of them, within bounds."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field
from io import BytesIO
from zipfile import BadZipFile

from timbra.console.sources import documents_among, kind_of
from timbra.core.errors import ServiceError
from timbra.core.zip_archives import ZipReader

MAX_DOCUMENTS = 2_000
"""Files of an upload, members of an archive, and documents of all."""
MAX_UNPACKED_BYTES = 40 * 1024 * 1024
"""Bytes of the documents of all archives of an upload."""


@dataclass(frozen=True, slots=True)
class ChosenFile:
    """An uploaded file.

    Attributes:
        is_of_folder: whether it came with its folder; another file there is ignored by its name.
    """

    name: str
    content: bytes = field(repr=False)
    is_of_folder: bool = False


@dataclass(frozen=True, slots=True)
class UploadedDocument:
    """A document of an upload.

    Attributes:
        name: name of the file, `archive.zip!member.xml` in an archive.
        rejection: why its content cannot be read; None for one that can.
    """

    name: str
    content: bytes = field(repr=False, default=b"")
    rejection: ServiceError | None = None


@dataclass(frozen=True, slots=True)
class Upload:
    """The documents of uploaded files, and the number of files of folders and archives that are none."""

    documents: tuple[UploadedDocument, ...]
    ignored: int


def documents_of(files: Iterable[ChosenFile]) -> Upload:
    """List the documents of uploaded files. An archive that cannot be read is a document with a rejection.

    Raises:
        ServiceError: "TB4005" for more than `MAX_DOCUMENTS`.
    """
    documents: list[UploadedDocument] = []
    ignored, room = 0, MAX_UNPACKED_BYTES
    files = [*files]
    of_folders = documents_among([file.name for file in files if file.is_of_folder], with_pdf=True)
    for file in files:
        if kind_of(file.content) == "zip":
            try:
                found, others = _members(file, room)
            except BadZipFile as error:
                found, others = (
                    [UploadedDocument(file.name, rejection=ServiceError("source-unreadable", str(error)))],
                    0,
                )
            room -= sum(len(each.content) for each in found)
            documents += found
            ignored += others
        elif file.is_of_folder and file.name not in of_folders:
            ignored += 1
        else:
            documents.append(UploadedDocument(file.name, file.content))
        if len(documents) > MAX_DOCUMENTS:
            raise ServiceError("TB4005", f"Un envío admite a lo más {MAX_DOCUMENTS:,} documentos; use varios envíos.")
    return Upload(tuple(documents), ignored)


def _members(file: ChosenFile, room: int) -> tuple[list[UploadedDocument], int]:
    """Return the documents of an archive, and the number of its other files.

    Raises:
        BadZipFile: The archive is damaged or exceeds its limits.
    """
    with closing(BytesIO(file.content)) as source:
        reader = ZipReader(source, MAX_DOCUMENTS, max(room, 0))
        documents = documents_among([member.filename for member in reader.files], with_pdf=True)
        wanted = [member for member in reader.files if member.filename in documents]
        found = [
            UploadedDocument(f"{file.name}!{member.filename}", reader.read(member, MAX_UNPACKED_BYTES))
            for member in wanted
        ]
    return found, len(reader.files) - len(wanted)
