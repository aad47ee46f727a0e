"""The issuer's address: CCE125 to CCE130."""

from __future__ import annotations

from timbra.cfdi.nodes.comercioexterior20 import DomicilioEmisor
from timbra.rules.case import Case
from timbra.rules.comercioexterior20 import domicilios
from timbra.rules.comercioexterior20.domicilios import LOCALIDAD, MUNICIPIO
from timbra.rules.domicilio import (
    MEXICO,
    READS,
    codigo_postal_holds,
    colonia_holds,
    localidad_holds,
    municipio_holds,
)
from timbra.rules.finding import Breach, Verdict
from timbra.rules.rule import rule

AT = DomicilioEmisor.PATH


@rule("CCE125", at=f"{AT}/@Pais", reads=READS)
def issuer_lives_in_mexico(domicilio: DomicilioEmisor, _case: Case) -> Verdict:
    return None if domicilio.Pais == MEXICO else Breach(found=domicilio.Pais, expected=MEXICO)


@rule("CCE126", at=f"{AT}/@Estado", reads=READS, inseparable=("CCE130",))
def issuer_state_is_mexican(domicilio: DomicilioEmisor, case: Case) -> Verdict:
    """In another country, which is CCE125, a state of that country."""
    return domicilios.estado(domicilio, case)


@rule("CCE127", at=f"{AT}/@Municipio", reads=READS, inseparable=("CCE130",))
def issuer_municipality_is_of_its_state(domicilio: DomicilioEmisor, case: Case) -> Verdict:
    return municipio_holds(domicilio, case, MUNICIPIO)


@rule("CCE128", at=f"{AT}/@Localidad", reads=READS, inseparable=("CCE130",))
def issuer_locality_is_of_its_state(domicilio: DomicilioEmisor, case: Case) -> Verdict:
    return localidad_holds(domicilio, case, LOCALIDAD)


@rule("CCE129", at=f"{AT}/@Colonia", reads=READS)
def issuer_neighbourhood_is_of_its_postal_code(domicilio: DomicilioEmisor, case: Case) -> Verdict:
    """SAT's schema lets keys alone pass here, so other texts than four digits are refused too."""
    return colonia_holds(domicilio, case)


@rule("CCE130", at=f"{AT}/@CodigoPostal", reads=READS)
def issuer_postal_code_is_of_its_places(domicilio: DomicilioEmisor, case: Case) -> Verdict:
    return codigo_postal_holds(domicilio, case)
