"""Construction of the vault of seal certificates."""

from __future__ import annotations

from functools import partial

from timbra.accounts.administration.certificates import CertificateService
from timbra.accounts.build import approvals, envelope_encryption
from timbra.accounts.ports import certificate_registration
from timbra.accounts.services import CertificateServices
from timbra.accounts.vault.efirma import EfirmaVault
from timbra.accounts.vault.vault import Vault
from timbra.container import Container
from timbra.container.build import fiscal_clock
from timbra.core.features import features
from timbra.database.build import opened_database
from timbra.events.build import audit_writer, use_counter
from timbra.rules.ports import reference_source
from timbra.seals.ports import trust_store


def efirma_vault(container: Container) -> EfirmaVault:
    """Build the vault of the e.firma of taxpayers, which only the bulk download uses."""
    get = container.get
    return EfirmaVault(
        get(opened_database), get(envelope_encryption), container.wall, get(audit_writer), get(use_counter)
    )


def certificate_services(container: Container) -> CertificateServices:
    """Build the vault of seal certificates (CSD)."""
    get = container.get
    database, fiscal = get(opened_database), get(fiscal_clock)
    of_features = (rotate for feature in features() for rotate in feature.load(feature.rotations, "ROTATIONS"))
    vault = Vault(
        database,
        get(envelope_encryption),
        container.wall,
        fiscal,
        get(certificate_registration),
        [partial(rotate, database) for rotate in of_features],
        get(use_counter),
    )
    return CertificateServices(
        CertificateService(vault, get(approvals)),
        vault,
        lambda: get(trust_store),
        lambda: get(reference_source).current(),
        fiscal,
        get(approvals),
    )


SERVICES = {CertificateServices: certificate_services, EfirmaVault: efirma_vault}
