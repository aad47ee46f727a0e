"""The fields of an invoice, and the JSON invoice that they are.

A field has the name of its attribute, `Receptor.Rfc`, and that of a Concepto has its number, `Concepto.2.Cantidad`.
Members of a document that have no field are kept beside the fields and come back with them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import orjson
from lxml import etree
from starlette.datastructures import FormData

from timbra.amounts.invoice_reading import IN_IVA_BASE
from timbra.amounts.lines import CUOTA
from timbra.cfdi.rfc import NATIONAL
from timbra.core.errors import ServiceError
from timbra.core.spanish import fold
from timbra.invoices.local_taxes import LOCAL_FIELDS, complement_of
from timbra.invoices.local_taxes import fields_of as local_fields_of
from timbra.rules.rulesets.cfdi40.concepto import FUELS
from timbra.web.portal.dispatch.page_request import text_field

Json = dict[str, Any]
MAX_LINES = 100
MAX_FIELDS = 120 + MAX_LINES * 19
MAX_TEXT = 1000
"""Characters of a Descripcion, the longest text of the schema."""
MAX_KEPT = 256 * 1024
MAX_UUIDS = 50
MAX_DIGITS = 18
"""Digits of the number of a draft."""
ROOT = (
    *("TipoDeComprobante", "Serie", "Folio", "Fecha", "LugarExpedicion", "FormaPago", "MetodoPago"),
    *("CondicionesDePago", "Moneda", "TipoCambio", "Exportacion", "Confirmacion"),
)
ELEMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "Emisor": ("Rfc", "Nombre", "RegimenFiscal"),
    "Receptor": (
        *("Rfc", "Nombre", "DomicilioFiscalReceptor", "RegimenFiscalReceptor", "UsoCFDI"),
        *("ResidenciaFiscal", "NumRegIdTrib"),
    ),
    "InformacionGlobal": ("Periodicidad", "Meses", "Año"),
}
RELATION, UUIDS = "CfdiRelacionados.TipoRelacion", "CfdiRelacionados.UUID"
SUBSTITUTED = "sustituye"
"""Field with the UUID of the invoice that is cancelled after the stamp, because this one substitutes it."""
DRAFT = "borrador"
"""Field with the number of the draft; empty without one."""
INCLUDES_TAX = "precios"
"""Field that says whether prices include the transferred taxes: `con` or `sin`."""
FIELDS = (
    *ROOT,
    *(f"{element}.{name}" for element, names in ELEMENTS.items() for name in names),
    *(RELATION, UUIDS, INCLUDES_TAX, SUBSTITUTED, DRAFT, *LOCAL_FIELDS),
)
LINE_ATTRIBUTES = (
    *("ClaveProdServ", "NoIdentificacion", "ClaveUnidad", "Cantidad", "Descripcion", "ValorUnitario"),
    *("Descuento", "ObjetoImp"),
)
IVA, IEPS, WITHHELD_ISR, WITHHELD_IVA = "IVA", "IEPS", "RetencionISR", "RetencionIVA"
QUOTA, UNITS, QUOTA_IN_IVA = "IEPSCuota", "IEPSUnidades", "IEPSBaseIVA"
"""Fields of IEPS by quota: pesos of a unit, the units, and whether it is part of the base of the IVA."""
TAX_FIELDS = (IVA, IEPS, QUOTA, WITHHELD_ISR, WITHHELD_IVA)
IN_IVA_CHOICES = {"": "Según el producto", "si": "Es base del IVA", "no": "No es base del IVA"}
"""Values of `IEPSBaseIVA`, with their texts. By the product, the quota of a fuel is not part of the base."""
KEPT = "conservado"
"""Field with the members that have no field, as JSON."""
LINE_FIELDS = (*LINE_ATTRIBUTES, *TAX_FIELDS, UNITS, QUOTA_IN_IVA, KEPT)
KEEP = "conservar"
"""Value of `IVA`: the taxes of the Concepto are those that are kept."""
EXEMPT = "Exento"
IVA_RATES = ("0.160000", "0.080000", "0.000000")
NUMBERS = ("Cantidad", "ValorUnitario", "Descuento", QUOTA, UNITS)
SEALED = frozenset({"Sello", "NoCertificado", "Certificado"})
COMPUTED = frozenset({"Version", "SubTotal", "Descuento", "Total", "Impuestos"})
STAMP, LOCAL_TAXES = "TimbreFiscalDigital", "ImpuestosLocales"
GENERAL_PUBLIC = "publico en general"
INCOMPLETE = "Lo que se conservaba del documento llegó incompleto; ábralo otra vez."
_THOUSANDS = re.compile(r"[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?")
_UUID = re.compile(r"[^\s,;]+")


@dataclass(slots=True)
class InvoiceForm:
    """The fields of an invoice.

    Attributes:
        values: texts by the names of `FIELDS`.
        lines: texts by the names of `LINE_FIELDS`, of each Concepto.
        kept: members of the invoice that have no field.
        submission: key of the form, so that a form that is sent twice gets one stamp.
    """

    values: dict[str, str]
    lines: list[dict[str, str]]
    kept: Json = field(default_factory=dict)
    submission: str = ""

    def get(self, name: str) -> str:
        """Return a field; empty when it is absent."""
        return self.values.get(name, "")

    @property
    def includes_tax(self) -> bool:
        """Whether prices include the transferred taxes."""
        return self.get(INCLUDES_TAX) == "con"

    @property
    def draft(self) -> int | None:
        """Number of the draft; None without one."""
        text = self.get(DRAFT)
        return int(text) if text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS else None

    @property
    def is_general_public(self) -> bool:
        """Whether the receiver is the general public, so that the invoice is global."""
        return self.get("Receptor.Rfc") == NATIONAL and fold(self.get("Receptor.Nombre")) == GENERAL_PUBLIC

    @property
    def written_lines(self) -> list[int]:
        """Numbers of the lines that are not empty; that of the first one when all are."""
        return [number for number, line in enumerate(self.lines, 1) if _is_written(line)] or [1]

    @property
    def local_rows(self) -> int:
        """Number of the last local tax that is written; 0 without one."""
        written = (number for name in LOCAL_FIELDS if self.get(name) for number in [int(name.split(".")[1])])
        return max(written, default=0)

    @property
    def kept_names(self) -> list[str]:
        """What is kept without a field, in words."""
        names = [*self.kept.get("Complemento", {}), *(name for name in self.kept if name != "Complemento")]
        for number, line in enumerate(self.lines, 1):
            names += [f"{name} del concepto {number}" for name in _object(line.get(KEPT, ""))]
        return names

    def members(self) -> Json:
        """Return the invoice as JSON, without amounts."""
        members: Json = {**self.kept, **{name: self.get(name) for name in ROOT if self.get(name)}}
        for element, names in ELEMENTS.items():
            found = {name: self.get(f"{element}.{name}") for name in names if self.get(f"{element}.{name}")}
            if found:
                members[element] = {**self.kept.get(element, {}), **found}
        if self.get(RELATION) or self.get(UUIDS):
            uuids = [{"UUID": uuid} for uuid in _UUID.findall(self.get(UUIDS))]
            own = {**({"TipoRelacion": self.get(RELATION)} if self.get(RELATION) else {}), "CfdiRelacionado": uuids}
            members["CfdiRelacionados"] = [own, *self.kept.get("CfdiRelacionados", [])]
        members["Conceptos"] = [_concepto(self.lines[number - 1]) for number in self.written_lines]
        local = complement_of(self.values)
        if local:
            members["Complemento"] = {**members.get("Complemento", {}), **local}
        return members


def new_line() -> dict[str, str]:
    """Return the line of a new invoice."""
    return {**dict.fromkeys(LINE_FIELDS, ""), "Cantidad": "1", "ObjetoImp": "02", IVA: IVA_RATES[0]}


def read_form(form: FormData) -> InvoiceForm:
    """Read the fields that a browser sent.

    Raises:
        ServiceError: "TB4005" for a field that is too long, or for too many lines.
    """
    values = {name: text_field(form, name, 5000 if name == UUIDS else MAX_TEXT) for name in FIELDS}
    for name in ("Emisor.Rfc", "Receptor.Rfc"):
        values[name] = values[name].upper()
    values["TipoCambio"] = _number(values["TipoCambio"])
    if len(_UUID.findall(values[UUIDS])) > MAX_UUIDS:
        raise ServiceError("TB4005", f"El formulario relaciona a lo más {MAX_UUIDS} comprobantes.")
    count = text_field(form, "conceptos", 4)
    lines = int(count) if count.isascii() and count.isdigit() else 1
    if lines > MAX_LINES:
        raise ServiceError(
            "TB4005", f"El formulario admite a lo más {MAX_LINES} conceptos; use el editor de XML o la API."
        )
    kept = _kept(text_field(form, KEPT, MAX_KEPT))
    found = [_read_line(form, number) for number in range(1, lines + 1)]
    return InvoiceForm(values, found or [new_line()], kept, text_field(form, "envio", 40))


def form_of(members: Json) -> InvoiceForm:
    """Take the fields of a JSON invoice, as `timbra.cfdi.to_json` writes it; what has no field is kept.

    Raises:
        ServiceError: "TB4005" for a document that the form cannot show.
    """
    kind, version = members.get("TipoDeComprobante", ""), members.get("Version", "")
    if version != "4.0" or kind not in ("I", "E"):
        raise ServiceError("TB4005", "El formulario muestra CFDI 4.0 de ingreso y de egreso; use el editor de XML.")
    kept = {name: value for name, value in members.items() if name not in {*SEALED, *COMPUTED}}
    values = {name: str(kept.pop(name, "")) for name in ROOT}
    for element, names in ELEMENTS.items():
        rest = dict(kept.pop(element, {}))
        values |= {f"{element}.{name}": str(rest.pop(name, "")) for name in names}
        if rest:
            kept[element] = rest
    groups = kept.pop("CfdiRelacionados", [])
    if groups:
        values[RELATION] = groups[0].get("TipoRelacion", "")
        values[UUIDS] = "\n".join(each["UUID"] for each in groups[0].get("CfdiRelacionado", []))
        if groups[1:]:
            kept["CfdiRelacionados"] = groups[1:]
    complements = {name: value for name, value in kept.pop("Complemento", {}).items() if not name.endswith(STAMP)}
    for name in [name for name in complements if name.endswith(LOCAL_TAXES)]:
        net = Decimal(members.get("SubTotal", "0")) - Decimal(members.get("Descuento", "0"))
        values |= local_fields_of(complements.pop(name), net)
    if complements:
        kept["Complemento"] = complements
    conceptos = kept.pop("Conceptos", [])
    if len(conceptos) > MAX_LINES:
        raise ServiceError("TB4005", f"El formulario admite a lo más {MAX_LINES} conceptos y el documento tiene más.")
    return InvoiceForm({**dict.fromkeys(FIELDS, ""), **values}, [_line_of(each) for each in conceptos], kept)


def addenda_of(root: etree._Element) -> Json:
    """Return the Addenda of a document as the member of that name, its elements as XML; nothing without one."""
    addenda = root.find("{*}Addenda")
    if addenda is None:
        return {}
    return {
        "Addenda": [
            etree.tostring(child, encoding="unicode", with_tail=False) for child in addenda.iterchildren(etree.Element)
        ]
    }


def tax_field(line: Mapping[str, str], container: str, place: int) -> str:
    """Return the field of a tax of a line.

    Args:
        container: `Traslados` or `Retenciones`.
        place: place of the tax in its container, from 1.
    """
    names = [name for name, _ in _tax_rows(line).get(container, [])]
    return names[place - 1] if 0 < place <= len(names) else IVA


def _read_line(form: FormData, number: int) -> dict[str, str]:
    line = {
        name: text_field(form, f"Concepto.{number}.{name}", MAX_KEPT if name == KEPT else MAX_TEXT)
        for name in LINE_FIELDS
    }
    return {**line, **{name: _number(line[name]) for name in NUMBERS}}


def _is_written(line: Mapping[str, str]) -> bool:
    return any(line.get(name) for name in ("ClaveProdServ", "Descripcion", "ValorUnitario", KEPT))


def _concepto(line: Mapping[str, str]) -> Json:
    kept = _object(line.get(KEPT, ""))
    taxes = kept.pop("Impuestos", None)
    concepto: Json = {**kept, **{name: line[name] for name in LINE_ATTRIBUTES if line.get(name)}}
    rows = {container: [row for _, row in found] for container, found in _tax_rows(line).items()}
    if line.get(IVA) == KEEP:
        rows = {} if taxes is None else taxes
    if rows:
        concepto["Impuestos"] = rows
    return concepto


def _tax_rows(line: Mapping[str, str]) -> dict[str, list[tuple[str, Json]]]:
    """Return the taxes of the fields, each with its field, by container."""
    rows: dict[str, list[tuple[str, Json]]] = {}
    iva = line.get(IVA, "")
    if iva == EXEMPT:
        rows["Traslados"] = [(IVA, {"Impuesto": "002", "TipoFactor": EXEMPT})]
    elif iva and iva != KEEP:
        rows["Traslados"] = [(IVA, {"Impuesto": "002", "TipoFactor": "Tasa", "TasaOCuota": iva})]
    if line.get(QUOTA):
        units = {"Base": line[UNITS]} if line.get(UNITS) else {}
        in_iva_base = line.get(QUOTA_IN_IVA) == "si" or (
            line.get(QUOTA_IN_IVA) != "no" and line.get("ClaveProdServ") not in FUELS
        )
        row = {"Impuesto": "003", "TipoFactor": CUOTA, "TasaOCuota": line[QUOTA], **units, IN_IVA_BASE: in_iva_base}
        rows.setdefault("Traslados", []).append((QUOTA, row))
    for container, name, impuesto in (
        ("Traslados", IEPS, "003"),
        ("Retenciones", WITHHELD_ISR, "001"),
        ("Retenciones", WITHHELD_IVA, "002"),
    ):
        if line.get(name):
            row = {"Impuesto": impuesto, "TipoFactor": "Tasa", "TasaOCuota": _rate(line[name])}
            rows.setdefault(container, []).append((name, row))
    return rows


def _line_of(concepto: Mapping[str, Any]) -> dict[str, str]:
    kept = {name: value for name, value in concepto.items() if name != "Importe"}
    line = {**dict.fromkeys(LINE_FIELDS, ""), **{name: str(kept.pop(name, "")) for name in LINE_ATTRIBUTES}}
    taxes = kept.get("Impuestos")
    if taxes is not None:
        shown = _shown_taxes(taxes, concepto)
        if shown is None:
            line[IVA] = KEEP
        else:
            line |= shown
            del kept["Impuestos"]
    if kept:
        line[KEPT] = orjson.dumps(kept).decode()
    return line


def _shown_taxes(taxes: Mapping[str, Any], concepto: Mapping[str, Any]) -> dict[str, str] | None:
    """Return the fields of the taxes of a Concepto; None when the fields cannot show them."""
    shown: dict[str, str] = {}
    quotas = [row for row in taxes.get("Traslados", []) if _is_quota(row)]
    if len(quotas) > 1:
        return None
    if quotas:
        shown = _shown_quota(quotas[0], taxes["Traslados"], concepto)
        taxes = {**taxes, "Traslados": [row for row in taxes["Traslados"] if not _is_quota(row)]}
    for container, names in (
        ("Traslados", {"002": IVA, "003": IEPS}),
        ("Retenciones", {"001": WITHHELD_ISR, "002": WITHHELD_IVA}),
    ):
        for row in taxes.get(container, []):
            name = names.get(row.get("Impuesto", ""), "")
            value = _shown_rate(name, row)
            if value is None or name in shown:
                return None
            shown[name] = value
    return shown


def _is_quota(row: Mapping[str, Any]) -> bool:
    return row.get("Impuesto") == "003" and row.get("TipoFactor") == CUOTA


def _shown_quota(
    quota: Mapping[str, Any], traslados: Sequence[Mapping[str, Any]], concepto: Mapping[str, Any]
) -> dict[str, str]:
    """Return the fields of IEPS by quota."""
    units = str(quota.get("Base", ""))
    shown = {QUOTA: f"{_decimal(quota.get('TasaOCuota')).normalize():f}"}
    shown[UNITS] = "" if _decimal(units) == _decimal(concepto.get("Cantidad")) else units
    bases = [_decimal(row.get("Base")) for row in traslados if row.get("Impuesto") == "002"]
    net = _decimal(concepto.get("Importe")) - _decimal(concepto.get("Descuento"))
    amount = _decimal(quota.get("Importe"))
    shown[QUOTA_IN_IVA] = "si" if bases and abs(bases[0] - net - amount) <= abs(bases[0] - net) else "no"
    return shown


def _decimal(text: Any) -> Decimal:
    """Return a number; 0 for a text that is none."""
    try:
        value = Decimal(str(text or "0"))
    except InvalidOperation:
        return Decimal(0)
    return value if value.is_finite() else Decimal(0)


def _shown_rate(name: str, row: Mapping[str, Any]) -> str | None:
    factor, rate = row.get("TipoFactor"), str(row.get("TasaOCuota", ""))
    if name == IVA and factor == EXEMPT:
        return EXEMPT
    try:
        value = Decimal(rate)
    except InvalidOperation:
        return None
    if not name or factor != "Tasa" or not value.is_finite():
        return None
    if name == IVA:
        return f"{value:.6f}" if f"{value:.6f}" in IVA_RATES else None
    return f"{(value * 100).normalize():f}"


def _rate(percent: str) -> str:
    """Return a percentage as TasaOCuota; the text itself when it is no number, which the amounts reject."""
    text = percent.replace("%", "").replace(",", ".").strip()
    try:
        rate = Decimal(text) / 100
    except InvalidOperation:
        return percent[:40]
    return f"{rate:.6f}" if rate.is_finite() and abs(rate) < MAX_TEXT else percent[:40]


def _number(text: str) -> str:
    """Return a number without the separators of its thousands and the sign of the currency."""
    bare = text.lstrip("$").strip()
    return bare.replace(",", "") if _THOUSANDS.fullmatch(bare) else bare


def _kept(text: str) -> Json:
    """Read the kept members of the invoice; those to which fields are added have the shape that the form gave them."""
    kept = _object(text)
    shapes = {**dict.fromkeys(("Complemento", *ELEMENTS), dict), "CfdiRelacionados": list}
    if any(not isinstance(kept[name], shape) for name, shape in shapes.items() if name in kept):
        raise ServiceError("TB4005", INCOMPLETE)
    return kept


def _object(text: str) -> Json:
    """Read the JSON object of a field of kept members. ServiceError: "TB4005" for another text."""
    if not text:
        return {}
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise ServiceError("TB4005", INCOMPLETE)
    return found
