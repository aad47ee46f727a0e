"""The whole evaluation of a document as a target: validation and stamping, behind the readers.

Random bytes rarely are a document. Unless an input begins with `<`, it is a program: its first byte chooses an example
document, and each further triple of bytes changes one element of it, in a way that keeps it well-formed.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from lxml import etree

from timbra import examples
from timbra.accounts.build import account_services
from timbra.app.composition import build_container
from timbra.container import Container
from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.settings import Settings
from timbra.stamping.build import stamping_services
from timbra.stamping.models import DocumentKind, StampRequest
from timbra.validation.build import validation_services
from tools.document_shapes import KINDS

NOW = "2026-11-17T12:00:00"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
MOST_CHANGES = 60
MOST_COPIES = 40
VALUES = (
    "",
    " ",
    "0",
    "-0.00",
    "1e9",
    "NaN",
    "x" * 300,
    "\u00e9\U0001f600",
    "2026-11-17T11:00:00",
    "99",
    "~Z~",
    "a:b",
    "]]>",
)
NAMES = (
    "a",
    "Version",
    "version",
    "Importe",
    "Fecha",
    "TipoDeComprobante",
    f"{{{XSI}}}type",
    f"{{{XSI}}}nil",
    "{urn:x}a",
)

Change = Callable[[etree._Element, int], None]


@cache
def documents() -> Sequence[bytes]:
    """The documents that programs change: one of each kind, and one of each complement."""
    made = [examples.ingreso(), examples.ingreso33(), examples.pago(), examples.nomina(), examples.carta_porte()]
    made += [examples.retencion(), examples.egreso(), examples.global_invoice(), examples.exportacion()]
    made += [document.make() for document in examples.DOCUMENTS.values()]
    return [text.encode() for text in made]


def document_of(data: bytes) -> bytes:
    """Return the document of an input."""
    if not data or data.startswith(b"<"):
        return data
    root = etree.fromstring(documents()[data[0] % len(documents())])
    for start in range(1, min(len(data) - 2, 3 * MOST_CHANGES), 3):
        place, change, value = data[start : start + 3]
        elements = list(root.iter(etree.Element))
        # Twice as many elements as a byte can count are not needed: the first ones decide which rules run.
        CHANGES[change % len(CHANGES)](elements[place % len(elements)], value)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8"))


def evaluate(data: bytes) -> None:
    """Validate and stamp the document of an input; only the rejections of the service are caught."""
    xml = document_of(data)
    container, caller = _container()
    with suppress(ServiceError):
        asyncio.run(container.get(validation_services).validation.validate(xml, with_status=False))
    kind = DocumentKind.RETENCIONES if b"retencionpago" in xml else DocumentKind.CFDI
    request = StampRequest(caller, xml, "fuzz", kind=kind)
    with suppress(ServiceError):
        asyncio.run(container.get(stamping_services).stamping.stamp(request))


@cache
def _container() -> tuple[Container, Caller]:
    folder = Path(tempfile.mkdtemp(prefix="timbra-fuzz-"))
    container = build_container(Settings(data=folder, clock=NOW))
    account = container.get(account_services).accounts.create("fuzz@example.com", "una contraseña larga")
    return container, Caller(account.account_id, account.user, account.role)


def _set_attribute(element: etree._Element, value: int) -> None:
    names = [*map(str, element.attrib), *NAMES]
    element.set(names[value % len(names)], VALUES[value % len(VALUES)])


def _remove_attribute(element: etree._Element, value: int) -> None:
    names = [*element.attrib]
    if names:
        del element.attrib[names[value % len(names)]]


def _add_nodes(element: etree._Element, value: int) -> None:
    kind = list(KINDS.values())[value % len(KINDS)]
    own = f"{element.prefix}:{etree.QName(element).localname}" if element.prefix else etree.QName(element).localname
    declared = f' xmlns:{element.prefix}="{etree.QName(element).namespace}"' if element.prefix else ""
    holder = etree.fromstring(f"<holder{declared}>{kind(1 + value % MOST_COPIES, own)}</holder>")
    element.text = f"{element.text or ''}{holder.text or ''}"
    element.extend(list(holder))


def _remove(element: etree._Element, _value: int) -> None:
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)


def _move(element: etree._Element, value: int) -> None:
    """Move an element to another place that is not inside of itself."""
    places = [
        each for each in element.getroottree().iter(etree.Element) if element not in (each, *each.iterancestors())
    ]
    if places:
        places[value % len(places)].append(element)


def _rename(element: etree._Element, value: int) -> None:
    names = [str(each.tag) for each in element.getroottree().iter(etree.Element)] + ["{urn:x}a", "b"]
    element.tag = names[value % len(names)]


CHANGES: tuple[Change, ...] = (_set_attribute, _remove_attribute, _add_nodes, _remove, _move, _rename)
