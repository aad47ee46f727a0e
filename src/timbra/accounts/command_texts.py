"""Texts of `timbra account`, `csd`, `token` and `vault`."""

from __future__ import annotations

SPANISH = {
    # Options of many commands
    "Password": "Contraseña",
    "User name of the account.": "Usuario de la cuenta.",
    "RFC of the taxpayer.": "RFC del contribuyente.",
    # timbra account branding
    "Branding of an account's printed documents.": "Imagen de los documentos impresos de una cuenta.",
    "Show the branding of an account: template, colour, size of the logo in bytes, footer.": (
        "Muestra la imagen de una cuenta: plantilla, color, tamaño del logo en bytes, pie de página."
    ),
    "Change the options that are given; prints the branding.": "Cambia las opciones indicadas; imprime la imagen.",
    "Return an account to the default branding.": "Devuelve una cuenta a la imagen predeterminada.",
    "Template: clasica, moderna or compacta.": "Plantilla: clasica, moderna o compacta.",
    "Colour of titles, #RRGGBB.": "Color de los títulos, #RRGGBB.",
    "Text at the foot of every page.": "Texto al pie de cada página.",
    "PNG or JPEG file of at most 512 KiB.": "Archivo PNG o JPEG de hasta 512 KiB.",
    "Remove the logo.": "Quita el logo.",
    "template": "plantilla",
    "colour": "color",
    "logo": "logo",
    "footer": "pie",
    # timbra account
    "User accounts.": "Cuentas de usuario.",
    "User name, usually an e-mail address; case-insensitive.": (
        "Usuario, por lo general un correo electrónico; no distingue mayúsculas de minúsculas."
    ),
    "Password; the command prompts for it when it is not given. Others see it in `ps`.": (
        "Contraseña; si no se indica, el comando la pide. Otros la ven en `ps`."
    ),
    "Read the password from standard input.": "Lee la contraseña de la entrada estándar.",
    "Hint: --password-stdin keeps the password out of the list of processes and of the shell's history.": (
        "Sugerencia: con --password-stdin la contraseña no queda en la lista de procesos ni en el historial."
    ),
    "Warning: the password is short or easy to guess; a production server rejects it.": (
        "Aviso: la contraseña es corta o fácil de adivinar; un servidor de producción la rechaza."
    ),
    "Change a password: session tokens of the old password expire, infinite tokens stay valid.": (
        "Cambia una contraseña: los tokens de sesión de la anterior vencen, los infinitos siguen vigentes."
    ),
    "List all accounts: user, role, state, time of creation (UTC).": (
        "Lista todas las cuentas: usuario, función, estado, fecha de creación (UTC)."
    ),
    "Disable an account: login and all its tokens are rejected.": (
        "Desactiva una cuenta: se rechazan el inicio de sesión y todos sus tokens."
    ),
    "Enable a disabled account again.": "Activa de nuevo una cuenta desactivada.",
    "Part of the API that an infinite token may use; repeatable. Without it, all parts.": (
        "Parte de la API que puede usar un token infinito; se puede repetir. Sin la opción, todas."
    ),
    "Days after which an infinite token expires; never by default.": (
        "Días tras los que vence un token infinito; si no se indica, no vence."
    ),
    "--scope and --days need --infinite": "--scope y --days necesitan --infinite",
    "Days for which tokens of the present secret stay valid.": (
        "Días en que siguen vigentes los tokens del secreto actual."
    ),
    "Sign tokens with a new secret; prints the time (UTC) at which older tokens, infinite ones included, end.": (
        "Firma los tokens con un secreto nuevo; muestra la hora (UTC) en que terminan los anteriores, también los "
        "infinitos."
    ),
    "ignore, warn, block, or default for the server's.": "ignore, warn, block, o default por la del servidor.",
    "Set what stamping does with listed parties of article 69-B; prints the policy of the account.": (
        "Fija qué hace el timbrado con quien está en la lista del artículo 69-B; muestra la política de la cuenta."
    ),
    "Comma separated names, all, none, or default for the server's.": (
        "Nombres separados por comas, all, none, o default por lo del servidor."
    ),
    "Set what the vendor stamps although a rule rejects it; prints the choice of the account.": (
        "Fija qué se timbra como lo hace el proveedor aunque una regla lo rechace; muestra la elección de la cuenta."
    ),
    # timbra user
    "Users of an account, each with a password and a role of their own.": (
        "Usuarios de una cuenta, cada uno con su contraseña y su rol."
    ),
    "User name of the user; case-insensitive.": "Nombre del usuario; no distingue mayúsculas de minúsculas.",
    "owner: everything. operator: stamps, cancels and reads. reader: reads. auditor: reads the audit log too.": (
        "owner: todo. operator: timbra, cancela y consulta. reader: consulta. auditor: consulta, también la bitácora."
    ),
    "Create a user of an account; prints the user name and the role.": (
        "Crea un usuario de una cuenta; muestra el usuario y el rol."
    ),
    "List the users of an account: user, role, state, time of creation (UTC).": (
        "Lista los usuarios de una cuenta: usuario, rol, estado, fecha de creación (UTC)."
    ),
    "Change the role of a user; its tokens and sessions have the new one at once.": (
        "Cambia el rol de un usuario; vale de inmediato para sus tokens y sesiones."
    ),
    "Disable a user: login and all its tokens are rejected.": (
        "Desactiva un usuario: se rechazan el inicio de sesión y todos sus tokens."
    ),
    "Enable a disabled user again.": "Activa de nuevo un usuario desactivado.",
    "Remove a user permanently: its sessions and tokens end.": (
        "Quita un usuario para siempre: sus sesiones y tokens terminan."
    ),
    # timbra account balance
    "Stamp balances of accounts.": "Saldos de timbres de las cuentas.",
    "Show the balance of an account: user, remaining stamps or `unlimited`, assigned, used.": (
        "Muestra el saldo de una cuenta: usuario, timbres restantes o `unlimited` (sin límite), asignados, usados."
    ),
    "List the balances of all accounts: user, remaining stamps or `unlimited`, assigned, used.": (
        "Lista los saldos de todas las cuentas: usuario, timbres restantes o `unlimited` (sin límite), asignados, "
        "usados."
    ),
    "Add stamps to a balance; prints the new balance.": "Agrega timbres a un saldo; muestra el nuevo saldo.",
    "Remove stamps from a balance; prints the new balance.": "Quita timbres de un saldo; muestra el nuevo saldo.",
    "Number of stamps.": "Número de timbres.",
    "Comment of the balance entry.": "Comentario del movimiento.",
    "Let an account stamp without a limit; its remaining stamps are kept.": (
        "Permite a una cuenta timbrar sin límite; conserva sus timbres restantes."
    ),
    "Deduct each stamp of an account from its balance.": "Descuenta del saldo cada timbre de una cuenta.",
    "List balance entries, newest first: number, date (UTC), in, out, resulting balance, comment.": (
        "Lista los movimientos, primero el más reciente: número, fecha (UTC), entradas, salidas, saldo resultante, "
        "comentario."
    ),
    "Only entries with a smaller number.": "Solo movimientos con un número menor.",
    "Maximum number of entries.": "Número máximo de movimientos.",
    "user": "usuario",
    "remaining": "restantes",
    "assigned": "asignados",
    "used": "usados",
    "number": "número",
    "date (UTC)": "fecha (UTC)",
    "in": "entradas",
    "out": "salidas",
    "current": "saldo",
    "comment": "comentario",
    # timbra csd
    "Seal certificates (CSD): mint and revoke in the sandbox, add to an account.": (
        "Certificados de sello digital (CSD): emitir y revocar en el ambiente de pruebas, agregar a una cuenta."
    ),
    "An unknown RFC is registered with `--name`, `--postal-code` and `--regime`.": (
        "Un RFC desconocido se registra con `--name`, `--postal-code` y `--regime`."
    ),
    "Folder for RFC.cer, RFC.key and RFC.txt.": "Carpeta para RFC.cer, RFC.key y RFC.txt.",
    "Date, or date and time, in central Mexico. By default the validity is four years, from one year ago.": (
        "Fecha, o fecha y hora, del centro de México. De forma predeterminada la vigencia es de cuatro años, desde "
        "hace un año."
    ),
    "Registered name, without régimen de capital.": "Nombre registrado, sin régimen de capital.",
    "Fiscal postal code, to register an unknown RFC.": "Código postal fiscal, para registrar un RFC desconocido.",
    "Key of c_RegimenFiscal; repeat the option, or separate keys by commas.": (
        "Clave de c_RegimenFiscal; repita la opción o separe las claves con comas."
    ),
    "Password of the private key; random when not given.": (
        "Contraseña de la llave privada; si no se indica, una aleatoria."
    ),
    "Revoke a CSD; it is listed as revoked after 00:00 in fiscal time, or after `timbra sandbox refresh`.": (
        "Revoca un CSD; aparece como revocado después de las 00:00 de la hora fiscal o de `timbra sandbox refresh`."
    ),
    "Certificate number, 20 digits.": "Número de certificado, 20 dígitos.",
    "Store a CSD and its private key; prints certificate number, RFC and name.": (
        "Guarda un CSD y su llave privada; muestra número de certificado, RFC y nombre."
    ),
    "User name of the account that seals with it.": "Usuario de la cuenta que sella con él.",
    "Certificate file (.cer), DER or PEM.": "Archivo del certificado (.cer), DER o PEM.",
    "Private key file (.key), DER or PEM.": "Archivo de la llave privada (.key), DER o PEM.",
    "Password of the private key; the command prompts for it when it is not given and the key is encrypted.": (
        "Contraseña de la llave privada; si no se indica y la llave está cifrada, el comando la pide."
    ),
    # timbra token
    "Access tokens of accounts.": "Tokens de acceso de las cuentas.",
    "Create a token; prints the token alone.": "Crea un token; muestra solo el token.",
    "Valid until revoked; without this option, for two hours.": (
        "Vigente hasta que se revoque; sin esta opción, por dos horas."
    ),
    "Label of an infinite token.": "Etiqueta de un token infinito.",
    "List infinite tokens that are not revoked: id, user, time of creation (UTC), label, scopes, expiry (UTC).": (
        "Lista los tokens infinitos que no están revocados: identificador, usuario, fecha de creación (UTC), etiqueta, "
        "alcances, vencimiento (UTC)."
    ),
    "Only tokens of this user.": "Solo los tokens de este usuario.",
    "Revoke an infinite token.": "Revoca un token infinito.",
    "An infinite token, or its id from `timbra token list`.": (
        "Un token infinito, o su identificador según `timbra token list`."
    ),
    # timbra vault
    "The vault: private keys, encrypted with the master key.": (
        "La bóveda: llaves privadas, cifradas con la llave maestra."
    ),
    "Re-encrypt every value that an older master key encrypted; prints the number of values.": (
        "Cifra de nuevo los valores cifrados con una llave maestra anterior; muestra cuántos son."
    ),
}
