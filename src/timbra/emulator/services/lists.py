"""The container of the lists, with the listing of Azure's storage and conditional requests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import format_datetime, parsedate_to_datetime
from urllib.parse import quote
from xml.sax.saxutils import escape

from timbra.emulator.list_files import ListFiles, PublishedFile
from timbra.emulator.services.blobs import StorageError

MAX_RESULTS = 5000


@dataclass(frozen=True, slots=True)
class ListResponse:
    """The response to a download.

    Attributes:
        status: 200, or 304 when the caller has the file.
        headers: The HTTP headers.
        content: The bytes; empty with 304.
    """

    status: int
    headers: Mapping[str, str]
    content: bytes = field(repr=False)


class ListContainer:
    """Read access to the files of the lists."""

    def __init__(self, files: ListFiles) -> None:
        self._files = files

    def listing(self, address: str, query: Mapping[str, str]) -> bytes:
        """Return the files whose names begin with a prefix.

        Args:
            query: The parameters `prefix`, `marker` and `maxresults` of the listing.

        Raises:
            StorageError: Another request than `restype=container&comp=list`.
        """
        if (query.get("restype"), query.get("comp")) != ("container", "list"):
            raise StorageError(404, "ResourceNotFound", "Pida ?restype=container&comp=list o un archivo.")
        prefix, marker = query.get("prefix", ""), query.get("marker", "")
        count = query.get("maxresults", str(MAX_RESULTS))
        if not (count.isascii() and count.isdigit()) or not 1 <= int(count) <= MAX_RESULTS:
            raise StorageError(400, "OutOfRangeQueryParameterValue", f"maxresults va de 1 a {MAX_RESULTS}.")
        found = [file for file in self._files.files() if file.name.startswith(prefix) and file.name >= marker]
        page, rest = found[: int(count)], found[int(count) :]
        blobs = "".join(_entry(address, file) for file in page)
        following = f"<NextMarker>{escape(rest[0].name)}</NextMarker>" if rest else "<NextMarker />"
        return (
            f'<?xml version="1.0" encoding="utf-8"?><EnumerationResults ContainerName="{escape(address)}">'
            f"<Prefix>{escape(prefix)}</Prefix><Blobs>{blobs}</Blobs>{following}</EnumerationResults>"
        ).encode()

    def download(self, name: str, headers: Mapping[str, str]) -> ListResponse:
        """Return a file; 304 when the request has its ETag or its date.

        Args:
            name: The name of the file.
            headers: The HTTP headers, names in lower case.

        Raises:
            StorageError: There is no such file.
        """
        file = next((file for file in self._files.files() if file.name == name), None)
        if file is None:
            raise StorageError(404, "BlobNotFound", f"No hay un archivo {name[:100]!r}.")
        described = {
            "ETag": _tag(file),
            "Last-Modified": _date(file),
            "Content-MD5": file.md5,
            "x-ms-blob-type": "BlockBlob",
        }
        if _is_known(file, headers):
            return ListResponse(304, described, b"")
        return ListResponse(200, described, file.content)


def _entry(address: str, file: PublishedFile) -> str:
    return (
        f"<Blob><Name>{escape(file.name)}</Name><Url>{escape(address)}/{quote(file.name)}</Url><Properties>"
        f"<Last-Modified>{_date(file)}</Last-Modified><Etag>{escape(_tag(file))}</Etag>"
        f"<Content-Length>{len(file.content)}</Content-Length><Content-Type>application/octet-stream</Content-Type>"
        f"<Content-MD5>{file.md5}</Content-MD5><BlobType>BlockBlob</BlobType></Properties></Blob>"
    )


def _is_known(file: PublishedFile, headers: Mapping[str, str]) -> bool:
    known = headers.get("if-none-match")
    if known is not None:
        return known.strip() in ("*", _tag(file))
    since = headers.get("if-modified-since")
    try:
        return since is not None and file.modified_at.replace(microsecond=0) <= parsedate_to_datetime(since)
    except (ValueError, TypeError):
        return False


def _tag(file: PublishedFile) -> str:
    return f'"{file.md5}"'


def _date(file: PublishedFile) -> str:
    return format_datetime(file.modified_at, usegmt=True)
