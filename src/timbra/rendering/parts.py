"""Parts of views that invoices and retenciones share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lxml import etree

from timbra.catalogs.labels import CatalogLabels
from timbra.cfdi.tfd import TFD_TAG
from timbra.rendering.branches import BranchTexts, branches
from timbra.rendering.view import Branch, Field


def named_key(labels: CatalogLabels, catalog: str, key: str | None, standard: str = "cfdi40") -> str:
    """Format a key with its name in the catalog."""
    text = labels.get(catalog, key, standard) if key else ""
    return f"{key} · {text}" if text else key or ""


def attributes_of(element: etree._Element | None) -> Mapping[str, str]:
    """Return the attributes of an element; empty for an absent one."""
    return {} if element is None else {str(name): str(value) for name, value in element.attrib.items()}


def fields(*pairs: tuple[str, str | None]) -> Iterator[Field]:
    """Yield the pairs of label and value that have a value."""
    return (Field(label, value) for label, value in pairs if value)


def complements_of(root: etree._Element, texts: BranchTexts | None = None) -> tuple[tuple[Branch, ...], int]:
    """Return the complements except the stamp, and the number of those left out.

    Args:
        root: the document.
        texts: the texts of their elements; names as written without it.
    """
    elements = (element for element in root.iterfind("{*}Complemento/*") if element.tag != TFD_TAG)
    return branches(elements, "Complemento/", texts or BranchTexts())
