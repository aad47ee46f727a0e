"""Parts of views that invoices and retenciones share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lxml import etree

from timbra.catalogs.labels import CatalogLabels
from timbra.rendering.view import Field


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


def first(attributes: Mapping[str, str], *names: str) -> str:
    """Return the first attribute that is not empty; versions of a document have different names."""
    return next((value for name in names if (value := str(attributes.get(name) or ""))), "")
