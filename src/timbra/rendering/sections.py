"""The reader of complements: every element becomes a list of labels and values, a table, or a row of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lxml import etree

from timbra.catalogs.labels import CatalogLabels
from timbra.cfdi.structure.standards import XmlStandards
from timbra.cfdi.tfd import TFD_TAG
from timbra.rendering import retencion_catalogs
from timbra.rendering.complement_texts import attribute_label, element_title
from timbra.rendering.layouts import (
    AMOUNT_PREFIXES,
    ATTRIBUTE_CATALOGS,
    KEYS,
    NOT_AMOUNTS,
    NUMBER_PREFIXES,
    NUMBERS,
    TABLES,
)
from timbra.rendering.texts import amount, date_text, number, rate
from timbra.rendering.view import Block, Field, FieldsBlock, Section, TableBlock, TableRow, ViewColumn

MAX_ELEMENTS = 300
"""Elements of one complement that are displayed on a page."""
MAX_TOTAL_ELEMENTS = 1_000
MAX_LINE_ELEMENTS = 50
"""Elements of the complement of one Concepto."""
MAX_DEPTH = 12
ADDRESS = "Domicilio"
MAX_COLUMNS = 7
"""Columns of a table without a layout; further attributes are details of the rows."""
_SCHEMA_LOCATION = "schemaLocation"
_VERSIONS = frozenset({"Version", "version"})
_PLACES = {"Municipio": "c_Municipio", "Localidad": "c_Localidad"}
_RATE = "TasaOCuota"
TARIFF = "comercioexterior20"
"""The standard whose catalog of tariff codes other complements use."""
MEXICO = "MEX"
JOINED = {
    "Serie": "SerieYFolio",
    "Clave": "ClaveYConcepto",
    "TipoUbicacion": "Ubicacion",
    "RFCRemitenteDestinatario": "RemitenteODestinatario",
}
"""Name whose label is that of a column of several attributes, by the first one."""


@dataclass(slots=True)
class ElementBudget:
    """Counts the elements that may still be displayed."""

    remaining: int
    left_out: int = 0

    def take(self, elements: Sequence[etree._Element]) -> Sequence[etree._Element]:
        """Return the elements that are displayed, and count the others."""
        taken = elements[: max(0, self.remaining)]
        self.remaining -= len(taken)
        self.left_out += len(elements) - len(taken)
        return taken


@dataclass(slots=True)
class _Complement:
    """What the conversion of one complement needs.

    Attributes:
        name: local name of its element.
        catalogs: element path -> attribute -> catalog type.
        standard: name of its catalogs.
    """

    name: str
    catalogs: Mapping[str, Mapping[str, str]]
    standard: str
    budget: ElementBudget
    blocks: list[Block] = field(default_factory=list)


class SectionReader:
    """Reads the complements of documents.

    Args:
        labels: names of the keys of catalogs.
        standards: the schemas, which name the catalog of each attribute.
    """

    def __init__(self, labels: CatalogLabels, standards: XmlStandards) -> None:
        self._labels = labels
        self._standards = standards

    def sections(
        self, root: etree._Element, max_elements: int, complete: Callable[[Section, etree._Element], Section]
    ) -> tuple[tuple[Section, ...], int]:
        """Convert the complements of a document, without its stamp.

        Args:
            max_elements: limit of elements of all complements; with that of a page, one complement has `MAX_ELEMENTS`.
            complete: adds to a section what its kind of document has.

        Returns:
            The sections, and the number of complements that are omitted.
        """
        found: list[Section] = []
        left_out, remaining = 0, max_elements
        for element in _complements(root):
            if remaining <= 0:
                left_out += 1
                continue
            limit = remaining - 1 if max_elements > MAX_TOTAL_ELEMENTS else min(remaining - 1, MAX_ELEMENTS)
            budget = ElementBudget(limit)
            found.append(complete(self.section(element, "Complemento/", budget), element))
            remaining -= 1 + limit - budget.remaining
        return tuple(found), left_out

    def section(self, element: etree._Element, within: str, budget: ElementBudget) -> Section:
        """Convert one complement.

        Args:
            element: the complement.
            within: path of its parent, with its slash.
            budget: limit of its descendants.
        """
        name = _name(element)
        standard = self._standards.find(element)
        catalogs = {} if standard is None else self._standards.catalogs(standard)
        complement = _Complement(name, catalogs, standard_of(name, element), budget)
        self._convert(complement, element, name, f"{within}{name}", 0, ())
        return Section(f"{within}{name}", element_title(name), tuple(complement.blocks), budget.left_out)

    def line_fields(self, concept: etree._Element) -> Iterable[Field]:
        """Yield the complements of a Concepto, one field for each element with attributes."""
        for element in _complements(concept):
            section = self.section(element, "", ElementBudget(MAX_LINE_ELEMENTS))
            for block in section.blocks:
                match block:
                    case FieldsBlock():
                        yield Field(block.title or section.title, _joined_fields(block.fields))
                    case TableBlock():
                        for row in block.rows:
                            cells = (
                                Field(column.label, cell)
                                for column, cell in zip(block.columns, row.cells, strict=True)
                                if cell
                            )
                            yield Field(block.title, _joined_fields([*cells, *row.details]))

    def _convert(
        self,
        complement: _Complement,
        element: etree._Element,
        path: str,
        written_path: str,
        level: int,
        skipped: Iterable[str],
    ) -> None:
        """Append the blocks of an element and its descendants.

        Args:
            path: its path without numbers.
            written_path: its path with numbers, as findings have it.
            level: its depth.
            skipped: names of attributes that are displayed elsewhere.
        """
        groups = _grouped(complement.budget.take([*element.iterchildren("*")]) if level < MAX_DEPTH else [])
        texts = [group[0] for group in groups.values() if len(group) == 1 and _is_text(group[0])]
        fields = [*self._fields(complement, element, path, skipped), *(_text_field(child) for child in texts)]
        folded = [name for name in groups if self._is_folded(path, name)]
        if fields and not folded:
            title = "" if level == 0 else _title(element) + _number(written_path)
            complement.blocks.append(FieldsBlock(written_path, title, max(0, level - 1), tuple(fields)))
        for name, group in groups.items():
            if group[0] in texts and len(group) == 1:
                continue
            totals = fields if name in folded[:1] else []
            self._convert_group(complement, group, f"{path}/{name}", f"{written_path}/{name}", level + 1, totals)

    @staticmethod
    def _is_folded(path: str, name: str) -> bool:
        layout = TABLES.get(f"{path}/{name}")
        return layout is not None and layout.with_parent

    def _convert_group(
        self,
        complement: _Complement,
        group: list[etree._Element],
        path: str,
        written_path: str,
        level: int,
        totals: Sequence[Field],
    ) -> None:
        layout = TABLES.get(path)
        paths = [written_path] if len(group) == 1 else [f"{written_path}[{n}]" for n in range(1, len(group) + 1)]
        if layout is not None:
            columns = _present(layout.columns, group)
        else:
            is_table = len(group) > 1 and all(not len(each) for each in group)
            columns = _present(_attribute_names(group)[:MAX_COLUMNS], group) if is_table else []
        if not columns:
            for element, element_path in zip(group, paths, strict=True):
                self._convert(complement, element, path, element_path, level, ())
            return
        shown = {name for names in columns for name in names}
        rows = []
        for element, element_path in zip(group, paths, strict=True):
            cells = (
                " ".join(filter(None, (self._value(complement, element, path, name) for name in names)))
                for names in columns
            )
            details = (*self._fields(complement, element, path, shown), *self._details(complement, element, path, 0))
            rows.append(TableRow(element_path, tuple(cells), details))
        title = layout.title if layout is not None else element_title(_name(group[0]))
        last = complement.blocks[-1] if complement.blocks else None
        if isinstance(last, FieldsBlock) and last.title == title:
            title = ""
        heads = tuple(ViewColumn(attribute_label(_heading(names)), _is_number(names)) for names in columns)
        complement.blocks.append(TableBlock(path, title, max(0, level - 1), heads, tuple(rows), tuple(totals)))

    def _details(self, complement: _Complement, element: etree._Element, path: str, depth: int) -> Iterable[Field]:
        """Yield the descendants of a row, one field for each element with attributes."""
        children = complement.budget.take([*element.iterchildren("*")]) if depth < MAX_DEPTH else []
        for child in children:
            below = f"{path}/{_name(child)}"
            fields = self._fields(complement, child, below, ())
            if _is_text(child):
                yield _text_field(child)
            elif fields:
                yield Field(element_title(_name(child)), _joined_fields(fields))
            yield from self._details(complement, child, below, depth + 1)

    def _fields(
        self, complement: _Complement, element: etree._Element, path: str, skipped: Iterable[str]
    ) -> list[Field]:
        fields = []
        for qualified, value in element.attrib.items():
            name = etree.QName(str(qualified)).localname
            if not value or name == _SCHEMA_LOCATION or name in skipped or (name in _VERSIONS and "/" not in path):
                continue
            fields.append(Field(attribute_label(name), self._value(complement, element, path, name)))
        text = (element.text or "").strip()
        return [*fields, Field("Texto", text)] if text and len(element.attrib) else fields

    def _value(self, complement: _Complement, element: etree._Element, path: str, name: str) -> str:
        """Format an attribute: a key with its name, an amount with separators, a date, a rate in percent."""
        value = element.get(name)
        if value is None:
            value = next(
                (str(text) for key, text in element.attrib.items() if etree.QName(str(key)).localname == name), ""
            )
        if not value:
            return ""
        text = self._key_text(complement, element, path, name, value)
        if text:
            return f"{value} · {text}"
        if name.startswith(_RATE):
            return rate(element.get(f"TipoFactor{name.removeprefix(_RATE)}"), value) if number(value) else value
        return amount(value) if is_amount(name, value) else date_text(value)

    def _key_text(self, complement: _Complement, element: etree._Element, path: str, name: str, value: str) -> str:
        catalog = complement.catalogs.get(path, {}).get(name)
        if catalog is not None:
            text = self._labels.get(catalog, value, complement.standard)
            if text:
                return text
        if name in _PLACES or name in ("Estado", "Colonia"):
            return self._place(element, name, value)
        standard_and_catalog = ATTRIBUTE_CATALOGS.get((complement.name, name)) or ATTRIBUTE_CATALOGS.get(
            (_name(element), name)
        )
        if standard_and_catalog is None and complement.standard == retencion_catalogs.RETENCIONES:
            standard_and_catalog = retencion_catalogs.CATALOGS.get(name)
        if standard_and_catalog is not None:
            standard, named = standard_and_catalog
            return self._labels.get(named, value, standard)
        if catalog is not None:
            return self._labels.get(catalog, value) or self._labels.get(catalog, value, TARIFF)
        return KEYS.get((complement.name, name), {}).get(value, "")

    def _place(self, element: etree._Element, name: str, value: str) -> str:
        """Return the name of a state, municipality, locality or neighbourhood of Mexico."""
        if element.get("Pais", MEXICO) != MEXICO:
            return self._labels.get("c_Estado", value) if name == "Estado" else ""
        if name == "Estado":
            return self._labels.get("c_Estado", value)
        if name == "Colonia":
            return self._labels.get("c_Colonia", f"{value}|{element.get('CodigoPostal', '')}")
        return self._labels.get(_PLACES[name], f"{value}|{element.get('Estado', '')}")


def is_amount(name: str, value: str) -> bool:
    """Whether the value of an attribute is an amount of money."""
    return name not in NOT_AMOUNTS and "." in value and name.startswith(_AMOUNTS)


_AMOUNTS = AMOUNT_PREFIXES + tuple(prefix[:1].lower() + prefix[1:] for prefix in AMOUNT_PREFIXES)


def _joined_fields(fields: Iterable[Field]) -> str:
    return " · ".join(f"{each.label}: {each.value}" for each in fields)


def _is_number(names: Sequence[str]) -> bool:
    name = names[0]
    is_money = name.startswith(_AMOUNTS) and name not in NOT_AMOUNTS and not name.startswith("Impuesto")
    return len(names) == 1 and (is_money or name in NUMBERS or name.startswith(NUMBER_PREFIXES))


def _heading(names: Sequence[str]) -> str:
    """Return the name whose label is the heading of a column."""
    return names[0] if len(names) == 1 else JOINED.get(names[0], names[0])


def _present(columns: Sequence[str], elements: Sequence[etree._Element]) -> list[list[str]]:
    """Return the attributes of each column that one of the elements has."""
    split = [names.split() for names in columns]
    return [names for names in split if any(element.get(name) for element in elements for name in names)]


def _complements(root: etree._Element) -> Iterable[etree._Element]:
    for container in root.iterchildren("{*}Complemento", "{*}ComplementoConcepto"):
        yield from (element for element in container.iterchildren("*") if element.tag != TFD_TAG)


def standard_of(name: str, element: etree._Element) -> str:
    """Return the name of the catalogs of a complement, such as `nomina12`."""
    if "/retencionpago/" in (etree.QName(element).namespace or ""):
        return retencion_catalogs.RETENCIONES
    version = element.get("Version") or element.get("version") or ""
    base = {"ConsumoDeCombustibles": "ecc12", "EstadoDeCuentaCombustible": "ecc12"}.get(name)
    return base or f"{name.lower()}{version.replace('.', '')}"


def _name(element: etree._Element) -> str:
    return etree.QName(element).localname


def _title(element: etree._Element) -> str:
    """Return the title of an element; an address is that of its parent."""
    name, parent = _name(element), element.getparent()
    if name == ADDRESS and parent is not None:
        return f"{element_title(name)}: {element_title(_name(parent)).lower()}"
    return element_title(name)


def _number(path: str) -> str:
    """Return the number at the end of a path, with a blank before it."""
    last = path.rpartition("/")[2]
    return f" {last.partition('[')[2].rstrip(']')}" if "[" in last else ""


def _grouped(elements: Sequence[etree._Element]) -> dict[str, list[etree._Element]]:
    groups: dict[str, list[etree._Element]] = {}
    for element in elements:
        groups.setdefault(_name(element), []).append(element)
    return groups


def _is_text(element: etree._Element) -> bool:
    """Whether an element has a text and nothing else."""
    return not len(element) and not element.attrib and bool((element.text or "").strip())


def _text_field(element: etree._Element) -> Field:
    return Field(element_title(_name(element)), date_text((element.text or "").strip()))


def _attribute_names(elements: Sequence[etree._Element]) -> list[str]:
    """Return the attributes of elements, the most frequent first, otherwise in the order of the document."""
    counted = Counter(
        etree.QName(str(name)).localname
        for element in elements
        for name, value in element.attrib.items()
        if value and not str(name).endswith(_SCHEMA_LOCATION)
    )
    return [name for name, _ in counted.most_common()]
