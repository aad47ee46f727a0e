"""The SAT's own services, as the settings name them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from timbra.clock import Clock
from timbra.settings import Settings

if TYPE_CHECKING:
    from timbra.authority.sat.cancellation import SatCancellations
    from timbra.authority.sat.repository import CertificateRepository
    from timbra.authority.sat.soap import SoapService
    from timbra.authority.sat.status import SatStatus
    from timbra.seals.trust import Trust


def sat_status(settings: Settings, wall: Clock) -> SatStatus:
    """ConsultaCFDIService."""
    from timbra.authority.sat.answers import LastAnswers
    from timbra.authority.sat.breaker import Breaker
    from timbra.authority.sat.patience import Patience
    from timbra.authority.sat.soap import SoapService
    from timbra.authority.sat.status import SatStatus
    from timbra.authority.sat.transport import Transport

    service = SoapService(settings.sat_status_url, Transport())
    patience = Patience(settings.sat_seconds, settings.sat_attempts)
    return SatStatus(service, LastAnswers(wall), Breaker(), patience)


def sat_cancellations(settings: Settings) -> SatCancellations:
    """The services of cancellation; those without an address refuse. The provider's own login is not among them."""
    from timbra.authority.sat.breaker import Breaker
    from timbra.authority.sat.cancellation import LIMITS, SatCancellations, Services
    from timbra.authority.sat.patience import Patience
    from timbra.authority.sat.soap import SoapService
    from timbra.authority.sat.transport import Transport

    transport = Transport()

    def service(url: str) -> SoapService | None:
        return SoapService(url, transport, LIMITS) if url else None

    services = Services(
        service(settings.sat_cancel_url), service(settings.sat_answer_url), service(settings.sat_relations_url)
    )
    return SatCancellations(services, Breaker(), Patience(settings.sat_seconds, settings.sat_attempts))


def certificate_repository(settings: Settings, folder: Path, trust: Trust) -> CertificateRepository | None:
    """The repository of certificates, which keeps what it finds in the folder; None when it is switched off."""
    from timbra.authority.sat.breaker import Breaker
    from timbra.authority.sat.patience import Patience
    from timbra.authority.sat.repository import CertificateRepository
    from timbra.authority.sat.transport import Transport

    if not settings.sat_certificates_url:
        return None
    patience = Patience(settings.sat_seconds, settings.sat_attempts)
    return CertificateRepository(settings.sat_certificates_url, folder, trust, Transport(), Breaker(), patience)
