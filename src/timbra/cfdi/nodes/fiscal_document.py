"""The root node of every kind of document: CFDI, and CFDI de retenciones e información de pagos."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Literal, TypeVar, cast

from lxml import etree

from timbra.cfdi.nodes import fields
from timbra.cfdi.nodes.base import Node
from timbra.cfdi.nodes.fields import elements_in, made

N = TypeVar("N", bound=Node)


class FiscalDocument(Node):
    """The root of a document; a subclass is a kind of document.

    Attributes:
        element: the root element.
        complementos: children of every Complemento, the stamp included.
        addenda: None when absent.
        by_kind: the nodes of each class, the root excepted, in document order.
    """

    NAME: ClassVar[str] = ""
    """Local name of the root element."""
    VERSIONS: ClassVar[tuple[str, ...]] = ()
    """Versions that have rules."""
    KINDS: ClassVar[frozenset[str]] = frozenset()
    """Values of `kind`."""
    DATE: ClassVar[str] = ""
    """Name of the attribute with the local time of issue."""
    PLACE: ClassVar[str] = ""
    """Name of the attribute with the postal code of issue; empty when the standard has none."""
    DATE_HAS_OFFSET: ClassVar[bool] = False
    """Whether `DATE` is written with its offset from UTC."""
    DIGEST: ClassVar[Literal["sha256", "sha1"]] = "sha256"
    """Hash of Sello."""

    element: etree._Element = fields.element()
    Version: str
    Sello: str
    NoCertificado: str
    Certificado: str
    complementos: tuple[etree._Element, ...] = elements_in("Complemento")
    addenda: etree._Element | None = fields.element("Addenda")
    by_kind: dict[type[Node], list[Node]] = made(dict)

    @property
    @abstractmethod
    def kind(self) -> str:
        """The type of document within its standard: TipoDeComprobante of a CFDI."""

    @property
    @abstractmethod
    def issued_at(self) -> str:
        """Local time of issue, as written: `DATE`."""

    @property
    @abstractmethod
    def postal_code(self) -> str:
        """Postal code of issue, as written: `PLACE`."""

    @property
    @abstractmethod
    def issuer_rfc(self) -> str:
        """RFC of the issuer."""

    def of(self, kind: type[N]) -> list[N]:
        """Return all nodes of a kind, the root excepted, in document order."""
        return cast("list[N]", self.by_kind.get(kind, []))

    def complement(self, name: str) -> etree._Element | None:
        """Return the first complement of a qualified name, `{namespace}local`; None without one."""
        for complement in self.complementos:
            if complement.tag == name:
                return complement
        return None
