"""Kind, place and export of the document: CFDI40121 to CFDI40123, CFDI40126, CFDI40222, required complements."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.cfdi.nodes.pagos20 import TAG
from timbra.rules.case import Case
from timbra.rules.conditions import HEAD, has_comercio_exterior, key_of
from timbra.rules.finding import Breach, Verdict
from timbra.rules.rule import rule

NOMINA = ("{http://www.sat.gob.mx/nomina12}Nomina",)


@rule("CFDI40121", at="@TipoDeComprobante", reads=HEAD)
def type_is_a_key(comprobante: Comprobante, case: Case) -> Verdict:
    return key_of(case, "c_TipoDeComprobante", comprobante.TipoDeComprobante)


@rule("CFDI40122", at="@Exportacion")
def definitive_export_has_its_complement(comprobante: Comprobante, _case: Case) -> Verdict:
    if comprobante.Exportacion != "02" or has_comercio_exterior(comprobante):
        return None
    return Breach(found="02", expected="el complemento Comercio Exterior")


@rule("CFDI40123", at="@Exportacion", reads=HEAD)
def export_is_a_key(comprobante: Comprobante, case: Case) -> Verdict:
    return key_of(case, "c_Exportacion", comprobante.Exportacion)


@rule("CFDI40126", at="@LugarExpedicion", reads=HEAD)
def place_of_issue_is_a_postal_code(comprobante: Comprobante, case: Case) -> Verdict:
    return key_of(case, "c_CodigoPostal", comprobante.LugarExpedicion)


@rule("CFDI40222", at="@Exportacion")
def no_definitive_export_has_no_complement(comprobante: Comprobante, _case: Case) -> Verdict:
    """04 leaves it open."""
    if comprobante.Exportacion not in ("01", "03") or not has_comercio_exterior(comprobante):
        return None
    return Breach(found=comprobante.Exportacion, expected="02 o 04, por el complemento Comercio Exterior")


@rule("CFDI40999:Moneda-N", at="@Moneda", types="N", reads=HEAD)
def payroll_is_in_pesos(comprobante: Comprobante, _case: Case) -> Verdict:
    return None if comprobante.Moneda == "MXN" else Breach(found=comprobante.Moneda, expected="MXN, por el tipo N")


@rule("CFDI40999:Nomina-required", at="Complemento", source="RMF 2026, Anexo 29, VI.1 numeral 10")
def payroll_carries_nomina(comprobante: Comprobante, _case: Case) -> Verdict:
    return _belongs(comprobante, "N", NOMINA, "Nómina")


@rule("CFDI40999:Pagos-required", at="Complemento", source="RMF 2026, Anexo 29, VI.1 numeral 10; Pagos 2.0")
def payment_carries_pagos(comprobante: Comprobante, _case: Case) -> Verdict:
    """CRP20101 refuses the complement in documents of other types."""
    if comprobante.TipoDeComprobante != "P" or comprobante.complement(TAG) is not None:
        return None
    return Breach(expected="el complemento Recepción de Pagos, por el tipo P")


def _belongs(comprobante: Comprobante, tipo: str, names: tuple[str, ...], title: str) -> Verdict:
    """A complement that documents of one type carry, and no others."""
    there = any(comprobante.complement(name) is not None for name in names)
    found = comprobante.TipoDeComprobante
    if there == (found == tipo):
        return None
    if there:
        return Breach(found=f"el complemento {title}", expected=f"el complemento solo en comprobantes de tipo {tipo}")
    return Breach(expected=f"el complemento {title}, por el tipo {tipo}")
