"""Causes and remedies of faults of certificates, of the SAT's data and lists, of backups and of the sandbox."""

from __future__ import annotations

from timbra.messages.causes.cause import Cause

_FILES = "Use el par .cer y .key del mismo CSD, tal como el SAT los entrega o en PEM, y su contraseña."
_EFIRMA = "Use el par .cer y .key de la e.firma del contribuyente y su contraseña (`timbra received efirma`)."
_DATA = "`timbra data build` o una nueva instalación del paquete escribe los datos otra vez."
_LIST = "Descargue otra vez todas las partes de la lista del mismo día e impórtelas (`timbra lists import`)."
_STATE = "Use un archivo que `timbra sandbox state save` escribió y que no se ha modificado."
_BACKUP = "Revise el espacio, los permisos y el dispositivo, y repita la operación."
_REQUEST = "Escriba la solicitud con la forma de /docs/cancellation/."
_SIGNER = "Revise el dispositivo (PKCS#11), su configuración y el registro del servidor."
_STORED = "Recupere el archivo de un respaldo; el registro del servidor dice cuál es."
_MASTER_KEY = "Configure la llave maestra con la que se cifraron los secretos (TIMBRA_MASTER_KEY)."
_FINDING = Cause(
    "Un dato guardado por este servidor no se puede leer: el almacenamiento lo alteró. La API responde CO1000.", _STORED
)

SERVER: dict[str, Cause] = {
    "certificate-expired": Cause(
        "La fecha está fuera de la vigencia del certificado.", "Use un CSD vigente; se tramita en el SAT."
    ),
    "certificate-kind": Cause(
        "El tipo pedido no es uno de los que se emiten.", "Use uno de los tipos que la ayuda lista."
    ),
    "certificate-not-csd": Cause("El certificado es una e.firma (FIEL) o es de otro uso.", _FILES),
    "certificate-not-efirma": Cause("El certificado es un CSD o es de otro uso.", _EFIRMA),
    "efirma-unknown": Cause("La cuenta no guarda una e.firma de ese RFC.", _EFIRMA),
    "certificate-unknown": Cause(
        "No hay un certificado con ese número.", "Revise el número en la lista de certificados."
    ),
    "certificate-unreadable": Cause("El archivo no es un certificado X.509 en formato DER.", _FILES),
    "key-cipher": Cause("La llave usa un cifrado, o un número de iteraciones, que no se admite.", _FILES),
    "key-mismatch": Cause("El .cer y el .key son de certificados distintos.", _FILES),
    "key-password": Cause("La contraseña no abre la llave privada.", _FILES),
    "key-unreadable": Cause("El archivo no es una llave privada PKCS#8 en formato DER.", _FILES),
    "master-key-invalid": Cause("La llave maestra configurada no se puede leer o no tiene 32 bytes.", _MASTER_KEY),
    "vault-key-unknown": Cause("El secreto se cifró con otra llave maestra.", _MASTER_KEY),
    "vault-damaged": Cause(
        "El secreto guardado no se descifra: fue alterado.", "Cargue el CSD otra vez, o restaure un respaldo."
    ),
    "signature-faulty": Cause("La firma recién hecha no verifica con su certificado, y no se publicó.", _SIGNER),
    "signer-unavailable": Cause("El dispositivo que guarda la llave no responde o no está instalado.", _SIGNER),
    "document-damaged": _FINDING,
    "stamp-unreadable": _FINDING,
    "snapshot-damaged": Cause("Un archivo de los datos del SAT no corresponde a su manifiesto.", _DATA),
    "snapshot-missing": Cause("El paquete no trae los datos del SAT y no se han construido.", _DATA),
    "snapshot-source": Cause(
        "El paquete de origen no se encontró o no es el esperado.", f"Revise la conexión. {_DATA}"
    ),
    "bulk-engine": Cause(
        "Falta una biblioteca, o no se alcanza el clúster de Ray.",
        "Instale timbra[bulk] y revise la dirección del clúster.",
    ),
    "bulk-folder": Cause(
        "La carpeta tiene una corrida con otras fuentes, opciones o versiones, otros archivos, o no se puede escribir.",
        "Repita el comando con las mismas fuentes y opciones, o indique otra carpeta.",
    ),
    "bulk-process-ended": Cause(
        "El documento agota la memoria o el proceso fue terminado.",
        "Valide el documento aparte, en una máquina con más memoria.",
    ),
    "bulk-query": Cause("El SQL no es válido para las tablas de la corrida.", "Consulte /docs/bulk-tables/."),
    "column-map": Cause(
        "El mapa de columnas no es válido, nombra un encabezado que no está, o no se reconoce ningún encabezado.",
        "Indique en el mapa el encabezado de cada columna.",
    ),
    "reconciliation-failed": Cause(
        "La carpeta temporal no tiene espacio, un archivo no se puede escribir, o un dato excede los límites.",
        "Libere espacio o dé más memoria con --memory; el detalle dice qué falló.",
    ),
    "reconciliation-sources": Cause(
        "No se dieron los CFDI del SAT ni el libro de emitidos, que son la referencia.", "Agregue --sat o --ledger."
    ),
    "name-unknown": Cause(
        "Un programa pidió a la biblioteca un nombre que no existe.", "Use uno de los nombres que el detalle propone."
    ),
    "source-not-xml": Cause(
        "El archivo es un PDF sin un CFDI adjunto, un zip u otro tipo.", "Indique el XML del comprobante."
    ),
    "source-unreadable": Cause(
        "El archivo no existe, no se puede abrir o su zip está dañado.", "Revise la ruta y los permisos."
    ),
    "trust-refused": Cause(
        "La carpeta de confianza no existe o trae un certificado que no firmó una autoridad del SAT; o la autoridad de "
        "un ensayo falta o no es la de un emulador.",
        "Deje en la carpeta solo certificados de autoridades y proveedores que el SAT publica; en un ensayo, indique "
        "en TIMBRA_REHEARSAL_AUTHORITY el certificado de la autoridad del emulador.",
    ),
    "provider-settings": Cause(
        "Falta un dato de la identidad del proveedor, o su llave no está cifrada.",
        "Revise las variables TIMBRA_PROVIDER_... y ejecute `timbra provider check`.",
    ),
    "folio-invalid": Cause("El folio fiscal no es un UUID de 36 caracteres.", "Copie el UUID del timbre."),
    "folios-many": Cause("La solicitud trae más de 500 folios.", "Divida los folios en varias solicitudes."),
    "date-invalid": Cause(
        "La Fecha de la solicitud falta o no es una fecha y hora sin milisegundos de más.",
        "Escriba la fecha y hora local, por ejemplo 2026-11-17T12:00:00, y firme otra vez.",
    ),
    "request-empty": Cause("La solicitud no trae ningún folio.", _REQUEST),
    "request-unreadable": Cause("La solicitud no es el XML que el servicio espera.", _REQUEST),
    "xml-signature": Cause(
        "La firma XML no corresponde al contenido o al certificado: el XML cambió después de firmarse.",
        "Firme otra vez y envíe los mismos bytes, sin dar formato al XML.",
    ),
    "state-damaged": Cause("El archivo del estado está incompleto o alterado.", _STATE),
    "state-environment": Cause("El archivo es de un ambiente que no es de pruebas.", _STATE),
    "state-master-key": Cause("El estado se cifró con otra llave maestra.", _MASTER_KEY),
    "state-schema": Cause(
        "Otra versión de Timbra escribió el estado.", "Cárguelo con la versión de Timbra que el detalle dice."
    ),
    "state-storage": Cause("El archivo del estado no se pudo leer o escribir.", _BACKUP),
    "state-too-large": Cause(
        "El estado rebasa el tamaño permitido.", "Borre documentos del ambiente de pruebas antes de guardarlo."
    ),
    "script-invalid": Cause(
        "El RFC, la respuesta o el momento de la respuesta programada no es válido.",
        "El detalle dice cuál; las respuestas se listan en `timbra sandbox script set --help`.",
    ),
    "delivery-rejected": Cause(
        "La firma de acceso del contenedor o el certificado del proveedor no es el que el SAT espera.",
        "Corrija la configuración del proveedor; el timbre se entrega después.",
    ),
    "emulator-configuration": Cause(
        "El archivo de opciones y fallas no tiene la forma esperada, la dirección está ocupada, o falta un archivo del "
        "emulador.",
        "Corrija lo que dice el detalle; /docs/sat-emulator/ describe el archivo.",
    ),
    "fault-invalid": Cause(
        "El nombre de la falla no existe o un número está fuera de su intervalo.",
        "Use una de las fallas que `timbra sandbox fault set --help` lista.",
    ),
    "time-invalid": Cause(
        "La fecha, la hora o la duración no tiene la forma ISO 8601.", "Escriba 2026-01-31T12:00:00 o 3d."
    ),
    "answer-lost": Cause(
        "El ambiente de pruebas simuló una respuesta que se pierde: la petición sí se atendió.",
        "Repita la misma petición con los mismos bytes; la respuesta 307 trae el timbre.",
    ),
    "taxpayer-exists": Cause("El RFC ya está en la lista simulada.", "Modifique al contribuyente existente."),
    "taxpayer-invalid": Cause(
        "El RFC, el nombre, el código postal o el régimen no es válido.", "Corrija lo que dice el detalle."
    ),
    "taxpayer-unknown": Cause("La lista simulada no tiene ese RFC.", "Regístrelo antes en el ambiente de pruebas."),
    "backup-changing": Cause(
        "Un archivo cambió mientras se copiaba.", "Repita el respaldo cuando haya menos actividad."
    ),
    "audit-unreadable": Cause(
        "El archivo está cortado, alterado o no es de la bitácora de auditoría.",
        "Indique un archivo de `timbra audit export`.",
    ),
    "log-unreadable": Cause(
        "El archivo está cortado, alterado o no es un checkpoint, una prueba o una llave (C2SP).",
        "Descárguelo otra vez sin abrirlo en un editor; /docs/proof/ describe los formatos.",
    ),
    "log-damaged": Cause(
        "Se borraron o dañaron renglones de las tablas del registro de transparencia.",
        "Ejecute `timbra fsck` y restaure el último respaldo verificado.",
    ),
    "proof-invalid": Cause(
        "La hoja, los hashes o la firma no son del registro, o el documento cambió.",
        "Pida otra prueba y verifíquela con la llave que publica el proveedor; si tampoco es válida, el proveedor "
        "cambió su registro.",
    ),
    "backup-damaged": Cause("El respaldo está incompleto, alterado o no es de Timbra.", "Use otro respaldo."),
    "database-damaged": Cause(
        "El disco o una copia cambió páginas de la base de datos; el detalle es lo que SQLite encontró.",
        "No use ese archivo: restaure el último respaldo verificado, y revise el disco.",
    ),
    "backup-storage": Cause("El respaldo no se pudo leer o escribir.", _BACKUP),
    "backup-exists": Cause("Ya hay un archivo con ese nombre y no se reemplaza.", "Indique otro nombre."),
    "backup-encrypted": Cause(
        "El respaldo se cifró para una clave que no se indicó.", "Indique la clave privada con --identity."
    ),
    "backup-key": Cause(
        "La clave con la que se cifra, firma o abre el respaldo no se puede leer.",
        "Indique una clave de `timbra backup keys`.",
    ),
    "backup-signature": Cause(
        "El respaldo o su firma faltan, se alteraron o son de otra clave.",
        "No restaure ese archivo; use otro respaldo o la clave pública correcta.",
    ),
    "restore-in-use": Cause("Un proceso tiene abierta la carpeta de datos.", "Detenga el servidor y repita."),
    "restore-not-empty": Cause("La carpeta de destino tiene archivos.", "Restaure en una carpeta nueva o vacía."),
    "list-busy": Cause("Otro proceso importa una lista en este momento.", "Espere a que termine y repita."),
    "list-columns": Cause(
        "El encabezado de la lista trae columnas desconocidas o distintas entre partes.",
        "Indique su significado con --column o en TIMBRA_LRFC_COLUMNS.",
    ),
    "report-invalid": Cause(
        "El nombre, el periodo o el tamaño del reporte no se admite.", "Corrija lo que dice el detalle."
    ),
    "archive-exists": Cause("Ya hay un archivo histórico con ese nombre y no se reemplaza.", "Indique otro lugar."),
    "archive-invalid": Cause("Falta un archivo o su contenido cambió.", "Use otra copia del archivo histórico."),
    "archive-storage": Cause("No se pudo leer o escribir en ese lugar.", _BACKUP),
    "manifest-invalid": Cause("El RFC, la fecha o el documento no es válido.", "Corrija lo que dice el detalle."),
    "list-hash": Cause(
        "El archivo llegó incompleto o alterado: su hash no es el publicado.",
        "No se puso en uso; se descarga de nuevo. Si se repite, avise a quien publica la lista.",
    ),
    "list-source": Cause(
        "La fuente de la lista no responde, no tiene los archivos o está mal configurada.",
        "Revise TIMBRA_LISTS_SOURCE y timbra lists status.",
    ),
    "list-damaged": Cause("Los archivos guardados de la lista están alterados.", _LIST),
    "catalog-refused": Cause(
        "El archivo no es de catálogos, tiene claves o fechas de otra forma, es anterior o tiene muchas menos claves.",
        "Corrija lo que dice el detalle; timbra catalogs diff lo muestra sin instalar nada.",
    ),
    "catalog-unknown": Cause("El nombre no es de una edición instalada.", "timbra catalogs list las muestra."),
    "list-refused": Cause(
        "La lista es anterior, mucho menor, de varios días o incompleta.", f"{_LIST} --force la acepta."
    ),
    "list-signature": Cause("El archivo no verifica con la firma del SAT.", _LIST),
    "list-storage": Cause("No se pudo escribir en la carpeta de datos.", _BACKUP),
    "list-unreadable": Cause("El archivo no es la lista que su nombre dice o está cortado.", _LIST),
}
