"""Spanish names of the kinds of events in the audit log."""

from __future__ import annotations

from typing import Final

KIND_NAMES: Final = {
    "account.changed": "Cuenta modificada",
    "account.created": "Cuenta creada",
    "account.deleted": "Cuenta borrada",
    "account.demoted": "Cuenta sin administración",
    "account.disabled": "Cuenta cerrada",
    "account.enabled": "Cuenta abierta de nuevo",
    "account.password": "Contraseña de la cuenta",
    "account.promoted": "Cuenta de administración",
    "archive.exported": "Archivo histórico escrito",
    "archive.failed": "Archivo histórico fallido",
    "archive.pruned": "Timbres archivados borrados",
    "audit.exported": "Bitácora exportada",
    "backup.made": "Respaldo hecho",
    "balance.added": "Saldo abonado",
    "balance.limited": "Saldo con límite",
    "balance.removed": "Saldo descontado",
    "balance.unlimited": "Saldo sin límite",
    "branding.changed": "Impresión modificada",
    "branding.reset": "Impresión restablecida",
    "certificate.disabled": "Certificado desactivado",
    "certificate.issued": "Certificado emitido",
    "certificate.registered": "Certificado en las listas",
    "certificate.revoked": "Certificado revocado",
    "certificate.stored": "Certificado guardado",
    "clock.changed": "Reloj fiscal cambiado",
    "document.read": "Documento leído",
    "fault.cleared": "Falla quitada",
    "fault.set": "Falla puesta",
    "key.used": "Llave usada",
    "lists.imported": "Listas importadas",
    "lists.published": "Listas publicadas",
    "login.failed": "Entrada fallida",
    "login.limited": "Entradas limitadas",
    "login.succeeded": "Entrada",
    "manifest.registered": "Manifiesto registrado",
    "manifest.removed": "Manifiesto borrado",
    "master-key.rotated": "Llave maestra renovada",
    "report.read": "Reporte leído",
    "sandbox.account-reset": "Datos de la cuenta reiniciados",
    "sandbox.reset": "Ambiente reiniciado",
    "sandbox.restored": "Ambiente restaurado",
    "sandbox.saved": "Ambiente guardado",
    "session.ended": "Sesión terminada",
    "signed-request.rejected": "Solicitud firmada rechazada",
    "settings.changed": "Configuración cambiada",
    "sign-in-link.created": "Enlace para entrar creado",
    "sign-in-link.used": "Enlace para entrar usado",
    "taxpayer.added": "Contribuyente registrado",
    "taxpayer.changed": "Contribuyente modificado",
    "token-secret.rotated": "Secreto de los tokens renovado",
    "token.created": "Token creado",
    "token.revoked": "Token revocado",
    "token.used": "Token usado",
    "user.changed": "Usuario modificado",
    "user.created": "Usuario creado",
    "user.password": "Contraseña del usuario",
    "user.removed": "Usuario borrado",
    "webhook.changed": "Webhook modificado",
    "webhook.created": "Webhook creado",
    "webhook.deleted": "Webhook borrado",
    "webhook.disabled": "Webhook deshabilitado",
    "webhook.redelivered": "Evento enviado otra vez",
    "webhook.sealed_secret-rotated": "Secreto del webhook renovado",
}


def kind_name(kind: str) -> str:
    """Return the name of a kind; an unknown kind unchanged."""
    return KIND_NAMES.get(kind, kind)


FILTERS = {"audit_kind": kind_name}
