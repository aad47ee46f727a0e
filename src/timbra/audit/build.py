"""Construction of the audit log."""

from __future__ import annotations

import socket

from timbra.accounts.build import envelope_encryption
from timbra.accounts.secrets import shared_secret
from timbra.audit.audit_log import AuditLog
from timbra.audit.settings_record import record_settings as record_changes
from timbra.container import Container
from timbra.container.build import data_folder
from timbra.database.build import opened_database
from timbra.events.build import audit_writer, use_counter
from timbra.transparency.build import audit_keys


def audit_log(container: Container) -> AuditLog:
    """Build the events of the audit log, its chain and its verification."""
    get, wall = container.get, container.wall
    return AuditLog(get(opened_database), get(audit_keys), get(use_counter), get(data_folder), wall)


def record_settings(container: Container) -> None:
    """Write to the audit log which settings changed since the last start of a server on this machine."""
    database, settings = container.get(opened_database), container.settings
    secret = shared_secret(database, container.get(envelope_encryption), "audit settings")
    record_changes(database, container.get(audit_writer), settings, socket.gethostname(), secret)


SERVICES = {AuditLog: audit_log}
