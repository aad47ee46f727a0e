"""Addresses of receivers and destinations: free text abroad, keys of SAT's catalogs at home."""

from __future__ import annotations

import re
from typing import Final

from timbra.cfdi.nodes.domicilio import Domicilio
from timbra.rules import domicilio as address
from timbra.rules.case import Case
from timbra.rules.finding import Verdict

ESTADO: Final = "comercioexterior20:c_Estado"
MUNICIPIO: Final = "comercioexterior20:c_Municipio"
LOCALIDAD: Final = "comercioexterior20:c_Localidad"
_KEY: Final = re.compile(r"[0-9]{4}")


def colonia(domicilio: Domicilio, case: Case) -> Verdict:
    """In Mexico four digits are a key of c_Colonia; any other text is a name."""
    key = domicilio.Colonia is not None and _KEY.fullmatch(domicilio.Colonia)
    return address.colonia_holds(domicilio, case) if key and address.in_mexico(domicilio, case) else None


def localidad(domicilio: Domicilio, case: Case) -> Verdict:
    return address.localidad_holds(domicilio, case, LOCALIDAD) if address.in_mexico(domicilio, case) else None


def municipio(domicilio: Domicilio, case: Case) -> Verdict:
    return address.municipio_holds(domicilio, case, MUNICIPIO) if address.in_mexico(domicilio, case) else None


def estado(domicilio: Domicilio, case: Case) -> Verdict:
    return address.estado_holds(domicilio, case, ESTADO) if address.has_states(domicilio, case) else None


def foreign_codigo_postal(domicilio: Domicilio, case: Case) -> Verdict:
    return None if address.in_mexico(domicilio, case) else address.foreign_codigo_postal_holds(domicilio, case)


def codigo_postal(domicilio: Domicilio, case: Case) -> Verdict:
    return address.codigo_postal_holds(domicilio, case) if address.in_mexico(domicilio, case) else None
