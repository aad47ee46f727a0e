"""Texts of the root of the command tree, and of typer itself."""

from __future__ import annotations

SPANISH = {
    "Seal, stamp and validate CFDI.": "Sella, timbra y valida CFDI.",
    "Start here": "Para empezar",
    "Stamp": "Timbrar",
    "Validate": "Validar",
    "Operate": "Operar",
    "Sandbox": "Ambiente de pruebas",
    "Language of help and messages; also after a command. By default TIMBRA_LANG, else the locale.": (
        "Idioma de la ayuda y de los mensajes; también después de un comando. De forma predeterminada TIMBRA_LANG o, "
        "si falta, la configuración regional."
    ),
    "Show the versions of Timbra, of the SAT data and of Python, and exit.": (
        "Muestra las versiones de Timbra, de los datos del SAT y de Python, y termina."
    ),
    "SAT data {version}": "Datos del SAT {version}",
    "native code": "código nativo",
    "batched signatures": "firmas por lotes",
    "no batched signatures: {reason}": "sin firmas por lotes: {reason}",
    "no native code: {reason}": "sin código nativo: {reason}",
    "not installed": "no instalados",
    "damaged": "dañados",
    "Install completion for the current shell.": "Instala el autocompletado para el intérprete de comandos actual.",
    "Show completion for the current shell, to copy it or customize the installation.": (
        "Muestra el autocompletado para el intérprete de comandos actual, para copiarlo o adaptar la instalación."
    ),
    "Show this message and exit.": "Muestra este mensaje y termina.",
    "Usage: ": "Uso: ",
    "[OPTIONS]": "[OPCIONES]",
    "COMMAND [ARGS]...": "COMANDO [ARGUMENTOS]...",
    "Arguments": "Argumentos",
    "Options": "Opciones",
    "Commands": "Comandos",
    "Error": "Error",
    "Aborted.": "Cancelado.",
    "[default: {}]": "[predeterminado: {}]",
    "[env var: {}]": "[variable de entorno: {}]",
    "[required]": "[obligatorio]",
    "(deprecated) ": "(obsoleto) ",
    "Try [blue]'{command_path} {help_option}'[/] for help.": (
        "Consulte la ayuda con [blue]'{command_path} {help_option}'[/]."
    ),
    "Got unexpected extra argument(s) ({arguments})": "Sobran argumentos: {arguments}",
    "Missing argument {name}. Choose from:\n\t{choices}": "Falta el argumento {name}. Valores posibles:\n\t{choices}",
    "Missing option {name}. Choose from:\n\t{choices}": "Falta la opción {name}. Valores posibles:\n\t{choices}",
    "Missing argument {name}.": "Falta el argumento {name}.",
    "Missing option {name}.": "Falta la opción {name}.",
    "Missing command.": "Falta el comando.",
    "No such command {name}. Did you mean {suggestions}?": ("No existe el comando {name}. ¿Quiso decir {suggestions}?"),
    "No such command {name}.": "No existe el comando {name}.",
    "No such option: {name} (Possible options: {suggestions})": (
        "No existe la opción {name} (opciones posibles: {suggestions})"
    ),
    "No such option: {name}": "No existe la opción {name}",
    "Option {name} does not take a value.": "La opción {name} no lleva valor.",
    "Option {name} requires an argument.": "La opción {name} necesita un valor.",
    "Invalid value for {name}: {reason}": "Valor inválido de {name}: {reason}",
    "Invalid value: {reason}": "Valor inválido: {reason}",
    "Value error, {value} is not one of {choices}.": "{value} no es uno de {choices}.",
    "Input should be a valid integer, unable to parse string as an integer": "debe ser un número entero",
    "Input should be a valid number, unable to parse string as a number": "debe ser un número",
    "Input should be greater than or equal to {limit}": "debe ser al menos {limit}",
    "Input should be less than or equal to {limit}": "debe ser a lo más {limit}",
    "file {path} does not exist.": "el archivo {path} no existe.",
    "file {path} is a directory.": "el archivo {path} es una carpeta.",
    "file {path} is not readable.": "el archivo {path} no se puede leer.",
    "directory {path} does not exist.": "la carpeta {path} no existe.",
    "directory {path} is a file.": "la carpeta {path} es un archivo.",
    "directory {path} is not writable.": "en la carpeta {path} no se puede escribir.",
    "path {path} does not exist.": "la ruta {path} no existe.",
    "path {path} is not readable.": "la ruta {path} no se puede leer.",
}
