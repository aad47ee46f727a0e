"""Texts of `timbra sat-emulator`."""

from __future__ import annotations

SPANISH = {
    "Serve the SAT's services for providers until SIGTERM; prints the addresses once they accept requests.": (
        "Atiende los servicios del SAT para proveedores hasta SIGTERM; muestra las direcciones cuando ya acepta "
        "solicitudes."
    ),
    "Address of the services. The control endpoints listen on 127.0.0.1 only.": (
        "Dirección de los servicios. El control escucha solo en 127.0.0.1."
    ),
    "Port of the services; 0 takes a free one.": "Puerto de los servicios; 0 toma uno libre.",
    "Port of the control endpoints; 0 takes a free one.": "Puerto del control; 0 toma uno libre.",
    "RFC of a provider (PAC) to register, besides that of the sandbox; repeat the option.": (
        "RFC de un proveedor (PAC) que se registra, además del de pruebas; repita la opción."
    ),
    "File with options and scripted faults, JSON or YAML; read again when changed.": (
        "Archivo con opciones y fallas programadas, JSON o YAML; se lee de nuevo cuando cambia."
    ),
    "SAT emulator listening on {address}": "El emulador del SAT escucha en {address}",
    "Control endpoints on {address}": "Control en {address}",
    "Provider {rfc}: certificate, key and password in {folder}": (
        "Proveedor {rfc}: certificado, llave y contraseña en {folder}"
    ),
}
