"""Employer and worker: requirements of the contract, the regime and the type of payroll."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes import Emisor, Receptor
from timbra.cfdi.nodes.base import ZERO
from timbra.cfdi.nodes.nomina12 import EmisorNomina, EntidadSNCF, Nomina, ReceptorNomina
from timbra.cfdi.rfc import NATIONAL
from timbra.rules.engine.result import RuleResult, Violation
from timbra.rules.shared.nomina.whole import paid

COMPANY, PERSON = 12, 13
"""Characters of an RFC."""
EMPLOYED: Final = frozenset(f"{number:02}" for number in range(1, 9))
"""Contracts of workers with an employer."""
UNEMPLOYED: Final = frozenset({"09", "10", "99"})
WAGES: Final = ("02", "03", "04")
"""Regimes of wages."""
ORDINARY, EXTRAORDINARY, OTHER = "O", "E", "99"
MIXED: Final = "IM"
SOCIAL_SECURITY: Final = (
    "NumSeguridadSocial",
    "FechaInicioRelLaboral",
    "Antigüedad",
    "RiesgoPuesto",
    "SalarioDiarioIntegrado",
)


def companies_have_no_curp(nomina: Nomina, emisor: Emisor) -> RuleResult:
    """Check that Curp of the employer is absent with an RFC of 12 characters."""
    curp = nomina.emisor.Curp if nomina.emisor is not None else None
    if curp is None or len(emisor.Rfc) != COMPANY:
        return None
    return Violation(found=curp, expected=f"que no exista: {emisor.Rfc} es una persona moral")


def persons_have_their_curp(nomina: Nomina, emisor: Emisor) -> RuleResult:
    """Check that Curp of the employer is present with an RFC of 13 characters."""
    curp = nomina.emisor.Curp if nomina.emisor is not None else None
    if curp is not None or len(emisor.Rfc) != PERSON:
        return None
    return Violation(expected=f"la CURP del patrón: {emisor.Rfc} es una persona física")


def worker_is_a_person(receptor: Receptor) -> RuleResult:
    """Check that the receiver's RFC has 13 characters."""
    return None if len(receptor.Rfc) == PERSON else Violation(found=receptor.Rfc, expected="un RFC de persona física")


def has_own_rfc(receptor: Receptor) -> bool:
    """Whether the RFC is not the generic one, which deceased workers have."""
    return receptor.Rfc != NATIONAL


def employers_are_registered(nomina: Nomina) -> RuleResult:
    """Check that RegistroPatronal is present with a contract of 01 to 08."""
    contract = nomina.receptor.TipoContrato
    if contract not in EMPLOYED or (nomina.emisor is not None and nomina.emisor.RegistroPatronal is not None):
        return None
    return Violation(expected=f"el registro patronal, por TipoContrato {contract}")


def others_have_no_registration(emisor: EmisorNomina, nomina: Nomina) -> RuleResult:
    """Check that RegistroPatronal is absent with a contract of 09, 10 or 99."""
    contract = nomina.receptor.TipoContrato
    if emisor.RegistroPatronal is None or contract not in UNEMPLOYED:
        return None
    return Violation(found=emisor.RegistroPatronal, expected=f"que no exista, por TipoContrato {contract}")


def registration_brings_social_security(receptor: ReceptorNomina, nomina: Nomina) -> RuleResult:
    """Check that the five attributes of social security are present with RegistroPatronal."""
    if nomina.emisor is None or nomina.emisor.RegistroPatronal is None:
        return None
    missing = [name for name in SOCIAL_SECURITY if getattr(receptor, name) is None]
    if not missing:
        return None
    return Violation(at=f"@{missing[0]}", expected=f"{', '.join(missing)}, por el RegistroPatronal del patrón")


def mixed_funds_tell_their_own(entidad: EntidadSNCF) -> RuleResult:
    """Check that MontoRecursoPropio is present with OrigenRecurso IM."""
    if entidad.OrigenRecurso != MIXED or entidad.MontoRecursoPropio is not None:
        return None
    return Violation(expected="el monto de los ingresos propios, por OrigenRecurso IM")


def only_mixed_funds_do(entidad: EntidadSNCF) -> RuleResult:
    """Check that MontoRecursoPropio is absent with any other OrigenRecurso."""
    if entidad.OrigenRecurso == MIXED or entidad.MontoRecursoPropio is None:
        return None
    expected = f"que no exista, por OrigenRecurso {entidad.OrigenRecurso}"
    return Violation(found=entidad.MontoRecursoPropio, expected=expected)


def own_funds_are_a_part(entidad: EntidadSNCF, nomina: Nomina) -> RuleResult:
    """Check that MontoRecursoPropio is less than the sum that the payroll pays."""
    total = paid(nomina)
    if entidad.MontoRecursoPropio is None or entidad.monto < total:
        return None
    expected = f"menor que {total:f}, la suma de TotalPercepciones y TotalOtrosPagos"
    return Violation(found=entidad.MontoRecursoPropio, expected=expected)


def ordinary_payrolls_have_a_period(receptor: ReceptorNomina, nomina: Nomina) -> RuleResult:
    """Check that PeriodicidadPago is not 99 with TipoNomina O."""
    if nomina.TipoNomina != ORDINARY or receptor.PeriodicidadPago != OTHER:
        return None
    return Violation(found=OTHER, expected="distinta de 99, por TipoNomina O")


def extraordinary_payrolls_have_none(receptor: ReceptorNomina, nomina: Nomina) -> RuleResult:
    """Check that PeriodicidadPago is 99 with TipoNomina E."""
    if nomina.TipoNomina != EXTRAORDINARY or receptor.PeriodicidadPago == OTHER:
        return None
    return Violation(found=receptor.PeriodicidadPago, expected="99, por TipoNomina E")


def employed_earn_wages(receptor: ReceptorNomina) -> RuleResult:
    """Check that TipoRegimen is 02, 03 or 04 with a contract of 01 to 08."""
    if receptor.TipoContrato not in EMPLOYED or receptor.TipoRegimen in WAGES:
        return None
    return Violation(found=receptor.TipoRegimen, expected=f"02, 03 o 04, por TipoContrato {receptor.TipoContrato}")


def others_earn_no_wages(receptor: ReceptorNomina) -> RuleResult:
    """Check that TipoRegimen is 05 to 99 with a contract of 09, 10 or 99."""
    if receptor.TipoContrato not in UNEMPLOYED or receptor.TipoRegimen not in WAGES:
        return None
    return Violation(found=receptor.TipoRegimen, expected=f"05 a 99, por TipoContrato {receptor.TipoContrato}")


def time_is_whole(receptor: ReceptorNomina) -> RuleResult:
    """Check that PorcentajeTiempo of all SubContratacion is together 100."""
    parts = receptor.subcontrataciones
    total = sum([part.porcentaje for part in parts], ZERO)
    return None if not parts or total == 100 else Violation(found=f"{total:f}", expected="100 por ciento en total")
