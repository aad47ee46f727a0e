"""What the owner of an account learns about failed logins: an event, and an e-mail at most once a day."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from timbra.accounts.login.limits import LoginSubject
from timbra.accounts.store.account_repository import AccountRepository
from timbra.accounts.store.login_repository import LoginRepository
from timbra.database.database import Database
from timbra.database.transaction import Transaction
from timbra.events.audit.audit import Audit
from timbra.events.notices import Notice, insert_notice

EVENT = "login.limited"
KINDS = {"a": "address", "k": "user at known addresses", "n": "user", "p": "user and address"}
QUIET = timedelta(days=1)
TEXT = """Alguien intentó entrar demasiadas veces a la cuenta {user} con una contraseña o un código equivocados.

Dirección: {address}
Hora: {at} (UTC)

Timbra ya hace esperar a esa dirección. Las sesiones abiertas y los tokens siguen sirviendo, y desde las direcciones
desde las que ya se entró la espera es de 30 segundos a lo más.

Si fue usted, no tiene que hacer nada. Si no, revise que la contraseña sea larga y que no la use en otro sitio; puede
cambiarla en la página «Contraseña» del portal. Durante un día no se envía otro aviso como este.
"""


class LoginAlerts:
    """Writes the alerts in the transaction of the failure."""

    def __init__(self, database: Database, audit: Audit, *, mail_enabled: bool) -> None:
        self._database = database
        self._audit = audit
        self._mail_enabled = mail_enabled
        self._accounts = AccountRepository()
        self._limits = LoginRepository(database)

    def record(self, transaction: Transaction, subject: LoginSubject, delays: Mapping[str, datetime]) -> None:
        """Write the event of a user name or an address that exceeded limits, and the e-mail of its account.

        Args:
            transaction: A write transaction.
            subject: The last login that failed.
            delays: The end of the delay by the kind of the limit.
        """
        address = subject.origin.removeprefix("address:")
        limits = {KINDS[kind]: until.isoformat() for kind, until in sorted(delays.items())}
        body = {"address": address, "delayed_until": limits}
        self._audit.record(transaction, EVENT, subject.account_id, subject.user or address, body)
        if self._mail_enabled and subject.account_id is not None and delays.keys() != {"a"}:
            self._notify(transaction, subject.account_id, address)

    def _notify(self, transaction: Transaction, account_id: int, address: str) -> None:
        now = self._audit.wall.now()
        account = self._accounts.find_by_id(transaction, account_id)
        if account is None or not self._limits.begin_quiet_time(transaction, f"m {account_id}", now, now + QUIET):
            return
        recipient = account.holder.notification_email or account.user
        if "@" in recipient:
            text = TEXT.format(user=account.user, address=address, at=f"{now:%Y-%m-%d %H:%M:%S}")
            notice = Notice(f"{EVENT} {account_id}", recipient, account_id, text, now, now)
            insert_notice(self._database, transaction, notice)
