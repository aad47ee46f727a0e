"""Texts of `timbra sandbox`."""

from __future__ import annotations

SPANISH = {
    "The simulated tax authority.": "La autoridad fiscal simulada.",
    "Publish the lists now; prints their date and the number of changed rows.": (
        "Publica las listas ahora; muestra su fecha y el número de renglones cambiados."
    ),
    # Taxpayers
    "Registered taxpayers (l_RFC) and their obligations (LCO).": (
        "Contribuyentes registrados (l_RFC) y sus obligaciones (LCO)."
    ),
    "Register a taxpayer; it is listed at once.": "Registra un contribuyente; aparece en las listas de inmediato.",
    "Exact registered name, without régimen de capital.": "Nombre registrado exacto, sin régimen de capital.",
    "Fiscal postal code; rules that need it are not evaluated without it.": (
        "Código postal fiscal; sin él no se evalúan las reglas que lo necesitan."
    ),
    "ValidezObligaciones: 0 none, 1 enabled, 2 to 4 with border stimulus.": (
        "ValidezObligaciones: 0 ninguna, 1 habilitado, 2 a 4 con estímulo de la frontera."
    ),
    "Whether the RFC is cancelled.": "Si el RFC está cancelado.",
    "Situation in the list of article 69-B, such as Definitivo; empty to remove the taxpayer from it.": (
        "Situación en la lista del artículo 69-B, como Definitivo; vacía para quitar de ella al contribuyente."
    ),
    "Change a taxpayer; the lists change with the next refresh.": (
        "Cambia un contribuyente; las listas cambian con la siguiente publicación."
    ),
    "List taxpayers: RFC, name, postal code, regimes, obligations, state, changes of the next refresh.": (
        "Lista los contribuyentes: RFC, nombre, código postal, regímenes, obligaciones, estado, cambios de la "
        "siguiente publicación."
    ),
    "RFC of one taxpayer; all taxpayers when not given.": "RFC de un contribuyente; si no se indica, todos.",
    "name": "nombre",
    "postal code": "código postal",
    "regimes": "regímenes",
    "obligations": "obligaciones",
    "state": "estado",
    "pending": "pendiente",
    # Clock
    "The fiscal clock of all workers.": "El reloj fiscal de todos los procesos.",
    "Show fiscal time (central Mexico), and whether the clock is fixed, shifted or real.": (
        "Muestra la hora fiscal (centro de México) y si el reloj está fijo (`fixed`), desfasado (`shifted`) o es el "
        "real (`real`)."
    ),
    "Set fiscal time; the clock stays fixed, so that tests see one instant, unless `--running` is given.": (
        "Establece la hora fiscal; el reloj queda fijo, para que las pruebas vean un solo instante, salvo con "
        "`--running`."
    ),
    "ISO date and time; central Mexico unless it has a UTC offset.": (
        "Fecha y hora ISO; del centro de México si no indica su diferencia con UTC."
    ),
    "Let the clock run from the given time on.": "Deja correr el reloj a partir de esa hora.",
    "Move fiscal time by a duration; a fixed clock stays fixed.": (
        "Mueve la hora fiscal por una duración; un reloj fijo sigue fijo."
    ),
    "Duration, such as 72h, 1d12h, 90m or -2d.": "Duración, como 72h, 1d12h, 90m o -2d.",
    "Reset fiscal time to real time.": "Regresa la hora fiscal a la hora real.",
    # Faults
    "Fault injection.": "Inyección de fallas.",
    "Activate a fault.": "Activa una falla.",
    "Name of the fault, such as answer-lost; an unknown one prints all.": (
        "Nombre de la falla, como answer-lost; uno desconocido muestra todos."
    ),
    "Share of the affected requests, up to 1.": "Proporción de las peticiones afectadas, hasta 1.",
    "Number from which the decisions of a probability follow.": (
        "Número del que se siguen las decisiones de una probabilidad."
    ),
    "Only paths that begin so, such as /cfdi33/issue.": "Solo rutas que empiezan así, como /cfdi33/issue.",
    "Only requests of this user.": "Solo peticiones de este usuario.",
    "share": "proporción",
    "route": "ruta",
    "account": "cuenta",
    "Number of affected requests. By default the fault stays until it is cleared.": (
        "Número de solicitudes afectadas. De forma predeterminada la falla sigue hasta que se quite."
    ),
    "Delay, or the value of Retry-After, in seconds.": "Retraso, o el valor de Retry-After, en segundos.",
    "Deactivate one fault, or all.": "Quita una falla, o todas.",
    "Name of one fault; all faults when not given.": "Nombre de una falla; si no se indica, todas.",
    "List active faults: name, remaining requests, seconds, share, route, account.": (
        "Lista las fallas activas: nombre, peticiones restantes, segundos, proporción, ruta, cuenta."
    ),
    "fault": "falla",
    "requests left": "solicitudes restantes",
    "seconds": "segundos",
    # Ledger
    "CFDI that the simulated authority has registered.": "CFDI que la autoridad simulada tiene registrados.",
    "Register CFDI of other providers as Vigente; prints folio, `new` or `known`, and the file.": (
        "Registra como Vigente CFDI de otros proveedores; muestra folio, `new` (nuevo) o `known` (conocido), y el "
        "archivo."
    ),
    "Stamped CFDI.": "CFDI timbrados.",
    # Cancellation
    "Automatic answers of receivers to requests of cancellation.": (
        "Respuestas automáticas de receptores a solicitudes de cancelación."
    ),
    "Set the automatic answer of a receiver to future requests; prints all automatic answers.": (
        "Establece la respuesta automática de un receptor a solicitudes futuras; muestra todas las respuestas "
        "automáticas."
    ),
    "RFC of the receiver.": "RFC del receptor.",
    "`silence` removes the automatic answer.": "`silence` quita la respuesta automática.",
    "Delay after the request in fiscal time, such as 30m or 2d.": (
        "Tiempo después de la solicitud, en hora fiscal, como 30m o 2d."
    ),
    "List automatic answers: RFC, answer, delay after the request in seconds of fiscal time.": (
        "Lista las respuestas automáticas: RFC, respuesta, segundos después de la solicitud en hora fiscal."
    ),
    "Remove the automatic answer of one receiver, or of all.": (
        "Quita la respuesta automática de un receptor, o de todos."
    ),
    "RFC of one receiver; all receivers when not given.": "RFC de un receptor; si no se indica, todos.",
    "Answer a request of cancellation for the receiver; prints UUID, code and meaning of the code.": (
        "Responde por el receptor a una solicitud de cancelación; muestra UUID, código y significado del código."
    ),
    "List the events of a CFDI in the order of fiscal time (central Mexico).": (
        "Lista los sucesos de un CFDI en el orden de la hora fiscal (centro de México)."
    ),
    "RFC": "RFC",
    "answer": "respuesta",
    "seconds after the request": "segundos después de la solicitud",
    "fiscal time": "hora fiscal",
    "step": "paso",
    "from": "de",
    "to": "a",
    "motivo": "motivo",
    "detail": "detalle",
}
