"""Downloads with cfdiclient: python cfdiclient_download.py ADDRESS CONTROL FOLDER RFC SINCE UNTIL.

ADDRESS is the base of the services of CFDI, CONTROL that of the control endpoints, FOLDER has the e.firma. Prints JSON:
what each step of a download returned, a third equal request, and a verification with an expired token. The program runs
with an interpreter of its own: the license of cfdiclient is not that of this project, which imports nothing of it.
"""

import io
import json
import sys
import zipfile
from base64 import b64decode
from datetime import datetime
from pathlib import Path
from typing import Any

import cfdiclient
import requests

address, control, folder, rfc, since, until = sys.argv[1:]
fiel = cfdiclient.Fiel(
    Path(folder, f"{rfc}.cer").read_bytes(),
    Path(folder, f"{rfc}.key").read_bytes(),
    Path(folder, f"{rfc}.txt").read_text(),
)
CLIENTS = (
    cfdiclient.Autenticacion,
    cfdiclient.SolicitaDescargaEmitidos,
    cfdiclient.SolicitaDescargaRecibidos,
    cfdiclient.VerificaSolicitudDescarga,
    cfdiclient.DescargaMasiva,
)
for client in CLIENTS:
    client.soap_url = address + client.soap_url.partition(".mx")[2]
period = (datetime.fromisoformat(since), datetime.fromisoformat(until))


def issued() -> dict[str, Any]:
    return dict(cfdiclient.SolicitaDescargaEmitidos(fiel).solicitar_descarga(token, rfc, *period, rfc))


def received() -> dict[str, Any]:
    client = cfdiclient.SolicitaDescargaRecibidos(fiel)
    kind = {"tipo_solicitud": "Metadata", "estado_comprobante": "Todos"}
    return dict(client.solicitar_descarga(token, rfc, *period, rfc_receptor=rfc, **kind))


def verify(identifier: str) -> dict[str, Any]:
    return dict(cfdiclient.VerificaSolicitudDescarga(fiel).verificar_descarga(token, rfc, identifier))


def finished(identifier: str) -> dict[str, Any]:
    while True:
        found = verify(identifier)
        if found["estado_solicitud"] not in ("1", "2"):
            return found


def downloaded(accepted: dict[str, Any]) -> dict[str, Any]:
    verified = finished(accepted["id_solicitud"])
    names: list[str] = []
    for package in verified["paquetes"]:
        answer = cfdiclient.DescargaMasiva(fiel).descargar_paquete(token, rfc, package)
        with zipfile.ZipFile(io.BytesIO(b64decode(answer["paquete_b64"]))) as archive:
            names += archive.namelist()
    return {"code": accepted["cod_estatus"], "count": int(verified["numero_cfdis"]), "found": names}


token = cfdiclient.Autenticacion(fiel).obtener_token()
results: dict[str, Any] = {"issued": downloaded(issued()), "received": downloaded(received())}
results["second"] = finished(issued()["id_solicitud"])["cod_estatus"]
third = issued()
results["third"] = third["cod_estatus"]
requests.post(f"{control}/tokens/expire", json={}, timeout=60).raise_for_status()
results["expired"] = verify(third["id_solicitud"])["cod_estatus"]
token = cfdiclient.Autenticacion(fiel).obtener_token()
results["renewed"] = verify(third["id_solicitud"])["cod_estatus"]
print(json.dumps(results))
