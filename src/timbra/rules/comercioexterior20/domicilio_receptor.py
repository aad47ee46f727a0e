"""The receiver's address: CCE136 to CCE141."""

from __future__ import annotations

from timbra.cfdi.nodes.comercioexterior20 import DomicilioReceptor
from timbra.rules.case import Case
from timbra.rules.comercioexterior20 import domicilios
from timbra.rules.domicilio import READS
from timbra.rules.finding import Verdict
from timbra.rules.rule import rule

AT = DomicilioReceptor.PATH


@rule("CCE136", at=f"{AT}/@Colonia", reads=READS)
def receiver_neighbourhood_is_of_its_postal_code(domicilio: DomicilioReceptor, case: Case) -> Verdict:
    return domicilios.colonia(domicilio, case)


@rule("CCE137", at=f"{AT}/@Localidad", reads=READS, inseparable=("CCE141",))
def receiver_locality_is_of_its_state(domicilio: DomicilioReceptor, case: Case) -> Verdict:
    return domicilios.localidad(domicilio, case)


@rule("CCE138", at=f"{AT}/@Municipio", reads=READS, inseparable=("CCE141",))
def receiver_municipality_is_of_its_state(domicilio: DomicilioReceptor, case: Case) -> Verdict:
    return domicilios.municipio(domicilio, case)


@rule("CCE139", at=f"{AT}/@Estado", reads=READS)
def receiver_state_is_of_its_country(domicilio: DomicilioReceptor, case: Case) -> Verdict:
    return domicilios.estado(domicilio, case)


@rule("CCE140", at=f"{AT}/@CodigoPostal", reads=READS)
def receiver_postal_code_has_the_form_of_its_country(domicilio: DomicilioReceptor, case: Case) -> Verdict:
    return domicilios.foreign_codigo_postal(domicilio, case)


@rule("CCE141", at=f"{AT}/@CodigoPostal", reads=READS)
def receiver_postal_code_is_of_its_places(domicilio: DomicilioReceptor, case: Case) -> Verdict:
    return domicilios.codigo_postal(domicilio, case)
