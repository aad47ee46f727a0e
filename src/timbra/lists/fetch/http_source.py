"""Lists over HTTP(S): a container with a listing (Azure), a folder with the SAT's file names, or one file."""

from __future__ import annotations

import base64
import binascii
import io
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from itertools import takewhile
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

from lxml import etree

from timbra.core.clock import CENTRAL_MEXICO, Clock
from timbra.core.errors import ServiceError
from timbra.lists.fetch.source import UNAVAILABLE, SourceFile, require_digests
from timbra.lists.sources.part_names import ListKind
from timbra.lists.sources.text import is_html
from timbra.sat.transport import SUCCESS, HttpHead, Transport

NOT_MODIFIED = 304
ABSENT = (404, 410)
MAX_LISTING_BYTES = 16 * 1024 * 1024
MAX_PAGES = 100
MAX_FILE_BYTES = 8 * 1024**3
LISTING_SECONDS = 60.0
MAX_PARTS = 200
DAYS_BACK = 10
"""How many days a folder without a listing is searched for the newest list."""
_ETAG, _MODIFIED = "etag:", "modified:"
_NAMES = {
    ListKind.LCO: ("LCO_{:%Y-%m-%d}", ".XML.gz"),
    ListKind.LRFC: ("l_RFC_{:%Y_%m_%d}", ".txt.gz"),
    ListKind.LCNE: ("L_CNE_{:%Y_%m_%d}", ".txt.gz"),
}
_PREFIXES = {ListKind.LCO: "LCO_", ListKind.LRFC: "l_RFC_", ListKind.LCNE: "L_CNE_"}


MISSING = frozenset({401, 403, 404, 410, 502, 503, 504})
"""Answers to HEAD of an address that has no file to download; servers may refuse the method by other ones."""


class HttpDownloads:
    """Conditional requests for files, with their hashes and sizes verified."""

    def __init__(self, transport: Transport, seconds: float) -> None:
        """Use a transport. `seconds`: The timeout of a whole file."""
        self.transport = transport
        self._seconds = seconds

    def head(self, url: str) -> HttpHead:
        """Return status and headers of a file."""
        return self.transport.download(
            url, io.BytesIO(), seconds=LISTING_SECONDS, max_bytes=MAX_LISTING_BYTES, method="HEAD"
        )

    def get(self, url: str, file: SourceFile, known_version: str, path: Path) -> SourceFile | None:
        """See `FileSource.download`."""
        with path.open("wb") as target:
            head = self.transport.download(
                url, target, seconds=self._seconds, max_bytes=MAX_FILE_BYTES, headers=_conditions(known_version)
            )
        if head.status == NOT_MODIFIED:
            return None
        if head.status != SUCCESS:
            raise ServiceError(UNAVAILABLE, f"{file.name}: la fuente respondió con el estado HTTP {head.status}.")
        _require_content(path, head)
        found = described(file.name, head.headers)
        # A file that was replaced after the listing has other hashes than the listing says.
        digests = found.digests if found.version != file.version else {**file.digests, **found.digests}
        require_digests(path, digests)
        return found


class ContainerSource:
    """A container of Azure's storage: its listing names the files, with their ETag and Content-MD5."""

    def __init__(self, url: str, downloads: HttpDownloads) -> None:
        """Use a container.

        Args:
            url: The address of the container; its query string, such as an access signature, goes into every request.
            downloads: Makes the requests.
        """
        parts = urlsplit(url)
        self._url, self._query = parts._replace(query="").geturl().rstrip("/"), parts.query
        self._downloads = downloads

    def files(self, kind: ListKind) -> Sequence[SourceFile]:
        return list(self._pages(_PREFIXES[kind])) if kind in _PREFIXES else []

    def download(self, file: SourceFile, known_version: str, path: Path) -> SourceFile | None:
        url = _with_query(f"{self._url}/{quote(file.name)}", self._query)
        return self._downloads.get(url, file, known_version, path)

    def require(self, file: SourceFile) -> None:
        """Query a file without a download. Raises ServiceError: The container does not permit reading it."""
        head = self._downloads.head(_with_query(f"{self._url}/{quote(file.name)}", self._query))
        if head.status != SUCCESS:
            raise ServiceError(UNAVAILABLE, f"{file.name}: la fuente respondió con el estado HTTP {head.status}.")

    def _pages(self, prefix: str) -> Iterator[SourceFile]:
        marker = ""
        for _ in range(MAX_PAGES):
            asked = {"restype": "container", "comp": "list", "prefix": prefix, **({"marker": marker} if marker else {})}
            root = self._listing(_with_query(f"{self._url}?{urlencode(asked)}", self._query))
            for blob in root.iter("{*}Blob"):
                name, properties = blob.findtext("{*}Name", ""), blob.find("{*}Properties")
                entries = [] if properties is None else properties.iterchildren("*")
                values = {etree.QName(entry).localname.lower(): (entry.text or "").strip() for entry in entries}
                yield described(name, values)
            marker = (root.findtext("{*}NextMarker") or "").strip()
            if not marker:
                return
        raise ServiceError(UNAVAILABLE, f"El contenedor tiene más de {MAX_PAGES} páginas de {prefix}.")

    def _listing(self, url: str) -> etree._Element:
        response = self._downloads.transport.exchange("GET", url, seconds=LISTING_SECONDS, max_bytes=MAX_LISTING_BYTES)
        if response.status != SUCCESS:
            raise ServiceError(UNAVAILABLE, f"El contenedor respondió con el estado HTTP {response.status}.")
        if is_html(response.body):
            raise ServiceError(UNAVAILABLE, "El contenedor respondió con una página HTML.")
        try:
            root = etree.fromstring(response.body, etree.XMLParser(resolve_entities=False, no_network=True))
        except etree.XMLSyntaxError as cause:
            raise ServiceError(UNAVAILABLE, "El listado del contenedor no es XML.") from cause
        if etree.QName(root).localname != "EnumerationResults":
            raise ServiceError(UNAVAILABLE, "La respuesta del contenedor no es un listado.")
        return root


class NamedFilesSource:
    """A folder over HTTP without a listing: files are found by the SAT's names, day by day and part by part."""

    def __init__(self, url: str, downloads: HttpDownloads, wall: Clock) -> None:
        """Use a folder.

        Args:
            url: The address of the folder.
            downloads: Makes the requests.
            wall: Tells today.
        """
        parts = urlsplit(url)
        self._url, self._query = parts._replace(query="").geturl().rstrip("/"), parts.query
        self._downloads = downloads
        self._wall = wall

    def files(self, kind: ListKind) -> Sequence[SourceFile]:
        """See `FileSource.files`: the files of the newest day that has some."""
        if kind not in _NAMES:
            return []
        today = self._wall.now().astimezone(CENTRAL_MEXICO).date()
        for days in range(DAYS_BACK):
            stem, suffix = _NAMES[kind][0].format(today - timedelta(days=days)), _NAMES[kind][1]
            numbered = (self._file(f"{stem}_{number}{suffix}") for number in range(1, MAX_PARTS))
            found = [file for file in takewhile(lambda file: file is not None, numbered) if file is not None]
            if found:
                control = self._file(f"{stem}_control.txt")
                return found if control is None else [*found, control]
        return []

    def download(self, file: SourceFile, known_version: str, path: Path) -> SourceFile | None:
        return self._downloads.get(self._address(file.name), file, known_version, path)

    def _address(self, name: str) -> str:
        return _with_query(f"{self._url}/{quote(name)}", self._query)

    def _file(self, name: str) -> SourceFile | None:
        head = self._downloads.head(self._address(name))
        if head.status in ABSENT:
            return None
        if head.status != SUCCESS:
            raise ServiceError(UNAVAILABLE, f"{name}: la fuente respondió con el estado HTTP {head.status}.")
        return described(name, head.headers)


class SingleFileSource:
    """One file over HTTP, such as the list of article 69-B; whether it changed is known by a conditional request."""

    def __init__(self, url: str, downloads: HttpDownloads) -> None:
        """Use a file. `downloads`: Makes the requests."""
        self._url = url
        self._downloads = downloads

    def require(self) -> None:
        """Query the address without a download; `files` does not.

        Raises:
            ServiceError: The address does not answer, or has no such file.
        """
        status = self._downloads.head(self._url).status
        if status in MISSING:
            raise ServiceError(UNAVAILABLE, f"La fuente respondió con el estado HTTP {status}.")

    def files(self, kind: ListKind) -> Sequence[SourceFile]:
        name = Path(urlsplit(self._url).path).name or str(kind)
        return [SourceFile(name, "")]

    def download(self, file: SourceFile, known_version: str, path: Path) -> SourceFile | None:
        return self._downloads.get(self._url, file, known_version, path)


def described(name: str, values: Mapping[str, str]) -> SourceFile:
    """Return a file with what HTTP headers, or properties of a listing, say about it.

    Args:
        values: Headers or properties, names in lower case.
    """
    tag, modified = values.get("etag", ""), values.get("last-modified", "")
    version = _ETAG + tag if tag else _MODIFIED + modified if modified else ""
    digests = {}
    if "content-md5" in values:
        try:
            digests["md5"] = base64.b64decode(values["content-md5"], validate=True).hex()
        except binascii.Error:
            digests["md5"] = values["content-md5"]
    return SourceFile(name, version, _instant(modified), digests)


def _conditions(version: str) -> dict[str, str]:
    if version.startswith(_ETAG):
        return {"If-None-Match": version.removeprefix(_ETAG)}
    if version.startswith(_MODIFIED):
        return {"If-Modified-Since": version.removeprefix(_MODIFIED)}
    return {}


def _require_content(path: Path, head: HttpHead) -> None:
    """Check that the body is complete and no HTML page."""
    declared, size = head.headers.get("content-length", ""), path.stat().st_size
    if declared.isdigit() and int(declared) != size:
        raise ServiceError(UNAVAILABLE, f"{path.name}: llegaron {size} de {declared} bytes.")
    with path.open("rb") as file:
        start = file.read(1024)
    if is_html(start) or head.headers.get("content-type", "").lower().startswith("text/html"):
        raise ServiceError("list-unreadable", f"{path.name}: la fuente respondió con una página HTML.")


def _instant(modified: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(modified) if modified else None
    except ValueError:
        return None
    return None if found is None else found.astimezone(UTC)


def _with_query(url: str, query: str) -> str:
    return f"{url}{'&' if '?' in url else '?'}{query}" if query else url
