"""Texts of `timbra serve`, `backup`, `restore`, `data`, `lists`, `outbox` and `mail`."""

from __future__ import annotations

SPANISH = {
    # timbra serve
    "Serve HTTP until SIGTERM; prints one line with the address once the server accepts requests.": (
        "Atiende HTTP hasta recibir SIGTERM; muestra una línea con la dirección cuando acepta solicitudes."
    ),
    "Address to listen on.": "Dirección en la que escucha.",
    "Port; 0 takes a free one.": "Puerto; 0 toma uno libre.",
    "Number of worker processes. Default: one for each usable CPU, at most 8 on SQLite.": (
        "Número de procesos. De forma predeterminada uno por cada CPU utilizable, a lo más 8 con SQLite."
    ),
    "TIMBRA_METRICS_LISTEN needs a port of its own": "TIMBRA_METRICS_LISTEN necesita un puerto propio",
    "TIMBRA_METRICS_LISTEN must be ADDRESS:PORT": "TIMBRA_METRICS_LISTEN debe ser DIRECCIÓN:PUERTO",
    "this system supports one worker only": "este sistema permite un solo proceso",
    # timbra lists fetch, status, history
    "The published lists: LCO, l_RFC, L_CNE, article 69-B and exchange rates.": (
        "Las listas publicadas: LCO, l_RFC, L_CNE, artículo 69-B y tipos de cambio."
    ),
    "All files of an L_CNE (gzip of PKCS#7).": "Todos los archivos de una L_CNE (gzip de PKCS#7).",
    "The SAT's list of article 69-B of the CFF (CSV).": "La lista del SAT del artículo 69-B del CFF (CSV).",
    "Exchange rates: JSON of Banco de México's SIE, or a CSV fecha,moneda,pesos.": (
        "Tipos de cambio: JSON del SIE del Banco de México, o un CSV fecha,moneda,pesos."
    ),
    "the files of a list are required, such as --lco FILE...": (
        "faltan los archivos de una lista, como --lco ARCHIVO..."
    ),
    "Query the sources of the lists now and import what changed; exits with 1 when a list failed.": (
        "Consulta ahora las fuentes de las listas e importa lo que cambió; termina con 1 si una lista falló."
    ),
    "A list that fails (source, hash, signature, content) leaves the list in force unchanged. A running server queries "
    "the sources by itself: TIMBRA_LISTS_SOURCE, TIMBRA_ARTICLE_69B_SOURCE, TIMBRA_EXCHANGE_RATES_SOURCE.": (
        "Una lista que falla (fuente, hash, firma, contenido) deja como está la vigente. Un servidor en marcha "
        "consulta las fuentes por sí mismo: TIMBRA_LISTS_SOURCE, TIMBRA_ARTICLE_69B_SOURCE, "
        "TIMBRA_EXCHANGE_RATES_SOURCE."
    ),
    "Import what the source has, even an older or much smaller list.": (
        "Importa lo que tenga la fuente, aunque la lista sea anterior o mucho menor."
    ),
    "LCO, l_RFC, L_CNE, 69-B or tipos-de-cambio. Default: all.": (
        "LCO, l_RFC, L_CNE, 69-B o tipos-de-cambio. De forma predeterminada, todas."
    ),
    "Show age and last query of each list; exits with 1 when a needed list is missing or old, or a source fails.": (
        "Muestra la antigüedad y la última consulta de cada lista; termina con 1 si una lista necesaria falta o es "
        "antigua, o si una fuente falla."
    ),
    "Show the imported lists, newest first, each with its differences from the list before.": (
        "Muestra las listas importadas, la más reciente primero, con sus diferencias respecto de la anterior."
    ),
    "Maximum number of rows, newest first.": "Número máximo de renglones, el más reciente primero.",
    "no source is configured for {names}": "no hay una fuente configurada para {names}",
    "LIST": "LISTA",
    "PLACE": "LUGAR",
    "YYYY-MM": "AAAA-MM",
    "result": "resultado",
    "rows": "renglones",
    "added": "nuevos",
    "removed": "retirados",
    "changed": "cambiados",
    "detail": "detalle",
    "queried": "consultada",
    "failing since": "falla desde",
    "code": "código",
    "node": "nodo",
    "published": "publicada",
    "delay (s)": "demora (s)",
    "SHA-256": "SHA-256",
    # timbra report, archive, manifest
    "Write a report for the SAT, an auditor or the administration: CSV on standard output, or a file.": (
        "Escribe un reporte para el SAT, un auditor o la administración: CSV en la salida estándar, o un archivo."
    ),
    "Name of the report; without it the reports are listed.": "Nombre del reporte; sin él se listan los reportes.",
    "Month of the report. Default: the current one.": "Mes del reporte. De forma predeterminada, el actual.",
    "First day, central Mexico.": "Primer día, centro de México.",
    "Last day, inclusive.": "Último día, incluido.",
    "File to write; its ending .xlsx selects the format.": (
        "Archivo que se escribe; la terminación .xlsx elige el formato."
    ),
    "Format of the report.": "Formato del reporte.",
    "--output FILE is required for a workbook": "un libro de cálculo necesita --output ARCHIVO",
    "--month cannot be combined with --from and --to": "--month no se combina con --from ni --to",
    "a day is YYYY-MM-DD": "un día se escribe AAAA-MM-DD",
    "report": "reporte",
    "contents": "contenido",
    "Archives of a period, in the BagIt form, with the SHA-256 of every file.": (
        "Archivos históricos de un periodo, en la forma BagIt, con el SHA-256 de cada archivo."
    ),
    "Folder, or s3://BUCKET/PREFIX with timbra[object-storage].": (
        "Carpeta, o s3://BUCKET/PREFIJO con timbra[object-storage]."
    ),
    "Month. Default: the previous one.": "Mes. De forma predeterminada, el anterior.",
    "Write the archive of a period; the server may run, and nothing is deleted.": (
        "Escribe el archivo histórico de un periodo; el servidor puede estar en marcha y nada se borra."
    ),
    "Prints name, documents, acuses, events, files and bytes. The archive of an ended month is verified and "
    "recorded: `timbra archive prune` deletes only what such an archive has. The name of any other archive has its "
    "days.": (
        "Muestra nombre, documentos, acuses, eventos, archivos y bytes. El archivo de un mes terminado se verifica y "
        "se registra: `timbra archive prune` solo borra lo que está en un archivo así. El nombre de cualquier otro "
        "archivo lleva sus días."
    ),
    "List the archives of months; the report `archives` has their hashes.": (
        "Lista los archivos de los meses; el reporte `archives` tiene sus hashes."
    ),
    "Columns: name, place, documents, acuses, events, time of the export, time of the last deletion, last failure.": (
        "Columnas: nombre, lugar, documentos, acuses, eventos, fecha de la exportación, fecha del último borrado, "
        "última falla."
    ),
    "Delete documents, acuses and events that are older than TIMBRA_RETENTION_MONTHS and in a verified archive.": (
        "Borra documentos, acuses y eventos anteriores a TIMBRA_RETENTION_MONTHS que están en un archivo verificado."
    ),
    "A running server does the same in small steps. What is not in the archive as it is, and what still has a "
    "delivery, stays. Columns: archive, documents, acuses, events, documents that wait for a delivery, rows that are "
    "not archived.": (
        "Un servidor en marcha hace lo mismo por partes. Se conserva lo que no está igual en el archivo y lo que tiene "
        "una entrega pendiente. Columnas: archivo, documentos, acuses, eventos, documentos que esperan una entrega, "
        "renglones sin archivar."
    ),
    "Count what would be deleted; delete nothing.": "Cuenta lo que se borraría; no borra nada.",
    "archive": "archivo",
    "acuses": "acuses",
    "events": "eventos",
    "waiting": "en espera",
    "not archived": "sin archivar",
    "place": "lugar",
    "exported (UTC)": "exportado (UTC)",
    "pruned (UTC)": "podado (UTC)",
    "Compare every file and every document of an archive with its SHA-256; exits with 1 when one differs.": (
        "Compara cada archivo y cada documento con su SHA-256; termina con 1 si alguno difiere."
    ),
    "Name of the archive, such as timbra-2026-10.": "Nombre del archivo histórico, como timbra-2026-10.",
    "Manifests that issuers signed; see TIMBRA_MANIFESTS_REQUIRED.": (
        "Manifiestos que firmaron los emisores; vea TIMBRA_MANIFESTS_REQUIRED."
    ),
    "RFC of the issuer.": "RFC del emisor.",
    "The signed document.": "El documento firmado.",
    "Day of the signature. Default: now.": "Día de la firma. De forma predeterminada, ahora.",
    "Store the manifest that an issuer signed; it replaces an earlier one. Prints its SHA-256.": (
        "Guarda el manifiesto que firmó un emisor; reemplaza uno anterior. Muestra su SHA-256."
    ),
    "List the issuers with a manifest.": "Lista los emisores con manifiesto.",
    # timbra confirmation
    "key": "clave",
    "issued": "entregada",
    "Keys of confirmation (Confirmacion) for one stamp each; see TIMBRA_CONFIRMATIONS.": (
        "Claves de confirmación (Confirmacion), cada una para un timbre; ver TIMBRA_CONFIRMATIONS."
    ),
    "Issue a key to an issuer; prints it.": "Entrega una clave a un emisor; la muestra.",
    "List the latest keys, with the UUID of the CFDI that used each.": (
        "Lista las claves más recientes, con el UUID del CFDI que usó cada una."
    ),
    "Delete the manifest of an issuer; exits with 1 when there is none.": (
        "Borra el manifiesto de un emisor; termina con 1 si no hay ninguno."
    ),
    "issuer": "emisor",
    "registered": "registrado",
    "file": "archivo",
    # timbra backup, timbra restore
    "Backups of the data folder. `timbra backup FILE` is `timbra backup create FILE`.": (
        "Respaldos de la carpeta de datos. `timbra backup FILE` equivale a `timbra backup create FILE`."
    ),
    "Public key (age1...) to which the archive is encrypted; may be given several times.": (
        "Clave pública (age1...) para la que se cifra el archivo; se puede indicar varias veces."
    ),
    "File of the private key that signs; the signature is FILE.minisig.": (
        "Archivo de la clave privada que firma; la firma es FILE.minisig."
    ),
    "Folder that gets the key files.": "Carpeta que recibe los archivos de las claves.",
    "Create the keys with which backups are encrypted and signed; prints the public key of the encryption.": (
        "Crea las claves con las que se cifran y firman los respaldos; muestra la clave pública del cifrado."
    ),
    "File of the private key that decrypts the archive.": "Archivo de la clave privada que descifra el respaldo.",
    "File of the public key that must have signed the archive.": (
        "Archivo de la clave pública que debe haber firmado el respaldo."
    ),
    "Verify signature, hash of every file and database without restoring; prints the number of files and bytes.": (
        "Verifica la firma, el hash de cada archivo y la base de datos sin restaurar; muestra el número de archivos y "
        "de bytes."
    ),
    "Where the database is unpacked to be checked. By default the system's.": (
        "Dónde se descomprime la base de datos para revisarla. De forma predeterminada, donde indica el sistema."
    ),
    "Replace a former archive of that name once the new one is verified.": (
        "Reemplaza un archivo anterior del mismo nombre una vez verificado el nuevo."
    ),
    "Restore the new archive as `timbra backup drill` does, before it is kept.": (
        "Restaura el archivo nuevo como `timbra backup drill`, antes de conservarlo."
    ),
    "an encrypted archive is verified with its private key": ("un archivo cifrado se verifica con su clave privada"),
    "the archive does not contain the PostgreSQL database: run timbra backup drill with --database-url": (
        "el archivo no contiene la base de datos PostgreSQL: ejecute timbra backup drill con --database-url"
    ),
    "Restore a backup into a temporary folder, check everything that it contains, and report.": (
        "Restaura un respaldo en una carpeta temporal, revisa todo lo que contiene e informa."
    ),
    "Reads every stamp back, compares its folio and its seal, and decrypts every private key. The exit code is 1 when "
    "the report has problems.": (
        "Lee cada timbre, compara su folio y su sello, y descifra cada llave privada. El código de salida es 1 si el "
        "informe tiene problemas."
    ),
    "File that gets the report as JSON.": "Archivo que recibe el informe en JSON.",
    "Where the temporary folder is made. By default the system's.": (
        "Dónde se crea la carpeta temporal. De forma predeterminada, la del sistema."
    ),
    "PostgreSQL database that was restored before and that no server uses.": (
        "Base de datos PostgreSQL restaurada de antemano y que ningún servidor usa."
    ),
    "The lists of the archive are in {source}; the settings name {target}: move them there.": (
        "Las listas del archivo están en {source}; la configuración indica {target}: muévalas ahí."
    ),
    "Record the result in the server's database for the report restore-tests.": (
        "Registra el resultado en la base de datos del servidor para el reporte restore-tests."
    ),
    "check": "revisión",
    "Write the data folder to one compressed archive while the server runs; prints the number of files and bytes.": (
        "Copia la carpeta de datos a un archivo comprimido mientras el servidor trabaja; muestra el número de archivos "
        "y de bytes."
    ),
    "The copied database is checked; a damaged one makes no archive. The archive does not contain a PostgreSQL "
    "database: use pg_dump.": (
        "Revisa la base de datos copiada; de una dañada no se hace archivo. El archivo no contiene una base de datos "
        "PostgreSQL: use pg_dump."
    ),
    "Archive to write; it must not exist.": "Archivo que se escribe; no debe existir.",
    "Include the master key; the archive then decrypts every secret.": (
        "Incluye la llave maestra; con el archivo se puede entonces descifrar todo secreto."
    ),
    "Restore a data folder: verifies hashes, then runs migrations; prints the number of files and bytes.": (
        "Restaura una carpeta de datos: verifica los hashes y después migra; muestra el número de archivos y de bytes."
    ),
    "Archive of `timbra backup`.": "Archivo de `timbra backup`.",
    "Restore into a folder that is not empty; its files are moved to a subfolder.": (
        "Restaura en una carpeta que no está vacía; sus archivos se mueven a una subcarpeta."
    ),
    # timbra data
    "The SAT data snapshot: schemas, stylesheets and catalogs.": (
        "Los datos del SAT: esquemas, hojas de estilo y catálogos."
    ),
    "Build the snapshot from the pinned package; replaces an existing one.": (
        "Construye los datos con el paquete fijado; reemplaza los que haya."
    ),
    "File of the pinned package. By default pip downloads it.": (
        "Archivo del paquete fijado. De forma predeterminada pip lo descarga."
    ),
    "Folder of the snapshot. By default the installed one.": (
        "Carpeta de los datos. De forma predeterminada la instalada."
    ),
    "Compare every file with the manifest; exit code 1 when a file differs.": (
        "Compara cada archivo con el manifiesto; código de salida 1 si alguno difiere."
    ),
    "Replace the snapshot by newer data.": "Reemplaza los datos por otros más recientes.",
    "A file is built into a snapshot after its hash was checked. The files of a folder are compared with its manifest "
    "before they are copied. Without an argument the command downloads the package that this release pins.": (
        "Un archivo se convierte en datos después de comprobar su hash. Los archivos de una carpeta se comparan con su "
        "manifiesto antes de copiarlos. Sin argumento, el comando descarga el paquete que fija esta versión."
    ),
    "File of a newer package (requires --sha256), or folder of a snapshot.": (
        "Archivo de un paquete más reciente (necesita --sha256), o carpeta con datos."
    ),
    "Workbooks (.xls, .xlsx) or CSV files that the SAT published.": (
        "Libros (.xls, .xlsx) o archivos CSV que el SAT publicó."
    ),
    "Standard of the catalogs.": "Estándar de los catálogos.",
    "Print one JSON object per file, each on a line.": "Muestra un objeto JSON por archivo, cada uno en una línea.",
    "Compare catalogs or an error matrix of the SAT with the data and rules in force.": (
        "Compara catálogos o una matriz de errores del SAT con los datos y las reglas vigentes."
    ),
    "Prints the rows that were added, ended and reworded. A CSV file has the name of its table, such as "
    "c_FormaPago.csv.": (
        "Muestra las filas agregadas, terminadas y cambiadas. Un archivo CSV tiene el nombre de su tabla, como "
        "c_FormaPago.csv."
    ),
    "Table": "Tabla",
    "Published edition": "Edición publicada",
    "Rows": "Filas",
    "Added": "Agregadas",
    "Ended": "Terminadas",
    "Reworded": "Cambiadas",
    "Change": "Cambio",
    "Key": "Clave",
    "Detail": "Detalle",
    "not compared: {tables}": "sin comparar: {tables}",
    "Old name of the argument.": "Nombre anterior del argumento.",
    "SHA-256 of the file, or of the folder's manifest.json: 64 hex digits.": (
        "SHA-256 del archivo, o del manifest.json de la carpeta: 64 dígitos hexadecimales."
    ),
    "Print the edition and the age of every catalog.": "Muestra la edición y la antigüedad de cada catálogo.",
    "Catalog": "Catálogo",
    "Keys": "Claves",
    "Source": "Fuente",
    "Edition": "Edición",
    "Age": "Antigüedad",
    # timbra lists
    "Verify and import the SAT's files.": "Verifica e importa los archivos del SAT.",
    "Each list is replaced as a whole after all its files were verified; a failure leaves the current list unchanged. "
    "A running server uses the new lists from its next request on.": (
        "Cada lista se reemplaza completa después de verificar todos sus archivos; una falla no cambia la lista "
        "actual. Un servidor en marcha usa las listas nuevas desde su siguiente solicitud."
    ),
    "All files of an LCO (gzip of PKCS#7).": "Todos los archivos de una LCO (gzip de PKCS#7).",
    "All files of an l_RFC (gzip of PKCS#7).": "Todos los archivos de una l_RFC (gzip de PKCS#7).",
    "Date of the lists, for file names without a date.": "Fecha de las listas, para nombres de archivo sin fecha.",
    "YYYY-MM-DD": "AAAA-MM-DD",
    "HEADER=FIELD": "ENCABEZADO=CAMPO",
    "Meaning of an additional column of l_RFC: name, postal_code, regimes, withholding, cancelled, sncf, "
    "subcontracting or unused. Added to those of TIMBRA_LRFC_COLUMNS.": (
        "Significado de una columna adicional de l_RFC: name, postal_code, regimes, withholding, cancelled, sncf, "
        "subcontracting o unused. Se suma a los de TIMBRA_LRFC_COLUMNS."
    ),
    "Accept a list that is older or much smaller than the current one.": (
        "Acepta una lista anterior a la actual o mucho menor que ella."
    ),
    "Show the current lists; prints nothing when none was imported.": (
        "Muestra las listas actuales; no muestra nada si no se ha importado ninguna."
    ),
    "list": "lista",
    "day": "día",
    "certificates": "certificados",
    "skipped": "omitidos",
    "signed by": "firmantes",
    "signed": "firmada",
    "imported": "importada",
    "age": "antigüedad",
    # timbra provider
    "The provider (PAC) that stamps in production and in a rehearsal.": (
        "El proveedor de certificación (PAC) que timbra en producción y en un ensayo."
    ),
    "Check certificates, keys, addresses, lists and the queue; the exit code is 1 when a condition fails.": (
        "Comprueba certificados, llaves, direcciones, listas y la cola; el código de salida es 1 si algo falla."
    ),
    "Columns: condition, state (ok, warning, error), what was found. Each token signs once.": (
        "Columnas: condición, estado (ok, warning: aviso, error), lo que se encontró. Cada token firma una vez."
    ),
    "Log in at the SAT's services, and query every address, the container and the sources of lists too.": (
        "También se autentica ante el SAT y consulta las direcciones, el contenedor y las fuentes de listas."
    ),
    "List the signatures with the provider's keys by day and certificate number, of all nodes.": (
        "Lista las firmas con las llaves del proveedor por día y número de certificado, de todos los nodos."
    ),
    "Days until today, today included.": "Días hasta hoy, incluido hoy.",
    "Record a planned stop of the service, for the report `planned-stops`; the server is not stopped.": (
        "Registra un paro planeado del servicio para el reporte `planned-stops`; el servidor no se detiene."
    ),
    "YYYY-MM-DDTHH:MM, central Mexico.": "AAAA-MM-DDTHH:MM, centro de México.",
    "FROM": "DESDE",
    "UNTIL": "HASTA",
    "Why the service stops, as it was announced.": "Por qué se detiene el servicio, como se anunció.",
    "a stop ends after it begins, and has a reason": "un paro termina después de empezar y tiene un motivo",
    "an instant is YYYY-MM-DDTHH:MM": "una fecha con hora es AAAA-MM-DDTHH:MM",
    "day (UTC)": "día (UTC)",
    "certificate": "certificado",
    "signatures": "firmas",
    # timbra deliveries
    "Deliveries of stamps to the SAT.": "Entregas de timbres al SAT.",
    "List what the SAT answered, newest first; with `waiting` or `dead`, what it did not answer, oldest first.": (
        "Lista lo que el SAT respondió, primero lo más reciente; con `waiting` o `dead`, lo que no respondió, primero "
        "lo más antiguo."
    ),
    "Columns of answers: folio, state, time of stamp and acuse, seconds between them, attempts, CodEstatus. Of others: "
    "folio, state, time of stamp, next attempt, attempts, reason of the last failure.": (
        "Columnas de las respuestas: folio, estado, fecha del timbre y del acuse, segundos entre ambas, intentos, "
        "CodEstatus. De las demás: folio, estado, fecha del timbre, siguiente intento, intentos, razón de la falla."
    ),
    "Only deliveries in this state.": "Solo las entregas en este estado.",
    "Maximum number of rows.": "Número máximo de renglones.",
    "Write the SAT's acuse of a delivery to standard output, as it was received.": (
        "Escribe el acuse del SAT de una entrega en la salida estándar, como se recibió."
    ),
    "the SAT has not answered about this folio": "el SAT no ha respondido sobre este folio",
    "Deliver again stamps that are not delivered, with new attempts; prints the number.": (
        "Entrega de nuevo los timbres que no se han entregado, con nuevos intentos; muestra cuántos son."
    ),
    "A running server begins at once. Requests of cancellation are sent again only when you ask for them.": (
        "Un servidor en marcha empieza de inmediato. Las solicitudes de cancelación se envían de nuevo solo si las "
        "pide."
    ),
    "All stamps that are dead letters.": "Todos los timbres sin más intentos.",
    "With --all: requests of cancellation too.": "Con --all: también las solicitudes de cancelación.",
    "Folio of a stamp.": "Folio de un timbre.",
    "give the folio of a stamp or --all": "indique el folio de un timbre o --all",
    "stamped (UTC)": "timbrado (UTC)",
    "acknowledged (UTC)": "acuse (UTC)",
    "seconds": "segundos",
    "status": "CodEstatus",
    # timbra outbox
    "Outbox of deliveries to the authority.": "Bandeja de salida de los envíos a la autoridad.",
    "List deliveries that are not done.": "Lista los envíos pendientes.",
    "Columns: kind, subject, time of creation, next attempt, attempts, state (waiting, dead), reason of the last "
    "failure.": (
        "Columnas: tipo, asunto, fecha de creación, siguiente intento, intentos, estado (waiting: en espera, dead: sin "
        "más intentos), razón de la última falla."
    ),
    "Only dead letters.": "Solo los envíos sin más intentos.",
    "Maximum number of rows, oldest first.": "Número máximo de renglones, primero el más antiguo.",
    "Requeue deliveries, with new attempts; prints their number. A running server delivers them at once.": (
        "Encola de nuevo envíos, con nuevos intentos; muestra cuántos son. Un servidor en marcha los envía de "
        "inmediato."
    ),
    "Subject of one delivery, waiting or dead.": "Asunto de un envío, en espera o sin más intentos.",
    "All dead letters.": "Todos los envíos sin más intentos.",
    "Alias of `requeue`.": "Otro nombre de `requeue`.",
    "Delete a delivery, waiting or dead, that reached the authority by other means; prints the number deleted.": (
        "Borra un envío, en espera o sin más intentos, que llegó a la autoridad por otro medio; muestra cuántos borró."
    ),
    "Folio of a stamp, or a subject from `timbra outbox list`.": (
        "Folio de un timbre, o un asunto según `timbra outbox list`."
    ),
    "kind": "tipo",
    "subject": "asunto",
    "since (UTC)": "desde (UTC)",
    "due (UTC)": "próximo (UTC)",
    "attempts": "intentos",
    "reason": "razón",
    # timbra mail
    "E-mails with stamped CFDI: the e-mail outbox.": "Correos con CFDI timbrados: la bandeja de salida de correos.",
    "List e-mails that are not delivered.": "Lista los correos que no se han entregado.",
    "Columns: folio, recipient, time of creation, next attempt (empty for a dead letter), attempts, last failure.": (
        "Columnas: folio, destinatario, fecha de creación, siguiente intento (vacío si ya no hay más), intentos, "
        "última falla."
    ),
    "Requeue dead letters; prints their number. A running server sends them at once.": (
        "Encola de nuevo los correos sin más intentos; muestra cuántos son. Un servidor en marcha los envía de "
        "inmediato."
    ),
    "Folio of a CFDI, whose dead letters are requeued.": (
        "Folio de un CFDI, cuyos correos sin más intentos se encolan de nuevo."
    ),
    "Delete the undelivered e-mails of a CFDI, waiting or dead; prints their number.": (
        "Borra los correos no entregados de un CFDI, en espera o sin más intentos; muestra cuántos son."
    ),
    "Folio of a CFDI with undelivered e-mails.": "Folio de un CFDI con correos no entregados.",
    "folio": "folio",
    "recipient": "destinatario",
    "failure": "falla",
    # Messages of timbra serve
    "Cannot listen on {host}:{port}: {reason}": "No se puede escuchar en {host}:{port}: {reason}",
    "Timbra listening on {address}": "Timbra escucha en {address}",
    "{name} is no setting.": "{name} no es un ajuste.",
    "{name} is no setting; {nearest} is the nearest one.": "{name} no es un ajuste; el más parecido es {nearest}.",
    # Messages of timbra backup and timbra restore
    "The archive does not contain the master key. Without it stored keys and tokens cannot be decrypted: keep the "
    "master key elsewhere.": (
        "El archivo no contiene la llave maestra. Sin ella no se pueden descifrar las llaves ni los tokens guardados: "
        "conserve la llave maestra en otro lugar."
    ),
    "Before the server starts, put the master key where the settings name it: {file}": (
        "Antes de iniciar el servidor, ponga la llave maestra donde indica la configuración: {file}"
    ),
    "The archive does not contain the PostgreSQL database. Back it up with: pg_dump --format=custom --file=FILE "
    "{database}": (
        "El archivo no contiene la base de datos PostgreSQL. Respáldela con: pg_dump --format=custom --file=FILE "
        "{database}"
    ),
    "The archive does not contain the PostgreSQL database. Restore it with: pg_restore --dbname=DATABASE FILE": (
        "El archivo no contiene la base de datos PostgreSQL. Restáurela con: pg_restore --dbname=DATABASE FILE"
    ),
    "The archive is not encrypted and not signed. Create keys with: timbra backup keys FOLDER": (
        "El respaldo no está cifrado ni firmado. Cree las claves con: timbra backup keys FOLDER"
    ),
    "The signature was not verified: give the public key with --public-key.": (
        "No se verificó la firma: indique la clave pública con --public-key."
    ),
    "Keep {identity} away from the server: it decrypts the backups. Set TIMBRA_BACKUP_RECIPIENTS={recipient} and "
    "TIMBRA_BACKUP_SIGNING_KEY_FILE={signing_key}": (
        "Guarde {identity} fuera del servidor: descifra los respaldos. Configure "
        "TIMBRA_BACKUP_RECIPIENTS={recipient} y TIMBRA_BACKUP_SIGNING_KEY_FILE={signing_key}"
    ),
    "the master key is not in a file: it cannot be included": (
        "la llave maestra no está en un archivo: no se puede incluir"
    ),
    # Messages of timbra data
    "--wheel is deprecated: give the file as argument.": "--wheel es obsoleto: indique el archivo como argumento.",
    "unchanged": "sin cambios",
    "--sha256 has 64 hex digits": "--sha256 tiene 64 dígitos hexadecimales",
    "FILE and --sha256 (64 hex digits) go together": "el archivo y --sha256 (64 dígitos hexadecimales) van juntos",
    "the file is not named like a wheel: PACKAGE-VERSION-py3-none-any.whl": (
        "el archivo no tiene nombre de wheel: PAQUETE-VERSIÓN-py3-none-any.whl"
    ),
    "version": "versión",
    "source": "fuente",
    "files": "archivos",
    "bytes": "bytes",
    "folder": "carpeta",
    "{count} differ": "{count} difieren",
    "as built": "sin cambios desde su construcción",
    # Messages of timbra lists, timbra mail and timbra outbox
    "--date must be YYYY-MM-DD": "--date debe ser AAAA-MM-DD",
    "give the folio of a CFDI or --all": "indique el folio de un CFDI o --all",
    "give the subject of a delivery or --all": "indique el asunto de un envío o --all",
}
