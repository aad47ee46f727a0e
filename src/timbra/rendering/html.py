"""HTML templates; every value is escaped."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass

from jinja2 import BaseLoader, ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from timbra.rendering.texts import date_text
from timbra.rendering.view import DocumentView

TEMPLATES = {"CFDI": "invoice.html", "Retenciones": "retencion.html"}
"""Template by `DocumentView.kind`."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on a part of the document.

    Attributes:
        kind: `error` or `warning`.
        text: short text, such as a code.
    """

    kind: str
    text: str


def environment(*loaders: BaseLoader) -> Environment:
    """Build a Jinja environment from loaders, followed by the templates of this package (`TEMPLATES`)."""
    templates = Environment(
        loader=ChoiceLoader([*loaders, PackageLoader("timbra.rendering")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["data_url"] = data_url
    templates.filters["date_text"] = date_text
    return templates


def data_url(png: bytes) -> str:
    """Encode a PNG image as a data URL."""
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"


def document_html(templates: Environment, view: DocumentView, marks: Mapping[str, Mark] | None = None) -> Markup:
    """Render a document as an HTML fragment for a page with `invoice.css`.

    Args:
        templates: result of `environment`.
        marks: mark by path of the marked part.
    """
    rendered = templates.get_template(TEMPLATES[view.kind]).render(view=view, marks=marks or {})
    return Markup(rendered)  # noqa: S704 (every value in it was escaped by the template)
