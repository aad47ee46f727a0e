"""The address of a destination: CCE145 to CCE150."""

from __future__ import annotations

from timbra.cfdi.nodes.comercioexterior20 import DomicilioDestinatario
from timbra.rules.case import Case
from timbra.rules.comercioexterior20 import domicilios
from timbra.rules.domicilio import READS
from timbra.rules.finding import Verdict
from timbra.rules.rule import rule

AT = DomicilioDestinatario.PATH


@rule("CCE145", at=f"{AT}/@Colonia", reads=READS)
def destination_neighbourhood_is_of_its_postal_code(domicilio: DomicilioDestinatario, case: Case) -> Verdict:
    return domicilios.colonia(domicilio, case)


@rule("CCE146", at=f"{AT}/@Localidad", reads=READS, inseparable=("CCE150",))
def destination_locality_is_of_its_state(domicilio: DomicilioDestinatario, case: Case) -> Verdict:
    return domicilios.localidad(domicilio, case)


@rule("CCE147", at=f"{AT}/@Municipio", reads=READS, inseparable=("CCE150",))
def destination_municipality_is_of_its_state(domicilio: DomicilioDestinatario, case: Case) -> Verdict:
    return domicilios.municipio(domicilio, case)


@rule("CCE148", at=f"{AT}/@Estado", reads=READS)
def destination_state_is_of_its_country(domicilio: DomicilioDestinatario, case: Case) -> Verdict:
    return domicilios.estado(domicilio, case)


@rule("CCE149", at=f"{AT}/@CodigoPostal", reads=READS)
def destination_postal_code_has_the_form_of_its_country(domicilio: DomicilioDestinatario, case: Case) -> Verdict:
    return domicilios.foreign_codigo_postal(domicilio, case)


@rule("CCE150", at=f"{AT}/@CodigoPostal", reads=READS)
def destination_postal_code_is_of_its_places(domicilio: DomicilioDestinatario, case: Case) -> Verdict:
    return domicilios.codigo_postal(domicilio, case)
