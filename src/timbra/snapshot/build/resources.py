"""The SAT's XML files in the wheel: found by address, parsed by a hardened parser, flattened into one folder."""

from __future__ import annotations

import posixpath
import zipfile

from lxml import etree

from timbra.core.errors import ServiceError

SCHEMAS = "satcfdi/transform/schemas/"
CFD = SCHEMAS + "www.sat.gob.mx/sitio_internet/cfd/"
RETENCIONES = SCHEMAS + "www.sat.gob.mx/esquemas/retencionpago/"


class Resources:
    """XML members of the wheel by their full member name; each is parsed once."""

    def __init__(self, wheel: zipfile.ZipFile) -> None:
        self._wheel = wheel
        self._trees: dict[str, etree._Element] = {}

    def names(self, folder: str, ending: str) -> list[str]:
        """Return the members of a folder with that ending, sorted."""
        return sorted(name for name in self._wheel.namelist() if name.startswith(folder) and name.endswith(ending))

    def root(self, name: str) -> etree._Element:
        """Parse a member. Raises ServiceError: "snapshot-source" when the wheel does not have it or it is not XML."""
        if name not in self._trees:
            parser = etree.XMLParser(
                huge_tree=True, no_network=True, resolve_entities=False, load_dtd=False, remove_comments=True
            )
            try:
                self._trees[name] = etree.fromstring(self._wheel.read(name), parser)
            except (KeyError, etree.XMLSyntaxError) as error:
                raise ServiceError("snapshot-source", f"Falta o es ilegible {name} en el paquete: {error}.") from error
        return self._trees[name]

    def closure(self, starts: list[str], link: str) -> list[str]:
        """Return members and all that they refer to.

        Args:
            starts: the first members.
            link: attribute that has relative addresses.

        Returns:
            The members, in order of first appearance.
        """
        reached = dict.fromkeys(starts)
        waiting = list(starts)
        while waiting:
            name = waiting.pop(0)
            for target in self._targets(name, link):
                if target not in reached:
                    reached[target] = None
                    waiting.append(target)
        return list(reached)

    def _targets(self, name: str, link: str) -> list[str]:
        folder = posixpath.dirname(name)
        links = [child.get(link) for child in self.root(name) if child.get(link)]
        return [posixpath.normpath(posixpath.join(folder, str(target))) for target in links]


def flat_names(members: list[str]) -> dict[str, str]:
    """Return the file name of each member without its folder.

    Raises:
        ServiceError: "snapshot-source" when two names are equal in any letter case.
    """
    bare = {member: posixpath.basename(member) for member in members}
    if len({name.lower() for name in bare.values()}) != len(bare):
        raise ServiceError("snapshot-source", "Dos archivos del paquete comparten nombre.")
    return bare


def flatten_links(root: etree._Element, link: str) -> None:
    """Replace every link by its file name, for one folder that has all files."""
    for child in root:
        if child.get(link):
            child.set(link, posixpath.basename(str(child.get(link))))


def serialized(root: etree._Element) -> bytes:
    """Serialize a document in UTF-8 with declaration."""
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8")) + b"\n"
