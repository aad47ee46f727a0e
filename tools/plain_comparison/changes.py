"""Drawn changes of a document: of its elements and values, and of how they are written."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation

from timbra.examples.tree import ExampleNode
from tools.plain_comparison.documents import copied, summed

Pool = Mapping[str, Sequence[str]]
Values = Callable[[ExampleNode, "Material", random.Random], None]
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
_ATTRIBUTE = re.compile(r' ([\w:]+)=("[^"]*"|\'[^\']*\')')
_OF_ROOT = re.compile(r"<cfdi:Comprobante[^>]*>")
_TAG = re.compile(r"(?<!\?)>")
_OPEN = re.compile(r"<[\w:]+( [^<>]*?)/?>")
_EMPTY = re.compile(r"<([\w:]+)([^<>]*)/>")
_NUMBERS = ("0", "0.00", "0.01", "0.000001", "1", "1.00", "0.5", "1.005", "200", "199.995", "1000000", "1E2", "-1", "")
_MARKS = (
    *("  ", " ", "\t", "\n", "\r", "\x7f", "\x85", "\u00a0", "\u2028", "\u200b", "\ufffd", "\ufffe", "\U0010ffff"),
    *("Ñ", "ñ", "é", "e\u0301", "\U0001f600", "&", "<", ">", '"', "'", "|", "0", "A", ".", ",", "-"),
)
_ENTITIES = {"'": ("&apos;", "&#39;"), ">": ("&gt;", "&#x3E;")}
_REFERENCES = ("&amp;", "&lt;", "&quot;", "&nada;", "&#65;", "&", "&#0;", "&#xD800;", "&#10;")
_BETWEEN = (
    *(" ", "\n", "\r\n\t", "  ", "&#32;", "x", "\0", "\x0b", "\ufeff"),
    *("<!-- c -->", "<?p i?>", "<![CDATA[]]>", "<![CDATA[ ]]>"),
)
_OTHER_DATES = (
    *("2026-02-30T00:00:00", "2024-02-29T23:59:59", "2026-11-17T24:00:00", "2026-11-17T12:00:60"),
    *("0001-01-01T00:00:00", "9999-12-31T23:59:59"),
)
_DECLARED = (
    ' xmlns:a="urn:a"',
    ' xmlns="urn:a"',
    ' xmlns:tfd="http://www.sat.gob.mx/TimbreFiscalDigital"',
    ' xmlns:pago20="http://www.sat.gob.mx/Pagos20"',
    ' xmlns:cfdi2="http://www.sat.gob.mx/cfd/4"',
    ' xml:lang="es"',
    ' xsi:nil="true"',
    ' xsi:noNamespaceSchemaLocation="a"',
)
_DATES = ("FechaPago", "Fecha", "FechaInicialPago", "FechaFinalPago", "FechaInicioRelLaboral")


class Material:
    """What changes are made of: values by attribute, and elements by name, of all documents.

    Args:
        documents: the documents.
        rows: keys of the catalogs by attribute.
    """

    def __init__(self, documents: Sequence[ExampleNode], rows: Pool) -> None:
        self.values: dict[str, list[str]] = {}
        self.names: dict[str, list[str]] = {}
        self.children: dict[str, list[ExampleNode]] = {}
        self.rows = rows
        for root in documents:
            for node in every(root):
                for name, value in node.attributes.items():
                    known = self.values.setdefault(name, [])
                    if value not in known[-50:]:
                        known.append(value)
                self.names[node.name] = list(dict.fromkeys([*self.names.get(node.name, ()), *node.attributes]))
                self.children.setdefault(node.name, []).extend(node.children)


def every(node: ExampleNode) -> Iterator[ExampleNode]:
    """Yield an element and all that it contains."""
    yield node
    for child in node.children:
        yield from every(child)


def changed(root: ExampleNode, material: Material, chance: random.Random) -> None:
    """Change elements and values in none to three places; fewer where sums are not computed again."""
    is_invoice = root.attributes.get("TipoDeComprobante") in ("I", "E")
    for _ in range(chance.choice((0, 1, 1, 1, 1, 2, 2, 3) if is_invoice else (0, 1, 1, 1, 1, 2))):
        chance.choices(_CHANGES, _WEIGHTS)[0](root, material, chance)
    if chance.random() < 0.5:
        summed(root)


def _some(root: ExampleNode, chance: random.Random) -> ExampleNode:
    return chance.choice(list(every(root)))


def _places(root: ExampleNode) -> list[tuple[ExampleNode, str]]:
    return [(node, name) for node in every(root) for name in node.attributes if not name.startswith("x")]


def _other_value(root: ExampleNode, material: Material, chance: random.Random) -> None:
    node, name = chance.choice(_places(root))
    node.attributes[name] = chance.choice(material.values.get(name, ("x",)))


def _row_value(root: ExampleNode, material: Material, chance: random.Random) -> None:
    places = [each for each in _places(root) if each[1] in material.rows]
    if places:
        node, name = chance.choice(places)
        node.attributes[name] = chance.choice(material.rows[name])


def _number(root: ExampleNode, _material: Material, chance: random.Random) -> None:
    places = [(node, name) for node, name in _places(root) if _NUMBER.fullmatch(node.attributes[name])]
    if not places:
        return
    node, name = chance.choice(places)
    node.attributes[name] = _other_number(node.attributes[name], chance)


def _other_number(text: str, chance: random.Random) -> str:
    way = chance.randrange(9)
    if way == 0:
        return chance.choice(_NUMBERS)
    if way == 1:
        return "0" * chance.choice((1, 3, 12)) + text
    if way == 2:
        return text + ("" if "." in text else ".") + "0" * chance.choice((1, 2, 4, 8))
    if way == 3:
        return text.rstrip("0").rstrip(".") if "." in text else text + "."
    if way == 4:
        return text + ("" if "." in text else ".") + chance.choice(("1", "5", "49", "0001"))
    if way == 5:
        return chance.choice(("+", "-", " ", "\t", "")) + text + chance.choice(("", " ", "E0"))
    if way == 6:
        return "9" * chance.choice((6, 9, 12, 13, 18, 24)) + text[-3:]
    decimals = max(len(text.partition(".")[2]), chance.choice((0, 2, 2, 6)))
    step = Decimal(chance.choice((-1, 1)) * chance.choice((1, 1, 4, 5, 10, 100))).scaleb(-decimals)
    try:
        return f"{abs(Decimal(text) + step):.{decimals}f}"
    except InvalidOperation:
        return text


def _mark(root: ExampleNode, _material: Material, chance: random.Random) -> None:
    node, name = chance.choice(_places(root))
    value = node.attributes[name]
    at = chance.choice((0, len(value), chance.randint(0, len(value))))
    node.attributes[name] = value[:at] + chance.choice(_MARKS) + value[at:]


def _length(root: ExampleNode, _material: Material, chance: random.Random) -> None:
    node, name = chance.choice(_places(root))
    value = node.attributes[name] or "a"
    others = ("", "", value * 2, value * 30, "Ñ" * 254, "x" * 1000, "x" * 1001, value[:-1])
    node.attributes[name] = chance.choice(others)


def _case(root: ExampleNode, _material: Material, chance: random.Random) -> None:
    node, name = chance.choice(_places(root))
    value = node.attributes[name]
    node.attributes[name] = chance.choice((value.lower(), value.upper(), value.swapcase(), value.title()))


def _date(root: ExampleNode, _material: Material, chance: random.Random) -> None:
    places = [(node, name) for node, name in _places(root) if name in _DATES]
    node, name = chance.choice(places) if places else (root, "Fecha")
    value = node.attributes.get(name, "")
    way = chance.randrange(6)
    if way == 0:
        forms = (value + "Z", value + ".5", value[:10], value[:16], value.replace("T", " "), value + "-06:00")
        node.attributes[name] = chance.choice((*forms, *_OTHER_DATES))
        return
    try:
        moved = datetime.fromisoformat(value) + timedelta(
            days=chance.choice((0, 1, -1, 2, 30, -30, 365, -365, -1500)),
            seconds=chance.choice((0, 1, -1, 3600, 43_200)),
        )
    except (ValueError, OverflowError):
        return
    node.attributes[name] = moved.isoformat()[: len(value)]


def _without_attribute(root: ExampleNode, _material: Material, chance: random.Random) -> None:
    node, name = chance.choice(_places(root))
    del node.attributes[name]


def _with_attribute(root: ExampleNode, material: Material, chance: random.Random) -> None:
    node = _some(root, chance)
    names = [each for each in material.names.get(node.name, ()) if each not in node.attributes]
    if names:
        name = chance.choice(names)
        node.attributes[name] = chance.choice(material.values.get(name, ("x",)))


def _moved_value(root: ExampleNode, _material: Material, chance: random.Random) -> None:
    (node, name), (other, its) = chance.choice(_places(root)), chance.choice(_places(root))
    if its in other.attributes and name in node.attributes:
        node.attributes[name], other.attributes[its] = other.attributes[its], node.attributes[name]


def _without_element(root: ExampleNode, _material: Material, chance: random.Random) -> None:
    holders = [each for each in every(root) if each.children]
    node = chance.choice(holders) if holders else root
    if node.children:
        node.children.pop(chance.randrange(len(node.children)))


def _repeated(root: ExampleNode, _material: Material, chance: random.Random) -> None:
    node = chance.choice([each for each in every(root) if each.children] or [root])
    if node.children:
        place = chance.randrange(len(node.children))
        node.children.insert(chance.choice((place, place + 1, len(node.children))), copied(node.children[place]))


def _swapped(root: ExampleNode, _material: Material, chance: random.Random) -> None:
    several = [each for each in every(root) if len(each.children) > 1]
    if several:
        chance.shuffle(chance.choice(several).children)


def _grafted(root: ExampleNode, material: Material, chance: random.Random) -> None:
    """Add or replace a child by one of another document."""
    node = _some(root, chance)
    donors = material.children.get(node.name)
    if not donors:
        return
    donor = copied(chance.choice(donors))
    places = [place for place, each in enumerate(node.children) if each.name == donor.name]
    if places and chance.random() < 0.7:
        node.children[chance.choice(places)] = donor
    else:
        node.children.insert(chance.randint(0, len(node.children)), donor)


def _moved(root: ExampleNode, _material: Material, chance: random.Random) -> None:
    """Move an element into another one."""
    holder = chance.choice([each for each in every(root) if each.children] or [root])
    if holder.children:
        node = holder.children.pop(chance.randrange(len(holder.children)))
        target = _some(root, chance)
        target.children.insert(chance.randint(0, len(target.children)), node)


def _renamed(root: ExampleNode, material: Material, chance: random.Random) -> None:
    """Give an element or an attribute another name."""
    if chance.random() < 0.5:
        node = _some(root, chance)
        node.name = chance.choice((node.name.lower(), node.name + "s", chance.choice(list(material.names))))
        return
    node, name = chance.choice(_places(root))
    known = material.names.get(node.name) or (name,)  # an element may have been renamed before
    other = chance.choice((name.lower(), f"cfdi:{name}", f"xsi:{name}", chance.choice(known)))
    node.attributes = {other if each == name else each: value for each, value in node.attributes.items()}


_WEIGHTED: Mapping[Values, int] = {
    _other_value: 6,
    _row_value: 4,
    _number: 6,
    _mark: 2,
    _length: 1,
    _case: 1,
    _date: 1,
    _without_attribute: 2,
    _with_attribute: 3,
    _moved_value: 1,
    _without_element: 1,
    _repeated: 2,
    _swapped: 1,
    _grafted: 3,
    _moved: 1,
    _renamed: 1,
}
_CHANGES, _WEIGHTS = tuple(_WEIGHTED), tuple(_WEIGHTED.values())


def written(text: str, chance: random.Random) -> bytes:
    """Return a document that is written in another way in none to two places, seldom with another content."""
    for _ in range(chance.choice((0, 0, 0, 1, 1, 2))):
        text = chance.choices(_WAYS, _WAY_WEIGHTS)[0](text, chance)
    if chance.random() < 0.02:
        return chance.choice((_latin, _two_bytes, _cut))(text, chance)
    return text.encode("utf-8", "surrogatepass")


def _match(pattern: re.Pattern[str], text: str, chance: random.Random) -> re.Match[str] | None:
    found = list(pattern.finditer(text))
    return chance.choice(found) if found else None


def _order(text: str, chance: random.Random) -> str:
    tag = _match(_OPEN, text, chance)
    if tag is None:
        return text
    attributes = [each[0] for each in _ATTRIBUTE.finditer(tag[1])]
    chance.shuffle(attributes)
    return text[: tag.start(1)] + "".join(attributes) + text[tag.end(1) :]


def _quotes(text: str, chance: random.Random) -> str:
    found = _match(_ATTRIBUTE, text, chance)
    if found is None:
        return text
    inside = found[2][1:-1].replace("'", "&apos;")
    return text[: found.start(2)] + f"'{inside}'" + text[found.end(2) :]


def _entity(text: str, chance: random.Random) -> str:
    found = _match(_ATTRIBUTE, text, chance)
    if found is None or len(found[2]) == 2:
        return text
    at = chance.randint(found.start(2) + 1, found.end(2) - 2)
    if chance.random() < 0.5:
        return text[:at] + chance.choice(_REFERENCES) + text[at:]
    if "&" in text[max(found.start(2), at - 6) : at + 1]:
        return text
    written = _ENTITIES.get(text[at], (f"&#{ord(text[at])};", f"&#x{ord(text[at]):x};"))
    return text[:at] + chance.choice(written) + text[at + 1 :]


def _blank_in_value(text: str, chance: random.Random) -> str:
    found = _match(_ATTRIBUTE, text, chance)
    if found is None:
        return text
    at = chance.randint(found.start(2) + 1, found.end(2) - 1)
    return text[:at] + chance.choice(("\n", "\r\n", "\t", " ", "  ")) + text[at:]


def _blank_in_tag(text: str, chance: random.Random) -> str:
    found = _match(_ATTRIBUTE, text, chance)
    if found is None:
        return text
    at = chance.choice((found.start(), found.end(), found.end(1), found.start(2)))
    return text[:at] + chance.choice((" ", "\n", "\r\n", "\t", "  \n")) + text[at:]


def _between(text: str, chance: random.Random) -> str:
    found = _match(_TAG, text, chance)
    return text if found is None else text[: found.end()] + chance.choice(_BETWEEN) + text[found.end() :]


def _indented(text: str, chance: random.Random) -> str:
    return text.replace("><", ">" + chance.choice(("\n", "\r\n", " ", "\t\n")) + "<")


def _opened(text: str, chance: random.Random) -> str:
    found = _match(_EMPTY, text, chance)
    if found is None:
        return text
    inside = chance.choice(("", "", " ", "\n"))
    return text[: found.start()] + f"<{found[1]}{found[2]}>{inside}</{found[1]}>" + text[found.end() :]


def _declaration(text: str, chance: random.Random) -> str:
    body = re.sub(r"\A<\?xml[^>]*\?>\s*", "", text)
    return chance.choice(_DECLARATIONS) + body


_DECLARATIONS = (
    "",
    "\n",
    "\ufeff",
    '\ufeff<?xml version="1.0" encoding="UTF-8"?>',
    "<?xml version='1.0' encoding='utf-8'?>",
    '<?xml version="1.0" encoding="utf-8"?>\r\n\r\n',
    '<?xml version="1.0"?>',
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>',
    '<?xml version="1.1" encoding="UTF-8"?>',
    '<?xml version="1.0" encoding="ISO-8859-1"?>',
    '<?xml version="1.0" encoding="UTF-16"?>',
    '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE a>',
    '<?xml version="1.0" encoding="UTF-8"?><!-- c -->',
)


def _prefix(text: str, chance: random.Random) -> str:
    old, new = chance.choice((("cfdi:", ""), ("cfdi:", "c:"), ("pago20:", "p:"), ("nomina12:", "n:"), ("xsi:", "x:")))
    declared = f"xmlns:{old}"[:-1]
    return re.sub(rf"(?<=[< /]){old}", new, text).replace(declared, f"xmlns:{new}"[:-1])


def _namespace(text: str, chance: random.Random) -> str:
    """Declare, remove or change a namespace or the places of schemas at the root."""
    root = _OF_ROOT.search(text)
    if root is None:
        return text
    found = [each for each in _ATTRIBUTE.finditer(root[0]) if each[1].startswith("x")]
    way = chance.randrange(4)
    if way == 0 or not found:
        at = root.start() + len("<cfdi:Comprobante")
        return text[:at] + chance.choice(_DECLARED) + text[at:]
    one = chance.choice(found)
    begin, end = root.start() + one.start(), root.start() + one.end()
    if way == 1:
        return text[:begin] + text[end:]
    if way == 2:
        return text[:end] + one[0] + text[end:]
    at = chance.randint(begin + len(one[1]) + 3, end - 1)
    return text[:at] + chance.choice((" ", "  ", "\n", "x", "/", "http://www.sat.gob.mx/cfd/4 a.xsd ")) + text[at:]


def _sealed(text: str, chance: random.Random) -> str:
    """Change how one of the sealed attributes is written, or its value."""
    found = re.search(rf' ({chance.choice(("Sello", "Certificado", "NoCertificado"))})="([^"]*)"', text)
    if found is None:
        return text
    value = found[2]
    at = chance.choice((0, len(value), chance.randint(0, len(value))))
    with_one = value[:at] + chance.choice((" ", "\n", "=", "A", "0", "&#10;", "\t")) + value[at:]
    others = (value.rstrip("="), value[:-1], value + "==", "", value.lower(), value[:at] + value[at + 1 :])
    return text[: found.start(2)] + chance.choice((with_one, *others)) + text[found.end(2) :]


def _repeated_attribute(text: str, chance: random.Random) -> str:
    found = _match(_ATTRIBUTE, text, chance)
    return text if found is None else text[: found.end()] + found[0] + text[found.end() :]


def _after(text: str, chance: random.Random) -> str:
    return text + chance.choice(("\n", "\r\n \t", "<!-- c -->", "x", "<a/>", "\0", "\x1a"))


_NOTATIONS: Mapping[Callable[[str, random.Random], str], int] = {
    _order: 4,
    _quotes: 3,
    _entity: 3,
    _blank_in_tag: 3,
    _blank_in_value: 1,
    _between: 2,
    _indented: 2,
    _opened: 3,
    _declaration: 2,
    _prefix: 1,
    _namespace: 2,
    _sealed: 2,
    _repeated_attribute: 1,
    _after: 1,
}
_WAYS, _WAY_WEIGHTS = tuple(_NOTATIONS), tuple(_NOTATIONS.values())


def _latin(text: str, _chance: random.Random) -> bytes:
    return text.replace("UTF-8", "ISO-8859-1").encode("latin-1", "replace")


def _two_bytes(text: str, _chance: random.Random) -> bytes:
    return text.replace("UTF-8", "UTF-16").encode("utf-16")


def _cut(text: str, chance: random.Random) -> bytes:
    encoded = bytearray(text.encode("utf-8", "surrogatepass"))
    at = chance.randrange(len(encoded))
    if chance.random() < 0.5:
        encoded[at] = chance.randrange(256)
        return bytes(encoded)
    return bytes(encoded[:at] + encoded[at + chance.choice((1, 2, 8)) :])
