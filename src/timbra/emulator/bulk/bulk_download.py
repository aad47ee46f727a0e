"""The bulk download of both registers, over the ledger of the sandbox."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from timbra.database.database import Database
from timbra.emulator.bulk.access import DownloadAccess
from timbra.emulator.bulk.authentication import BulkDownloadAuthentication
from timbra.emulator.bulk.contract import PATHS, DocumentRegister
from timbra.emulator.bulk.documents import DownloadDocuments
from timbra.emulator.bulk.endpoints import BulkDownloadEndpoints
from timbra.emulator.bulk.options import BulkDownloadOptions
from timbra.emulator.bulk.processing import DownloadRequests
from timbra.emulator.bulk.store import DownloadRequestStore
from timbra.emulator.bulk.tokens import BulkDownloadTokens
from timbra.emulator.credentials import open_secret
from timbra.emulator.simulated_sat import SimulatedSat
from timbra.emulator.soap import SoapEndpoint


class BulkDownload:
    """The services, their tokens and their requests.

    Attributes:
        tokens: The tokens of both registers.
        requests: The requests of both registers.
    """

    def __init__(
        self,
        sat: SimulatedSat,
        database: Database,
        folder: Path,
        options: Callable[[], BulkDownloadOptions],
        received_xml: Callable[[str], bytes | None],
    ) -> None:
        """Build the services.

        Args:
            sat: The simulated SAT.
            database: The database of the ledger.
            folder: The folder of the emulator.
            options: Returns the options in force.
            received_xml: Returns the XML of a document that another provider delivered, by its folio in lower case.
        """
        self._sat = sat
        self._options = options
        self.tokens = BulkDownloadTokens(
            open_secret(folder / "bulk-download.key"), sat.wall, lambda: options().token_seconds
        )
        self.requests = DownloadRequests(
            DownloadRequestStore(database),
            DownloadDocuments(database, sat.ledger, received_xml),
            sat.ledger.clock,
            folder / "packages",
            options,
        )
        self._access = DownloadAccess(sat, self.tokens, options)

    def services(self, register: DocumentRegister) -> Sequence[tuple[str, SoapEndpoint]]:
        """Return path and operations of each service: authentication, request, verification, download."""
        endpoints = BulkDownloadEndpoints(register, self._access, self.requests, self._options)
        found = (
            BulkDownloadAuthentication(self.tokens, self._sat.wall, register).endpoint(),
            endpoints.request_service(),
            endpoints.verification_service(),
            endpoints.download_service(),
        )
        return tuple(zip(PATHS, found, strict=True))

    def close(self) -> None:
        """End the thread that makes packages."""
        self.requests.close()
