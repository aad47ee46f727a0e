"""A minimal valid document with the complement Nómina 1.2."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.examples.comprobante import FECHA, KEMPER, XODAR, Frame, Party, build, with_schema
from timbra.examples.conceptos import concepto
from timbra.examples.tree import Change, Node

NAMESPACE = "http://www.sat.gob.mx/nomina12"
SCHEMA = "http://www.sat.gob.mx/sitio_internet/cfd/nomina/nomina12.xsd"
WORKER = XODAR


def nomina(changes: Mapping[str, Change] | None = None, *, fecha: str = FECHA, issuer: Party = KEMPER) -> str:
    """An ordinary fortnight of 200.00 pesos to a worker assimilated to wages."""
    line = concepto(
        {"@ClaveProdServ": "84111505", "@ClaveUnidad": "ACT", "@Descripcion": "Pago de nómina"}, traslados=[]
    )
    extra: dict[str, Change] = {
        "@xmlns:nomina12": NAMESPACE,
        "@xsi:schemaLocation": with_schema(NAMESPACE, SCHEMA),
        "Complemento": Node("cfdi:Complemento", children=[_nomina(fecha[:10])]),
    }
    frame = Frame("N", "CN01", {"Moneda": "MXN", "MetodoPago": "PUE"})
    return build(frame, [line], fecha=fecha, issuer=issuer, receiver=WORKER, extra=extra, changes=changes)


def _nomina(day: str) -> Node:
    head = {
        "Version": "1.2",
        "TipoNomina": "O",
        "FechaPago": day,
        "FechaInicialPago": day,
        "FechaFinalPago": day,
        "NumDiasPagados": "1",
        "TotalPercepciones": "200.00",
    }
    worker = {
        "Curp": "XOJI740919MQTDMN02",
        "TipoContrato": "99",
        "TipoRegimen": "09",
        "NumEmpleado": "1",
        "PeriodicidadPago": "99",
        "ClaveEntFed": "HID",
    }
    earned = {"TipoPercepcion": "046", "Clave": "046", "Concepto": "Asimilados"}
    earned |= {"ImporteGravado": "200.00", "ImporteExento": "0.00"}
    sums = {"TotalSueldos": "200.00", "TotalGravado": "200.00", "TotalExento": "0.00"}
    return Node(
        "nomina12:Nomina",
        head,
        [
            Node("nomina12:Receptor", worker),
            Node("nomina12:Percepciones", sums, [Node("nomina12:Percepcion", earned)]),
        ],
    )
