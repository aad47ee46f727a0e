"""Reception of retenciones by REST.

The content of the SAT's acuse of reception is not public; it is answered as that of a CFDI.
"""

from __future__ import annotations

from dataclasses import dataclass

from timbra.emulator.acuses import Reception
from timbra.emulator.faults import ScriptedFaults
from timbra.emulator.received_documents import Announcement, DeliveryError, ReceivedDocuments
from timbra.emulator.services.reception import Authorize


@dataclass(frozen=True, slots=True)
class RetencionesReception:
    """Reception of one document in a form.

    Attributes:
        documents: Receives documents.
        authorize: Verifies tokens of the reception of retenciones.
    """

    documents: ReceivedDocuments
    authorize: Authorize

    def receive(
        self, authorization: str, schema_version: str, name: str, xml: bytes, faults: ScriptedFaults
    ) -> Reception:
        """Receive a document.

        Args:
            authorization: The HTTP header Authorization.
            schema_version: The parameter `versionEsquema`.
            name: The file name of the part: the UUID with `.xml`.
            xml: The content of the part.
            faults: The scripted faults of the request.

        Raises:
            AccessTokenError: The token is not valid.
        """
        provider = self.authorize(authorization, faults)
        announced = Announcement(name.removesuffix(".xml"), version=schema_version, retenciones=True)
        try:
            return self.documents.receive(provider, announced, xml, faults)
        except DeliveryError as error:
            return self.documents.result(provider.rfc, announced, error.incidencia.code, [error.incidencia])
