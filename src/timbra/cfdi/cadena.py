"""The cadena original of a document, by programs made from SAT's own stylesheets (Anexo 20)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from timbra._native import CadenaProgram
from timbra.core.errors import ServiceError

if TYPE_CHECKING:
    from lxml import etree

    from timbra.snapshot import Snapshot


class CadenaOriginal:
    """Cadena original of CFDI 4.0, 3.3 and 3.2, of Retenciones 2.0 and 1.0; programs are prepared at first use."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._index: dict[str, dict[str, object]] = orjson.loads(snapshot.read("cadena/index.json"))["cfdi"]
        self._programs: dict[str, CadenaProgram] = {}
        self._complements = {version: frozenset(entry["complements"]) for version, entry in self._index.items()}

    def build(self, root: etree._Element, version: str) -> str:
        """Build the text that the Sello signs, encoded in UTF-8 when signed.

        Args:
            root: Comprobante or Retenciones.
            version: "4.0", "3.3" or "3.2", or of Retenciones "2.0" or "1.0".

        Raises:
            KeyError: the version has no program.
            RecursionError: the document is nested more deeply than a parser of documents allows.
            ServiceError: "snapshot-damaged" if the program cannot be read.
        """
        program = self._programs.get(version)
        if program is None:
            program = self._programs[version] = load_program(self._snapshot, str(self._index[version]["file"]))
        return program.run(root)

    def has(self, version: str) -> bool:
        """Whether the snapshot has the program of a version."""
        return version in self._index

    def complements(self, version: str) -> frozenset[str]:
        """Return the namespaces of the complements for which the version's stylesheet has templates."""
        return self._complements[version]


def load_program(snapshot: Snapshot, file: str) -> CadenaProgram:
    """Prepare a program of the snapshot.

    Args:
        file: name of the program in the folder `cadena`.

    Raises:
        ServiceError: "snapshot-damaged" if the file cannot be read or its content is no program.
    """
    try:
        program: Any = orjson.loads(snapshot.read(f"cadena/{file}"))
        return CadenaProgram(program)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ServiceError("snapshot-damaged", f"El programa cadena/{file} no es utilizable: {error}.") from error
