"""Issuer and receiver: Reten20110 to Reten20120, Reten20136."""

from __future__ import annotations

from timbra.cfdi.nodes.retenciones20 import Emisor, Nacional, Receptor
from timbra.cfdi.rfc import NATIONAL
from timbra.rules.engine.context import RetencionesContext
from timbra.rules.engine.result import DataRequirement, Indeterminate, RuleResult, Violation
from timbra.rules.engine.rule import row, rule
from timbra.rules.rulesets.retenciones20.sources import ANEXO_20
from timbra.rules.shared.predicates import PUBLIC, in_catalog, name_of_its_rfc, person_of, with_meaning

TAXPAYERS = (DataRequirement.TAXPAYERS,)
AT = "Receptor/Nacional"


@rule(
    "Reten20110",
    at="Emisor/@NomDenRazSocE",
    says="El nombre del emisor debe estar en la lista de RFC inscritos y no cancelados.",
    needs=TAXPAYERS,
    inseparable=("T402", "T305"),
)
def issuer_is_registered(emisor: Emisor, ctx: RetencionesContext) -> RuleResult:
    if ctx.taxpayer(emisor.RfcE) is not None:
        return None
    expected = f"el nombre de un RFC inscrito y no cancelado (l_RFC); {emisor.RfcE} no lo está"
    return Violation(found=emisor.NomDenRazSocE, expected=expected, hint=ctx.reference_data.registry_hint)


@rule(
    "Reten20136",
    at="Emisor/@NomDenRazSocE",
    says="El nombre del emisor debe ser el registrado para su RFC.",
    needs=TAXPAYERS,
)
def issuer_name_is_that_of_its_rfc(emisor: Emisor, ctx: RetencionesContext) -> RuleResult:
    return name_of_its_rfc(emisor.NomDenRazSocE, ctx.taxpayer(emisor.RfcE))


Reten20111 = row(
    "Reten20111",
    Emisor,
    at="Emisor/@RegimenFiscalE",
    says="RegimenFiscalE debe ser una clave vigente de c_RegimenFiscal.",
    check=in_catalog("c_RegimenFiscal", "RegimenFiscalE"),
)


@rule(
    "Reten20112",
    at="Emisor/@RegimenFiscalE",
    says="RegimenFiscalE debe corresponder al tipo de persona del emisor.",
)
def issuer_regime_fits_its_person(emisor: Emisor, ctx: RetencionesContext) -> RuleResult:
    regime = ctx.row("c_RegimenFiscal", emisor.RegimenFiscalE)
    if regime is None or regime[person_of(emisor.RfcE)]:
        return None
    person = "una persona moral" if len(emisor.RfcE) == 12 else "una persona física"
    return Violation(found=emisor.RegimenFiscalE, expected=f"un régimen de {person}, como el RFC {emisor.RfcE}")


def has_own_rfc(nacional: Nacional, _ctx: RetencionesContext) -> bool:
    return not nacional.is_generic


@rule(
    "Reten20113",
    at="Receptor/Nacional/@RfcR",
    says="RfcR debe estar en la lista de RFC inscritos y no cancelados.",
    applies=has_own_rfc,
    needs=TAXPAYERS,
)
def receiver_is_registered(nacional: Nacional, ctx: RetencionesContext) -> RuleResult:
    if ctx.taxpayer(nacional.RfcR) is not None:
        return None
    expected = "un RFC inscrito y no cancelado (l_RFC)"
    return Violation(found=nacional.RfcR, expected=expected, hint=ctx.reference_data.registry_hint)


@rule(
    "Reten20115",
    at="Receptor/Nacional/@NomDenRazSocR",
    says="El nombre del receptor debe estar en la lista de RFC inscritos y no cancelados.",
    note="Sin un índice de nombres, un nombre que no es el del RFC no se puede evaluar.",
    applies=has_own_rfc,
    needs=TAXPAYERS,
    inseparable=("Reten20116",),
    reported_after="Reten20116",
)
def receiver_name_is_registered(nacional: Nacional, ctx: RetencionesContext) -> RuleResult:
    taxpayer, names = ctx.taxpayer(nacional.RfcR), ctx.reference_data.names
    if taxpayer is None or taxpayer.has_name(nacional.NomDenRazSocR):
        return None
    if names is None:
        return Indeterminate("l_RFC por nombre")
    if names.is_registered(nacional.NomDenRazSocR):
        return None
    expected = with_meaning(taxpayer.disclosed_name, "un nombre inscrito (l_RFC)")
    return Violation(found=nacional.NomDenRazSocR, expected=expected)


@rule(
    "Reten20116",
    at="Receptor/Nacional/@NomDenRazSocR",
    says="El nombre del receptor debe ser el registrado para RfcR; PUBLICO EN GENERAL es el de XAXX010101000.",
    needs=TAXPAYERS,
)
def receiver_name_is_that_of_its_rfc(nacional: Nacional, ctx: RetencionesContext) -> RuleResult:
    if nacional.is_generic:
        if nacional.NomDenRazSocR == PUBLIC:
            return None
        return Violation(found=nacional.NomDenRazSocR, expected=f"{PUBLIC}, por RfcR {NATIONAL}", proven=True)
    if nacional.NomDenRazSocR == PUBLIC:
        return Violation(found=nacional.RfcR, expected=f"{NATIONAL}, por el nombre {PUBLIC}", at="@RfcR", proven=True)
    return name_of_its_rfc(nacional.NomDenRazSocR, ctx.taxpayer(nacional.RfcR))


def is_company(nacional: Nacional, _ctx: RetencionesContext) -> bool:
    return len(nacional.RfcR) == 12


@rule(
    "Reten20117",
    at="Receptor/Nacional/@CurpR",
    says="CurpR no debe existir cuando RfcR es de una persona moral.",
    applies=is_company,
)
def company_has_no_curp(nacional: Nacional, _ctx: RetencionesContext) -> RuleResult:
    if nacional.CurpR is None:
        return None
    return Violation(found=nacional.CurpR, expected=f"que no exista, por el RFC {nacional.RfcR} de persona moral")


@rule(
    "Reten20119",
    at="Receptor/Nacional/@DomicilioFiscalR",
    says="DomicilioFiscalR debe ser el código postal de un contribuyente inscrito.",
    note="Un código postal que no existe no es de ningún contribuyente.",
    applies=has_own_rfc,
    needs=TAXPAYERS,
    inseparable=("Reten20120",),
)
def receiver_postal_code_exists(nacional: Nacional, ctx: RetencionesContext) -> RuleResult:
    code, taxpayer = nacional.DomicilioFiscalR, ctx.taxpayer(nacional.RfcR)
    if ctx.in_force("c_CodigoPostal", code) or (taxpayer is not None and taxpayer.is_at(code)):
        return None
    return Violation(found=code, expected="un código postal de un domicilio fiscal inscrito (l_RFC)")


@rule(
    "Reten20120",
    at="Receptor/Nacional/@DomicilioFiscalR",
    says="DomicilioFiscalR debe ser el código postal registrado para RfcR; con XAXX010101000, LugarExpRetenc.",
    needs=TAXPAYERS,
)
def receiver_postal_code_is_registered(nacional: Nacional, ctx: RetencionesContext) -> RuleResult:
    code, place = nacional.DomicilioFiscalR, ctx.document.LugarExpRetenc
    if nacional.is_generic:
        return None if code == place else Violation(found=code, expected=f"{place}, como LugarExpRetenc", proven=True)
    taxpayer = ctx.taxpayer(nacional.RfcR)
    if taxpayer is None or taxpayer.has_postal_code(code):
        return None
    expected = with_meaning(taxpayer.disclosed_postal_code, "el código postal registrado de RfcR (l_RFC)")
    return Violation(found=code, expected=expected)


@rule(
    "T301:RET-nacionalidad",
    at="Receptor/@NacionalidadR",
    says="Con NacionalidadR Nacional debe existir Nacional, y con Extranjero, Extranjero.",
    note="El esquema admite cualquiera de los dos nodos.",
    cites=ANEXO_20,
)
def nationality_has_its_node(receptor: Receptor, _ctx: RetencionesContext) -> RuleResult:
    present = "Nacional" if receptor.nacional is not None else "Extranjero"
    if receptor.NacionalidadR == present:
        return None
    return Violation(found=receptor.NacionalidadR, expected=f"{present}, por el nodo {present}")
