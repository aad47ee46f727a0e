"""The standards that have a schema in the snapshot, and the compiled schema of each."""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

from lxml import etree

from timbra._native import STATE, ValidForms, is_surely_valid
from timbra.cfdi.snapshot_xml import trusted_document
from timbra.cfdi.structure.chunked_validation import is_long, iter_chunks
from timbra.cfdi.structure.declarations import SchemaDeclarations
from timbra.cfdi.structure.errors import SchemaError
from timbra.cfdi.structure.paths import ElementPaths, no_declarations
from timbra.cfdi.structure.valid_forms import compile_program
from timbra.core.errors import ServiceError

if TYPE_CHECKING:
    from timbra.snapshot import Snapshot


PREPARED_AFTER = 8
"""Uses of a schema after which the forms of its valid documents are prepared."""
MAX_ERRORS = 50_000
"""Number of errors of a long document after which no further chunk is validated."""
SAMPLES = 1_000_000
"""Number of samples from which the one that is validated first is chosen, so that no document can avoid it."""


@dataclass(frozen=True, slots=True)
class XmlStandard:
    """A document or complement that has a schema.

    Attributes:
        version: empty when the standard has none.
        element: local name of its root element.
        file: file name of the schema in the snapshot.
        location: the SAT's public address of the schema, as in xsi:schemaLocation.
        document: False for complements and the stamp.
    """

    namespace: str
    version: str
    element: str
    prefix: str
    file: str
    location: str
    document: bool


@dataclass(frozen=True, slots=True)
class UnknownComplement:
    """A complement without schema.

    Attributes:
        version: as written, empty when absent.
        path: path in the notation of the rules.
        line: line of the element, from 1.
    """

    namespace: str
    name: str
    version: str
    path: str
    line: int


class CompiledSchema:
    """A compiled schema. lxml stores the errors in the schema object, hence the lock.

    The forms of valid documents are prepared when the schema has been used several times, because that takes as long
    as some hundreds of documents; a long document is worth it by itself.

    Args:
        document: the schema.
        prepare: returns the forms; None where there are none.
    """

    def __init__(self, document: etree._Element, prepare: Callable[[], ValidForms | None] = lambda: None) -> None:
        self._schema = etree.XMLSchema(document)
        self._lock = Lock()
        self._prepare = prepare
        self._forms: ValidForms | None = None
        self._uses = 0

    def errors(self, element: etree._Element) -> list[SchemaError]:
        """Validate an element and its descendants.

        Returns:
            The errors; of a long element, about `MAX_ERRORS` at most.
        """
        forms = self._prepared(element) if self._forms is None else self._forms
        if forms is not None and forms.accept(element):
            return []
        if not is_long(element):
            return self._validate(element)
        if is_surely_valid(element, lambda: self._is_valid(element), secrets.randbelow(SAMPLES)):
            return []
        return self._errors_in_chunks(element) or self._validate(element)

    def _prepared(self, element: etree._Element) -> ValidForms | None:
        """Count a use, and prepare the forms once when it is time for it."""
        if self._uses <= PREPARED_AFTER:
            self._uses += 1
            if self._uses > PREPARED_AFTER or is_long(element):
                self._uses = PREPARED_AFTER + 1
                self._forms = self._prepare()
        return self._forms

    def _errors_in_chunks(self, element: etree._Element) -> list[SchemaError]:
        errors: dict[tuple[etree._Element, str], SchemaError] = {}
        for chunk in iter_chunks(element):
            paths = ElementPaths(no_declarations)
            for error in self._validate(chunk.copy):
                original = chunk.original(paths.element_at(chunk.copy, error.path))
                errors.setdefault((original, error.message), replace(error, element=original))
            if len(errors) > MAX_ERRORS:
                break
        if not errors:
            return []
        order = {descendant: number for number, descendant in enumerate(element.iter())}
        return [errors[key] for key in sorted(errors, key=lambda key: order[key[0]])]

    def _is_valid(self, element: etree._Element) -> bool:
        with self._lock:
            return bool(self._schema.validate(element))

    def _validate(self, element: etree._Element) -> list[SchemaError]:
        with self._lock:
            if self._schema.validate(element):
                return []
            log = self._schema.error_log
            return [SchemaError(e.type_name, e.message, e.path or "", e.line) for e in log]  # type: ignore[attr-defined]


_COMPILING = threading.Lock()
"""libxml2 sometimes loses a declaration when two threads compile schemas at once: about once in 48,000 compilations."""


class XmlStandards:
    """The standards of a snapshot by namespace and version; schemas are compiled at first use and cached."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.all = _index(snapshot)
        self._versions: dict[str, dict[str, XmlStandard]] = {}
        for standard in self.all:
            self._versions.setdefault(standard.namespace, {})[standard.version] = standard
        self._compiled: dict[str, CompiledSchema] = {}
        self._declarations: dict[str, SchemaDeclarations] = {}
        self.prefixes = {standard.namespace: standard.prefix for standard in self.all}
        self._catalogs: dict[str, dict[str, dict[str, str]]] = json.loads(snapshot.read("xsd/catalogs.json"))

    def find(self, element: etree._Element) -> XmlStandard | None:
        """Find the standard of an element by namespace and Version (or version).

        Without that attribute the newest version is returned, so that its schema reports the attribute as missing.
        """
        versions = self._versions.get(element_namespace(element))
        if versions is None:
            return None
        written = element_version(element)
        if written is None or "" in versions:
            return versions[max(versions)]
        return versions.get(written)

    def catalogs(self, standard: XmlStandard) -> Mapping[str, Mapping[str, str]]:
        """Return element path -> attribute -> catalog type ("c_FormaPago"); the schema does not check them."""
        return self._catalogs.get(standard.file, {})

    def declarations(self, element: etree._Element) -> SchemaDeclarations | None:
        """Return the declarations of the standard that an element is the root of, read at their first use.

        Raises:
            ServiceError: "snapshot-damaged" when the schema cannot be read.
        """
        standard = self.find(element)
        if standard is None:
            return None
        if standard.file not in self._declarations:
            self._declarations[standard.file] = SchemaDeclarations(self._snapshot, standard.file)
        return self._declarations[standard.file]

    def schema(self, standard: XmlStandard) -> CompiledSchema:
        """Return the schema, compiled at its first use; threads compile one schema at a time.

        Raises:
            ServiceError: "snapshot-damaged" when the schema cannot be read.
        """
        compiled = self._compiled.get(standard.file)
        if compiled is not None:
            return compiled
        with _COMPILING:
            if standard.file not in self._compiled:
                self._compiled[standard.file] = self._compile(standard)
            return self._compiled[standard.file]

    def _compile(self, standard: XmlStandard) -> CompiledSchema:
        try:
            document = trusted_document(self._snapshot, "xsd", standard.file)
            return CompiledSchema(document, partial(self._forms, standard.file))
        except etree.LxmlError as error:
            raise ServiceError("snapshot-damaged", f"El esquema {standard.file} no es utilizable: {error}.") from error

    def _forms(self, file: str) -> ValidForms | None:
        program = compile_program(self._snapshot, file) if STATE.active else None
        return None if program is None else ValidForms(program)


def _index(snapshot: Snapshot) -> tuple[XmlStandard, ...]:
    try:
        return tuple(XmlStandard(**entry) for entry in json.loads(snapshot.read("xsd/index.json")))
    except TypeError as error:
        detail = "Los datos del SAT son de otra versión de Timbra; hágalos de nuevo con: timbra data build"
        raise ServiceError("snapshot-damaged", detail) from error


def element_namespace(element: etree._Element) -> str:
    """Return the namespace of an element, empty without one."""
    tag = str(element.tag)
    return tag[1 : tag.index("}")] if tag[0] == "{" else ""


def element_version(element: etree._Element) -> str | None:
    """Return Version, or version as older standards write it, without surrounding white space; None when absent."""
    written = element.get("Version")
    if written is None:
        written = element.get("version")
    return None if written is None else str(written).strip()
