"""Causes and remedies of the rejections of requests: authentication, accounts, documents and their lookup."""

from __future__ import annotations

from timbra.messages.causes.cause import Cause

_SIGN_IN = "Pida un token nuevo en /v2/security/authenticate y repita la petición con él."
_ACCOUNT = Cause(
    "Ninguna cuenta tiene ese usuario o ese identificador.",
    "Revise el dato; `timbra account list` muestra las cuentas.",
)
_BALANCE = "Un administrador agrega timbres a la cuenta (`timbra account balance add`)."
_EMAIL = "Escriba en el encabezado email hasta 10 direcciones completas, separadas por comas."
_BODY = "Envíe el cuerpo con la forma que describe /docs/es/referencia/endpoints/ para esa ruta."
_DELETE = "Retire antes los timbres o el timbrado ilimitado de la cuenta, y elimínela después."

REQUESTS: dict[str, Cause] = {
    "AU1001": Cause(
        "Otro usuario ya tiene ese correo o ese nombre.", "Use otro correo, o modifique al usuario existente."
    ),
    "TB4030": Cause(
        "El ZIP no se puede leer o pasa de un límite, trae nombres que no se admiten, o la cuenta ya tiene demasiados "
        "lotes; el detalle lo dice.",
        "Corrija el ZIP como dice el detalle y envíelo otra vez; /docs/batches/ tiene los límites.",
    ),
    "TB4031": Cause(
        "El lote ya está en proceso, o ya terminó.",
        "Espere a que termine; lo timbrado se cancela documento por documento.",
    ),
    "TB4032": Cause(
        "El cuerpo no es un sobre de SOAP 1.1 con ProcessBatchV2 o ProcessBatchV3, o le faltan elementos.",
        "Compárelo con el WSDL en /BatchService.svc?wsdl; el token va antes que el contenido.",
    ),
    "AU1004": Cause(
        "Los datos del usuario o de la cuenta no son válidos, o la operación no se admite; el detalle lo dice.",
        "Corrija lo que dice el detalle y repita la petición.",
    ),
    "AU2000": Cause(
        "El usuario no existe, la contraseña no es la suya, o la petición llegó sin los encabezados user y password.",
        "Revise ambos valores y la ruta /v2/security/authenticate; un administrador puede fijar otra contraseña.",
    ),
    "AU2001": Cause("La cuenta ya usó todos sus timbres.", _BALANCE),
    "AU2002": Cause(
        "Un administrador desactivó al usuario.", "Pida a un administrador que active la cuenta; use otra mientras."
    ),
    "AU2003": Cause(
        "El servidor exige el manifiesto y el emisor no lo ha firmado.", "Firme el manifiesto y pida que se registre."
    ),
    "AU2005": Cause("No se pudo consultar si el emisor firmó el manifiesto.", "Repita la petición más tarde."),
    "TB4060": Cause(
        "El emisor o el receptor está en el listado definitivo del artículo 69-B, y la política de la cuenta es block.",
        "Revise el RFC; quien administra el servidor puede dar otra política a la cuenta.",
    ),
    "TB4061": Cause(
        "La política de la cuenta es block, y el servidor no tiene la lista del artículo 69-B.",
        "Importe la lista (timbra lists import --69b, o TIMBRA_ARTICLE_69B_SOURCE) o cambie la política.",
    ),
    "AU4000": Cause("El token está vencido, fue revocado, o no lo emitió este servidor.", _SIGN_IN),
    "AU4101": Cause("La petición no trae el encabezado Authorization, o el token está vacío.", _SIGN_IN),
    "token-parts": Cause(
        "El valor del encabezado Authorization no es un token: le faltan partes o está cortado.",
        "Envíe `Bearer` seguido del token completo, sin espacios ni saltos de línea dentro.",
    ),
    "token-signature": Cause(
        "El token fue alterado, o lo firmó otro servidor o el mismo con otra llave.",
        f"No modifique el token. {_SIGN_IN}",
    ),
    "token-unknown": Cause(
        "El identificador no es de un token vigente de la cuenta.",
        "Revise el identificador en la lista de tokens; si el token ya fue revocado no hay nada que hacer.",
    ),
    "run-unknown": Cause(
        "La revisión se eliminó, o es de otra cuenta, o pasó el plazo por el que se guarda.",
        "Abra la lista de revisiones en *Proveedores*, o suba los archivos a una nueva.",
    ),
    "account-disabled": Cause(
        "Un administrador desactivó la cuenta.", "Un administrador la activa antes de repetir la operación."
    ),
    "account-exists": Cause(
        "Otra cuenta ya tiene ese usuario.", "Use otro usuario, o la cuenta que ya existe (`timbra account list`)."
    ),
    "account-unknown": _ACCOUNT,
    "user-unknown": _ACCOUNT,
    "last-administrator": Cause(
        "La operación dejaría al servidor sin administradores activos.",
        "Cree o active a otro administrador y repita la operación.",
    ),
    "approval-denied": Cause(
        "La persona no es administradora, ni titular de la cuenta de la solicitud.",
        "Pídalo a una persona que administre el servidor o a otro titular de la cuenta.",
    ),
    "approval-needed": Cause(
        "TIMBRA_TWO_PERSON_ACTIONS protege la operación, y nadie la ha confirmado.",
        "Otra persona confirma la solicitud en Seguridad o con `timbra approval confirm`; después repita la operación.",
    ),
    "approval-own": Cause(
        "La regla pide dos personas, y la solicitud es de la misma.", "Pida la confirmación a otra persona."
    ),
    "approval-unknown": Cause(
        "La solicitud venció (TIMBRA_TWO_PERSON_MINUTES), ya se usó, se confirmó o se retiró.",
        "Repita la operación: pide otra confirmación.",
    ),
    "passkey-invalid": Cause(
        "La llave no está registrada, es de otra dirección del portal, ya firmó este intento, o la página estuvo "
        "abierta más de media hora.",
        "Inténtelo de nuevo desde la página de entrada; si no se acepta, entre con la contraseña y registre la llave.",
    ),
    "password-invalid": Cause(
        "La contraseña está vacía, es demasiado larga, o la nueva y su repetición no son iguales. En producción "
        "también: tiene menos de 12 caracteres, o es común o fácil de adivinar.",
        "Elija otra contraseña, larga y que no use en otro sitio, y escríbala igual las dos veces.",
    ),
    "second-factor-exists": Cause(
        "El usuario ya tiene una aplicación de códigos.", "Quítela antes de configurar otra."
    ),
    "second-factor-invalid": Cause(
        "El código no es el de la aplicación en este momento, ya se usó una vez, o no es uno de los códigos de "
        "recuperación sin usar.",
        "Espere el código siguiente. Si siempre falla, revise la hora del teléfono; sin él, use un código de "
        "recuperación o pida a quien administra la cuenta que restablezca el segundo factor.",
    ),
    "sign-in-link-invalid": Cause(
        "El enlace sirve una sola vez y por tiempo limitado, y debe abrirse completo.", "Pida otro enlace para entrar."
    ),
    "user-invalid": Cause(
        "El usuario está vacío, tiene más de 254 caracteres, espacios o caracteres no visibles.",
        "Use un correo electrónico u otro nombre sin espacios.",
    ),
    "user-email-taken": Cause(
        "Otro usuario ya tiene ese correo.", "Use otro correo, o modifique al usuario existente."
    ),
    "user-has-stamps": Cause("El usuario a eliminar todavía tiene timbres.", _DELETE),
    "user-unlimited": Cause("El usuario a eliminar tiene timbrado ilimitado.", _DELETE),
    "user-removed": Cause(
        "El usuario ya se había eliminado.", "No hace falta otra petición; cree otro usuario si lo necesita."
    ),
    "user-unchanged": Cause(
        "Todos los datos enviados son iguales a los guardados.",
        "Envíe al menos un dato distinto, o no envíe la petición.",
    ),
    "301": Cause(
        "El documento no es XML bien formado en UTF-8, no es un CFDI de versión conocida, o no cumple el esquema (XSD) "
        "de su versión o de un complemento.",
        "El detalle dice el lugar y lo que el esquema espera. Corrija el documento, séllelo y envíelo otra vez.",
    ),
    "307": Cause(
        "El documento ya trae un TimbreFiscalDigital, o el mismo sello ya se timbró: la respuesta trae entonces ese "
        "timbre en data, y el XML timbrado en messageDetail.",
        "Use el timbre que ya existe. Para otro comprobante quite el timbre, cambie los datos y selle otra vez.",
    ),
    "T307": Cause(
        "El documento ya trae un TimbreFiscalDigital, o el mismo sello ya se timbró: la respuesta trae entonces ese "
        "timbre en data, y el XML timbrado en messageDetail.",
        "Use el timbre que ya existe. Para otro comprobante quite el timbre, cambie los datos y selle otra vez.",
    ),
    "CFDI3307": Cause(
        "El customId ya se usó con otro documento, o con el mismo.",
        "Use el timbre que trae la respuesta, o envíe el documento con un customId que no se haya usado.",
    ),
    "xml-missing": Cause(
        "La petición no trae el documento: falta el campo xml, el archivo está vacío o el campo tiene otro nombre.",
        "Envíe el XML en el campo xml del formulario multipart o en el cuerpo que la ruta pide.",
    ),
    "zip-concepts": Cause(
        "La ruta de documentos grandes recibe solo CFDI de 10,000 a 120,000 conceptos.",
        "Timbre los documentos menores por la ruta normal; divida los mayores en varios comprobantes.",
    ),
    "email-invalid": Cause("Una dirección del encabezado email está mal escrita.", _EMAIL),
    "email-too-many": Cause("El encabezado email tiene más de 10 direcciones.", _EMAIL),
    "csd-missing": Cause(
        "La cuenta no tiene un CSD vigente y activo del RFC emisor del documento.",
        "Cargue el CSD de ese RFC (`timbra csd add`, la API de certificados o el portal), o selle el documento usted.",
    ),
    "certificates": Cause(
        "No se pudo cargar, consultar o borrar el CSD; el detalle dice por qué.",
        "Corrija lo que dice el detalle: archivo .cer, archivo .key, su contraseña, o el número del certificado.",
    ),
    "lookup-failed": Cause(
        "La consulta trae un dato mal formado o no se pudo resolver.", "Revise el folio y los filtros."
    ),
    "pdf-unknown": Cause(
        "La cuenta no tiene un timbre con ese UUID.", "Revise el UUID y la cuenta; los de otras cuentas no se muestran."
    ),
    "storage-unknown": Cause(
        "La cuenta no tiene un timbre con ese UUID.", "Revise el UUID y la cuenta; los de otras cuentas no se muestran."
    ),
    "document-unknown": Cause(
        "Ni este servidor ni su autoridad simulada tienen ese documento.",
        "Revise el UUID. En el ambiente de pruebas se puede importar el CFDI a la autoridad simulada.",
    ),
    "document-invalid": Cause(
        "El archivo es XML y no es un CFDI 3.3 o 4.0 con exactamente un timbre.", "Use el XML timbrado completo."
    ),
    "print-failed": Cause(
        "El programa que compone las páginas rechaza el documento o la plantilla.",
        "Intente con otra plantilla; el XML y su timbre no cambian.",
    ),
    "print-too-large": Cause(
        "El documento, sus textos o el tiempo de su impresión rebasan los límites.",
        "Imprima el XML con otra herramienta; los límites protegen al servidor y el timbre no cambia.",
    ),
    "mail-down": Cause(
        "El servidor de correo configurado no responde.", "El envío se reintenta; revise la configuración de correo."
    ),
    "mail-refused": Cause(
        "El servidor de correo rechazó la dirección o el mensaje.", "Revise las direcciones y lo que dice el detalle."
    ),
    "authority-down": Cause(
        "El servicio del SAT (o la autoridad simulada) no respondió, o sus últimas respuestas fallaron.",
        "Repita la petición después de los segundos que dice Retry-After; el documento no cambió.",
    ),
    "CO1000": Cause(
        "El servidor tiene demasiadas peticiones, le falta una configuración o falló algo interno; el detalle lo dice "
        "cuando no es interno.",
        "Si la respuesta trae Retry-After, repita después. Si no, el registro del servidor tiene el código interno.",
    ),
    "TB4000": Cause(
        "La línea o los encabezados HTTP no cumplen el protocolo.", "Use una biblioteca HTTP para la petición."
    ),
    "TB4001": Cause(
        "El cuerpo es mayor que el máximo de la ruta.", "Reduzca el documento o use la ruta de documentos grandes."
    ),
    "TB4002": Cause(
        "Content-Length no corresponde a los bytes enviados, o el cuerpo llegó demasiado lento.",
        "Calcule Content-Length en bytes y no en caracteres, y repita la petición.",
    ),
    "TB4003": Cause("El límite (boundary) o una parte del formulario multipart es incorrecto.", _BODY),
    "TB4004": Cause("El cuerpo no es JSON válido en UTF-8 o no es un objeto.", _BODY),
    "TB4005": Cause("Un parámetro de la ruta, de la consulta o del cuerpo falta o tiene un valor inválido.", _BODY),
    "TB4006": Cause(
        "La función no existe en este servidor o no está configurada.", "El detalle dice cuál; no repita la petición."
    ),
    "TB4007": Cause("Se quieren retirar más timbres de los que la cuenta tiene.", "Retire a lo más los que quedan."),
    "TB4008": Cause(
        "El cuerpo viene comprimido con otro método que gzip, o su gzip está dañado o incompleto.",
        "Envíe el cuerpo sin Content-Encoding, o en gzip de una sola parte.",
    ),
    "TB4020": Cause(
        "La ruta timbra retenciones y el documento es un CFDI.",
        "Envíe el documento a las rutas de timbrado de CFDI.",
    ),
    "TB4021": Cause(
        "La ruta timbra CFDI y el documento es un CFDI de retenciones.",
        "Envíe el documento a las rutas `/retencion`.",
    ),
    "TB4022": Cause(
        "El documento es un CFDI de retenciones de la versión 1.0.",
        "Emita el documento con la versión 2.0.",
    ),
    "TB4024": Cause(
        "El documento hace trabajar al servidor mucho más que otros de su tamaño, por ejemplo con miles de errores.",
        "Corrija lo que se repite en el documento. Si es correcto, el operador puede aumentar "
        "TIMBRA_DOCUMENT_PROCESSOR_SECONDS.",
    ),
    "TB4010": Cause("El token es de un usuario que no es administrador.", "Use el token de un administrador."),
    "TB4011": Cause(
        "/metrics se pidió sin el token de las métricas o con otro.",
        "Envíe como Bearer el valor de TIMBRA_METRICS_TOKEN.",
    ),
    "TB4012": Cause(
        "El token se creó solo para algunas operaciones (stamp, cancel, read, manage), y esta no es una de ellas.",
        "Use un token con el alcance que dice el detalle; se crea en la página «Tokens» o con `timbra token create`.",
    ),
    "TB4040": Cause("El servidor no tiene esa ruta o ese método.", "Vea las rutas en /docs/es/referencia/endpoints/."),
    "TB4041": Cause(
        "El recurso no existe, ya se borró, o el enlace venció.", "Revise el identificador o pida un enlace nuevo."
    ),
    "TB4042": Cause("La ruta existe y no con ese método HTTP.", "Use un método del encabezado Allow de la respuesta."),
    "TB4291": Cause(
        "Desde esta dirección, o con este usuario, llegaron demasiadas contraseñas equivocadas seguidas.",
        "Espere los segundos que dice Retry-After. Quien ya entró antes desde su dirección no espera; un administrador "
        "puede dar un enlace para entrar (`timbra account link`). Los tokens vigentes siguen sirviendo.",
    ),
    "TB4290": Cause(
        "La cuenta rebasó el número de peticiones por segundo que se le permite.",
        "Espere los segundos que dice Retry-After y envíe más despacio.",
    ),
}
