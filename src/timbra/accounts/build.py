"""Construction of accounts and of envelope encryption."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from timbra.accounts.accounts import Accounts
from timbra.accounts.administration.accounts import AccountAdministration
from timbra.accounts.administration.branding import BrandingService
from timbra.accounts.approvals import Approvals
from timbra.accounts.balances import Balances
from timbra.accounts.login.limits import LoginLimits
from timbra.accounts.second_factor.passkeys import Passkeys
from timbra.accounts.second_factor.second_factors import SecondFactors
from timbra.accounts.services import AccountServices
from timbra.accounts.sign_in_links import SignInLinks
from timbra.accounts.store.secret_repository import SecretRepository
from timbra.accounts.users import Users
from timbra.container import Container
from timbra.container.build import data_folder, fiscal_clock
from timbra.core.approvals import named_actions
from timbra.core.checks import CheckOptions, CheckResult, CheckState
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.events.build import audit_writer, use_counter
from timbra.seals.encryption.envelope import EnvelopeEncryption
from timbra.seals.encryption.master_key import MasterKey, key_from_file, key_from_text
from timbra.seals.encryption.pkcs11_master_key import Pkcs11MasterKey
from timbra.seals.signers.pkcs11_session import Pkcs11Session
from timbra.settings.mail import is_mail_enabled
from timbra.web.server.feature_jobs import FeatureJobs, once_in_cluster
from timbra.web.server.periodic_jobs import PeriodicJob

OTHER_MASTER_KEY = (
    "La base de datos está cifrada con otra llave maestra que la configurada: configure la de los otros nodos, o la "
    "anterior en TIMBRA_PREVIOUS_MASTER_KEYS."
)
NO_MASTER_KEY = (
    "La base de datos ya está cifrada con una llave maestra y {path} no existe: copie la de otro nodo o de un respaldo."
)

TWO_PERSONS = "regla de dos personas"


def account_services(container: Container) -> AccountServices:
    """Build accounts, users and stamp balances."""
    get, settings, wall = container.get, container.settings, container.wall
    database, fiscal = get(opened_database), get(fiscal_clock)
    accounts = Accounts(
        database,
        get(envelope_encryption),
        settings.environment,
        wall,
        fiscal,
        container.metrics,
        LoginLimits(settings.login_failures, settings.login_address_failures, settings.login_max_delay_seconds),
        mail_enabled=is_mail_enabled(settings),
        uses=get(use_counter),
    )
    container.closing.callback(accounts.close)
    balances = Balances(database, wall, fiscal)
    users = Users(database, accounts, balances, wall, fiscal)
    links = SignInLinks(database, accounts, wall, fiscal)
    administration = AccountAdministration(users, balances)
    factors = SecondFactors(database, get(envelope_encryption), accounts, wall, get(audit_writer), get(use_counter))
    passkeys = Passkeys(database, get(envelope_encryption), accounts, factors, wall, get(use_counter))
    return AccountServices(
        accounts, users, balances, administration, links, get(branding_service), factors, passkeys, get(approvals)
    )


def approvals(container: Container) -> Approvals:
    """Build the two-person rule."""
    get, settings = container.get, container.settings
    actions, lifetime = named_actions(settings.two_person_actions), timedelta(minutes=settings.two_person_minutes)
    return Approvals(get(opened_database), actions, lifetime, container.wall, get(audit_writer))


def branding_service(container: Container) -> BrandingService:
    """Build the looks of the printed documents of accounts."""
    return BrandingService(container.get(opened_database), container.wall, container.get(fiscal_clock))


def envelope_encryption(container: Container) -> EnvelopeEncryption:
    """Build envelope encryption with the master key of the settings; a key file is created for a new database only.

    Raises:
        ServiceError: "master-key-invalid" when the database has secrets and the settings have no key, or another one;
            nothing is written.
    """
    sealed = SecretRepository(container.get(opened_database)).any()
    previous = filter(None, container.settings.previous_master_keys.split(","))
    key = _master_key(container, may_create=sealed is None)
    envelope = EnvelopeEncryption(key, [key_from_text(text) for text in previous])
    if sealed is not None and not envelope.has_key_of(sealed):
        raise ServiceError("master-key-invalid", OTHER_MASTER_KEY)
    return envelope


def _master_key(container: Container, *, may_create: bool) -> MasterKey:
    settings = container.settings
    if settings.pkcs11_module is not None:
        token = Pkcs11Session(settings.pkcs11_module, settings.pkcs11_token, settings.pkcs11_pin)
        return Pkcs11MasterKey(token, settings.pkcs11_master_key)
    if settings.master_key:
        return key_from_text(settings.master_key)
    path = settings.master_key_file or container.get(data_folder) / "master.key"
    if not may_create and not path.exists():
        raise ServiceError("master-key-invalid", NO_MASTER_KEY.format(path=path))
    return key_from_file(path)


def _delivery_jobs(container: Container) -> list[PeriodicJob]:
    accounts = container.get(account_services).accounts
    return [once_in_cluster(container, "expire logins", 3600, accounts.expire_logins)]


SERVICES = {AccountServices: account_services}
JOBS = FeatureJobs(delivery=_delivery_jobs)


def two_person_checks(container: Container, _options: CheckOptions) -> Iterator[CheckResult]:
    """Yield a warning when the two-person rule is on with fewer than two administrators."""
    if not container.settings.two_person_actions:
        return
    if container.get(approvals).is_without_second_person():
        text = "TIMBRA_TWO_PERSON_ACTIONS está activo con menos de dos administradores: nadie puede confirmar."
        yield CheckResult(TWO_PERSONS, CheckState.WARNING, text)
    else:
        yield CheckResult(TWO_PERSONS, CheckState.OK, container.settings.two_person_actions)


DIAGNOSTICS = {TWO_PERSONS: two_person_checks}
