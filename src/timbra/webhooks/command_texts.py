"""Texts of `timbra webhook`."""

from __future__ import annotations

SPANISH = {
    "Webhooks of an account.": "Webhooks de una cuenta.",
    "Identifier of the webhook.": "Identificador del webhook.",
    "Kind of event; repeatable; * for all.": "Tipo de evento; se puede repetir; * para todos.",
    "Text that identifies the webhook.": "Texto que identifica el webhook.",
    "List the webhooks of an account: identifier, address, format, state, events, description.": (
        "Lista los webhooks de una cuenta: identificador, dirección, formato, estado, eventos, descripción."
    ),
    "Address of the webhook, https://...": "Dirección del webhook, https://...",
    "User of Basic authentication: the notification of SW's batch service.": (
        "Usuario de la autenticación Basic: la notificación del servicio de lotes de SW."
    ),
    "Read the password of --sw-user from standard input.": "Lee la contraseña de --sw-user de la entrada estándar.",
    "--sw-user needs --sw-password-stdin": "--sw-user necesita --sw-password-stdin",
    "Create a webhook; prints its identifier and, once, its secret.": (
        "Crea un webhook; imprime su identificador y, una sola vez, su secreto."
    ),
    "Change the options that are given; prints the webhook.": "Cambia las opciones indicadas; imprime el webhook.",
    "Enable a webhook; its failures are forgotten.": "Habilita un webhook; se olvidan sus fallas.",
    "Disable a webhook; its waiting events become failed ones.": (
        "Deshabilita un webhook; sus eventos en espera quedan como fallidos."
    ),
    "Delete a webhook with its delivery log.": "Borra un webhook con su registro de entregas.",
    "Hours for which the previous secret signs too.": "Horas en que el secreto anterior también firma.",
    "Replace the secret of a webhook; prints the new one.": "Cambia el secreto de un webhook; imprime el nuevo.",
    "Send the event webhook.test by a running server; prints the identifier of the event.": (
        "Envía el evento webhook.test por medio de un servidor en marcha; imprime el identificador del evento."
    ),
    "Maximum number of events, newest first.": "Número máximo de eventos, los más recientes primero.",
    "List the events of a webhook with their state and the last answer.": (
        "Lista los eventos de un webhook con su estado y la última respuesta."
    ),
    "Identifier of an event, also of a delivered one.": "Identificador de un evento, también de uno entregado.",
    "All failed events.": "Todos los eventos fallidos.",
    "Deliver events again by a running server; prints their number.": (
        "Entrega eventos otra vez por medio de un servidor en marcha; imprime cuántos."
    ),
    "give the identifier of an event or --all": "indique el identificador de un evento o --all",
    "created (UTC)": "creado (UTC)",
    "id": "identificador",
    "url": "dirección",
    "format": "formato",
    "events": "eventos",
    "description": "descripción",
}
