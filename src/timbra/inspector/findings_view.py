"""What a client did wrong, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from timbra.inspector.client_behavior import ClientFault, ClientFinding

TITLES: Final = {
    ClientFault.OTHER_BYTES: "Repitió con otros bytes",
    ClientFault.IGNORED_REPEAT: "Ignoró el 307",
    ClientFault.NO_RETRY: "No repitió la petición",
    ClientFault.RETRIED_AT_ONCE: "Repitió antes de tiempo",
}
ADVICE: Final = {
    ClientFault.OTHER_BYTES: (
        "No supo si el documento se timbró y envió otro: puede haber dos timbres de la misma operación. Guarde el "
        "documento antes de enviarlo y repita exactamente los mismos bytes."
    ),
    ClientFault.IGNORED_REPEAT: (
        "El 307 trae el timbre que ya existe; la operación está terminada. Guarde ese timbre y no vuelva a enviar."
    ),
    ClientFault.NO_RETRY: (
        "La respuesta no decidió nada sobre el documento, y la petición no se repitió en un minuto. Repita los mismos "
        "bytes hasta obtener el timbre o un rechazo."
    ),
    ClientFault.RETRIED_AT_ONCE: "Espere los segundos que dice Retry-After antes de repetir.",
}


@dataclass(frozen=True, slots=True)
class ClientFindingView:
    """A mistake of a client.

    Attributes:
        first: Number of the call whose answer the client had to survive.
        second: Number of the call that was wrong; None for one that is missing.
    """

    title: str
    advice: str
    first: int
    second: int | None


def client_finding_view(finding: ClientFinding) -> ClientFindingView:
    """Return a mistake in words."""
    advice = ADVICE[finding.fault]
    if finding.seconds is not None:
        waited, wanted = finding.seconds
        advice = f"Esperó {waited:g} s de {wanted:g} s. {advice}"
    return ClientFindingView(TITLES[finding.fault], advice, finding.first, finding.second)
