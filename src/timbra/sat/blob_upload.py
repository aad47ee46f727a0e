"""Upload of documents to the container that the SAT gives a provider, with a write-only access signature."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import quote

from timbra.core.errors import ServiceError
from timbra.sat.reception_port import StampedDocument
from timbra.sat.transport import Transport, down

CREATED = 201
MAX_RESPONSE_BYTES = 64 * 1024
_NOT_ADMITTED = range(400, 500)
_TEMPORARY = frozenset({408, 429})


@dataclass(frozen=True, slots=True)
class BlobContainer:
    """A container.

    Attributes:
        address: The address of the container, without a query string.
        access_signature: The query string that permits writing; some settings write `|` instead of `&`.
    """

    address: str
    access_signature: str = field(repr=False)

    def path(self, uuid: str) -> str:
        """Return the address of a document without the access signature, as it is announced."""
        return f"{self.address.rstrip('/')}/{quote(uuid)}.xml"

    @property
    def query(self) -> str:
        """The query string of an upload."""
        return "?" + self.access_signature.strip().lstrip("?").replace("|", "&")


class BlobUpload:
    """Uploads to one container."""

    def __init__(self, container: BlobContainer, transport: Transport) -> None:
        self.container = container
        self._transport = transport

    def put(self, document: StampedDocument, seconds: float) -> str:
        """Upload a document and return its path; an earlier upload of it is replaced.

        Args:
            seconds: The timeout.

        Raises:
            ServiceError: "authority-down" when it is unknown whether the storage has the document;
                "delivery-rejected" when the storage does not admit it, such as for another access signature.
        """
        path = self.container.path(document.uuid)
        response = self._transport.exchange(
            "PUT",
            path + self.container.query,
            seconds=seconds,
            max_bytes=MAX_RESPONSE_BYTES,
            content=document.xml,
            headers={
                "x-ms-version": "2011-08-18",
                "x-ms-blob-type": "BlockBlob",
                "x-ms-meta-versionCFDI": document.version,
            },
        )
        if response.status in _NOT_ADMITTED and response.status not in _TEMPORARY:
            raise ServiceError("delivery-rejected", f"El almacén del SAT respondió {response.status} a la carga.")
        if response.status != CREATED:
            raise down(f"El almacén respondió con el estado HTTP {response.status}.")
        return path
