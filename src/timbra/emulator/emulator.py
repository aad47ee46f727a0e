"""The emulator of one data folder: its services over the simulated SAT."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from timbra.database.database import Database
from timbra.emulator.acuses import ReceptionStore
from timbra.emulator.bulk.bulk_download import BulkDownload
from timbra.emulator.bulk.contract import DocumentRegister
from timbra.emulator.credentials import open_secret
from timbra.emulator.faults import EmulatedService, ScriptedFaults
from timbra.emulator.list_files import ListFiles
from timbra.emulator.options import EmulatorConfiguration
from timbra.emulator.providers import EmulatedProvider, EmulatedProviders
from timbra.emulator.received_documents import ReceivedDocuments
from timbra.emulator.registry_rows import RegistryRows
from timbra.emulator.services.acceptance import AcceptanceEndpoint
from timbra.emulator.services.authentication import Authentication
from timbra.emulator.services.blobs import BlobStorage
from timbra.emulator.services.cancellation import CancellationEndpoint
from timbra.emulator.services.lists import ListContainer
from timbra.emulator.services.reception import Authorize, ReceptionEndpoint
from timbra.emulator.services.relations import RelationsEndpoint
from timbra.emulator.services.retenciones import RetencionesReception
from timbra.emulator.services.retenciones_cancellation import RetencionesCancellation
from timbra.emulator.services.status import StatusQueries
from timbra.emulator.simulated_sat import SimulatedSat
from timbra.emulator.soap import SoapEndpoint
from timbra.emulator.tokens import AccessTokenError, AccessTokens, Audience

FOLDER = "emulator"


@dataclass(frozen=True, slots=True)
class EmulatedSoapService:
    """A SOAP service at its address.

    Attributes:
        service: Its name in scripts of faults.
        endpoint: Its operations.
    """

    service: EmulatedService
    endpoint: SoapEndpoint


class Emulator:
    """The services of the emulator.

    Attributes:
        sat: The simulated SAT.
        configuration: Options and faults.
        tokens: The tokens of providers.
        providers: The registered providers.
        storage: The uploaded documents.
        receptions: The acuses of received documents.
        list_files: The files of the lists.
        lists: The container of the lists.
        retenciones: The reception of retenciones.
        retenciones_cancellation: The cancellation of retenciones.
        bulk_download: The bulk download of both registers.
        soap: The SOAP services by path.
    """

    def __init__(
        self,
        sat: SimulatedSat,
        rows: RegistryRows,
        data: Path,
        configuration: EmulatorConfiguration,
        database: Database,
    ) -> None:
        """Build the services.

        Args:
            rows: Reads the published rows of the registry.
            data: The data folder; the emulator keeps its files in a folder inside it.
            configuration: Options and faults.
            database: Has the documents of the bulk download, and its requests.

        Raises:
            ServiceError: "emulator-configuration" when a file of the emulator cannot be read.
        """
        folder = data / FOLDER
        self.sat = sat
        self.configuration = configuration
        self.tokens = AccessTokens(open_secret(folder / "token.key"), sat.wall, self._token_seconds)
        self.providers = EmulatedProviders(sat, folder / "providers")
        self.storage = BlobStorage(folder / "blobs", self.providers)
        self.receptions = ReceptionStore(folder / "receptions")
        self.list_files = ListFiles(sat, configuration, folder / "lists", rows.rows, rows.version)
        self.lists = ListContainer(self.list_files)
        documents = ReceivedDocuments(sat, self.receptions, configuration)
        self.retenciones = RetencionesReception(documents, self._authorize(Audience.RETENCIONES_RECEPTION))
        self.retenciones_cancellation = RetencionesCancellation(
            sat, self._authorize(Audience.RETENCIONES_CANCELLATION), folder / "retenciones"
        )
        self.bulk_download = BulkDownload(sat, database, folder, configuration.bulk_download, self._received_xml)
        self.soap = {**self._soap_services(documents), **self._bulk_download_services()}

    def close(self) -> None:
        """End the threads."""
        self.bulk_download.close()

    def expire_tokens(self) -> datetime:
        """Expire every token that was issued until now; return the instant."""
        self.bulk_download.tokens.expire_all()
        return self.tokens.expire_all()

    def _received_xml(self, uuid: str) -> bytes | None:
        """Return the XML that a provider uploaded and announced; the folio is in lower case."""
        reception = self.receptions.get(uuid)
        if reception is None:
            return None
        container = reception.provider_rfc.lower()
        for name in dict.fromkeys((reception.uuid, uuid.upper(), uuid)):
            blob = self.storage.read(container, f"{name}.xml")
            if blob is not None:
                return blob.content
        return None

    def _bulk_download_services(self) -> Mapping[str, EmulatedSoapService]:
        kinds = (
            EmulatedService.DOWNLOAD_AUTHENTICATION,
            EmulatedService.DOWNLOAD_REQUEST,
            EmulatedService.DOWNLOAD_VERIFICATION,
            EmulatedService.DOWNLOAD_PACKAGE,
        )
        return {
            register.path + path: EmulatedSoapService(kind, endpoint)
            for register in DocumentRegister
            for kind, (path, endpoint) in zip(kinds, self.bulk_download.services(register), strict=True)
        }

    def _soap_services(self, documents: ReceivedDocuments) -> Mapping[str, EmulatedSoapService]:
        login = Authentication(self.providers, self.tokens, self.configuration, self.sat.wall)
        reception = ReceptionEndpoint(documents, self.storage, self._authorize(Audience.RECEPTION)).endpoint()
        cancelling = self._authorize(Audience.CANCELLATION)
        kinds = EmulatedService
        return {
            "/Seguridad/Autenticacion.svc": EmulatedSoapService(
                kinds.AUTHENTICATION, login.endpoint(Audience.RECEPTION)
            ),
            "/Recepcion/CFDI40/RecibeCFDIService.svc": EmulatedSoapService(kinds.RECEPTION, reception),
            "/Recepcion/CFDI33/RecibeCFDIService.svc": EmulatedSoapService(kinds.RECEPTION, reception),
            "/Autenticacion/Autenticacion.svc": EmulatedSoapService(
                kinds.AUTHENTICATION, login.endpoint(Audience.CANCELLATION)
            ),
            "/Cancelacion/CancelaCFDService.svc": EmulatedSoapService(
                kinds.CANCELLATION, CancellationEndpoint(self.sat, cancelling).endpoint()
            ),
            "/AceptacionRechazo/AceptacionRechazoService.svc": EmulatedSoapService(
                kinds.ACCEPTANCE, AcceptanceEndpoint(self.sat, cancelling).endpoint()
            ),
            "/ConsultaRelacionados/CfdiConsultaRelacionadosService.svc": EmulatedSoapService(
                kinds.RELATIONS, RelationsEndpoint(self.sat, cancelling).endpoint()
            ),
            "/ConsultaCFDIService.svc": EmulatedSoapService(kinds.STATUS, StatusQueries(self.sat).endpoint()),
            "/retenciones/Seguridad/Autenticacion.svc": EmulatedSoapService(
                kinds.AUTHENTICATION, login.endpoint(Audience.RETENCIONES_RECEPTION)
            ),
            "/retenciones/Autenticacion/Autenticacion.svc": EmulatedSoapService(
                kinds.AUTHENTICATION, login.endpoint(Audience.RETENCIONES_CANCELLATION)
            ),
        }

    def _authorize(self, audience: Audience) -> Authorize:
        def authorize(authorization: str, faults: ScriptedFaults) -> EmulatedProvider:
            if faults.get("stale-token") is not None:
                raise AccessTokenError("El token venció.")
            provider = self.providers.get(self.tokens.verify(authorization, audience))
            if provider is None:
                raise AccessTokenError("El proveedor del token no está registrado.")
            return provider

        return authorize

    def _token_seconds(self) -> int:
        return self.configuration.options.token_seconds
