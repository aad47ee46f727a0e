"""Which elements a plain document has, and what of their attributes the rules read.

An attribute is of one of three sorts. The value of a key attribute is part of the key of its section: rules that read
only key attributes are evaluated once for equal keys. An amount is compared by the forms of the rules, and a key says
only that it is present, unless it is written `0` or `1`. The others are read by no rule that is evaluated for a key.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from timbra.cfdi.nodes import (
    ACuentaTerceros,
    CfdiRelacionados,
    Comprobante,
    Concepto,
    Emisor,
    ImpuestosTotales,
    InformacionAduanera,
    InformacionAduaneraDeParte,
    InformacionGlobal,
    Node,
    Parte,
    Receptor,
    RetencionTotal,
    TrasladoTotal,
    nomina12,
    pagos20,
)
from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.impuestos import Retencion, Traslado
from timbra.cfdi.structure.value_forms import TEXT, ValueForm
from timbra.rules.engine.rule_set import RuleSet
from timbra.rules.rulesets.nomina12 import RULE_SET as NOMINA12
from timbra.rules.rulesets.pagos20 import RULE_SET as PAGOS20

HEADER, RECEIVER, CONCEPT, TAIL, COMPLEMENT, NOWHERE = range(6)
TYPES = "IEPN"
"""Values of TipoDeComprobante of plain documents."""
FULL_KEYS, WHOLE_KEYS = "PN", "N"
"""Types whose Concepto rules read as a whole; types whose Concepto and complement differ between all documents, so that
their keys have all values, amounts included.
"""
SEALED = ("NoCertificado", "Certificado", "Sello")
ROLES = ("Serie", "Folio", "Fecha", "Total", *SEALED)
"""Attributes of the root whose texts are read of every document."""
ANY_TEXT = ValueForm(TEXT, collapses=True)
PAYMENT = "Complemento/Pagos/Pago"
DOCUMENT = f"{PAYMENT}/DoctoRelacionado"
PAYROLL = "Complemento/Nomina"
UNREAD: Mapping[str, frozenset[str]] = {
    "": frozenset(ROLES),
    PAYMENT: frozenset({"FechaPago"}),
    DOCUMENT: frozenset({"IdDocumento"}),
}
"""By path: attributes that no rule about a key may read, because they differ between documents."""
PRESENT_ONLY: Mapping[str, frozenset[str]] = {
    "": frozenset({"CondicionesDePago"}),
    PAYMENT: frozenset({"CertPago", "CadPago", "SelloPago"}),
}
"""By path: texts of which a key says only that they are present, as of an amount."""
RELATED = "CfdiRelacionados/CfdiRelacionado"
SECTIONS: Mapping[str, int] = {
    "": HEADER,
    "InformacionGlobal": HEADER,
    "CfdiRelacionados": HEADER,
    RELATED: NOWHERE,
    "Emisor": HEADER,
    "Receptor": RECEIVER,
    "Conceptos": NOWHERE,
    "Conceptos/Concepto": CONCEPT,
    "Conceptos/Concepto/Impuestos": CONCEPT,
    "Conceptos/Concepto/Impuestos/Traslados": CONCEPT,
    "Conceptos/Concepto/Impuestos/Traslados/Traslado": CONCEPT,
    "Conceptos/Concepto/Impuestos/Retenciones": CONCEPT,
    "Conceptos/Concepto/Impuestos/Retenciones/Retencion": CONCEPT,
    "Conceptos/Concepto/ACuentaTerceros": CONCEPT,
    "Conceptos/Concepto/InformacionAduanera": CONCEPT,
    "Conceptos/Concepto/CuentaPredial": CONCEPT,
    "Conceptos/Concepto/Parte": CONCEPT,
    "Conceptos/Concepto/Parte/InformacionAduanera": CONCEPT,
    "Impuestos": TAIL,
    "Impuestos/Retenciones": TAIL,
    "Impuestos/Retenciones/Retencion": TAIL,
    "Impuestos/Traslados": TAIL,
    "Impuestos/Traslados/Traslado": TAIL,
    "Complemento": NOWHERE,
    "Complemento/Pagos": HEADER,
    "Complemento/Pagos/Totales": COMPLEMENT,
    PAYMENT: COMPLEMENT,
    DOCUMENT: COMPLEMENT,
    f"{DOCUMENT}/ImpuestosDR": COMPLEMENT,
    f"{DOCUMENT}/ImpuestosDR/RetencionesDR": COMPLEMENT,
    f"{DOCUMENT}/ImpuestosDR/RetencionesDR/RetencionDR": COMPLEMENT,
    f"{DOCUMENT}/ImpuestosDR/TrasladosDR": COMPLEMENT,
    f"{DOCUMENT}/ImpuestosDR/TrasladosDR/TrasladoDR": COMPLEMENT,
    f"{PAYMENT}/ImpuestosP": COMPLEMENT,
    f"{PAYMENT}/ImpuestosP/RetencionesP": COMPLEMENT,
    f"{PAYMENT}/ImpuestosP/RetencionesP/RetencionP": COMPLEMENT,
    f"{PAYMENT}/ImpuestosP/TrasladosP": COMPLEMENT,
    f"{PAYMENT}/ImpuestosP/TrasladosP/TrasladoP": COMPLEMENT,
    PAYROLL: HEADER,
    f"{PAYROLL}/Emisor": COMPLEMENT,
    f"{PAYROLL}/Emisor/EntidadSNCF": COMPLEMENT,
    f"{PAYROLL}/Receptor": COMPLEMENT,
    f"{PAYROLL}/Receptor/SubContratacion": COMPLEMENT,
    f"{PAYROLL}/Percepciones": COMPLEMENT,
    f"{PAYROLL}/Percepciones/Percepcion": COMPLEMENT,
    f"{PAYROLL}/Percepciones/Percepcion/AccionesOTitulos": COMPLEMENT,
    f"{PAYROLL}/Percepciones/Percepcion/HorasExtra": COMPLEMENT,
    f"{PAYROLL}/Percepciones/JubilacionPensionRetiro": COMPLEMENT,
    f"{PAYROLL}/Percepciones/SeparacionIndemnizacion": COMPLEMENT,
    f"{PAYROLL}/Deducciones": COMPLEMENT,
    f"{PAYROLL}/Deducciones/Deduccion": COMPLEMENT,
    f"{PAYROLL}/OtrosPagos": COMPLEMENT,
    f"{PAYROLL}/OtrosPagos/OtroPago": COMPLEMENT,
    f"{PAYROLL}/OtrosPagos/OtroPago/SubsidioAlEmpleo": COMPLEMENT,
    f"{PAYROLL}/OtrosPagos/OtroPago/CompensacionSaldosAFavor": COMPLEMENT,
    f"{PAYROLL}/Incapacidades": COMPLEMENT,
    f"{PAYROLL}/Incapacidades/Incapacidad": COMPLEMENT,
}
"""The elements of a plain document, by path below the root, each with the section of its key."""
PATHS = tuple(SECTIONS)


class PlainComplement(NamedTuple):
    """A complement; `schema` is the file of its schema."""

    kind: type[ComplementNode]
    schema: str
    prefix: str
    rules: RuleSet

    @property
    def name(self) -> str:
        """The name of its element, with the prefix."""
        return f"{self.prefix}:{self.kind.TAG.partition('}')[2]}"


SECOND_SECTIONS: Mapping[str, int] = {
    **{path: TAIL for path in PATHS if path.startswith("Conceptos/Concepto") and SECTIONS[path] == CONCEPT},
    "Complemento/Pagos": COMPLEMENT,
    PAYROLL: COMPLEMENT,
}
"""Elements that are part of a second key."""
COMPLEMENTS: Mapping[str, PlainComplement] = {
    "Complemento/Pagos": PlainComplement(pagos20.Pagos, "Pagos20.xsd", "pago20", PAGOS20),
    PAYROLL: PlainComplement(nomina12.Nomina, "nomina12.xsd", "nomina12", NOMINA12),
}
"""By path: the complements that a plain document may have, one in each."""
NODES: Mapping[str, type[Node]] = {
    kind.PATH: kind
    for kind in (
        Comprobante,
        InformacionGlobal,
        Emisor,
        Receptor,
        Concepto,
        Traslado,
        Retencion,
        ImpuestosTotales,
        RetencionTotal,
        TrasladoTotal,
        CfdiRelacionados,
        ACuentaTerceros,
        InformacionAduanera,
        Parte,
        InformacionAduaneraDeParte,
        pagos20.Pagos,
        pagos20.Totales,
        pagos20.Pago,
        pagos20.DoctoRelacionado,
        pagos20.RetencionDR,
        pagos20.TrasladoDR,
        pagos20.RetencionP,
        pagos20.TrasladoP,
        nomina12.Nomina,
        nomina12.EmisorNomina,
        nomina12.EntidadSNCF,
        nomina12.ReceptorNomina,
        nomina12.SubContratacion,
        nomina12.Percepciones,
        nomina12.Percepcion,
        nomina12.AccionesOTitulos,
        nomina12.HorasExtra,
        nomina12.JubilacionPensionRetiro,
        nomina12.SeparacionIndemnizacion,
        nomina12.Deducciones,
        nomina12.Deduccion,
        nomina12.OtroPago,
        nomina12.SubsidioAlEmpleo,
        nomina12.CompensacionSaldosAFavor,
        nomina12.Incapacidad,
    )
}
