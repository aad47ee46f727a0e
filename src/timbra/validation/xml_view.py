"""A document as lines of elements with their findings; a long one is cut to its start and elements with findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lxml import etree

from timbra.validation.models import ReportEntry
from timbra.validation.xpath_view import ElementIndex, attribute_of

MAX_LINES = 300
MAX_VALUE_LENGTH = 400


@dataclass(frozen=True, slots=True)
class XmlAttribute:
    """An attribute of an element.

    Attributes:
        name: Name with prefix.
        value: Value, shortened.
        codes: Codes of the findings about the attribute.
    """

    name: str
    value: str
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class XmlLine:
    """One element.

    Attributes:
        number: Number of the element in the document, for its anchor.
        depth: Number of ancestors.
        name: Name with prefix.
        attributes: The attributes, in document order.
        codes: Codes of the findings about the element itself.
        missing: Attributes that have findings and are absent.
        hidden_before: Number of elements before it that are not shown.
    """

    number: int
    depth: int
    name: str
    attributes: tuple[XmlAttribute, ...]
    codes: tuple[str, ...]
    missing: tuple[XmlAttribute, ...]
    hidden_before: int

    @property
    def is_marked(self) -> bool:
        """Whether the element or one of its attributes has a finding."""
        return bool(self.codes or self.missing) or any(attribute.codes for attribute in self.attributes)


@dataclass(frozen=True, slots=True)
class XmlView:
    """The lines of a document.

    Attributes:
        lines: Elements that are shown.
        numbers: Number of the line of a finding, by the path of the finding.
        hidden_after: Number of elements after the last line that are not shown.
    """

    lines: tuple[XmlLine, ...]
    numbers: Mapping[str, int]
    hidden_after: int


def xml_view_of(root: etree._Element, findings: Sequence[ReportEntry]) -> XmlView:
    """Build the view of a document. `findings`: Findings; those without a path are not shown in the view."""
    index = ElementIndex(root)
    elements = {entry.path: index.at(entry.path) for entry in findings if entry.path is not None}
    findings_at: dict[etree._Element, list[ReportEntry]] = {}
    for entry in findings:
        element = elements.get(entry.path) if entry.path is not None else None
        if element is not None:
            findings_at.setdefault(element, []).append(entry)
    lines, numbers, hidden_after = _lines(root, findings_at)
    anchors = {path: numbers[element] for path, element in elements.items() if element in numbers}
    return XmlView(tuple(lines), anchors, hidden_after)


def _lines(
    root: etree._Element, findings_at: Mapping[etree._Element, Iterable[ReportEntry]]
) -> tuple[list[XmlLine], dict[etree._Element, int], int]:
    """Return the lines, the number of each shown element, and how many elements follow the last line."""
    required = set(findings_at)
    for element in findings_at:
        required.update(element.iterancestors())
    lines: list[XmlLine] = []
    numbers: dict[etree._Element, int] = {}
    hidden = 0
    for number, (element, depth) in enumerate(_walk(root), 1):
        if number > MAX_LINES and element not in required:
            hidden += 1
            continue
        numbers[element] = number
        lines.append(_line(element, number, depth, findings_at.get(element, ()), hidden))
        hidden = 0
    return lines, numbers, hidden


def _walk(root: etree._Element) -> Iterator[tuple[etree._Element, int]]:
    """Yield each element and its depth, in document order."""
    depth = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if not isinstance(element.tag, str):
            continue
        if event == "start":
            yield element, depth
            depth += 1
        else:
            depth -= 1


def _line(
    element: etree._Element, number: int, depth: int, findings: Iterable[ReportEntry], hidden_before: int
) -> XmlLine:
    codes: dict[str | None, list[str]] = {}
    for entry in findings:
        codes.setdefault(attribute_of(entry.path), []).append(entry.code or "")
    attributes = tuple(
        XmlAttribute(
            _prefixed_name(str(name), element),
            _shorten(str(value)),
            tuple(codes.pop(etree.QName(str(name)).localname, ())),
        )
        for name, value in element.attrib.items()
    )
    own_codes = tuple(codes.pop(None, ()))
    missing = tuple(XmlAttribute(name, "", tuple(found)) for name, found in codes.items() if name is not None)
    name = _prefixed_name(str(element.tag), element)
    return XmlLine(number, depth, name, attributes, own_codes, missing, hidden_before)


def _prefixed_name(name: str, element: etree._Element) -> str:
    """Return the name of an element or attribute with the prefix that the document uses."""
    qualified = etree.QName(name)
    if not qualified.namespace:
        return qualified.localname
    if name == element.tag:
        return f"{element.prefix}:{qualified.localname}" if element.prefix else qualified.localname
    prefixes = {namespace: prefix for prefix, namespace in element.nsmap.items() if prefix}
    prefix = prefixes.get(qualified.namespace)
    return f"{prefix}:{qualified.localname}" if prefix else qualified.localname


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_VALUE_LENGTH else f"{text[:MAX_VALUE_LENGTH]}…"
