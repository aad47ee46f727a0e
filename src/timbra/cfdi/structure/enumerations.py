"""Keys of the SAT's catalogs that its schemas enumerate and no rule checks, such as those of withdrawn complements.

The schemas of the snapshot accept any text in an attribute of a catalog, because a rule reports it with its code. Where
no rule set reads the attribute, this check has the result of the enumeration.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lxml import etree

from timbra.cfdi.structure.errors import StructureFault
from timbra.cfdi.structure.paths import ElementPaths, element_line
from timbra.core.errors import ServiceError

if TYPE_CHECKING:
    from timbra.snapshot import Snapshot

_FILE = "xsd/enumerations.json"
_BLANKS = str.maketrans("\t\n\r", "   ")


class Enumerations:
    """The enumerated values of the attributes of catalogs; the table is read at the first use that needs it."""

    def __init__(self, snapshot: Snapshot) -> None:
        if _FILE not in snapshot.manifest.files:
            detail = "Los datos del SAT son de otra versión de Timbra; hágalos de nuevo con: timbra data build"
            raise ServiceError("snapshot-damaged", detail)
        self._snapshot = snapshot
        self._values: dict[str, frozenset[str]] = {}

    @cached_property
    def _table(self) -> dict[str, Any]:
        table: dict[str, Any] = json.loads(self._snapshot.read(_FILE))
        return table

    def faults(self, element: etree._Element, file: str, where: str, paths: ElementPaths) -> list[StructureFault]:
        """Return the faults of the values that no rule checks.

        Args:
            element: a document or a complement.
            file: file name of its schema.
            where: version of the document; for a complement also the name of the node that contains it.
            paths: paths of the elements of the document.
        """
        standard = self._table["standards"].get(file)
        if standard is None or where in standard["ruled"]:
            return []
        return self._enumerated(element, standard["attributes"], paths)

    def _enumerated(
        self, element: etree._Element, attributes: Mapping[str, Mapping[str, str]], paths: ElementPaths
    ) -> list[StructureFault]:
        found = []
        waiting = [(element, etree.QName(element).localname)]
        while waiting:
            each, path = waiting.pop()
            for name, key in attributes.get(path, {}).items():
                value = each.get(name)
                if value is not None and _collapsed(str(value)) not in self._accepted(key):
                    found.append(_fault(each, name, str(value), key, paths))
            children = [(child, f"{path}/{etree.QName(child).localname}") for child in each.iterchildren(etree.Element)]
            waiting += reversed(children)
        return found

    def _accepted(self, key: str) -> frozenset[str]:
        values = self._values.get(key)
        if values is None:
            values = self._values[key] = frozenset(self._table["values"][key].split())
        return values


def _collapsed(value: str) -> str:
    return " ".join(part for part in value.translate(_BLANKS).split(" ") if part)


def _fault(element: etree._Element, name: str, value: str, key: str, paths: ElementPaths) -> StructureFault:
    path = paths.path(element)
    place = f"{path}/@{name}" if path else f"@{name}"
    expected = f"una clave de {key.rpartition(':')[2]} que su esquema enumere"
    return StructureFault(place, element_line(element), value, expected, None, element, name)
